import types

import pytest

from heat.common import timeutils as heat_timeutils
from heat.engine.cluster import judge as judge_module
from heat.objects import service as service_objects


@pytest.fixture
def scan(monkeypatch):
    """Return a function that judges in one scan, after the ones before."""
    now = [1000.0]
    monkeypatch.setattr(heat_timeutils, 'wallclock', lambda: now[0])
    before = types.SimpleNamespace(silent={}, leaseless={})

    def judge(leases, answering, after=0):
        now[0] += after
        monkeypatch.setattr(service_objects.Service, 'alive_engines',
                            lambda context: set(leases))
        one = judge_module.Judge(
            None, types.SimpleNamespace(
                engine_id='mine',
                answers=lambda context, engine_id: engine_id in answering),
            False, before.silent, before.leaseless)
        dead = one.dead({'mine', 'other', None})
        before.silent, before.leaseless = one.silent, one.leaseless
        return dead

    return judge


def test_an_engine_without_a_lease_is_gone_when_it_does_not_answer(scan):
    assert scan({'mine'}, set()) == {'other'}


def test_an_engine_with_a_lease_is_gone_after_two_silent_scans(scan):
    assert scan({'mine', 'other'}, set()) == set()
    assert scan({'mine', 'other'}, set()) == {'other'}


def test_an_engine_that_answers_is_gone_when_it_never_reports(scan):
    assert scan({'mine'}, {'other'}) == set()
    assert scan({'mine'}, {'other'}, after=1000) == {'other'}


def test_nobody_who_answers_is_gone_while_the_database_takes_no_report(scan):
    """The disk of the database is full, say: all leases have run out."""
    assert scan(set(), {'other'}) == set()
    assert scan(set(), {'other'}, after=1000) == set()
    # The time counts from when we can report again.
    assert scan({'mine'}, {'other'}, after=1) == set()
    assert scan({'mine', 'other'}, {'other'}, after=1) == set()


def test_a_silent_engine_is_gone_even_if_we_cannot_report(scan):
    assert scan(set(), set()) == {'other'}
