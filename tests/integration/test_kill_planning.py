"""Engines are killed while they plan a change set with moves."""
import pytest

from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import test_kill

SIZE = 16
#: Seconds that it takes to look at one thing: a plan of a way back does.
LOOK = 0.5
#: Seconds within which a plan ends, even if engines die.
PATIENCE = 180


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    """Two engines that plan in the background."""
    with cluster_module.running(
            tmp_path_factory.mktemp('planning'), servers.Server('mysql'),
            change_set_immediate_resources=1, **test_kill.OPTIONS) as one:
        yield one


def template(ledger, names):
    """Return a template of things that are slow to look at."""
    return {'heat_template_version': '2021-04-16', 'resources': {
        name: ledger.leaf(look=LOOK, value=name[-1]) for name in names}}


def planner(cluster, change_set):
    """Return the host whose engine plans, None if none does."""
    found = cluster.sql(
        'SELECT s.host FROM change_set c JOIN service s '
        "ON s.engine_id = c.engine_id WHERE c.id = :id "
        "AND c.status = 'CREATE_IN_PROGRESS'", id=change_set)
    return found[0][0] if found else None


@pytest.mark.parametrize('place', ['tree', 'stacks'])
def test_plan_with_moves_outlives_its_engines(cluster, ledger, place):
    """Two engines die in turn; the plan is made, and can be executed."""
    cluster.use()
    names = [f'r{number}' for number in range(SIZE)]
    path = cluster.api.create(f'taker-{place}', template(ledger, names))
    cluster.wait_status(path, 'CREATE_COMPLETE', PATIENCE)
    given = {'from': 'r0', 'to': 'moved0'}
    wanted = ['moved0', *names[1:]]
    giver = None
    if place == 'stacks':
        giver = cluster.api.create('giver', template(ledger, ['g0', 'h1']))
        cluster.wait_status(giver, 'CREATE_COMPLETE', PATIENCE)
        given = {'from': {'stack': giver.split('/')[-1], 'resource': 'g0'},
                 'to': 'moved0'}
        wanted = ['moved0', *names]
    made = len(ledger.calls('create'))
    body = {'name': 'plan', 'template': template(ledger, wanted),
            'moves': [given], 'revert_drift': True}
    where = path + '/change_sets'
    found = cluster.api.call('POST', where, body, expect=201)['change_set']
    assert found['status'] == 'CREATE_IN_PROGRESS'
    for _death in 'ab':
        seen = len(ledger.calls('look'))
        cluster.wait_for(lambda: len(ledger.calls('look')) > seen + 3,  # noqa: B023
                         'the plan to go on', timeout=PATIENCE)
        host = planner(cluster, found['id'])
        assert host is not None, 'The plan has ended before the kill.'
        cluster.engines[host].kill()
        cluster.start_engine(host)
    cluster.wait_for(lambda: planner(cluster, found['id']) is None,
                     'the end of the plan', timeout=PATIENCE)
    cluster.wait_until_up()
    planned = cluster.api.get(f'{where}/{found["id"]}')['change_set']
    assert planned['status'] == 'AVAILABLE', planned
    actions = {'/'.join(each['path']): each['action']
               for each in planned['changes'] if each['action'] != 'keep'}
    assert actions == {'moved0': 'move'}
    cluster.api.call('POST', f'{where}/{found["id"]}/execute', expect=202)
    cluster.wait_status(path, 'UPDATE_COMPLETE', PATIENCE)
    assert {each['resource_name'] for each in cluster.api.get(
        path + '/resources')['resources']} == set(wanted)
    if giver:
        assert [each['resource_name'] for each in cluster.api.get(
            giver + '/resources')['resources']] == ['h1']
    assert len(ledger.calls('create')) == made
    assert ledger.calls('update', 'delete') == []
    # No row of a plan that a dead engine had begun is left over.
    assert cluster.sql('SELECT status FROM change_set WHERE id = :id',
                       id=found['id']) == [('EXECUTED',)]
