"""The life of a container, and what templates may not ask for."""
import base64
import json
import time

from oslo_config import cfg
import pytest

from heat.common import exception
from heat.engine.tasks import scheduler

PROJECT = 'org.openstack.heat.project'


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    """Poll the daemon, which is in this process, without long breaks."""
    monkeypatch.setattr('heat.common.timeutils.sleep',
                        lambda _seconds: time.sleep(0.005))
    monkeypatch.setattr('heat.engine.lifecycle.handler.POLL_INTERVAL', 0.02)


def run(task, *args):
    scheduler.TaskRunner(task, *args)()


def created(stack):
    res = stack.stored('box')
    res.validate()
    run(res.create)
    return res


def test_life_of_a_container(stack_of, docker):
    stack = stack_of(name='box', cmd=['sleep', '9'], env=['A=b'])
    res = created(stack)
    made = docker.only()
    assert res.resource_id == made['Id']
    assert made['State']['Running']
    assert made['Name'] == '/box'
    assert made['Config']['Cmd'] == ['sleep', '9']
    assert made['Config']['Env'] == ['A=b']
    run(res.check)
    run(res.suspend)
    assert not made['State']['Running']
    run(res.resume)
    assert made['State']['Running']
    run(res.delete)
    assert docker.containers == {}
    # Its anonymous volumes go, too, and it need not be stopped before.
    assert docker.deleted[0]['v'] == 'True'
    assert docker.deleted[0]['force'] == 'True'


def test_all_properties_reach_the_daemon(stack_of, docker):
    cfg.CONF.set_override('allow_host_access', True, 'heat_docker')
    created(stack_of(
        hostname='box', user='daemon', memory=4194304, cpu_shares=512,
        cpu_set='0-1', dns=['192.0.2.1'], tty=True, open_stdin=True,
        stdin_once=True, privileged=True, read_only=True,
        port_specs=['8080', '127.0.0.1:53:53/udp'],
        port_bindings={'80/tcp': 8081, '90': '127.0.0.1:91'},
        volumes={'/new': '', '/srv': '/data:ro', 'cache': {'bind': '/c'}},
        restart_policy={'Name': 'on-failure', 'MaximumRetryCount': 3},
        cap_add=['NET_ADMIN'], cap_drop=['MKNOD'],
        devices=[{'path_on_host': '/dev/fuse', 'permissions': 'r'}]))
    config = docker.created[0]
    host = config['HostConfig']
    assert config['Hostname'] == 'box'
    assert config['User'] == 'daemon'
    assert config['Tty'] is config['OpenStdin'] is config['StdinOnce'] is True
    assert set(config['ExposedPorts']) == {
        '8080/tcp', '53/udp', '80/tcp', '90/tcp'}
    assert set(config['Volumes']) == {'/new'}
    assert host['Memory'] == 4194304
    assert (host['CpuShares'], host['CpusetCpus']) == (512, '0-1')
    assert host['Dns'] == ['192.0.2.1']
    assert host['Privileged'] is host['ReadonlyRootfs'] is True
    assert host['RestartPolicy'] == {'Name': 'on-failure',
                                     'MaximumRetryCount': 3}
    assert (host['CapAdd'], host['CapDrop']) == (['NET_ADMIN'], ['MKNOD'])
    assert host['Devices'] == [{
        'PathOnHost': '/dev/fuse', 'PathInContainer': '/dev/fuse',
        'CgroupPermissions': 'r'}]
    assert sorted(host['Binds']) == ['/srv:/data:ro', 'cache:/c:rw']
    assert {port: (bound[0]['HostIp'], bound[0]['HostPort'])
            for port, bound in host['PortBindings'].items()} == {
        '53/udp': ('127.0.0.1', '53'), '80/tcp': ('', '8081'),
        '90/tcp': ('127.0.0.1', '91')}


def test_attributes(stack_of, docker):
    stack = stack_of()
    res = created(stack)
    assert res.FnGetAtt('info')['Id'] == res.resource_id
    assert res.FnGetAtt('network_info')['Ports']
    assert res.FnGetAtt('network_ip') == '172.17.0.2'
    assert res.FnGetAtt('network_gateway') == '172.17.0.1'
    assert res.FnGetAtt('network_tcp_ports') == '80,8080'
    assert res.FnGetAtt('network_udp_ports') == '53'
    assert res.FnGetAtt('logs') == 'first\nmiddle\nlast\n'
    assert res.FnGetAtt('logs_head') == 'first'
    assert res.FnGetAtt('logs_tail') == 'last'


def test_logs_of_a_terminal(stack_of, docker):
    stack = stack_of(tty=True)
    res = created(stack)
    assert res.FnGetAtt('logs') == 'first\nmiddle\nlast\n'
    assert res.FnGetAtt('logs_tail') == 'last'


def test_long_logs_are_cut(stack_of, docker):
    stack = stack_of()
    res = created(stack)
    docker.written = b'x' * 200000
    assert len(res.FnGetAtt('logs')) == 65536


def test_the_image_is_downloaded_without_credentials(stack_of, docker):
    created(stack_of(image='example.org/app:2'))
    name, sent = docker.pulled[0]
    assert name == 'example.org/app:2'
    assert json.loads(base64.urlsafe_b64decode(sent)) == {}


def test_an_image_that_the_daemon_has_is_enough(stack_of, docker):
    docker.local.add('built-here:1')
    created(stack_of(image='built-here:1'))
    assert docker.only()['State']['Running']


def test_a_missing_image_is_named(stack_of, docker):
    stack = stack_of(image='nowhere:1')
    with pytest.raises(exception.ResourceFailure, match=(
            '"nowhere:1" cannot be downloaded.*at the registry')):
        created(stack)
    assert docker.containers == {}


def test_a_command_that_fails_is_told_with_its_last_lines(stack_of, docker):
    docker.after_start = {'Status': 'exited', 'Running': False,
                          'ExitCode': 2, 'Error': ''}
    cfg.CONF.set_override('action_retry_limit', 1)
    stack = stack_of()
    with pytest.raises(exception.ResourceFailure, match='(?s)exited.*last'):
        created(stack)
    # The container of the first attempt has been removed before the second.
    assert len(docker.created) == 2
    assert len(docker.containers) == 1
    cfg.CONF.clear_override('action_retry_limit')


def test_a_command_that_ends_well_is_complete(stack_of, docker):
    docker.after_start = {'Status': 'exited', 'Running': False,
                          'ExitCode': 0, 'Error': ''}
    stack = stack_of(cmd=['true'])
    res = created(stack)
    assert res.state == ('CREATE', 'COMPLETE')


def test_check_finds_what_has_gone_or_ended(stack_of, docker):
    stack = stack_of()
    res = created(stack)
    docker.stop(docker.only())
    with pytest.raises(exception.ResourceFailure,
                       match="expected 'running', got 'exited'"):
        run(res.check)
    docker.containers.clear()
    with pytest.raises(exception.ResourceFailure, match='No such container'):
        run(res.check)


def test_delete_takes_it_that_the_container_is_gone(stack_of, docker):
    stack = stack_of()
    res = created(stack)
    docker.containers.clear()
    run(res.delete)
    assert res.state == ('DELETE', 'COMPLETE')


def test_a_container_of_an_interrupted_create_is_found(stack_of, docker):
    stack = stack_of()
    res = created(stack)
    assert res.find_created() == res.resource_id
    docker.containers.clear()
    assert res.find_created() is None


@pytest.mark.parametrize(('name', 'value'), [
    ('privileged', True), ('cap_add', ['SYS_ADMIN']), ('cap_add', ['ALL']),
    ('devices', [{'path_on_host': '/dev/sda'}]),
    ('volumes', {'/etc': '/host'}), ('volumes', {'shared': {'bind': '/v'}}),
])
def test_the_host_is_out_of_reach(name, value, stack_of, docker):
    stack = stack_of(**{name: value})
    res = stack.stored('box')
    with pytest.raises(exception.StackValidationFailed,
                       match='allow_host_access') as refused:
        res.validate()
    assert refused.value.path[-1] == name
    # Nor when validation has not known the value.
    with pytest.raises(exception.ResourceFailure, match='allow_host_access'):
        run(res.create)
    assert docker.created == docker.pulled == []


def test_capabilities_and_volumes_of_its_own_are_allowed(stack_of, docker):
    created(stack_of(cap_add=['NET_RAW'], volumes={'/data': None}))
    assert docker.created[0]['HostConfig']['CapAdd'] == ['NET_RAW']


@pytest.mark.parametrize('url', [
    'tcp://10.0.0.9:2375', 'unix:///run/other.sock', 'ssh://root@host'])
def test_other_daemons_need_to_be_allowed(url, stack_of, docker):
    stack = stack_of(docker_endpoint=url)
    with pytest.raises(exception.StackValidationFailed,
                       match='allowed_endpoints'):
        stack['box'].validate()


@pytest.mark.parametrize('allowed', ['*', 'it'])
def test_an_allowed_daemon_is_used(allowed, stack_of, docker):
    cfg.CONF.set_override('default_endpoint', 'unix:///none', 'heat_docker')
    cfg.CONF.set_override('allowed_endpoints', [
        docker.url if allowed == 'it' else allowed], 'heat_docker')
    created(stack_of(docker_endpoint=docker.url))
    assert docker.only()['State']['Running']


@pytest.mark.parametrize('related', [
    {'links': {'other': 'db'}}, {'volumes_from': 'other:ro'}])
@pytest.mark.parametrize(('project', 'may'), [
    ('project', True), ('theirs', False), (None, False)])
def test_only_containers_of_the_project_are_reached(
        related, project, may, stack_of, docker):
    docker.local.add('cirros:latest')
    docker.create({'name': 'other'}, {
        'Image': 'cirros', 'HostConfig': {},
        'Labels': {PROJECT: project} if project else None})
    if may:
        created(stack_of(**related))
        assert len(docker.containers) == 2
    else:
        with pytest.raises(exception.ResourceFailure,
                           match='no container "other"'):
            created(stack_of(**related))
        assert len(docker.containers) == 1


@pytest.mark.parametrize(('name', 'value'), [
    ('port_specs', ['1-3:1-2']), ('volumes', {'/a': {'mode': 'ro'}}),
    ('restart_policy', {'Name': 'sometimes'}), ('cap_drop', ['MAGIC'])])
def test_wrong_values_are_found_before_anything_is_made(
        name, value, stack_of, docker):
    stack = stack_of(**{name: value})
    with pytest.raises(exception.StackValidationFailed) as refused:
        stack['box'].validate()
    assert name in refused.value.path
