"""Clusters of processes: engines and APIs over RabbitMQ."""
import pytest

from tests import accounts
from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import ledger as ledger_module
from tests.integration import own_servers

#: Seconds between two looks for abandoned work, and for a process to die.
QUICK = {
    'convergence_scan_interval': 1,
    'periodic_interval': 5,
    # Few at a time, so that there is something to share.
    'convergence_max_inflight_per_stack': 12,
}


@pytest.fixture(scope='module', autouse=True)
def _no_account(tmp_path_factory):
    with accounts.forgotten(tmp_path_factory.mktemp('account')):
        yield


@pytest.fixture(scope='session', params=['mysql', 'postgresql'])
def processes(request, tmp_path_factory):
    """Two engines and two APIs on a database server."""
    with cluster_module.running(
            tmp_path_factory.mktemp(f'cluster-{request.param}'),
            servers.Server(request.param), **QUICK) as one:
        yield one


@pytest.fixture(params=['convergence', 'legacy'], scope='session')
def driver(request):
    """The driver that new stacks get."""
    return request.param


@pytest.fixture
def cluster(processes, driver):
    """The cluster with all engines running, making stacks for a driver."""
    processes.use(convergence_engine=str(driver == 'convergence').lower())
    return processes


@pytest.fixture
def no_surprises(cluster):
    """Whatever happens in a test leaves no traceback in any log."""
    before = {path: path.read_text() for path in cluster.tracebacks()}
    yield
    news = [path for path in cluster.tracebacks()
            if 'Traceback' in path.read_text()[len(before.get(path, '')):]]
    assert not news, cluster.logs()


@pytest.fixture
def ledger(tmp_path):
    """Where the things of a plugin note what is done with them."""
    return ledger_module.Ledger(tmp_path / 'things')


@pytest.fixture(scope='module')
def database_server(tmp_path_factory):
    """A database server to kill."""
    server = own_servers.MariaDB(tmp_path_factory.mktemp('mariadb'))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope='module')
def broker(tmp_path_factory):
    """A broker to kill."""
    server = own_servers.RabbitMQ(tmp_path_factory.mktemp('rabbitmq'))
    server.start()
    yield server
    server.remove()
