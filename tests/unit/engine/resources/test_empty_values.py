"""What an empty text, list or map means to each type.

The compute and the block storage service are not asked for what is empty:
to leave a property out and to give it an empty value is the same. All other
services are sent what a template says.
"""
import random

from oslo_utils import importutils
import pytest

from heat.engine import clients
from heat.engine import constraints
from heat.engine import environment
from heat.engine import properties
from heat.engine import stack as stack_module
from heat.engine.clients import client_plugin
from heat.engine.clients import sdk_plugin
from heat.engine.resources import sdk_resource
from tests.fakes import cloud
from tests.fakes import database
from tests.fakes import keystone
from tests.fakes import stacks
from tests.unit.engine.resources import test_contract

Schema = properties.Schema
#: What is empty, by the type of a property.
EMPTY = {Schema.STRING: '', Schema.LIST: [], Schema.MAP: {}}


class Service(cloud.FakeService):
    """Finds whatever has a name, and has whatever is asked for by an id."""

    def _create(self, entity, *parents, **values):
        self.log.append(('create', entity, dict(values)))
        return cloud.Thing({'id': entity + '-id', **values})

    def _find(self, entity, name_or_id, ignore_missing=True, **filters):
        return cloud.Thing({'id': name_or_id}) if name_or_id else None

    def _kept(self, entity, thing_id):
        return {'id': thing_id, 'status': 'available', '_next': [],
                'network_id': 'net', 'ram': 1, 'disk': 1, 'min_ram': 0,
                'min_disk': 0}


def sample(schema):
    """Return a value that a property may have."""
    for rule in schema.constraints:
        if isinstance(rule, constraints.AllowedValues):
            return rule.allowed[0]
        if schema.type != Schema.LIST and isinstance(
                rule, constraints.Range):
            return rule.min or 1
    if schema.type == Schema.LIST:
        return [sample(schema.schema['*'])] if schema.schema else ['x']
    if schema.type == Schema.MAP:
        return {name: sample(each) for name, each in
                (schema.schema or {}).items() if each.required}
    return {Schema.STRING: 'some-id', Schema.BOOLEAN: True}.get(
        schema.type, 1)


def takes_empty(schema):
    """Return whether the constraints of a property let it be empty."""
    try:
        for rule in schema.constraints:
            if not isinstance(rule, constraints.CustomConstraint):
                rule.validate(EMPTY[schema.type])
    except ValueError:
        return False
    # One that has a default means another thing by being empty.
    return not (schema.required or schema.default) and schema.implemented


def described(name):
    """Return {property: schema} of a type."""
    return properties.schemata(test_contract.TYPES[name].properties_schema)


def of_service(*names):
    return sorted(
        name for name, cls in test_contract.TYPES.items()
        if issubclass(cls, sdk_resource.SDKResource)
        and cls.default_client_name in names
        # An attachment has no request of its own but that of Nova.
        and not name.endswith(('Quota', 'Attachment', 'QoSAssociation')))


#: The types whose requests leave out what is empty, and what their samples
#: need beside the properties that are required.
LEAVE_OUT = {
    **dict.fromkeys(of_service('nova', 'cinder'), {}),
    'OS::Nova::Server': {'image': 'cirros', 'networks': [
        {'network': 'net'}]},
    'AWS::EC2::Instance': {'ImageId': 'cirros'},
    'OS::Cinder::Volume': {'size': 1},
    'AWS::EC2::Volume': {'Size': 1},
}
#: Properties whose samples need a certain form.
SAMPLES = {'AWS::EC2::Volume': {'AvailabilityZone': 'nova'},
           'OS::Neutron::NetworkGateway': {'connections': []}}


def rows(names):
    """Return (type, property) of all that may be empty."""
    return [(name, each) for name in names
            for each, schema in described(name).items()
            if schema.type in EMPTY and takes_empty(schema)]


def definition(kind, given):
    required = {each: sample(schema) for each, schema
                in described(kind).items() if schema.required}
    return {'type': kind, 'properties': {
        **required, **SAMPLES.get(kind, {}), **LEAVE_OUT.get(kind, {}),
        **given}}


@pytest.fixture
def service():
    """Return what stands for each service."""
    return Service()


@pytest.fixture
def resource_of(monkeypatch, service):
    """Return a function that makes a resource of a definition."""
    engine = stacks.Engine(monkeypatch)
    engine.context.auth_url = 'http://keystone.test'
    env = environment.global_env()
    for name, cls in test_contract.TYPES.items():
        env.register_class(name, cls)
    keystone.use(monkeypatch)
    for name, path in clients._OWN_PLUGINS.items():
        plugin = importutils.import_class(path)
        monkeypatch.setitem(clients.plugins(), name, plugin)
        if issubclass(plugin, sdk_plugin.SDKClientPlugin):
            monkeypatch.setattr(plugin, '_connect',
                                lambda self, **_kw: service)
        if issubclass(plugin, sdk_plugin.MicroversionedPlugin):
            monkeypatch.setattr(plugin, 'is_version_supported',
                                lambda self, version: True)
    monkeypatch.setattr(client_plugin.ClientPlugin, 'does_endpoint_exist',
                        lambda *_args, **_kw: True)

    kept = []

    def make(definition):
        template = engine.template('resources: %r' % {'it': definition})
        stack = stack_module.Stack(
            engine.context, database.free_name(engine.context), template)
        stack.store()
        # A resource does not keep its stack alive.
        kept.append(stack)
        resource = stack['it']
        monkeypatch.setattr(resource, 'physical_resource_name',
                            lambda: 'st-it-name')
        resource.store()
        return resource
    yield make
    keystone.forget()


@pytest.fixture
def requests_of(resource_of, service):
    """Return a function: what a resource asks for when it is created."""
    def ask(definition):
        resource = resource_of(definition)
        service.log.clear()
        # The boundaries of user data are random.
        random.seed(0)
        resource.handle_create()
        return [(entity, given) for verb, entity, given in service.log
                if verb == 'create']
    return ask


@pytest.mark.parametrize(('name', 'prop'), rows(LEAVE_OUT))
def test_what_is_empty_is_left_out(requests_of, name, prop):
    empty = EMPTY[described(name)[prop].type]
    given = definition(name, {prop: empty})
    absent = definition(name, {})
    absent['properties'].pop(prop, None)
    assert requests_of(given) == requests_of(absent)


#: The types of all other services.
SEND = of_service('barbican', 'designate', 'keystone', 'neutron', 'octavia')


@pytest.mark.parametrize(('name', 'prop'), [
    (name, prop) for name, prop in rows(SEND)
    # A map that has a schema is never empty, and an old name gives way.
    if not described(name)[prop].schema
    and described(name)[prop].support_status.status == 'SUPPORTED'])
def test_what_is_empty_is_sent(resource_of, name, prop):
    empty = EMPTY[described(name)[prop].type]
    given = resource_of(definition(name, {prop: empty}))._given()
    renamed = test_contract.TYPES[name].rename.get(prop)
    assert given.get(prop, given.get(renamed)) == empty
