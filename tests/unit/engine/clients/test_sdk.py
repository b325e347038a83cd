"""What options do to connections to the cloud."""
import importlib
import logging
import pkgutil
import types

from keystoneauth1 import session as ks_session
from openstack import resource
from openstack.network.v2 import network as network_module
from oslo_config import cfg
import pytest

from heat.engine.clients import sdk


@pytest.fixture
def conf():
    changed = []

    def change(name, value, group=None):
        cfg.CONF.set_override(name, value, group)
        changed.append((name, group))

    yield change
    for name, group in changed:
        cfg.CONF.clear_override(name, group)


@pytest.fixture
def connection():
    context = types.SimpleNamespace(keystone_session=ks_session.Session(),
                                    auth_plugin=None, request_id='req-1')
    return lambda: sdk.connect(context, service='nova')


@pytest.mark.parametrize(('option', 'service'), [
    ('max_cinder_api_microversion', 'block-storage'),
    ('max_ironic_api_microversion', 'baremetal')])
def test_microversions_can_be_bounded(conf, connection, option, service):
    assert connection().config.get_default_microversion(service) is None
    conf(option, 3.5)
    assert connection().config.get_default_microversion(service) == '3.5'


def test_requests_are_logged_without_passwords(conf, caplog):
    assert sdk.logger_of('nova') is None
    conf('http_log_debug', True, 'clients_nova')
    logger = sdk.logger_of('nova')
    assert sdk.logger_of('nova') is logger
    assert sdk.logger_of('cinder') is None
    with caplog.at_level(logging.DEBUG, 'heat.http.nova'):
        logger.debug('REQ: %s', '{"server": {"adminPass": "geheim"}}')
    assert 'REQ' in caplog.text
    assert 'geheim' not in caplog.text


def test_only_what_the_service_answers_is_shown():
    answer = {'id': 'n', 'name': 'net', 'mtu': 1400, 'description': None,
              'router:external': False, 'vendor:key': {'a': [1]}}
    network = network_module.Network.existing(**answer)
    assert network.tags == []
    assert sdk.shown(network) == answer
    sdk.shown(network)['vendor:key']['a'].append(2)
    assert sdk.shown(network) == answer
    assert sdk.shown(network_module.Network.existing(
        id='n', tags=[])) == {'id': 'n', 'tags': []}


def _things():
    """Return the classes of what services have, by module and name."""
    found = {}
    for service in ('block_storage.v3', 'compute.v2', 'dns.v2',
                    'identity.v3', 'image.v2', 'key_manager.v1',
                    'load_balancer.v2', 'network.v2'):
        package = importlib.import_module('openstack.' + service)
        for info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(
                f'{package.__name__}.{info.name}')
            found.update((f'{service}.{info.name}.{name}', cls)
                         for name, cls in vars(module).items()
                         if isinstance(cls, type) and
                         cls.__module__ == module.__name__ and
                         issubclass(cls, resource.Resource))
    return found


@pytest.mark.parametrize('cls', _things().values(), ids=_things())
def test_headers_are_no_part_of_a_thing(cls):
    headers = set(cls._header_mapping()) - set(cls._body_mapping())
    thing = cls()
    assert not headers & set(sdk.shown(thing))
    assert not {'location', 'if-match', 'if_match'} & set(sdk.shown(thing))
