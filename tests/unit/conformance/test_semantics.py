"""What is easy to get wrong about templates."""
import pytest

from heat.common import exception
from heat.engine import properties
from heat.engine import rsrc_defn
from tests.unit.conformance import language

HOT = 'heat_template_version.2021-04-16'
_Kind = properties.Schema
SCHEMA = {
    'text': _Kind(_Kind.STRING), 'number': _Kind(_Kind.NUMBER),
    'whole': _Kind(_Kind.INTEGER), 'flag': _Kind(_Kind.BOOLEAN),
    'list': _Kind(_Kind.LIST), 'map': _Kind(_Kind.MAP),
    'given': _Kind(_Kind.STRING, default='default'),
    'listed': _Kind(_Kind.LIST, default=['d']),
    'nested': _Kind(_Kind.MAP, schema={
        'a': _Kind(_Kind.STRING), 'b': _Kind(_Kind.INTEGER, default=7)}),
}
NOTHING = {'if': ['no', 'value']}


def definition(version=HOT, conditions=True, **keys):
    """Return the stack and the definition of its resource r."""
    sections = {'resources': {
        'r': {'type': 'Test::Thing', **keys},
        **{name: {'type': 'Test::Thing'} for name in 'ab'},
        'off': {'type': 'Test::Thing', 'condition': 'no'}},
        'conditions': {'no': language.condition_of(version, False),
                       'yes': language.condition_of(version, True)}}
    stack = language.definition_of(language.template_of(
        language.data_of(version, **sections)))
    return stack, stack.resource_definition('r')


def read(**given):
    """Return the properties of a resource to which these are given."""
    stack, defn = definition(properties=given)
    props = defn.properties(SCHEMA)
    props.validate()
    values = dict(props)
    del stack
    return values


# -- Absent and null

def test_absent_is_none_and_null_is_the_default_or_empty():
    absent = read()
    assert absent == {**dict.fromkeys(SCHEMA), 'given': 'default',
                      'listed': ['d']}
    null = read(**dict.fromkeys(SCHEMA))
    assert null == {'text': '', 'number': 0, 'whole': 0, 'flag': False,
                    'list': [], 'map': {}, 'given': 'default',
                    'listed': ['d'], 'nested': {'a': None, 'b': 7}}


def test_nothing_counts_as_absent():
    assert read(**dict.fromkeys(SCHEMA, NOTHING)) == read()
    assert read(list=['a', NOTHING, 'b'])['list'] == ['a', 'b']
    assert read(map={'a': NOTHING, 'b': 1})['map'] == {'b': 1}
    assert read(list=[{'a': [NOTHING]}, [NOTHING]])['list'] == [
        {'a': []}, []]
    assert read(nested={'a': NOTHING, 'b': NOTHING})['nested'] == {
        'a': None, 'b': 7}
    assert read(text={'if': ['yes', 'value']})['text'] == 'value'


def test_required_property_that_is_nothing_is_missing():
    schema = {'p': _Kind(_Kind.STRING, required=True)}
    _stack, defn = definition(properties={'p': NOTHING})
    with pytest.raises(exception.StackValidationFailed, match='p'):
        defn.properties(schema).validate()
    _stack, defn = definition(properties={'p': None})
    defn.properties(schema).validate()


# -- Dependencies

@pytest.mark.parametrize(('keys', 'required'), [
    ({'depends_on': 'a'}, {'a'}), ({'depends_on': ['a', 'b']}, {'a', 'b'}),
    ({'properties': {'p': {'get_resource': 'a'}}}, {'a'}),
    ({'properties': {'p': [{'get_attr': ['b', 'words']}]}}, {'b'}),
    ({'metadata': {'p': {'get_resource': 'a'}}}, {'a'}),
    ({'update_policy': {'p': {'get_resource': 'a'}}}, set()),
    ({'deletion_policy': {'if': ['yes', 'Delete', {'get_resource': 'a'}]}},
     set()),
    ({'condition': 'yes'}, set()),
    ({'depends_on': ['off', 'a']}, {'a'}),
    ({'properties': {'p': {'if': ['yes', {'get_resource': 'a'},
                                  {'get_resource': 'b'}]}}}, {'a'}),
    ({'properties': {'p': {'if': ['no', {'get_resource': 'off'},
                                  {'get_resource': 'b'}]}}}, {'b'}),
])
def test_what_makes_a_dependency(keys, required):
    stack, defn = definition(**keys)
    assert defn.required_resource_names() == required
    assert {each.name for each in defn.dependencies(stack)} == required
    del stack


@pytest.mark.parametrize('depends', [
    {'get_param': 'p'}, [{'get_resource': 'a'}], [['a']], 7])
def test_depends_on_holds_names(depends):
    with pytest.raises(exception.StackValidationFailed) as caught:
        definition(depends_on=depends)
    assert list(caught.value.path) == ['resources', 'r', 'depends_on']


@pytest.mark.parametrize('call', [
    {'get_resource': 'off'}, {'get_attr': ['off', 'words']},
    {'get_resource': 'nobody'}, {'get_attr': ['a', 'unknown']}])
def test_reference_to_what_is_not_there(call):
    stack, defn = definition(properties={'p': call})
    with pytest.raises(exception.StackValidationFailed):
        defn.validate()
    del stack


# -- Policies and external resources

@pytest.mark.parametrize(('version', 'policy', 'meaning'), [
    ('heat_template_version.2016-04-08', 'delete', None),
    ('heat_template_version.2016-04-08', 'Retain', 'Retain'),
    ('heat_template_version.2016-10-14', 'retain', 'Retain'),
    (HOT, 'snapshot', 'Snapshot'), (HOT, 'Retain ', None)])
def test_deletion_policies(version, policy, meaning):
    tmpl = language.template_of(language.data_of(version, resources={
        'r': {'type': 'Test::Thing', 'deletion_policy': policy}}))
    stack = language.definition_of(tmpl)
    if meaning is None:
        with pytest.raises(exception.StackValidationFailed):
            stack.resource_definition('r')
        return
    assert stack.resource_definition('r').deletion_policy() == meaning


@pytest.mark.parametrize('policy', ['Delete', 'Snapshot', 'Retain'])
def test_external_resource_is_retained(policy):
    _stack, defn = definition(external_id='id', deletion_policy=policy)
    assert defn.deletion_policy() == 'Retain'
    assert defn.external_id() == 'id'


# -- Equality

def test_the_description_says_nothing():
    one, two = (rsrc_defn.ResourceDefinition(
        'r', 'T', {'p': 1}, description=text) for text in ('a', 'b'))
    assert one == two
    assert not one - two


@pytest.mark.parametrize('changes', [
    {'depends': ['a']}, {'deletion_policy': 'Retain'}, {'condition': 'c'}])
def test_a_change_that_changes_no_property(changes):
    old = rsrc_defn.ResourceDefinition('r', 'T', {'p': 1})
    new = rsrc_defn.ResourceDefinition('r', 'T', {'p': 1}, **changes)
    # It is another definition, though no property differs.
    assert old != new
    assert not new - old
