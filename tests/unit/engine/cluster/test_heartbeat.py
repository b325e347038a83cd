"""An engine reports as long as it lives, and learns what time it is."""
import datetime
import threading

import pytest

from heat.common import context as heat_context
from heat.common import timeutils
from heat.engine.cluster import heartbeat
from heat.objects import service as service_objects
from tests.fakes import database


@pytest.fixture
def admin(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    yield heat_context.get_admin_context()
    timeutils.follow(None)


@pytest.fixture
def beat(admin):
    beat = heartbeat.Heartbeat('engine', 'host', 'topic')
    beat._register()
    return beat


def ago(seconds):
    """Return a moment by the clock of the database."""
    return datetime.datetime.now(datetime.UTC).replace(
        tzinfo=None) - datetime.timedelta(seconds=seconds)


def outdate(admin, seconds=1000):
    [row] = service_objects.Service.get_all(admin)
    service_objects.Service.update_by_id(admin, row.id,
                                         {'updated_at': ago(seconds)})


def test_report_renews_the_lease(admin, beat):
    outdate(admin)
    assert service_objects.Service.alive_engines(admin) == set()
    beat.run_once()
    assert service_objects.Service.alive_engines(admin) == {'engine'}


def test_engine_that_makes_no_progress_is_not_reported(admin, beat):
    outdate(admin)
    beat._is_well = lambda: False
    beat.run_once()
    assert service_objects.Service.alive_engines(admin) == set()


def test_engine_whose_row_is_gone_registers_again(admin, beat):
    [row] = service_objects.Service.get_all(admin)
    service_objects.Service.delete(admin, row.id, soft_delete=False)
    beat.run_once()
    assert service_objects.Service.alive_engines(admin) == {'engine'}


def test_services_that_are_long_gone_are_forgotten(admin, beat):
    gone = service_objects.Service.create(admin, {
        'engine_id': 'gone', 'host': 'h', 'hostname': 'h',
        'binary': 'heat-engine', 'topic': 'engine', 'report_interval': 60})
    service_objects.Service.update_by_id(admin, gone.id,
                                         {'updated_at': ago(10000)})
    beat.run_once()
    assert [row.engine_id for row in service_objects.Service.get_all(admin)
            ] == ['engine']


@pytest.mark.parametrize('shift', [-600, 60, 86400])
def test_time_is_that_of_the_database(beat, monkeypatch, shift):
    """Whatever the clock of this host says, and is set to."""
    own = timeutils.timeutils.utcnow
    monkeypatch.setattr(timeutils.timeutils, 'utcnow', lambda: (
        own() + datetime.timedelta(seconds=shift)))
    beat.run_once()
    assert abs(timeutils.utcnow() - ago(0)) < datetime.timedelta(seconds=30)
    beat.stop()
    assert abs(timeutils.utcnow() - ago(-shift)) < datetime.timedelta(
        seconds=30)


def test_report_that_failed_is_repeated_soon(admin, monkeypatch):
    beat = heartbeat.Heartbeat('engine', 'host', 'topic')
    pauses, enough = [], threading.Event()

    class Stopping:
        """Notes for how long is waited, and waits not at all."""

        def wait(self, seconds):
            pauses.append(seconds)
            if len(pauses) == 4:
                enough.set()

        def is_set(self):
            return enough.is_set()

    failures = [True, False, True]

    def report(context):
        if failures.pop(0):
            raise ValueError('The database does not take it')

    monkeypatch.setattr(beat, '_report', report)
    monkeypatch.setattr(beat, '_stopping', Stopping())
    beat._work()
    assert pauses == [60, 1, 60, 1]
