"""Names of a template are looked up at the same time."""
import threading
import time

import pytest

from heat.common import exception
from heat.engine import clients
from heat.engine import constraints
from heat.engine import environment
from heat.engine import properties
from heat.engine import resource
from heat.engine.clients import client_plugin
from heat.engine.language import custom_constraint

Schema = properties.Schema


class Cloud(client_plugin.ClientPlugin):
    """A cloud that answers when as many lookups wait as a test expects."""

    def __init__(self, context, expected=1):
        super().__init__(context)
        self.asked = []
        self.meeting = threading.Barrier(expected, timeout=20)

    def _create(self, version=None):
        return self

    def get_thing(self, name):
        return self.finds.ask('thing', {}, name, lambda: self._find(name))

    def _find(self, name):
        self.asked.append(name)
        self.meeting.wait()
        if name.startswith('no-'):
            raise exception.EntityNotFound(entity='Thing', name=name)
        return f'id-of-{name}'


class Known(custom_constraint.BaseCustomConstraint):
    resource_client_name = 'cloud'
    resource_getter_name = 'get_thing'


class Local(custom_constraint.BaseCustomConstraint):
    """A check without a request; only the thread of a request may do it."""

    def validate(self, value, context):
        return threading.current_thread().name != 'heat-lookahead'


def _named(kind=Schema.STRING, **kwargs):
    return Schema(kind, constraints=[constraints.ref('cloud.thing')],
                  **kwargs)


class Default(resource.Resource):
    """A resource that names things unless its template names others."""

    properties_schema = {name: _named(default=name)
                         for name in ('small', 'inside')}


class User(resource.Resource):
    """A resource with properties that name things."""

    properties_schema = {
        'image': _named(), 'flavor': _named(),
        'text': Schema(Schema.STRING, constraints=[
            constraints.CustomConstraint('local')]),
        'ports': Schema(Schema.LIST, schema=Schema(Schema.MAP, schema={
            'network': _named(), 'size': Schema(Schema.INTEGER)}))}


@pytest.fixture
def cloud(engine, monkeypatch):
    """Return a function that makes the cloud of the engine's context."""
    env = environment.global_env()
    env.register_class('Test::User', User)
    env.register_class('Test::Default', Default)
    env.register_constraint('cloud.thing', Known)
    env.register_constraint('local', Local)

    def make(expected):
        made = []

        def once(context):
            made.append(Cloud(context, expected))
            return made[0]

        monkeypatch.setattr(clients, 'plugins', lambda: {'cloud': once})
        return engine.context.clients.client_plugin('cloud')

    return make


def test_names_of_properties(engine, cloud):
    plugin = cloud(4)
    engine.stack("""
parameters:
  net: {type: string, default: inside}
  nets: {type: json, default: {public: outside}}
resources:
  a:
    type: Test::User
    properties:
      image: cirros
      text: something
      ports:
      - {network: {get_param: net}, size: 1}
      - {network: {get_param: [nets, public]}}
  b:
    type: Test::User
    properties: {image: cirros, flavor: large, ports: [{network: inside}]}
""")
    assert sorted(plugin.asked) == ['cirros', 'inside', 'large', 'outside']


def test_names_that_are_defaults(engine, cloud):
    plugin = cloud(2)
    engine.stack('resources: {a: {type: Test::Default}}')
    assert sorted(plugin.asked) == ['inside', 'small']


def test_names_of_parameters(engine, cloud):
    plugin = cloud(2)
    engine.stack("""
parameters:
  image: {type: string, constraints: [custom_constraint: cloud.thing]}
  flavor:
    type: string
    default: large
    constraints: [custom_constraint: cloud.thing]
resources: {}
""", params={'image': 'cirros'})
    assert sorted(plugin.asked) == ['cirros', 'large']


def test_a_name_alone_is_left_to_validation(engine, cloud, monkeypatch):
    plugin = cloud(1)
    monkeypatch.setattr(threading, 'Thread', None)
    engine.stack("""
resources:
  a: {type: Test::User, properties: {image: cirros}}
  b: {type: Test::User, properties: {image: cirros}}
""")
    assert plugin.asked == ['cirros']


def test_values_of_other_resources_are_not_known(engine, cloud):
    plugin = cloud(2)
    engine.stack("""
resources:
  a: {type: Test::User, properties: {image: cirros, flavor: large}}
  b: {type: Test::User, properties: {image: {get_resource: a}}}
""")
    assert sorted(plugin.asked) == ['cirros', 'large']


def test_user_is_told_of_an_unknown_name_and_where_it_is(engine, cloud):
    cloud(2).meeting = threading.Barrier(1)
    with pytest.raises(exception.StackValidationFailed) as caught:
        engine.stack("""
resources:
  a: {type: Test::User, properties: {image: cirros, flavor: no-such}}
""")
    assert caught.value.path == ['resources', 'a', 'properties', 'flavor']
    assert 'no-such' in str(caught.value)


def test_many_names_are_not_all_asked_at_once(engine, cloud):
    plugin = cloud(1)
    at_work, most = set(), []

    def find(name):
        at_work.add(name)
        most.append(len(at_work))
        time.sleep(0.002)
        at_work.discard(name)
        return name

    plugin._find = find
    users = '\n'.join(
        f'  u{number}: {{type: Test::User, properties: '
        f'{{image: i{number}}}}}' for number in range(50))
    engine.stack(f'resources:\n{users}\n')
    # Validation itself may wait for one more.
    assert len(most) == 50
    assert max(most) <= 9
