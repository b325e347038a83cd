import pytest

from heat.common import exception
from heat.common import identifier
from heat.engine import attributes
from heat.engine import environment
from heat.engine import node_data
from heat.engine import stk_defn
from heat.engine import template
from heat.engine.language import custom_constraint

IDENTITY = identifier.HeatIdentifier('proj', 'web', 'a-b-c')

TEMPLATE = {
    'heat_template_version': '2018-08-31',
    'parameters': {'p': {'type': 'string'}},
    'conditions': {'never': False},
    'resources': {
        'a': {'type': 'Test::Plain'},
        'off': {'type': 'Test::Plain', 'condition': 'never'},
        'c': {'type': 'Test::Half'},
        'b': {'type': 'Test::Open',
              'properties': {'x': {'get_attr': ['a', 'size']}}}},
    'outputs': {
        'size': {'value': {'get_attr': ['a', 'size']}},
        'none': {'value': 5, 'condition': 'never'}}}


class Base:
    """What stands for the base class of resources."""

    support_status = None
    attributes_schema = {}
    base_attributes_schema = {'show': attributes.Schema('Everything')}

    def get_attribute(self, key, *path):
        raise NotImplementedError


class Plain(Base):
    attributes_schema = {'size': attributes.Schema('How big')}


class Open(Base):
    strict_dependency = False

    def get_attribute(self, key, *path):
        return key


class Half(Open):
    attributes_schema = {'size': attributes.Schema('How big')}
    undeclared_attributes = ('resource.',)


@pytest.fixture
def defn(monkeypatch):
    monkeypatch.setattr(
        environment.Environment, 'get_class',
        lambda self, kind, name=None, files=None:
        {'Test::Plain': Plain, 'Test::Open': Open,
         'Test::Half': Half}.get(kind))
    env = environment.Environment({'parameters': {'p': 'v'}})
    return stk_defn.StackDefinition(
        None, template.Template(TEMPLATE, env=env), IDENTITY, {}, 'parent')


def know(defn, values, action='CREATE', status='COMPLETE'):
    stk_defn.update_resource_data(defn, 'a', node_data.NodeData(
        1, 'a', 'u', 'ref-a', values, action, status))
    return defn['a']


def test_names(defn):
    assert list(defn.all_rsrc_names()) == ['a', 'off', 'c', 'b']
    assert list(defn.enabled_rsrc_names()) == ['a', 'c', 'b']
    assert defn.enabled_rsrc_names() - {'a'} == {'b', 'c'}
    assert list(defn.enabled_output_names()) == ['size', 'none']
    assert defn.all_resource_types() == {'Test::Plain', 'Test::Open',
                                         'Test::Half'}
    assert 'a' in defn
    assert 'off' not in defn
    with pytest.raises(KeyError):
        defn['off']
    with pytest.raises(KeyError):
        defn.output_definition('nothing')


def test_engine_context(defn):
    assert defn.parameters['p'] == 'v'
    assert defn.parameters['OS::stack_name'] == 'web'
    assert defn.parent_resource == 'parent'
    assert defn.env is defn.t.env
    assert defn.resource_definition('a').resource_type == 'Test::Plain'


def test_resource_to_come(defn):
    proxy = defn['a']
    assert proxy.state == ('INIT', 'COMPLETE')
    assert proxy.FnGetRefId() == 'a'
    assert proxy.FnGetAtt('size') is None
    assert proxy.FnGetAtts() == {}
    assert defn.output_definition('size').get_value() is None


def test_resource_that_is_known(defn):
    proxy = know(defn, {'size': {'x': [1, 2]}, 'show': {}}, 'UPDATE',
                 'FAILED')
    assert (proxy.action, proxy.status) == ('UPDATE', 'FAILED')
    assert proxy.FnGetRefId() == 'ref-a'
    assert proxy.FnGetAtt('size') == {'x': [1, 2]}
    assert proxy.FnGetAtt('size', 'x', 1) == 2
    assert proxy.FnGetAtt('size', 'x', 5) is None
    assert proxy.FnGetAtts() == {'size': {'x': [1, 2]}}
    assert proxy.external_id is None
    assert proxy.t is defn.resource_definition('a')


def test_path_may_be_known_alone(defn):
    proxy = know(defn, {('size', 'x'): 1})
    assert proxy.FnGetAtt('size', 'x') == 1
    assert proxy.FnGetAtt('size', 'y') is None
    assert proxy.FnGetAtt('size') is None


def test_attribute_that_does_not_exist(defn):
    for proxy in (defn['a'], know(defn, {})):
        with pytest.raises(exception.InvalidTemplateAttribute, match='szie'):
            proxy.FnGetAtt('szie')
    assert defn['b'].FnGetAtt('anything') is None


def test_attribute_that_failed(defn):
    proxy = know(defn, {'size': ZeroDivisionError('oops')})
    with pytest.raises(ZeroDivisionError):
        proxy.FnGetAtt('size')


def test_attribute_names(defn):
    assert defn['a'].attributes_schema == {'size', 'show'}
    assert know(defn, {'extra': 1}).attributes_schema == {
        'size', 'show', 'extra'}
    assert defn['b'].attributes_schema is None
    half = defn['c'].attributes_schema
    assert half == {'size', 'show'}
    assert 'resource.0.x' in half
    assert 'szie' not in half


def test_unknown_type_has_any_attribute():
    tmpl = template.Template({
        'heat_template_version': '2018-08-31',
        'resources': {'a': {'type': 'No::Such::Type'}}})
    proxy = stk_defn.StackDefinition(None, tmpl, None, {})['a']
    assert proxy.attributes_schema is None
    assert proxy.strict_dependency is True


def test_dependency_of_types_nobody_waits_for(defn):
    assert defn['a'].strict_dependency is True
    assert defn['b'].strict_dependency is False


def test_outputs_follow_the_node_data(defn):
    know(defn, {'size': 1})
    assert defn.output_definition('size').get_value() == 1
    know(defn, {'size': 2})
    assert defn.output_definition('size').get_value() == 2
    stk_defn.update_resource_data(defn, 'a', None)
    assert defn.output_definition('size').get_value() is None


def test_clone(defn):
    know(defn, {'size': 1})
    clone = defn.clone_with_new_template(defn.t, IDENTITY)
    assert clone['a'].FnGetAtt('size') == 1
    assert clone.parent_resource == 'parent'
    know(clone, {'size': 2})
    assert defn['a'].FnGetAtt('size') == 1
    empty = defn.clone_with_new_template(defn.t, IDENTITY, True)
    assert empty['a'].action == 'INIT'


def test_resources_come_and_go(defn):
    stk_defn.remove_resource(defn, 'b')
    assert list(defn.enabled_rsrc_names()) == ['a', 'c']
    stk_defn.add_resource(defn, defn.resource_definition('a').freeze())
    assert 'a' in defn


class _Alone:
    """The context of a service without a cloud: it has no clients."""

    @property
    def clients(self):
        return self

    def sdk(self, name):
        """Return no client."""


def test_availability_zones_are_assumed_where_no_cloud_can_be_asked():
    for context in (None, custom_constraint.OFFLINE, _Alone()):
        defn = stk_defn.StackDefinition(context, template.Template(
            {'heat_template_version': '2018-08-31'}), None, {})
        assert defn.get_availability_zones() == ['nova']


def test_availability_zones():
    class Zone:
        def __init__(self, name):
            self.name = name

    class Context:
        asked = 0

        @property
        def clients(self):
            return self

        def sdk(self, name):
            assert name == 'nova'
            return self

        def availability_zones(self):
            self.asked += 1
            return [Zone('one'), Zone('two')]

    context = Context()
    defn = stk_defn.StackDefinition(context, template.Template(
        {'heat_template_version': '2018-08-31'}), None, {})
    assert defn.get_availability_zones() == ['one', 'two']
    assert defn.get_availability_zones() == ['one', 'two']
    assert context.asked == 1
