"""Waiting for several servers or volumes takes few requests."""
import collections

import pytest

from tests.functional import templates
from tests.functional.takeover import cloud

COUNT = 6
#: States that a thing is shown in before it is there.
STEPS = 12


@pytest.fixture
def services(monkeypatch):
    made = cloud.Cloud()
    made.storage.script['volume'] = ['creating'] * STEPS + ['available']
    made.compute.birth = [('BUILD', 'spawning')] * STEPS + [('ACTIVE', None)]
    made.use(monkeypatch)
    return made


def stack_of(kind):
    return templates.hot({f'{kind}{number}': {
        'volume': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}},
        'server': {'type': 'OS::Nova::Server', 'properties': {
            'flavor': 'small', 'image': 'cirros',
            'networks': [{'network': 'other'}]}}}[kind]
        for number in range(COUNT)})


def requests(service):
    """Return {verb: number of requests}, and forget them."""
    found = collections.Counter(entry[0] for entry in service.log
                                if entry[1] in ('server', 'volume'))
    service.log.clear()
    return found


@pytest.mark.parametrize('kind', ['server', 'volume'])
def test_waiting_takes_a_list_now_and_then(driver, api, services, kind):
    service = {'server': services.compute, 'volume': services.storage}[kind]
    stack = api.created('s', stack_of(kind))
    found = requests(service)
    assert found['create'] == COUNT
    # Alone they would be looked at some STEPS times each.
    assert found['get'] <= 3 * COUNT
    assert 0 < found['list'] <= 2 * STEPS
    stack.deleted()
    found = requests(service)
    assert found['delete'] == COUNT
    # The lists prove that they are gone; the last two may be alone.
    assert found['get'] <= 4
    assert services.left() == []
