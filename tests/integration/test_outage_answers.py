"""What users are answered while database, broker or engines are away.

Engines wait; an answer to a request does not.
"""
import contextlib
import time

import pytest
import requests

from tests.integration import cluster as cluster_module

#: Seconds for an answer: without a database, of a read, of a change.
SOON, READ, CHANGE = 2, 10, 20
#: Seconds that a machine which is busy adds.
SLACK = 3
INTERNALS = ('pymysql', 'sqlalchemy', 'oslo', 'Traceback', '127.0.0.1',
             'SELECT', 'amqp', 'mysql', 'Errno', 'guest', 'database',
             'broker', 'engine')
TEMPLATE = {'heat_template_version': '2021-04-16', 'resources': {
    'one': {'type': 'OS::Heat::None'}}}


@pytest.fixture(scope='module')
def cluster(tmp_path_factory, database_server, broker):
    """An API and an engine whose servers can be killed."""
    one = cluster_module.Cluster(
        tmp_path_factory.mktemp('answers'), database_server, broker=broker,
        hosts=('one',), rpc_response_timeout=CHANGE)
    try:
        one.start(apis=1)
        one.use()
        yield one
    finally:
        one.stop()


def ask(cluster, method, path, body=None):
    """Return an answer and the seconds it took."""
    began = time.monotonic()
    answer = requests.request(method, cluster.api.url + path, json=body,
                              timeout=120)
    return answer, time.monotonic() - began


def require_unavailable(cluster, method, path, limit, body=None):
    answer, seconds = ask(cluster, method, path, body)
    assert answer.status_code == 503, answer.text
    assert seconds < limit + SLACK, (method, path, seconds)
    assert int(answer.headers['Retry-After']) > 0
    error = answer.json()['error']
    assert answer.headers['X-Openstack-Request-Id'] in error['message']
    assert not [word for word in INTERNALS if word in error['message']]
    assert error['traceback'] is None


def wait_until_well(cluster):
    cluster.wait_until_up()
    cluster.wait_for(
        lambda: ask(cluster, 'GET', '/stacks')[0].status_code == 200,
        'an answer')


@contextlib.contextmanager
def without(server, cluster):
    server.kill()
    try:
        yield
    finally:
        server.start()
        wait_until_well(cluster)


def creation(name):
    return {'stack_name': name, 'template': TEMPLATE}


@pytest.fixture
def stack(cluster, request):
    wait_until_well(cluster)
    path = cluster.api.create(request.node.name.replace('_', '-'), TEMPLATE)
    cluster.wait_status(path, 'CREATE_COMPLETE')
    yield path
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)


def test_the_database_is_away(cluster, stack, database_server):
    with without(database_server, cluster):
        for method, path, body in (
                ('GET', '/stacks', None), ('GET', stack, None),
                ('GET', stack + '/resources', None),
                ('GET', '/software_configs', None),
                ('POST', '/stacks', creation('not-made')),
                ('PUT', stack, {'template': TEMPLATE}),
                ('POST', stack + '/actions', {'check': None}),
                ('DELETE', stack, None)):
            require_unavailable(cluster, method, path, SOON, body)
    assert cluster.api.show(stack)['stack_status'] == 'CREATE_COMPLETE'
    assert [one['stack_name'] for one in cluster.api.get('/stacks')[
        'stacks']] == [stack.split('/')[2]]
    # What is foreseen leaves no traceback.
    log = cluster.processes()[0].log.read_text()
    assert 'Traceback' not in log


def test_the_broker_is_away(cluster, stack, broker):
    with without(broker, cluster):
        for path in ('/stacks', stack, stack + '/events'):
            require_unavailable(cluster, 'GET', path, READ)
        require_unavailable(cluster, 'POST', '/stacks', CHANGE,
                            creation('not-made'))


def test_the_broker_refuses_the_login(cluster, stack, broker):
    broker.control('change_password', 'guest', 'another')
    broker.control('close_all_connections', 'test')
    try:
        for path in ('/stacks', stack):
            require_unavailable(cluster, 'GET', path, READ)
        require_unavailable(cluster, 'POST', '/stacks', CHANGE,
                            creation('not-made'))
    finally:
        broker.control('change_password', 'guest', 'guest')
        wait_until_well(cluster)


def test_all_engines_are_away(cluster, stack):
    cluster.engines['one'].kill()
    try:
        for path in ('/stacks', stack):
            require_unavailable(cluster, 'GET', path, READ)
        require_unavailable(cluster, 'PUT', stack, CHANGE,
                            {'template': TEMPLATE})
    finally:
        cluster.use()
