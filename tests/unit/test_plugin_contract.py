"""Plugins of third parties work: their calls are made, on real objects."""
import ast
import importlib
import pathlib

import oslo_i18n
from oslo_i18n import _lazy
import pytest

from heat.common import exception
from heat.common import i18n
from heat.common import wsgi
from heat.engine import clients
from heat.engine import grouputils
from heat.engine import properties
from heat.engine import resource
from heat.engine import translation
from heat.engine.clients.os import neutron
from heat.engine.clients.os import octavia
from heat.engine.resources.openstack.neutron import segment
from tests import python_process
from tests.fakes import cloud
from tests.fakes import stack as fake_stack
from tests.unit import source_trees

#: What hands out clients to plugins, or follows their contract.
FOR_PLUGINS = {
    'clients/__init__.py', 'clients/client_plugin.py',
    'clients/sdk_plugin.py',
    'lifecycle/attributes.py', 'lifecycle/client_access.py', 'resource.py'}


def test_own_code_asks_for_openstacksdk():
    engine = pathlib.Path(__file__).parents[2] / 'heat' / 'engine'
    found = set()
    for path in engine.rglob('*.py'):
        for node in ast.walk(source_trees.of(path)):
            if isinstance(node, ast.Call) and isinstance(
                    node.func, ast.Attribute) and (
                    node.func.attr == 'client') and not (
                    isinstance(node.func.value, ast.Name) and
                    node.func.value.id == 'native'):
                found.add(str(path.relative_to(engine)))
    assert found == FOR_PLUGINS


class Balancers(cloud.FakeService):
    STATE = 'provisioning_status'


@pytest.fixture
def services(monkeypatch):
    """Return a context, and services of networks and of load balancers."""
    network, balancers = cloud.FakeService(), Balancers()
    for plugin, service in ((neutron.NeutronClientPlugin, network),
                            (octavia.OctaviaClientPlugin, balancers)):
        monkeypatch.setattr(plugin, '_connect',
                            lambda self, service=service, **_kw: service)
        monkeypatch.setattr(plugin, 'needs_cloud', False)
    monkeypatch.setattr(clients, 'plugins', lambda: {
        'neutron': neutron.NeutronClientPlugin,
        'octavia': octavia.OctaviaClientPlugin})
    context = fake_stack.context()
    return context, network, balancers


def test_load_balancer_status(services):
    context, _network, balancers = services
    plugin = context.clients.client_plugin('neutron')
    balancers.things['load_balancer'] = {}
    for name, status in (('a', 'ACTIVE'), ('b', 'PENDING_UPDATE'),
                         ('c', 'ERROR')):
        balancers.create_load_balancer(id=name, name=name,
                                       provisioning_status=status)
    assert plugin.check_lb_status('a') is True
    assert plugin.check_lb_status('b') is False
    with pytest.raises(exception.ResourceInError):
        plugin.check_lb_status('c')


def test_properties_that_name_a_pool_or_a_router(services):
    context, network, balancers = services
    plugin = context.clients.client_plugin('neutron')
    balancers.create_pool(id='pool-id', name='pool')
    network.create_router(id='router-id', name='router')
    props = {'pool': 'pool', 'router': 'router'}
    assert plugin.resolve_pool(props, 'pool', 'pool_id') == 'pool-id'
    assert plugin.resolve_router(props, 'router', 'router_id') == 'router-id'
    assert props == {'pool_id': 'pool-id', 'router_id': 'router-id'}
    assert plugin.resolve_router(props, 'router', 'router_id') == 'router-id'


def test_types_of_segments():
    assert segment.Segment.NETWORK_TYPES == (
        'local', 'vlan', 'vxlan', 'gre', 'geneve', 'flat')


@pytest.mark.parametrize(('added', 'wanted'), [
    ('b', ['a', 'b']), (['b', 'c'], ['a', 'b', 'c']), (None, ['a'])])
@pytest.mark.parametrize('source', [
    {'value_name': 'old'}, {'value_path': ['old']}])
def test_rule_that_adds_what_another_property_has(added, wanted, source):
    class Properties:
        data = {'old': added}

    rules = translation.Translation()
    rules.set_rules([translation.TranslationRule(
        Properties, translation.TranslationRule.ADD, ['new'], **source)])
    assert rules.translate('new', ['a'], Properties.data) == wanted


class Thing(resource.Resource):
    properties_schema = {
        'size': {'Type': 'Number', 'MinValue': '1', 'MaxValue': '2.5'},
        'name': {'Type': 'String', 'MinLength': '2', 'MaxLength': 3}}


@pytest.mark.parametrize(('given', 'is_valid'), [
    ({'size': 1, 'name': 'ab'}, True), ({'size': 2.5, 'name': 'abc'}, True),
    ({'size': 0}, False), ({'size': 3}, False), ({'name': 'a'}, False),
    ({'name': 'abcd'}, False)])
def test_bounds_of_old_schemas_may_be_text(given, is_valid):
    props = properties.Properties(
        properties.schemata(Thing.properties_schema), given)
    if is_valid:
        props.validate()
        return
    with pytest.raises(exception.StackValidationFailed):
        props.validate()


def test_bounds_of_old_schemas_are_numbers():
    with pytest.raises(exception.InvalidSchemaError, match='MinLength'):
        properties.Schema.from_legacy({'Type': 'String', 'MinLength': 'x'})


def test_lazy_translation(monkeypatch):
    monkeypatch.setattr(_lazy, 'USE_LAZY', False)
    oslo_i18n.enable_lazy()
    text = i18n._('no %(thing)s') % {'thing': 'port'}
    assert type(text) is not str
    error = exception.StackValidationFailed(message=text)
    assert 'no port' in str(error)
    assert str(exception.Error(i18n._('gone'))) == 'gone'


@pytest.mark.parametrize(('name', 'ours'), [
    ('heat.common.grouputils', grouputils),
    ('heat.api.openstack.wsgi', wsgi), ('heat.api.cfn.wsgi', wsgi)])
def test_known_names_of_modules(name, ours):
    assert importlib.import_module(name) is ours
    parent, _dot, last = name.rpartition('.')
    # A plugin's own tests import it before anything else of ours.
    python_process.output(f'from {parent} import {last} as one; '
                          f'import {name}; assert one is {name}')
