"""A health check tells when the database or the broker is away, and back."""
import pytest
import requests

from tests import ports
from tests.integration import cluster as cluster_module

INTERNALS = ('mysql', '127.0.0.1', 'amqp', 'Errno', 'Traceback', 'refused',
             'broker', 'database')


@pytest.fixture(scope='module')
def cluster(tmp_path_factory, database_server, broker):
    """An API and an engine whose servers can be killed."""
    monitor = ports.free_port()
    one = cluster_module.Cluster(
        tmp_path_factory.mktemp('health'), database_server, broker=broker,
        hosts=('one',))
    one.extra_sections = f'[engine_monitor]\nbind_port = {monitor}\n'
    one.monitor = f'http://127.0.0.1:{monitor}'
    try:
        one.start(apis=1)
        one.use()
        yield one
    finally:
        one.stop()


def answers(cluster):
    """Return the answers of API and engine."""
    root = cluster.api.url.partition('/v1')[0]
    return [requests.get(url + '/healthcheck', timeout=30)
            for url in (root, cluster.monitor)]


def wait_for_status(cluster, status):
    """Wait until API and engine have the status; return their answers."""
    def found():
        given = answers(cluster)
        return given if all(one.status_code == status
                            for one in given) else None

    return cluster.wait_for(found, f'two answers {status}', timeout=240,
                            poll=1)


@pytest.mark.parametrize('which', ['database_server', 'broker'])
def test_health_follows_what_is_needed(cluster, which, request):
    wait_for_status(cluster, 200)
    server = request.getfixturevalue(which)
    server.kill()
    try:
        for answer in wait_for_status(cluster, 503):
            # Strangers see that something is wrong, not what it is.
            assert 'UNAVAILABLE' in answer.text
            assert not any(word in answer.text for word in INTERNALS)
    finally:
        server.start()
    wait_for_status(cluster, 200)


def test_without_an_engine_an_api_is_of_no_use(cluster):
    cluster.engines['one'].terminate()
    cluster.engines['one'].wait()
    root = cluster.api.url.partition('/v1')[0]

    def is_down():
        return requests.get(root + '/healthcheck',
                            timeout=30).status_code == 503

    cluster.wait_for(is_down, 'the API to miss the engine')
    cluster.use()
    wait_for_status(cluster, 200)
