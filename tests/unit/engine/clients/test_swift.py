"""What plugins ask of the object store, and of the messaging service."""
import datetime
import hashlib
import hmac
from urllib import parse

from openstack import exceptions as sdk_exceptions
import pytest

from heat.common import exception
from heat.engine.clients.os import swift as swift_plugin
from heat.engine.clients.os import zaqar as zaqar_plugin
from tests.fakes import cloud
from tests.fakes import stack as fake_stack
from tests.fakes import swift as fake_swift


@pytest.fixture
def services(monkeypatch):
    return fake_swift.use(monkeypatch)


@pytest.fixture
def context(services):
    return fake_stack.context()


@pytest.fixture
def storage(services):
    return services[0]


@pytest.fixture
def plugin(context):
    return context.clients.client_plugin('swift')


@pytest.fixture
def queues(context):
    return context.clients.client_plugin('zaqar')


def signed(key, digest, *lines):
    return hmac.new(key.encode(), '\n'.join(lines).encode(),
                    digest).hexdigest()


def test_url_is_signed_with_the_key_of_the_account(storage, plugin):
    storage.headers['']['X-Account-Meta-Temp-URL-Key'] = 'k'
    url = parse.urlsplit(plugin.get_temp_url('c', 'my ö/x', method='GET'))
    assert (url.netloc, url.path) == ('swift:8080',
                                      '/v1/AUTH_p/c/my%20%C3%B6/x')
    query = dict(parse.parse_qsl(url.query))
    assert query['temp_url_expires'] == str(swift_plugin.MAX_EPOCH)
    assert query['temp_url_sig'] == signed(
        'k', hashlib.sha256, 'GET', query['temp_url_expires'],
        '/v1/AUTH_p/c/my ö/x')


@pytest.mark.parametrize(('info', 'digest'), [
    ({'tempurl': {'allowed_digests': ['sha512', 'sha1']}}, hashlib.sha512),
    ({'tempurl': {}}, hashlib.sha1), ({}, hashlib.sha256)])
def test_url_is_signed_as_the_service_can_check(storage, plugin, info,
                                                digest):
    storage.headers['']['X-Account-Meta-Temp-URL-Key'] = 'k'
    storage.info = info
    url = plugin.get_temp_url('c', 'o')
    assert signed('k', digest, 'PUT', str(swift_plugin.MAX_EPOCH),
                  '/v1/AUTH_p/c/o') in url


def test_service_that_does_not_tell_what_it_can(storage, plugin,
                                                monkeypatch):
    def refuse():
        raise sdk_exceptions.ForbiddenException('no')

    monkeypatch.setattr(storage, 'get_info', refuse)
    storage.headers['']['X-Account-Meta-Temp-URL-Key'] = 'k'
    assert signed('k', hashlib.sha256, 'PUT', str(swift_plugin.MAX_EPOCH),
                  '/v1/AUTH_p/c/o') in plugin.get_temp_url('c', 'o')


def test_url_that_expires(plugin, monkeypatch):
    monkeypatch.setattr(swift_plugin.time, 'time', lambda: 1000.5)
    assert plugin.get_temp_url('c', 'o', timeout=60).endswith('=1060')
    assert plugin.get_temp_url('c', 'o', timeout=2**40).endswith(
        '=2147483647')


def test_key_is_made_once_and_by_all_alike(storage, services, monkeypatch):
    urls = set()
    for _engine in range(2):
        storage.headers[''].clear()
        context = fake_stack.context()
        plugin = context.clients.client_plugin('swift')
        urls.add(plugin.get_temp_url('c', 'o'))
        assert len(storage.headers['']['X-Account-Meta-Temp-URL-Key']) == 64
    assert len(urls) == 1


@pytest.mark.parametrize(('path', 'valid'), [
    ('/v1/AUTH_p/c/o', True), ('/v1/AUTH_p/c/o/with/more', True),
    ('/v1/AUTH_p/c/', False), ('/v1/AUTH_p/c', False),
    ('/x/AUTH_p/c/o', False), ('v1/AUTH_p/c/o', False),
    ('/v1/p/c/o', False), ('', False)])
def test_path_of_a_temporary_url(plugin, path, valid):
    assert plugin.is_valid_temp_url_path(path) is valid


@pytest.mark.parametrize('text', ['Sun, 22 Nov 2026 01:15:48 GMT',
                                  'Sun, 22 Nov 2026 03:15:48 +0200'])
def test_time_of_a_header(plugin, text):
    assert plugin.parse_last_modified(text) == datetime.datetime(
        2026, 11, 22, 1, 15, 48)


def test_time_of_no_header(plugin):
    assert plugin.parse_last_modified('') is None
    assert plugin.parse_last_modified('yesterday') is None


def test_versions_in_the_order_of_signals(storage, plugin):
    plugin.get_signal_url('c', 'o')
    storage.upload_object('c', 'other', 'x')
    for body in ('1', '2', ''):
        storage.upload_object('c', 'o', body)
    assert [body for _when, _name, body in plugin.read_versions('c', 'o')
            ] == [swift_plugin.IN_PROGRESS, '1', '2', '']
    plugin.delete_object_with_versions('c', 'o')
    assert list(storage.containers['c']) == ['other']
    plugin.delete_object_with_versions('c', 'other')
    assert storage.containers == {}
    plugin.delete_object_with_versions('c', 'other')


@pytest.mark.parametrize('bulk', [True, False])
def test_objects_are_deleted(storage, plugin, bulk):
    if not bulk:
        del storage.info['bulk_delete']
    storage.create_container('c')
    for name in ('a/ö', 'b c'):
        storage.upload_object('c', name, 'x')
    assert plugin.delete_some_objects('c')
    assert storage.containers == {'c': {}}
    assert not plugin.delete_some_objects('c')


def test_objects_that_stay(storage, plugin, monkeypatch):
    storage.create_container('c')
    storage.upload_object('c', 'a', 'x')
    monkeypatch.setattr(storage, '_about_account', lambda *_a: (
        fake_swift.answer(body={'Errors': [['/c/a', '403 Forbidden']]})))
    with pytest.raises(exception.Error, match='403 Forbidden'):
        plugin.delete_some_objects('c')


def test_files_of_a_container(storage, plugin):
    storage.create_container('c')
    for name in ('a.yaml', 'dir/b.sh', 'c.txt'):
        storage.upload_object('c', name, 'text of ' + name)
    assert plugin.get_files_from_container('c', ['c.txt']) == {
        'a.yaml': 'text of a.yaml', 'dir/b.sh': 'text of dir/b.sh'}


def test_files_that_are_too_many(storage, plugin):
    storage.create_container('c')
    for name in ('a', 'b'):
        storage.upload_object('c', name, 'x' * 600000)
    with pytest.raises(exception.DownloadLimitExceeded, match='1200000'):
        plugin.get_files_from_container('c')
    assert list(plugin.get_files_from_container('c', ['a'])) == ['b']


def test_files_that_are_not_there(plugin):
    with pytest.raises(exception.NotFound, match='container c '):
        plugin.get_files_from_container('c')


def test_file_that_is_no_text(storage, plugin):
    storage.create_container('c')
    storage.upload_object('c', 'picture', b'\xff\xfe')
    with pytest.raises(exception.StackValidationFailed, match='picture'):
        plugin.get_files_from_container('c')


# -- queues -----------------------------------------------------------------


def test_metadata_of_a_queue(services, queues):
    client = queues.sdk()
    client.create_queue('q', {'a': 1, 'b': 2})
    client.update_queue('q', {'a': 1, 'c/d': 3})
    assert services[1].metadata == {'q': {'a': 1, 'c~1d': 3}}
    client.delete_queue('q')
    assert services[1].queues == {}


def test_url_of_a_queue(queues):
    assert queues.sdk().url_of('q') == 'http://zaqar:8888/v2/queues/q'


def test_messages_are_claimed(services, queues):
    client = queues.sdk()
    client.create_queue('q')
    assert client.create_claim('q', ttl=60, grace=60).messages == []
    client.post_message('q', [{'body': 'x', 'ttl': 60}])
    claim = client.create_claim('q', ttl=60, grace=60)
    [message] = claim.messages
    assert message['body'] == 'x'
    client.delete_message('q', message['id'], claim=claim)
    assert services[1].queues == {'q': {}}


@pytest.mark.parametrize(('name', 'error'), [
    (7, TypeError), ('', ValueError), ('x' * 65, ValueError)])
def test_names_that_no_queue_can_have(queues, name, error):
    with pytest.raises(error):
        queues.get_queue(name)
    constraint = zaqar_plugin.QueueConstraint()
    assert not constraint.validate(name, queues.context)


def test_events_go_into_a_queue(services, context):
    services[1].queues['q'] = {}
    zaqar_plugin.ZaqarEventSink('q').consume(context, {'id': 1})
    zaqar_plugin.ZaqarEventSink('q', ttl=7).consume(context, {'id': 2})
    assert list(services[1].queues['q'].values()) == [{'id': 1}, {'id': 2}]
    assert services[1].ttls == [3600, 7]


@pytest.mark.parametrize('name', [
    'a/b', '/', '.', '..', 'x' * 257, 'ä' * 129])
def test_what_is_no_name_of_a_container(plugin, name):
    with pytest.raises(exception.StackValidationFailed,
                       match='files_container.*256 bytes'):
        plugin.get_files_from_container(name)


@pytest.mark.parametrize('status', [400, 403, 412])
def test_container_that_swift_refuses(storage, plugin, monkeypatch, status):
    def refuse(container):
        raise cloud.refusal(status, {'error': 'Swift says no'})
    monkeypatch.setattr(storage, 'objects', refuse)
    with pytest.raises(exception.StackValidationFailed,
                       match='files_container.*no'):
        plugin.get_files_from_container('c')


def test_swift_that_fails_is_no_fault_of_the_request(storage, plugin,
                                                     monkeypatch):
    def fail(container):
        raise cloud.refusal(503, {'error': 'broken'})
    monkeypatch.setattr(storage, 'objects', fail)
    with pytest.raises(sdk_exceptions.HttpException):
        plugin.get_files_from_container('c')


def test_container_of_an_odd_name(storage, plugin):
    storage.create_container('a%3Fb%20c')
    storage.upload_object('a%3Fb%20c', 'x', 'text')
    assert plugin.get_files_from_container('a?b c') == {'x': 'text'}
