"""What plugins ask of the compute service, and of user data."""
import base64
import copy
import email
import json
import types
import uuid

from openstack import exceptions as sdk_exceptions
import pytest

from heat.common import context as heat_context
from heat.common import exception
from heat.engine.clients.os import nova
from heat.engine.clients.os import userdata
from tests.fakes import cloud


@pytest.fixture
def compute():
    return cloud.FakeService()


@pytest.fixture
def plugin(compute, monkeypatch):
    context = heat_context.RequestContext(project_id='p', overwrite=False)
    plugin = nova.NovaClientPlugin(context)
    plugin._client_instances['sdk', None] = compute
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
    # The poll that raised the error was the last one of that action.
    assert plugin.check_delete_server_complete(made.id) is False
    assert plugin.check_delete_server_complete(made.id) is True


def test_unknown_things_are_told(plugin, compute):
    for find in (plugin.get_server, plugin.get_keypair,
                 plugin.find_flavor_by_name_or_id, plugin.get_host):
        with pytest.raises(exception.EntityNotFound):
            find('nothing')


def test_flavors_are_found_in_one_list(plugin, compute):
    for its_id, name in (('1', 'small'), ('2', '1'), ('3', 'large')):
        compute.create_flavor(id=its_id, name=name)
    compute.log.clear()
    assert plugin.find_flavor_by_name_or_id('large') == '3'
    # An ID comes before the same name.
    assert plugin.find_flavor_by_name_or_id('1') == '1'
    assert compute.requests() == ['list flavor'] * 2


def test_a_flavor_that_is_not_listed_is_asked_for(plugin, compute):
    hidden = compute.create_flavor(id='7', name='private')
    compute.flavors = lambda: iter([])
    assert plugin.find_flavor_by_name_or_id('7') == hidden.id
    unique = str(uuid.uuid4())
    compute.create_flavor(id=unique, name='other')
    del compute.flavors
    compute.log.clear()
    assert plugin.find_flavor_by_name_or_id(unique) == unique
    assert compute.requests() == ['find flavor']


def test_name_of_several_flavors(plugin, compute):
    for its_id in '12':
        compute.create_flavor(id=its_id, name='same')
    with pytest.raises(exception.PhysicalResourceNameAmbiguity):
        plugin.find_flavor_by_name_or_id('same')


def test_metadata_are_texts(plugin, compute):
    sent = []
    compute.put = lambda path, json: sent.append((path, json)) or (
        types.SimpleNamespace(status_code=200))
    plugin.meta_update(server(), {'a': [1], 'b': 'text'})
    plugin.meta_update(server(), None)
    assert sent == [
        ('/servers/s/metadata', {'metadata': {'a': '[1]', 'b': 'text'}}),
        ('/servers/s/metadata', {'metadata': {}})]


def test_addresses(plugin):
    one = server(addresses={'net': [
        {'addr': 'fd00::1', 'version': 6, 'OS-EXT-IPS:type': 'fixed'},
        {'addr': '10.0.0.1', 'version': 4, 'OS-EXT-IPS:type': 'fixed'}]})
    assert plugin.get_ip(one, 'fixed', 6) == 'fd00::1'
    assert plugin.get_ip(one, 'floating', 4) is None
    # As Heat has it: the first address, whatever its version.
    assert plugin.server_to_ipaddress(one) == 'fd00::1'
    one.addresses = {'a': [{'addr': '10.0.1.1'}], 'z': [], 'b': [
        {'addr': '10.0.2.1'}, {'addr': '192.0.2.1'}]}
    assert plugin.server_to_ipaddress(one) == '10.0.2.1'
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


def test_user_data_of_several_parts_are_taken_apart():
    given = userdata.build({}, 'one', user_data_format='SOFTWARE_CONFIG')
    found = parts(userdata.build({'a': 1}, given,
                                 user_data_format='SOFTWARE_CONFIG'))
    assert found[None] == 'one'
    assert 'cfn-init-data' in found


def test_parts_that_are_not_encoded_are_encoded():
    given = ('MIME-Version: 1.0\n'
             'Content-Type: multipart/mixed; boundary="=="\n\n'
             '--==\nContent-Type: text/x-one; charset="iso-8859-1"\n'
             'Content-Transfer-Encoding: 8bit\n\n\xfc\n--==--\n')
    text = userdata.build({}, given, user_data_format='SOFTWARE_CONFIG')
    text.encode('us-ascii')
    *_ours, part = email.message_from_string(text).get_payload()
    assert part.get_content_type() == 'text/x-one'
    assert part.get_content_charset() == 'utf-8'
    assert part.get_payload(decode=True).decode() == '\xfc'


def test_user_of_the_template_can_become_root():
    hook = parts(userdata.build({}, '', 'anna; rm -r /'))['boothook.sh']
    assert "name='anna; rm -r /'\n" in hook
    assert 'useradd' not in parts(userdata.build({}, ''))['boothook.sh']


def test_heat_cfntools_are_told_where_to_ask():
    found = parts(userdata.build(
        {}, '', metadata_url=lambda: 'http://heat.example:8000/v1/'))
    assert found['cfn-metadata-server'] == 'http://heat.example:8000/v1/'
    assert 'cfn_region_endpoint = heat.example' in found['cfn-boto-cfg']


@pytest.mark.parametrize(('format_', 'names'), [
    ('HEAT_CFNTOOLS', ['cloud-config', 'boothook.sh', 'part-handler.py',
                       'cfn-userdata', 'loguserdata.py', 'cfn-init-data',
                       'cfn-metadata-server', 'cfn-boto-cfg']),
    ('SOFTWARE_CONFIG', ['cloud-config', 'boothook.sh', 'part-handler.py',
                         None, 'cfn-init-data'])])
def test_parts_of_user_data(format_, names):
    text = userdata.build({'a': 1}, 'one', user_data_format=format_,
                          metadata_url=lambda: 'http://heat.example/v1/')
    assert list(parts(text)) == names
    types = {part.get_filename(): part.get_content_type()
             for part in email.message_from_string(text).get_payload()}
    assert types == {name: {
        'cloud-config': 'text/cloud-config', None: 'text/plain',
        'boothook.sh': 'text/cloud-boothook',
        'part-handler.py': 'text/part-handler',
        'loguserdata.py': 'text/x-shellscript'}.get(
            name, 'text/x-cfninitdata') for name in names}
    assert 'tee -a /var/log/cloud-init-output.log' in parts(
        text)['cloud-config']


@pytest.mark.parametrize(('content', 'charset'), [
    ('#!/bin/sh', 'us-ascii'), ('#!/bin/sh\n# gr\xfc\xdfe', 'utf-8')])
@pytest.mark.parametrize('format_', ['HEAT_CFNTOOLS', 'SOFTWARE_CONFIG'])
def test_character_set_of_user_data(format_, content, charset):
    text = userdata.build({}, content, user_data_format=format_)
    text.encode('us-ascii')
    [found] = {part.get_content_charset()
               for part in email.message_from_string(text).get_payload()
               if part.get_payload(decode=True).decode() == content}
    assert found == charset


IGNITION_FILES = ['/var/lib/heat-cfntools/cfn-init-data',
                  '/var/lib/cloud/data/cfn-init-data']


@pytest.mark.parametrize(('version', 'extra'), [
    ('3.0.0', {}), ('2.2.0', {'filesystem': 'root'})])
def test_user_data_for_ignition(version, extra):
    given = json.dumps({'ignition': {'version': version},
                        'storage': {'files': [{'path': '/a'}]}})
    found = json.loads(userdata.build({'a': 1}, given,
                                      user_data_format='SOFTWARE_CONFIG'))
    first, *ours = found['storage']['files']
    assert first == {'path': '/a'}
    assert [each['path'] for each in ours] == IGNITION_FILES
    for each in ours:
        contents = each.pop('contents')['source'].partition('base64,')[2]
        assert json.loads(base64.b64decode(contents)) == {
            'a': 1, 'deployments': []}
        assert each == {'path': each['path'], 'mode': 0o640, **extra}
    assert userdata.build({}, given,
                          user_data_format='SOFTWARE_CONFIG') == given


def test_ignition_has_deployments_that_are_there():
    given = json.dumps({'ignition': {'version': '3.4.0'}})
    found = json.loads(userdata.build({'deployments': [{'id': 'd'}]}, given,
                                      user_data_format='SOFTWARE_CONFIG'))
    for each in found['storage']['files']:
        contents = each['contents']['source'].partition('base64,')[2]
        assert json.loads(base64.b64decode(contents)) == {
            'deployments': [{'id': 'd'}]}


def test_ignition_has_each_path_once():
    own = {'path': IGNITION_FILES[0], 'contents': {'source': 'data:,own'}}
    given = json.dumps({'ignition': {'version': '3.4.0'},
                        'storage': {'files': [own]}})
    found = json.loads(userdata.build({'a': 1}, given,
                                      user_data_format='SOFTWARE_CONFIG'))
    first, second = found['storage']['files']
    assert first == own
    assert second['path'] == IGNITION_FILES[1]


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


def test_a_failed_server_of_a_list_is_asked_what_has_happened(
        plugin, compute, monkeypatch):
    for each in 'abc':
        compute.create_server(id=each, status='BUILD')
    monkeypatch.setattr(compute, 'servers', lambda **_options: [
        cloud.Thing({'id': each, 'status': 'ERROR'}) for each in 'abc'],
        raising=False)
    for each in 'abc':
        assert not plugin.is_built(each)
    compute.update_server('a', status='ERROR', fault={
        'message': 'no host', 'code': 500})
    with pytest.raises(exception.ResourceInError, match='no host'):
        plugin.is_built('a')
