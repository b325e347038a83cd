from concurrent import futures
import threading
import time
import types

from keystoneauth1 import exceptions as ks_exceptions
from oslo_config import cfg
import pytest

from heat.common import exception
from heat.engine import clients
from heat.engine.clients import client_exception
from heat.engine.clients import client_plugin
from heat.engine.clients import microversion_mixin
from tests.fakes import stack as fake_stack

ERRORS = types.SimpleNamespace(NotFound=KeyError, Conflict=ValueError)


class Plugin(client_plugin.ClientPlugin):
    service_types = ['thing']
    supported_versions = ['1', '2']
    exceptions_module = ERRORS

    def _create(self, version=None):
        return 'client %s' % version

    def is_not_found(self, ex):
        return isinstance(ex, KeyError)

    def is_conflict(self, ex):
        return isinstance(ex, ValueError)


class Endpoints:
    """A session with a catalogue of one service."""

    def __init__(self):
        self.asked = []

    def get_endpoint(self, **kwargs):
        self.asked.append(kwargs)
        if kwargs['service_type'] == 'empty':
            raise ks_exceptions.EmptyCatalog()
        return 'http://thing' if kwargs['service_type'] == 'thing' else None


@pytest.fixture
def context(monkeypatch):
    monkeypatch.setattr(clients, 'plugins', lambda: {'thing': Plugin})
    context = fake_stack.context(region_name='here')
    context._keystone_session = Endpoints()
    context._auth_plugin = 'who asks'
    return context


@pytest.fixture
def plugin(context):
    return context.clients.client_plugin('thing')


def test_one_plugin_for_each_context(context):
    assert context.clients.client_plugin('thing') is (
        context.clients.client_plugin('thing'))
    assert context.clients.client('thing') == 'client None'
    assert context.clients.client('thing', version='2') == 'client 2'


def test_clients_that_are_wanted_at_once_are_made_once(context, monkeypatch):
    at_once = threading.Barrier(5)
    made = []

    def create(self, version=None):
        made.append(object())
        # Time enough for others to begin, too.
        time.sleep(0.1)
        return made[-1]

    monkeypatch.setattr(Plugin, '_create', create)

    def ask(_number):
        at_once.wait()
        return context.clients.client('thing')

    with futures.ThreadPoolExecutor(5) as pool:
        got = list(pool.map(ask, range(5)))
    assert got == made * 5


def test_client_that_could_not_be_made_is_made_later(plugin, monkeypatch):
    def create(self, version=None):
        raise ks_exceptions.ConnectFailure('closed')

    with monkeypatch.context() as broken:
        broken.setattr(Plugin, '_create', create)
        with pytest.raises(ks_exceptions.ConnectFailure):
            plugin.client()
    assert plugin.client() == 'client None'


def test_unknown_client_is_none(context):
    assert context.clients.client_plugin('odd') is None
    assert context.clients.client('odd') is None


def test_unsupported_version(plugin):
    with pytest.raises(exception.InvalidServiceVersion):
        plugin.client(version='3')


def test_errors_are_judged(plugin):
    assert plugin.is_client_exception(KeyError())
    assert not plugin.is_client_exception(OSError())
    assert not plugin.is_over_limit(OSError())


def test_ignoring_errors_both_ways(plugin):
    with plugin.ignore_not_found:
        raise KeyError('x')
    try:
        raise ValueError('x')
    except ValueError as error:
        plugin.ignore_conflict_and_not_found(error)
    with pytest.raises(OSError):
        with plugin.ignore_not_found:
            raise OSError('x')


def test_what_many_ask_at_once_is_looked_for_once(plugin):
    looked, begun, go_on = [], threading.Event(), threading.Event()

    def look():
        looked.append('thing')
        begun.set()
        assert go_on.wait(60)
        return 'its-id'

    with futures.ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(plugin.finds.ask, 'thing', {}, 'its-name',
                                look) for _one in range(3)]
        assert begun.wait(60)
        go_on.set()
        assert [each.result() for each in asked] == ['its-id'] * 3
    assert plugin.finds.ask('thing', {}, 'its-id', look) == 'its-id'
    assert looked == ['thing']


def test_what_cannot_be_found_is_looked_for_again(plugin):
    def fail():
        raise KeyError('its-name')

    with pytest.raises(KeyError):
        plugin.finds.ask('thing', {}, 'its-name', fail)
    assert plugin.finds.ask('thing', {}, 'its-name', lambda: '1') == '1'


def test_endpoints(plugin, context):
    assert plugin.url_for(service_type='thing',
                          endpoint_type='public') == 'http://thing'
    assert context._keystone_session.asked == [
        {'auth': 'who asks', 'service_type': 'thing',
         'interface': 'public', 'region_name': 'here'}]
    with pytest.raises(ks_exceptions.EndpointNotFound):
        plugin.url_for(service_type='other')


def test_existence_of_endpoints_is_asked_once(plugin, context):
    for _time in range(2):
        assert plugin.does_endpoint_exist('thing', 'thing')
        assert not plugin.does_endpoint_exist('other', 'other')
        assert not plugin.does_endpoint_exist('empty', 'empty')
    assert len(context._keystone_session.asked) == 3


def test_nobody_has_no_endpoints(plugin, context, caplog):
    context._auth_plugin = None
    assert not plugin.does_endpoint_exist('thing', 'thing')
    assert context._keystone_session.asked == []
    assert not caplog.records


def test_shared_services_have_their_region(plugin):
    cfg.CONF.set_override('region_name_for_shared_services', 'shared')
    cfg.CONF.set_override('shared_services_types', ['thing'])
    try:
        assert plugin._get_region_name() == 'shared'
    finally:
        cfg.CONF.clear_override('region_name_for_shared_services')
        cfg.CONF.clear_override('shared_services_types')
    assert plugin._get_region_name() == 'here'


def test_plugins_that_are_not_available_are_left_out():
    extension = types.SimpleNamespace(plugin=Plugin)
    assert clients._is_available(extension)
    extension.plugin = type('Gone', (Plugin,), {
        'is_available': staticmethod(lambda: False)})
    assert not clients._is_available(extension)


def test_microversions(context):
    class Micro(microversion_mixin.MicroversionMixin, Plugin):
        def get_max_microversion(self):
            return '2.9'

        def is_version_supported(self, version):
            return version == '2.1'

    plugin = Micro(context)
    assert plugin.client() == 'client 2.9'
    assert plugin.client(version='2.1') == 'client 2.1'
    with pytest.raises(exception.InvalidServiceVersion):
        plugin.client(version='3.0')


def test_retry_predicates():
    assert client_plugin.retry_if_connection_err(
        ks_exceptions.ConnectFailure())
    assert not client_plugin.retry_if_connection_err(OSError())
    assert client_plugin.retry_if_result_is_false(False)
    assert not client_plugin.retry_if_result_is_false(None)


def test_texts():
    assert str(client_exception.EntityMatchNotFound(
        entity='net', args={'a': 1})) == "No net matching {'a': 1}."
    assert 'unique' in str(client_exception.EntityUniqueMatchNotFound(
        entity='net', args='x'))
    assert 'server s' in str(client_exception.InterfaceNotFound(id='s'))
