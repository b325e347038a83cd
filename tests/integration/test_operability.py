"""What operators see of a running service: logs, figures, health, reports."""
import contextlib
import json
import os
import re
import signal

import pytest
import requests

from tests import ports
from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import templates

PASSWORD = 'a-hidden-value-of-a-user'
HIDING = {
    'heat_template_version': '2018-08-31',
    'parameters': {'secret': {'type': 'string', 'hidden': True}},
    'resources': {'keeps': {
        'type': 'OS::Heat::Value',
        'properties': {'value': {'get_param': 'secret'}}}},
}


@pytest.fixture(scope='module', params=[
    ('eventlet', 'mysql'), ('threading', 'postgresql')],
    ids=lambda param: param[0])
def running(request, tmp_path_factory):
    """An API and an engine that log JSON; the engine shows its figures."""
    backend, kind = request.param
    monitor = ports.free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('HEAT_CONCURRENCY', backend)
        one = cluster_module.Cluster(
            tmp_path_factory.mktemp(f'operated-{backend}'),
            servers.Server(kind), hosts=('one',), use_json='true',
            convergence_scan_interval=1, debug='false')
        one.monitor = f'http://127.0.0.1:{monitor}'
        one.extra_sections = f'[engine_monitor]\nbind_port = {monitor}\n'
        try:
            one.start(apis=1)
            one.use()
            yield one
        finally:
            one.stop()


def root(cluster):
    """Return the address of the API, without version."""
    return cluster.api.url.partition('/v1')[0]


def records(cluster):
    """Return {log file name: its records}."""
    found = {}
    for path in cluster.directory.glob('*.log'):
        found[path.name] = [
            json.loads(line) for line in
            # What is being written has no end yet.
            path.read_text(errors='replace').split('\n')[:-1]
            if line.startswith('{')]
    return found


def figures(url):
    """Return {'name{labels}': value} of what is served at /metrics."""
    answer = requests.get(url + '/metrics', timeout=60)
    assert answer.status_code == 200, answer.text
    return {line.rpartition(' ')[0]: float(line.rpartition(' ')[2])
            for line in answer.text.splitlines() if not line.startswith('#')}


def total(found, name, *labels):
    """Add up the figures of a name that have all of the labels."""
    return sum(value for key, value in found.items()
               if key.partition('{')[0] == name and
               all(label in key for label in labels))


def test_one_request_id_leads_through_api_and_engine(running):
    body = {'stack_name': 'traced', 'template': templates.mesh(5)}
    answer = requests.post(running.api.url + '/stacks', json=body,
                           timeout=60)
    assert answer.status_code == 201, answer.text
    path = f'/stacks/traced/{answer.json()["stack"]["id"]}'
    running.wait_status(path, 'CREATE_COMPLETE')
    request_id = answer.headers['X-Openstack-Request-Id']

    def told_by(name):
        return [record['message'] for record in records(running)[name]
                if (record.get('context') or {}).get(
                    'request_id') == request_id]

    running.wait_for(
        lambda: any('POST /v1/demo/stacks' in text
                    for text in told_by('api-0.log')),
        'the API to tell of the request')
    # Also what other threads do for it later.
    running.wait_for(
        lambda: any('traced' in text and 'CREATE_COMPLETE' in text
                    for text in told_by('engine-one.log')),
        'the engine to tell the end')
    # The next request of the same connection is another one.
    other = requests.get(running.api.url + '/nothing', timeout=60)
    assert other.headers['X-Openstack-Request-Id'] != request_id
    assert not any('/nothing' in text for text in told_by('api-0.log'))


def test_no_log_tells_a_secret(running):
    path = running.api.create('hiding', HIDING,
                              parameters={'secret': PASSWORD})
    running.wait_status(path, 'CREATE_COMPLETE')
    requests.get(running.api.url + '/stacks', timeout=60,
                 headers={'X-Auth-Token': 'a-token-of-a-user'},
                 params={'Signature': 'a-signature-of-a-user'})
    for log in running.directory.glob('*.log'):
        text = log.read_text(errors='replace')
        for secret in (PASSWORD, 'a-token-of-a-user',
                       'a-signature-of-a-user', cluster_module.KEY):
            assert secret not in text, log


def test_the_figures_of_api_and_engine(running):
    path = running.api.create('counted', templates.mesh(7))
    running.wait_status(path, 'CREATE_COMPLETE')
    # It is counted when it can be seen already.
    running.wait_for(lambda: total(
        figures(running.monitor), 'heat_stack_actions_total',
        'action="CREATE"', 'result="COMPLETE"'), 'the stack to be counted')
    api, engine = figures(root(running)), figures(running.monitor)
    stacks = 'route="/{tenant_id}/stacks"'
    assert total(api, 'heat_api_requests_total', 'method="POST"', stacks,
                 'status="201"') >= 1
    assert total(api, 'heat_api_request_duration_seconds_count',
                 'method="POST"', stacks) >= 1
    assert total(api, 'heat_rpc_sent_total', 'method="create_stack"',
                 'outcome="ok"') >= 1
    assert total(engine, 'heat_rpc_served_total',
                 'method="create_stack"', 'outcome="ok"') >= 1
    assert total(engine, 'heat_resource_actions_total', 'action="CREATE"',
                 'result="COMPLETE"', 'type="OS::Heat::TestResource"') >= 7
    assert total(engine, 'heat_resource_action_duration_seconds_count',
                 'action="CREATE"') >= 7
    assert total(engine, 'heat_stack_actions_total', 'action="CREATE"',
                 'result="COMPLETE"') >= 1

    def at_rest():
        found = figures(running.monitor)
        return not any(found[f'heat_engine_{name}'] for name in (
            'nodes_in_flight', 'nodes_queued', 'writes_queued'))

    # A stack is seen complete a moment before its last thread is done.
    running.wait_for(at_rest, 'an engine with nothing to do')
    assert not any('counted' in key for key in [*api, *engine])
    assert not any(key.startswith('heat_engine') for key in api)


def test_figures_are_not_for_strangers(running):
    answer = requests.get(root(running) + '/metrics', timeout=60,
                          headers={'X-Forwarded-For': '203.0.113.9'})
    assert answer.status_code == 404
    assert answer.text == ''


def test_unknown_paths_are_counted_together(running):
    for number in range(3):
        requests.get(f'{root(running)}/v1/demo/strange-{number}', timeout=60)
    running.wait_for(lambda: total(
        figures(root(running)), 'heat_api_requests_total',
        'route="other"') >= 3, 'the requests to be counted')
    found = figures(root(running))
    assert not any('strange' in key for key in found)


def test_a_healthy_service_says_so(running):
    for url in (root(running), running.monitor):
        answer = requests.get(url + '/healthcheck', timeout=60)
        assert answer.status_code == 200, (url, answer.text)
        assert 'OK' in answer.text


def change(cluster, **options):
    """Change the configuration file and tell all processes."""
    cluster.configure(**options)
    for process in cluster.processes():
        os.kill(process.pid, signal.SIGHUP)


def test_sighup_changes_limits_without_a_restart(running):
    before = running.engine_ids()
    pair = templates.mesh(2)
    try:
        change(running, max_resources_per_stack=1, max_json_body_size=2000)

        def is_refused():
            answer = requests.post(
                running.api.url + '/stacks/preview', timeout=60,
                json={'stack_name': 'two', 'template': pair})
            return (answer.status_code in (400, 403) and
                    'max_resources_per_stack' in answer.text)

        running.wait_for(is_refused, 'the engine to take the new limit')

        def is_too_long():
            answer = requests.post(
                running.api.url + '/stacks/preview', timeout=60,
                json={'stack_name': 'x' * 3000, 'template': pair})
            return 'max_json_body_size' in answer.text

        running.wait_for(is_too_long, 'the API to take the new limit')
        # What is wrong with the answer in between is none of it being away.
        assert running.engine_ids() == before
    finally:
        change(running, max_resources_per_stack=-1,
               max_json_body_size=1048576)

    def is_accepted():
        return requests.post(
            running.api.url + '/stacks/preview', timeout=60,
            json={'stack_name': 'two', 'template': pair}).status_code == 200

    running.wait_for(is_accepted, 'the limits to be gone')


def test_sighup_interrupts_nobody(running):
    slow = templates.mesh(4, action_wait_secs={'create': 1})
    path = running.api.create('undisturbed', slow)
    for _turn in range(5):
        change(running)
        assert running.api.get('/stacks')['stacks']
    running.wait_status(path, 'CREATE_COMPLETE')


def test_debug_is_switched_on_by_sighup(running):
    def debugs():
        return [record for record in records(running)['engine-one.log']
                if record['levelname'] == 'DEBUG'
                and record['name'].startswith('heat')]

    assert not debugs()
    change(running, debug='true')

    def has_spoken():
        running.api.get('/stacks')
        running.api.get('/services')
        return debugs() or None

    try:
        path = running.api.create('talkative', templates.mesh(3))
        running.wait_status(path, 'CREATE_COMPLETE')
        running.wait_for(has_spoken, 'an engine that tells more')
    finally:
        change(running, debug='false')


def test_a_report_tells_what_a_process_does_but_no_secret(running):
    for process in running.processes():
        process.signal(signal.SIGUSR2)

    def reported():
        texts = [process.log.read_text(errors='replace')
                 for process in running.processes()]
        return texts if all(
            re.search(r'Guru Meditation', text) and 'Threads' in text and
            'convergence_scan_interval = 1' in text for text in texts
        ) else None

    for text in running.wait_for(reported, 'the reports'):
        assert 'auth_encryption_key = ***' in text
        assert cluster_module.KEY not in text
        password = running.database.partition('://')[2].partition('@')[0]
        assert password.partition(':')[2] == '' or password not in text
    assert running.api.get('/stacks')
    assert all(process.is_running for process in running.processes())


def test_figures_leave_nothing_behind(tmp_path):
    """The directory in which processes add up goes with them."""
    (tmp_path / 'heat-metrics-4194305-old').mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('RUNTIME_DIRECTORY', str(tmp_path))
        conf = tmp_path / 'none.conf'
        conf.write_text('[DEFAULT]\nuse_stderr = true\n')
        process = cluster_module.Process(
            tmp_path, 'refused', 'heat-engine', '--config-file', conf)
        with contextlib.suppress(AssertionError):
            process.wait()
    assert 'auth_encryption_key' in process.tail()
    assert not list(tmp_path.glob('heat-metrics-*'))
