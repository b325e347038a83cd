"""The state of engines according to their rows."""
import datetime

import pytest

from heat.engine.cluster import liveness
from heat.objects import service as service_objects

NOW = datetime.datetime(2026, 5, 1, 12, 0, 0)


def row(age=0, deleted=False, updated=True, interval=60):
    moment = NOW - datetime.timedelta(seconds=age)
    return service_objects.Service(
        id='1', engine_id='engine', host='h', hostname='n',
        binary='heat-engine', topic='engine', report_interval=interval,
        created_at=moment, updated_at=moment if updated else None,
        deleted_at=NOW if deleted else None, read_at=NOW)


@pytest.mark.parametrize(('age', 'up'), [
    (0, True), (60, True), (119, True), (1000, False)])
def test_engine_is_up_while_it_reports(age, up):
    assert liveness.is_up(row(age), NOW) is up
    assert liveness.format_service(row(age))['status'] == (
        'up' if up else 'down')


def test_engine_that_has_just_begun_has_not_reported_yet():
    shown = liveness.format_service(row(10, updated=False))
    assert shown['status'] == 'up'
    assert shown['updated_at'] == shown['created_at']


def test_engine_that_has_left_is_down():
    shown = liveness.format_service(row(deleted=True))
    assert shown['status'] == 'down'
    assert shown['deleted_at'] == '2026-05-01T12:00:00Z'


def test_engine_as_the_command_lists_it():
    assert liveness.format_service(row()) == {
        'id': '1', 'engine_id': 'engine', 'host': 'h', 'hostname': 'n',
        'binary': 'heat-engine', 'topic': 'engine', 'report_interval': 60,
        'created_at': '2026-05-01T12:00:00Z',
        'updated_at': '2026-05-01T12:00:00Z', 'deleted_at': None,
        'status': 'up'}
