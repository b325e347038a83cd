"""An API that reads the database answers while no engine is up."""
import pytest

from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import templates

TEMPLATE = {**templates.mesh(6), 'outputs': {
    'o': {'value': {'get_attr': ['r0', 'output']}}}}


@pytest.fixture(scope='module', params=['mysql', 'postgresql'])
def cluster(request, tmp_path_factory):
    """Return one engine and an API that reads the database."""
    with cluster_module.running(
            tmp_path_factory.mktemp(f'reads-{request.param}'),
            servers.Server(request.param), hosts=('one',), apis=1,
            api_reads_database='true') as one:
        one.use()
        yield one


@pytest.fixture(params=['eventlet', 'threading'], scope='module')
def kind(request, cluster):
    """Have the API run many requests at once in one of the two ways."""
    cluster.environment_of_apis = {'HEAT_CONCURRENCY': request.param}
    cluster.kill_api(0)
    cluster.wait_until_up()
    return request.param


def test_reads_go_on(cluster, kind):
    api = cluster.api
    path = api.create(f's-{kind}', TEMPLATE)
    cluster.wait_status(path, 'CREATE_COMPLETE')
    names = ['', '/resources', '/events', '/template', '/environment',
             '/outputs', '/outputs/o', '/snapshots']
    before = {name: api.get(path + name) for name in names}
    cluster.engines['one'].kill()
    assert {name: api.get(path + name) for name in names} == before
    assert path in [f'/stacks/{each["stack_name"]}/{each["id"]}'
                    for each in api.get('/stacks')['stacks']]
    cluster.use()
    api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)
    assert cluster.tracebacks() == []
