"""Streams of events while APIs and engines are killed.

Several followers of one stack change between the APIs at any moment. Each
has every event once. HEAT_TEST_SEED repeats the moments of an earlier run.
"""
import os
import random
from urllib import parse

import pytest

from tests import streaming
from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import templates

FOLLOWERS = 4
SIZE = 60
ROUNDS = 3
OPTIONS = {
    'periodic_interval': 1,
    'convergence_scan_interval': 1,
    'engine_life_check_timeout': 1,
}


@pytest.fixture(scope='module', params=['mysql', 'postgresql'])
def cluster(request, tmp_path_factory):
    """Two engines and two APIs."""
    with cluster_module.running(
            tmp_path_factory.mktemp('streams'),
            servers.Server(request.param), **OPTIONS) as one:
        one.use()
        yield one


def test_each_event_once(cluster):
    seed = int(os.environ.get('HEAT_TEST_SEED', random.randrange(10 ** 6)))
    print('HEAT_TEST_SEED =', seed)
    dice = random.Random(seed)
    path = cluster.api.create('s', templates.mesh(SIZE))
    project = parse.urlsplit(cluster.api.url).path
    ports = [parse.urlsplit(each.url).port for each in cluster.apis]
    followers = [
        streaming.Follower(dice.sample(ports, 2),
                           f'{project}{path}/events/stream?from=start',
                           lambda: dice.randint(1, 80))
        for _number in range(FOLLOWERS)]
    for number in range(ROUNDS):
        cluster.wait_status(path, ('UPDATE' if number else 'CREATE') +
                            '_COMPLETE')
        cluster.api.call('PUT', path, {'template': templates.mesh(
            SIZE, changed=20 * (number + 1))})
        host = dice.choice(sorted(cluster.engines))
        cluster.engines[host].kill()
        cluster.start_engine(host)
        cluster.kill_api(dice.randrange(2))
        cluster.wait_until_up()
    cluster.wait_status(path, 'UPDATE_COMPLETE')
    stored = {each['id'] for each in cluster.api.events(path)}
    assert len(stored) > 2 * SIZE
    for each in followers:
        cluster.wait_for(lambda each=each: stored <= set(each.ids),
                         'all events')
        assert len(each.ids) == len(set(each.ids))
        assert each.connections > 3
    cluster.api.call('DELETE', path)
    cluster.wait_gone(path)
    for each in followers:
        each.join()
        assert len(each.ids) == len(set(each.ids))
