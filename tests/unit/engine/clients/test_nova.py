"""What plugins ask of the compute service, and of user data."""
import base64
import copy
import email
import json
import types

from openstack import exceptions as sdk_exceptions
import pytest

from heat.common import context as heat_context
from heat.common import exception
from heat.engine import clients
from heat.engine.clients.os import nova
from heat.engine.clients.os import userdata
from tests.fakes import cloud


@pytest.fixture
def compute():
    return cloud.FakeService()


@pytest.fixture
def plugin(compute, monkeypatch):
    monkeypatch.setattr(heat_context, '_clients_factory',
                        clients.make_clients)
    context = heat_context.RequestContext(project_id='p', overwrite=False)
    plugin = nova.NovaClientPlugin(context)
    plugin._client_instances[None] = compute
    plugin.kept = context
    return plugin


def server(**values):
    return cloud.Thing({'id': 's', 'status': 'ACTIVE', **values})


@pytest.mark.parametrize(('status', 'active'), [
    ('ACTIVE', True), ('BUILD(spawning)', False), ('RESIZE', False)])
def test_server_becomes_active(plugin, status, active):
    assert plugin._check_active(server(status=status)) is active


def test_server_that_never_becomes_active(plugin):
    with pytest.raises(exception.ResourceInError, match='No valid host'):
        plugin._check_active(server(status='ERROR', fault={
            'message': 'No valid host', 'code': 500}))
    with pytest.raises(exception.ResourceUnknownStatus):
        plugin._check_active(server(status='PAUSED'))


def test_server_is_asked_again_when_the_service_is_busy(plugin, compute):
    compute.trouble['get_server'] = [sdk_exceptions.HttpException(
        'busy', response=types.SimpleNamespace(
            status_code=503, headers={}, text='', content=b''))]
    made = compute.create_server(name='a')
    assert plugin.fetch_server(made.id) is None
    assert plugin.fetch_server(made.id).name == 'a'


def test_deleted_server(plugin, compute):
    made = compute.create_server(name='a')
    assert plugin.check_delete_server_complete(made.id) is False
    compute.things['server', made.id].update(
        status='ERROR', fault={'message': 'stuck'})
    with pytest.raises(exception.ResourceInError, match='stuck'):
        plugin.check_delete_server_complete(made.id)
    compute.things.clear()
    assert plugin.check_delete_server_complete(made.id) is True


def test_unknown_things_are_told(plugin, compute):
    for find in (plugin.get_server, plugin.get_keypair,
                 plugin.find_flavor_by_name_or_id, plugin.get_host):
        with pytest.raises(exception.EntityNotFound):
            find('nothing')


def test_metadata_are_texts(plugin, compute):
    changes = []
    compute.delete_server_metadata = lambda *args: changes.append(args)
    compute.set_server_metadata = lambda its_id, **values: changes.append(
        (its_id, values))
    plugin.meta_update(server(metadata={'old': '1', 'a': '2'}),
                       {'a': [1], 'b': 'text'})
    assert changes == [('s', ['old']), ('s', {'a': '[1]', 'b': 'text'})]


def test_addresses(plugin):
    one = server(addresses={'net': [
        {'addr': 'fd00::1', 'version': 6, 'OS-EXT-IPS:type': 'fixed'},
        {'addr': '10.0.0.1', 'version': 4, 'OS-EXT-IPS:type': 'fixed'}]})
    assert plugin.server_to_ipaddress(one) == '10.0.0.1'
    assert plugin.get_ip(one, 'fixed', 6) == 'fd00::1'
    assert plugin.get_ip(one, 'floating', 4) is None
    assert plugin.server_to_ipaddress(server(addresses={})) is None


def test_console_is_asked_for_when_it_is_looked_at(plugin, compute):
    urls = plugin.get_console_urls(server())
    assert not compute.log
    compute.create_server_remote_console = lambda its_id, **asked: (
        cloud.Thing({'url': '%(protocol)s %(type)s' % asked}))
    assert urls['novnc'] == 'vnc novnc'
    assert set(urls) >= {'novnc', 'serial', 'spice-html5'}


@pytest.mark.parametrize('taken', [
    dict, copy.deepcopy, lambda urls: {**urls},
    lambda urls: json.loads(json.dumps(urls)),
    lambda urls: dict(urls.items())])
def test_all_consoles_are_told_to_who_wants_all(plugin, compute, taken):
    """And for each that there is none of it is told why."""
    def console(its_id, *, protocol, type):
        compute.asked.append(type)
        if protocol != 'vnc':
            raise cloud.refusal(400 if protocol == 'spice' else 501, {
                'fault': {'message': f'no {type} here'}})
        return cloud.Thing({'url': 'https://there/' + type})

    compute.asked = []
    compute.create_server_remote_console = console
    urls = taken(plugin.get_console_urls(server()))
    assert type(urls) is dict
    assert urls['novnc'] == 'https://there/novnc'
    assert 'no spice-html5 here' in urls['spice-html5']
    assert 'no serial here' in urls['serial']
    assert len(compute.asked) == len(set(compute.asked)) == len(urls)


def test_console_of_a_service_that_fails(plugin, compute):
    def console(its_id, **_asked):
        raise cloud.refusal(500, {'fault': {'message': 'broken'}})

    compute.create_server_remote_console = console
    with pytest.raises(sdk_exceptions.HttpException):
        plugin.get_console_urls(server())['novnc']


def parts(text):
    return {part.get_filename(): part.get_payload(decode=True).decode()
            for part in email.message_from_string(text).get_payload()}


def test_raw_user_data_are_left_alone():
    assert userdata.build({'a': 1}, 'raw', user_data_format='RAW') == 'raw'


def test_user_data_for_heat_cfntools():
    found = parts(userdata.build({'a': 1}, '#!/bin/sh', 'anna'))
    assert found['cfn-userdata'] == '#!/bin/sh'
    assert json.loads(found['cfn-init-data']) == {'a': 1}
    assert 'user: "anna"' in found['cloud-config']
    compile(found['part-handler.py'], 'part-handler.py', 'exec')


def test_part_handler_keeps_parts(tmp_path):
    source = parts(userdata.build({}, ''))['part-handler.py']
    names = {}
    exec(source.replace('/var/lib/heat-cfntools', str(tmp_path / 'kept')),
         names)
    assert names['list_types']() == ['text/x-cfninitdata']
    names['handle_part'](None, '__begin__', None, None)
    names['handle_part'](None, 'text/x-cfninitdata', '../a', 'text')
    assert (tmp_path / 'kept' / 'a').read_text() == 'text'


def test_user_data_of_several_parts_are_taken_apart():
    given = userdata.build({}, 'one', user_data_format='SOFTWARE_CONFIG')
    found = parts(userdata.build({'a': 1}, given,
                                 user_data_format='SOFTWARE_CONFIG'))
    assert found['userdata'] == 'one'
    assert 'cfn-init-data' in found


def test_user_of_the_template_can_become_root():
    hook = parts(userdata.build({}, '', 'anna; rm -r /'))['boothook.sh']
    assert "name='anna; rm -r /'" in hook
    assert 'useradd' not in parts(userdata.build({}, ''))['boothook.sh']


def test_heat_cfntools_are_told_where_to_ask():
    found = parts(userdata.build(
        {}, '', metadata_url=lambda: 'http://heat.example:8000/v1/'))
    assert found['cfn-metadata-server'] == 'http://heat.example:8000/v1/'
    assert 'cfn_region_endpoint = heat.example' in found['cfn-boto-cfg']


@pytest.mark.parametrize(('version', 'extra'), [
    ('3.0.0', {}), ('2.2.0', {'filesystem': 'root'})])
def test_user_data_for_ignition(version, extra):
    given = json.dumps({'ignition': {'version': version},
                        'storage': {'files': [{'path': '/a'}]}})
    found = json.loads(userdata.build({'a': 1}, given,
                                      user_data_format='SOFTWARE_CONFIG'))
    first, second = found['storage']['files']
    assert first == {'path': '/a'}
    assert {key: second[key] for key in extra} == extra
    kept = second['contents']['source'].partition('base64,')[2]
    assert json.loads(base64.b64decode(kept)) == {'a': 1}
    assert userdata.build({}, given,
                          user_data_format='SOFTWARE_CONFIG') == given


def test_resize_ends_with_the_flavor_or_an_error(plugin, compute):
    compute.create_flavor(id='2', name='large')
    made = compute.create_server(name='a', task_state='resize_prep', flavor={
        'original_name': 'small'})
    assert plugin.check_resize(made.id, '2') is False
    kept = compute.things['server', made.id]
    kept.update(task_state=None, fault={'message': 'no host'})
    with pytest.raises(exception.ResourceUnknownStatus, match='no host'):
        plugin.check_resize(made.id, '2')
    kept.update(status='VERIFY_RESIZE')
    assert plugin.check_resize(made.id, '2') is True
    kept.update(status='ACTIVE', flavor={'original_name': 'large'})
    assert plugin.check_resize(made.id, '2') is True


def test_rebuild_that_fails(plugin, compute):
    made = compute.create_server(name='a', status='REBUILD')
    assert plugin.check_rebuild(made.id) is False
    compute.things['server', made.id].update(
        status='ERROR', fault={'message': 'no image'})
    with pytest.raises(exception.ResourceUnknownStatus, match='no image'):
        plugin.check_rebuild(made.id)
