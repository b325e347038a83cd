import datetime

from oslo_utils import timeutils
import pytest

from heat.objects import service

Service = service.Service


@pytest.fixture
def make(context):
    def make(**values):
        return Service.create(context, {
            'engine_id': 'e', 'host': 'h', 'hostname': 'machine',
            'binary': 'heat-engine', 'topic': 'engine',
            'report_interval': 60, **values})

    return make


def ago(seconds):
    return timeutils.utcnow() - datetime.timedelta(seconds=seconds)


def test_service_lives_while_it_reports(context, make):
    made = make()
    assert Service.is_alive(made)
    late = timeutils.utcnow() + datetime.timedelta(seconds=121)
    assert not Service.is_alive(made, late)
    Service.update_by_id(context, made.id, {'report_interval': 100})
    read = Service.get(context, made.id)
    assert read.updated_at is not None
    assert Service.is_alive(read, late)


def test_active_ones_are_counted(context, make):
    make()
    make(updated_at=ago(300))
    make(binary='heat-api')
    gone = make()
    Service.delete(context, gone.id)
    assert Service.active_service_count(context) == 1


def test_engines_that_are_alive(context, make):
    make(engine_id='here')
    make(engine_id='silent', updated_at=ago(300))
    Service.delete(context, make(engine_id='gone').id)
    assert Service.alive_engines(context) == {'here'}


def test_deleted_service_is_kept_or_not(context, make):
    soft, hard = make(), make()
    assert Service.delete(context, soft.id) is True
    assert Service.delete(context, hard.id, soft_delete=False) is True
    assert Service.get_all(context) == []
    assert not Service.is_alive(Service.get(context, soft.id))
    assert Service.get(context, hard.id) is None
    assert [one.id for one in Service.get_all_by_args(
        context, 'h', 'heat-engine', 'machine')] == [soft.id]
    assert Service.delete(context, hard.id) is False
