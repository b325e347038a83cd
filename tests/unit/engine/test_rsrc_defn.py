import pytest

from heat.common import exception
from heat.engine import constraints
from heat.engine import environment
from heat.engine import function
from heat.engine import node_data
from heat.engine import properties
from heat.engine import rsrc_defn
from heat.engine import stk_defn
from heat.engine import template

Definition = rsrc_defn.ResourceDefinition


def stack(resources, params=None, **sections):
    env = environment.Environment({'parameters': params or {}})
    tmpl = template.Template({
        'heat_template_version': '2018-08-31', 'resources': resources,
        'parameters': {name: {'type': 'string'} for name in params or {}},
        **sections}, env=env)
    return stk_defn.StackDefinition(None, tmpl, None, {})


def definition(params=None, others=(), **parts):
    resources = {name: {'type': 'T'} for name in others}
    defn = stack({**resources, 'r': {'type': 'T', **parts}}, params)
    found = defn.resource_definition('r')
    # What was parsed lives as long as the stack.
    found.kept = defn
    return found


FULL = {
    'properties': {'a': {'get_param': 'p'}, 'b': [1]},
    'metadata': {'m': {'get_param': 'p'}},
    'depends_on': ['o'], 'deletion_policy': 'Retain',
    'update_policy': {'u': {'get_param': 'p'}},
    'description': 'About r'}


def full(value='v'):
    return definition({'p': value}, ['o'], **FULL)


def test_parts():
    found = full()
    assert (found.name, found.resource_type) == ('r', 'T')
    assert found.description == 'About r'
    assert found.deletion_policy() == 'Retain'
    assert found.metadata() == {'m': 'v'}
    assert found.condition() is None
    assert found.external_id() is None
    schema = {'a': properties.string('A'), 'b': properties.list('B')}
    assert dict(found.properties(schema)) == {'a': 'v', 'b': [1]}
    assert dict(found.update_policy({'u': properties.string('U')})) == {
        'u': 'v'}


def test_bare():
    bare = Definition('r', 'T')
    assert bare.deletion_policy() == 'Delete'
    assert bare.metadata() == {}
    assert dict(bare.properties({})) == {}
    assert dict(bare.update_policy({})) == {}
    assert bare.requires == frozenset()
    assert bare.render_hot() == {'type': 'T'}


def test_external_resource_is_retained():
    found = definition(external_id='xyz', deletion_policy='Delete')
    assert found.external_id() == 'xyz'
    assert found.deletion_policy() == 'Retain'


def test_property_errors_name_the_section():
    schema = {'a': properties.integer('A', constraints=[
        constraints.Range(1)])}
    found = definition(properties={'a': 0})
    with pytest.raises(exception.StackValidationFailed) as caught:
        found.properties(schema).validate()
    assert caught.value.path == [rsrc_defn.PROPERTIES, 'a']
    assert caught.value.error == 'Property error'


@pytest.mark.parametrize('part', ['properties', 'metadata',
                                  'update_policy'])
def test_parts_are_maps(part):
    with pytest.raises(TypeError):
        Definition('r', 'T', **{part: ['a']})


# Dependencies

def test_dependencies():
    found = definition(
        None, 'abcde', depends_on=['b', 'a', 'b'],
        properties={'x': {'get_attr': ['c', 'show', 'y']},
                    'z': {'get_resource': 'a'}},
        metadata={'w': [{'get_resource': 'd'}]},
        update_policy={'v': {'get_resource': 'e'}})
    assert found.required_resource_names() == found.requires == {*'abcd'}
    assert [r.name for r in found.dependencies(found.kept)] == [*'bacd']


def test_dependency_that_is_switched_off_is_ignored():
    defn = stack({'off': {'type': 'T', 'condition': 'never'},
                  'r': {'type': 'T', 'depends_on': 'off'}},
                 conditions={'never': False})
    assert list(defn.resource_definition('r').dependencies(defn)) == []
    assert list(Definition('r', 'T', depends='off').dependencies(defn)
                ) == []


def test_dependency_that_does_not_exist():
    defn = stack({'r': {'type': 'T'}})
    with pytest.raises(exception.InvalidTemplateReference, match='nobody'):
        list(Definition('r', 'T', depends=['nobody']).dependencies(defn))


def test_dependency_that_nothing_waits_for():
    class Loose:
        name = 'o'
        strict_dependency = False

    class Reference(function.Function):
        def result(self):
            return 'o'

        def dependencies(self, path):
            yield Loose

    found = Definition('r', 'T', properties={
        'a': Reference(None, 'ref', 'o')})
    assert found.requires == frozenset()
    assert list(found.dependencies({'o': Loose})) == []


def test_referenced_attributes():
    found = definition(
        None, 'ab',
        properties={'x': {'get_attr': ['a', 'show', 'y']},
                    'z': {'get_attr': ['b', 'show']}},
        metadata={'w': {'get_attr': ['a', 'other']}})
    assert found.all_dep_attrs() == {
        ('a', ('show', 'y')), ('a', 'other'), ('b', 'show')}
    assert found.dep_attrs('a') == {('show', 'y'), 'other'}
    assert found.dep_attrs('c') == set()


# Frozen and rendered

def test_frozen_has_values_only():
    found = full()
    frozen = found.freeze(properties={'a': 'other'})
    assert frozen.render_hot() == {
        'type': 'T', 'description': 'About r', 'properties': {'a': 'other'},
        'metadata': {'m': 'v'}, 'depends_on': ['o'],
        'deletion_policy': 'Retain', 'update_policy': {'u': 'v'}}
    assert found.freeze(deletion_policy='Delete').deletion_policy() == (
        'Delete')


def test_rendered_has_the_functions():
    rendered = full().render_hot()
    assert rendered == {'type': 'T', **FULL}
    rendered['type'] = 'changed'
    assert full().render_hot()['type'] == 'T'


def test_reparsed_reads_the_other_stack():
    found = full('one')
    other = stack({}, {'p': 'two'})
    assert found.reparse(other, other.t).metadata() == {'m': 'two'}
    frozen = found.freeze()
    assert frozen.reparse(other, other.t).metadata() == {'m': 'one'}


# Equality

class Never(function.Function):
    """A function that no comparison should resolve."""

    def result(self):
        raise AssertionError('resolved')


def test_equal_without_resolving():
    one, two = (Definition('r', 'T', {'a': [Never(None, 'fn', {'x': 1})]})
                for _copy in range(2))
    assert one == two
    assert hash(one) == hash(two)
    three = Definition('r', 'T', {'a': [Never(None, 'fn', {'x': 2})]})
    assert one != three


@pytest.mark.parametrize('part', [
    {'properties': {'a': 2}}, {'properties': {}},
    {'metadata': {'m': 1}}, {'deletion_policy': 'Retain'},
    {'update_policy': {'u': 1}}, {'depends': ['o']}, {'external_id': 'x'},
    {'condition': 'c'}])
def test_every_part_matters(part):
    parts = {'properties': {'a': 1}}
    assert Definition('r', 'T', **parts) != Definition(
        'r', 'T', **{**parts, **part})


def test_what_does_not_matter():
    assert Definition('r', 'T') != Definition('r', 'U')
    assert Definition('r', 'T', description='a') == Definition('r', 'T')
    assert Definition('r', 'T', {}, {}, [], 'Delete', {}) == (
        Definition('r', 'T'))
    assert Definition('r', 'T', depends=['a', 'b']) == (
        Definition('r', 'T', depends=['b', 'a']))
    assert Definition('r', 'T') != 'r'


def test_frozen_equals_by_value():
    found = full()
    assert found == found.freeze()
    assert found.freeze() == found
    assert found != full('other').freeze()


def test_difference():
    old, new = full(), full('other')
    diff = new - old
    assert isinstance(diff, Definition.Diff)
    assert diff
    assert diff.properties_changed()
    assert diff.metadata_changed()
    assert diff.update_policy_changed()
    assert not (full() - full())
    diff = Definition.Diff(Definition('r', 'T'),
                           Definition('r', 'T', metadata={'m': 1}))
    assert (diff.properties_changed(), diff.metadata_changed(),
            diff.update_policy_changed()) == (False, True, False)
    with pytest.raises(TypeError):
        Definition.Diff(old, 'new')


def test_validate_names_the_function():
    found = definition(None, 'a', properties={
        'x': [{'get_attr': ['a', 'nothing']}]})
    found.validate()

    class Faulty(function.Function):
        def result(self):
            return None

        def validate(self):
            raise ValueError('wrong')

    faulty = Definition('r', 'T', {'x': [Faulty(None, 'fn', 1)]})
    with pytest.raises(exception.StackValidationFailed) as caught:
        faulty.validate()
    assert caught.value.path == ['Properties', 'x', 0, 'fn']


def test_properties_follow_the_node_data():
    defn = stack({'a': {'type': 'T'}, 'r': {'type': 'T', 'properties': {
        'x': {'get_attr': ['a', 'v']}, 'y': {'get_resource': 'a'}}}})
    read = defn.resource_definition('r').properties(
        {'x': properties.string('X'), 'y': properties.string('Y')})
    assert dict(read) == {'x': '', 'y': 'a'}
    stk_defn.update_resource_data(defn, 'a', node_data.NodeData(
        1, 'a', 'u', 'ref-a', {'v': 'val'}, 'CREATE', 'COMPLETE'))
    assert dict(read) == {'x': 'val', 'y': 'ref-a'}
