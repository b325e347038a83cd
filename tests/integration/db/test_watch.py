"""The tests of these records, on real servers."""
from concurrent import futures
import threading

import pytest

from heat.objects import watch_data
from tests.unit.objects.test_watch import *  # noqa: F403
from tests.unit.objects.test_watch import NOW
from tests.unit.objects.test_watch import Data
from tests.unit.objects.test_watch import Rule
from tests.unit.objects.test_watch import make_rule
from tests.unit.objects.test_watch import push

pytestmark = pytest.mark.usefixtures('clean_database')


def test_engines_that_claim_at_once_get_different_rules(context):
    ids = {make_rule(context, f'alarm-{number}') for number in range(200)}
    start = threading.Barrier(8)

    def engine(number):
        start.wait()
        return [rule.id for turn in range(9) for rule in Rule.claim_due(
            context, f'{number}-{turn}', NOW, NOW + 60, 25, pending=False)]

    with futures.ThreadPoolExecutor(8) as threads:
        claimed = [rule for each in threads.map(engine, range(8))
                   for rule in each]
    assert len(claimed) == len(ids)
    assert set(claimed) == ids


def test_pushes_of_a_new_metric_at_once_make_it_once(context):
    start = threading.Barrier(8)

    def client(number):
        start.wait()
        push(context, *((NOW - age, float(number), None)
                        for age in range(50)), name='new')

    with futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(client, range(8)))
    [metric] = watch_data.WatchMetric.get_all(
        context, 'project', 9, {'name': 'new'})
    [found] = Data.statistics(context, metric.metric_key, NOW - 60, NOW + 60,
                              120)
    assert found.samples == 400
