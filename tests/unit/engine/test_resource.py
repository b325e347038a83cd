import gc

import pytest

from heat.common import exception
from heat.engine import attributes
from heat.engine import dependencies
from heat.engine import properties
from heat.engine import resource
from heat.engine import rsrc_defn
from heat.engine import stk_defn
from heat.engine import translation
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from tests.fakes import database
from tests.fakes import stack as fake_stack


class Finder:
    """A client plugin that knows one name."""

    service_types = ['things']
    extensions = {'colour'}
    has_endpoint = True

    def find(self, name):
        if name != 'known':
            raise exception.EntityNotFound(entity='Thing', name=name)
        return 'id-of-known'

    def is_not_found(self, error):
        return isinstance(error, exception.EntityNotFound)

    def is_conflict(self, error):
        return False

    def does_endpoint_exist(self, service_type, service_name):
        return self.has_endpoint

    def has_extension(self, name):
        return name in self.extensions


class Thing(resource.Resource):
    """A thing."""

    properties_schema = {
        'name': properties.Schema(properties.Schema.STRING,
                                  update_allowed=True),
        'size': properties.Schema(properties.Schema.INTEGER),
    }
    attributes_schema = {
        'map': attributes.Schema('A map.'),
        'never': attributes.Schema(
            'Not kept.', cache_mode=attributes.Schema.CACHE_NONE),
        'nothing': attributes.Schema('None.'),
        'broken': attributes.Schema('Raises.'),
    }
    asked = []
    plugin = Finder()

    def client_plugin(self, name=None):
        return self.plugin

    def translation_rules(self, properties):
        return [translation.TranslationRule(
            properties, translation.TranslationRule.RESOLVE, ['name'],
            client_plugin=self.plugin, finder='find')]

    def handle_create(self):
        self.asked.append(self.properties['name'])
        self.resource_id_set('phys')

    def _resolve_attribute(self, name):
        self.asked.append(name)
        if name == 'broken':
            raise OSError('down')
        if name == 'nothing':
            raise exception.EntityNotFound(entity='Thing', name='x')
        return {'map': {'a': [1, 2]}, 'never': 'n'}[name]

    def _show_resource(self):
        return {'all': True}


class Other(resource.Resource):
    properties_schema = {'p': properties.Schema(properties.Schema.ANY)}


OUTPUTS = {'o': {'value': {'get_attr': ['r', 'map']}}}


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    monkeypatch.setattr(Thing, 'asked', [])


def make_stack(resources=None, outputs=None, name='st', props=None, **snippet):
    return fake_stack.FakeStack(
        resources or {'r': {'type': 'T::Thing', 'properties': props or {},
                            **snippet}},
        outputs=outputs, name=name,
        types={'T::Thing': Thing, 'T::Other': Other, 'T::Alias': 'T::Thing'})


def created(stack, name='r'):
    res = stack.stored(name)
    scheduler.TaskRunner(res.create)()
    return res


# -- making objects ---------------------------------------------------------

def test_class_is_picked_by_type():
    stack = make_stack({'r': {'type': 'T::Thing'},
                        'alias': {'type': 'T::Alias'}})
    assert type(stack['r']) is Thing
    assert type(stack['alias']) is Thing
    assert stack['alias'].type() == 'T::Alias'


def test_has_interface_follows_mappings():
    stack = make_stack({'alias': {'type': 'T::Alias'}})
    assert stack['alias'].has_interface('T::Alias')
    assert stack['alias'].has_interface('T::Thing')
    assert not stack['alias'].has_interface('T::Other')


def test_names_by_type_follow_mappings():
    stack = make_stack({
        'one': {'type': 'T::Thing'}, 'alias': {'type': 'T::Alias'},
        'odd': {'type': 'No::Such::Type'}})
    named = stack.defn.rsrc_names_of_type
    assert named('T::Thing') == ['one', 'alias']
    assert named('T::Alias') == ['alias']
    assert named('No::Such::Type') == ['odd']
    assert named('T::Other') == []
    stk_defn.remove_resource(stack.defn, 'alias')
    assert named('T::Thing') == ['one']
    stk_defn.add_resource(stack.defn, rsrc_defn.ResourceDefinition(
        'new', 'T::Alias'))
    assert named('T::Thing') == ['one', 'new']


def test_name_has_no_slash():
    stack = make_stack()
    with pytest.raises(ValueError, match='/'):
        resource.Resource('a/b', stack.definition('r'), stack)


def test_unstored_resource():
    res = make_stack()['r']
    assert res.state == ('INIT', 'COMPLETE')
    assert res.id is None
    assert res.physical_resource_name() is None
    assert res.FnGetRefId() == 'r'
    assert res.metadata_get() == {}
    assert res.data() == {}


def test_new_resource_of_a_stack_that_goes_away():
    stack = make_stack()
    stack.action = 'ROLLBACK'
    assert stack['r'].state == ('ROLLBACK', 'COMPLETE')


def test_row_is_read_by_whoever_makes_the_object():
    stack = make_stack(props={'size': 3}, metadata={'m': 1})
    before = created(stack)
    res = stack.reload('r')
    assert res is not before
    for name in ('id', 'uuid', 'resource_id', 'action', 'status',
                 'created_time', 'atomic_key', 'root_stack_id'):
        assert getattr(res, name) == getattr(before, name), name
    assert res.metadata_get() == {'m': 1}
    assert res.frozen_definition().properties(
        Thing.properties_schema)['size'] == 3


def test_one_of_several_rows_can_be_loaded():
    stack = make_stack()
    res = created(stack)
    row = resource_objects.Resource.get_obj(stack.context, res.id)
    row.replaced_by, row.requires = 7, [1, 2]
    loaded = resource.Resource.load_row(row, stack.definition('r'), stack)
    assert type(loaded) is Thing
    assert (loaded.replaced_by, loaded.requires) == (7, {1, 2})


def test_stack_is_a_weak_reference():
    res = make_stack()['r']
    gc.collect()
    with pytest.raises(RuntimeError, match='gone'):
        _stack = res.stack


# -- names ------------------------------------------------------------------

def test_physical_name_is_unique_and_fits():
    stack = make_stack(name='x' * 250)
    res = created(stack)
    name = res.physical_resource_name()
    assert len(name) == 255
    assert name.startswith('xx-xxx')
    assert len(name.rpartition('-')[2]) == 12
    assert res.physical_resource_name_or_FnGetRefId() == name


@pytest.mark.parametrize(('name', 'limit', 'wanted'), [
    ('short', 10, 'short'),
    ('stack-resource-abc', 10, 'st-rce-abc'),
    ('abcdefgh', 4, 'ab-h'),
])
def test_reduced_name(name, limit, wanted):
    assert Thing.reduce_physical_resource_name(name, limit) == wanted


def test_name_cannot_be_reduced_to_nothing():
    with pytest.raises(ValueError, match='4'):
        Thing.reduce_physical_resource_name('abcdef', 3)


# -- dependencies -----------------------------------------------------------

def test_dependencies_come_from_the_definition():
    stack = make_stack({
        'a': {'type': 'T::Other'}, 'b': {'type': 'T::Other'},
        'r': {'type': 'T::Other', 'depends_on': 'b',
              'properties': {'p': {'get_resource': 'a'}}}})
    deps = dependencies.Dependencies()
    for res in stack.values():
        res.add_explicit_dependencies(deps)
    assert {res.name for res in deps.requires(stack['r'])} == {'a', 'b'}
    assert len(deps) == 3
    stack.dependencies = deps
    assert stack['a'].required_by() == ['r']


# -- translation ------------------------------------------------------------

def test_names_are_resolved_from_create_on():
    stack = make_stack(props={'name': 'known'})
    res = stack.stored('r')
    assert res.properties['name'] == 'known'
    scheduler.TaskRunner(res.create)()
    assert Thing.asked == ['id-of-known']
    # What is stored is what the user wrote.
    assert stack.row('r').properties == {'name': 'known'}


def test_name_that_is_gone_does_not_stop_a_delete():
    stack = make_stack(props={'name': 'known'})
    res = created(stack)
    res.row_state.set_properties({'name': 'gone'})
    with res.frozen_properties():
        assert res.properties['name'] == 'gone'
    res.handle_delete = lambda: None
    scheduler.TaskRunner(res.delete)()


# -- attributes -------------------------------------------------------------

def test_attribute_and_path():
    res = created(make_stack())
    assert res.FnGetAtt('map') == {'a': [1, 2]}
    assert res.FnGetAtt('map', 'a', 1) == 2
    assert res.FnGetAtt('map', 'b', 'c') is None
    assert res.FnGetAtt('show') == {'all': True}


def test_unknown_attribute_is_an_error():
    res = created(make_stack())
    with pytest.raises(exception.InvalidTemplateAttribute):
        res.FnGetAtt('absent')


def test_thing_that_is_gone_has_null_attributes():
    assert created(make_stack()).FnGetAtt('nothing') is None


def test_attributes_are_asked_for_once():
    res = created(make_stack())
    for _time in range(2):
        assert res.FnGetAtt('map')
        assert res.FnGetAtt('never')
    assert Thing.asked.count('map') == 1
    assert Thing.asked.count('never') == 2


def test_referenced_attributes_are_stored_with_the_outcome():
    stack = make_stack(outputs=OUTPUTS)
    created(stack)
    assert stack.row('r').attributes == {'map': {'a': [1, 2]}}
    Thing.asked.clear()
    assert stack.reload('r').FnGetAtt('map', 'a') == [1, 2]
    assert Thing.asked == []


def test_stored_attributes_of_a_failed_resource_do_not_count():
    stack = make_stack(outputs=OUTPUTS)
    res = created(stack)
    res.state_set('CHECK', 'FAILED', 'ill')
    assert stack.reload('r').attributes.cached_attrs == {}


def test_stored_attributes_can_be_cleared():
    stack = make_stack(outputs=OUTPUTS)
    res = created(stack)
    res.clear_stored_attributes()
    assert not stack.row('r').attributes
    assert stack.row('r').attr_data_id is None


def test_referenced_attrs():
    stack = make_stack(
        {'r': {'type': 'T::Thing'},
         'x': {'type': 'T::Other', 'properties': {
             'p': {'get_attr': ['r', 'map', 'a']}}},
         'y': {'type': 'T::Thing'}},
        outputs={'o': {'value': {'get_attr': ['y']}},
                 'p': {'value': {'get_attr': ['r', 'never']}}})
    assert stack['r'].referenced_attrs(in_outputs=False) == {('map', 'a')}
    assert stack['r'].referenced_attrs(in_resources=False) == {'never'}
    assert stack['y'].referenced_attrs() == {'map', 'never', 'nothing',
                                             'broken'}
    assert stack['x'].referenced_attrs() == set()


def test_node_data():
    stack = make_stack(
        {'r': {'type': 'T::Thing'},
         'x': {'type': 'T::Other', 'properties': {
             'p': [{'get_attr': ['r', 'map', 'a']},
                   {'get_attr': ['r', 'broken']}]}}})
    res = created(stack)
    data = res.node_data()
    assert (data.primary_key, data.uuid, data.name) == (res.id, res.uuid,
                                                        'r')
    assert (data.action, data.status) == ('CREATE', 'COMPLETE')
    assert data.reference_id() == 'phys'
    assert data.attribute(('map', 'a')) == [1, 2]
    with pytest.raises(exception.Error, match='"broken" of resource "r"'):
        data.attribute('broken')


# -- default handlers -------------------------------------------------------

class Verbs:
    def __init__(self, error=None):
        self.error = error
        self.calls = []

    def delete(self, physical_id):
        self.calls.append(physical_id)
        if self.error:
            raise self.error


@pytest.mark.parametrize('error', [
    None, exception.EntityNotFound(entity='Thing', name='phys')])
def test_default_delete_uses_the_entity(monkeypatch, error):
    stack = make_stack()
    res = created(stack)
    verbs = Verbs(error)
    monkeypatch.setattr(Thing, 'entity', 'things')
    monkeypatch.setattr(Thing, 'client', lambda self: type(
        'Client', (), {'things': verbs}))
    scheduler.TaskRunner(res.delete)()
    assert verbs.calls == ['phys']


def test_adopt_takes_id_data_and_metadata():
    stack = make_stack()
    res = stack.stored('r')
    scheduler.TaskRunner(res.adopt, {
        'resource_id': 'old', 'resource_data': {'k': 'v'},
        'metadata': {'m': 1}})()
    row = stack.row('r')
    assert (row.action, row.physical_resource_id) == ('ADOPT', 'old')
    again = stack.reload('r')
    assert again.data() == {'k': 'v'}
    assert again.metadata_get() == {'m': 1}
    abandoned = again.prepare_abandon()
    assert abandoned == {
        'name': 'r', 'resource_id': 'old', 'type': 'T::Thing',
        'action': 'ADOPT', 'status': 'COMPLETE', 'metadata': {'m': 1},
        'resource_data': {'k': 'v'}}


def test_adopt_needs_an_id():
    stack = make_stack()
    with pytest.raises(exception.ResourceFailure, match='ID'):
        scheduler.TaskRunner(stack.stored('r').adopt, {})()


# -- values -----------------------------------------------------------------

def test_data():
    stack = make_stack()
    res = created(stack)
    res.data_set('open', 'a')
    res.data_set('secret', 'b', redact=True)
    res.data_set('open', 'c')
    assert stack.reload('r').data() == {'open': 'c', 'secret': 'b'}
    assert res.data_delete('open') is True
    assert res.data_delete('open') is False
    assert stack.reload('r').data() == {'secret': 'b'}


def test_data_of_a_resource_without_row():
    with pytest.raises(exception.ResourceNotAvailable):
        make_stack()['r'].data_set('k', 'v')


def test_metadata():
    stack = make_stack(metadata={'a': 1})
    with pytest.raises(exception.ResourceNotAvailable):
        stack['r'].metadata_set({})
    res = created(stack)
    other = stack.reload('r')
    other.metadata_set({'b': 2})
    assert res.metadata_get() == {'a': 1}
    assert res.metadata_get(refresh=True) == {'b': 2}
    res.metadata_set({'c': 3}, merge_metadata=lambda new, old: {**old, **new})
    assert stack.reload('r').metadata_get() == {'b': 2, 'c': 3}


def test_metadata_of_a_row_that_is_gone():
    stack = make_stack(metadata={'a': 1})
    res = created(stack)
    resource_objects.Resource.delete(stack.context, res.id)
    with pytest.raises(exception.NotFound, match=str(res.id)):
        res.metadata_get(refresh=True)
    with pytest.raises(exception.NotFound, match=str(res.id)):
        res.metadata_change(lambda stored: {'b': 2})
    assert res.metadata_get() == {'a': 1}


def test_state_set_writes_an_event():
    stack = make_stack()
    res = created(stack)
    res.state_set('CHECK', 'FAILED', 'marked')
    row = stack.row('r')
    assert (row.action, row.status, row.status_reason) == (
        'CHECK', 'FAILED', 'marked')
    assert stack.events()[-1] == ('r', 'CHECK', 'FAILED')


# -- validation and availability --------------------------------------------

@pytest.mark.parametrize('policy', ['Delete', 'Retain', 'Snapshot', 'Keep'])
def test_deletion_policies(policy):
    stack = make_stack(deletion_policy=policy)
    if policy in ('Delete', 'Retain'):
        stack['r'].validate()
        return
    with pytest.raises(exception.StackValidationFailed) as bad:
        stack['r'].validate()
    assert bad.value.path == ['resources', 'r', 'deletion_policy']


@pytest.fixture
def clients(monkeypatch):
    """The clients of a context, with our plugin."""
    plugin = Finder()
    monkeypatch.setattr(Thing, 'default_client_name', 'things')

    class Clients:
        def client_plugin(self, name):
            return plugin if name == 'things' else None

    context = type('Context', (), {'clients': Clients()})
    return plugin, context


def test_service_is_available(clients):
    _plugin, context = clients
    assert Thing.is_service_available(context) == (True, None)
    assert Other.is_service_available(context) == (True, None)


def test_service_without_client_or_endpoint(clients, monkeypatch):
    plugin, context = clients
    plugin.has_endpoint = False
    available, reason = Thing.is_service_available(context)
    assert not available
    assert 'endpoint' in reason
    monkeypatch.setattr(Thing, 'default_client_name', 'unknown')
    assert not Thing.is_service_available(context)[0]


@pytest.mark.parametrize(('wanted', 'available'), [
    ('colour', True), ('colour shape', False), ('shape,colour', False)])
def test_service_extension(clients, monkeypatch, wanted, available):
    monkeypatch.setattr(Thing, 'required_service_extension', wanted)
    assert Thing.is_service_available(clients[1])[0] is available


def test_unavailable_type_does_not_validate(monkeypatch):
    monkeypatch.setattr(Thing, 'is_service_available',
                        classmethod(lambda cls, context: (False, 'why')))
    stack = make_stack()
    with pytest.raises(exception.ResourceTypeUnavailable, match='why'):
        stack['r'].validate()


def test_failing_availability_counts_as_unavailable(monkeypatch):
    def fail(cls, context):
        raise OSError('down')

    monkeypatch.setattr(Thing, 'is_service_available', classmethod(fail))
    stack = make_stack()
    with pytest.raises(exception.ResourceTypeUnavailable):
        stack['r'].validate()


def test_external_id_must_exist(monkeypatch):
    def gone(self):
        raise exception.EntityNotFound(entity='Thing', name='x')

    stack = make_stack(external_id='there')
    stack['r'].validate_external()
    monkeypatch.setattr(Thing, '_show_resource', gone)
    with pytest.raises(exception.StackValidationFailed, match='there'):
        stack['r'].validate_external()


def test_template_of_a_type():
    cfn = Thing.resource_to_template('T::Thing')
    assert cfn['Resources']['Thing']['Type'] == 'T::Thing'
    assert set(cfn['Parameters']) == {'name', 'size'}
    assert cfn['Outputs']['OS::stack_id'] == {'Value': {'Ref': 'Thing'}}
    hot = Thing.resource_to_template('T::Thing', 'hot')
    assert hot['outputs']['OS::stack_id'] == {
        'value': {'get_resource': 'Thing'}}
    assert hot['resources']['Thing']['properties']['name'] == {
        'get_param': 'name'}
    assert set(hot['outputs']) >= {'map', 'show'}
