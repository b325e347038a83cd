"""How much an engine has to do."""
import datetime
import types

from oslo_utils import timeutils
import pytest

from heat.common import context as heat_context
from heat.common import timeutils as heat_timeutils
from heat.engine.process import load
from heat.engine.rpc import admin
from heat.objects import service as service_objects
from tests.fakes import database


class Runner:
    """Has visited what it says."""

    def load(self):
        return 3, 4, {'a', 'b'}


@pytest.fixture
def engine():
    return types.SimpleNamespace(
        pool=types.SimpleNamespace(load=lambda: (2, 9)),
        thread_group_mgr=types.SimpleNamespace(stacks=lambda: {'b', 'c'}),
        group_commit=types.SimpleNamespace(load=5))


def test_load_counts_what_is_in_hand(engine):
    assert load.current(engine, Runner()) == load.Load(
        tasks_ready=2, tasks_waiting=7, resources_in_flight=3,
        resources_queued=4, writes_queued=5, stacks=3)


class Listener:
    """Says what one engine has to do, and that another is silent."""

    def load(self, context, engine_id):
        return {'stacks': 1} if engine_id == 'busy' else None


class Operations(admin.AdminOperations):
    """What the service has beside, for these calls."""

    listener_client = Listener()


@pytest.fixture
def context(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    yield heat_context.get_admin_context()
    heat_timeutils.follow(None)


@pytest.fixture
def services(context):
    for name, age in (('busy', 0), ('silent', 0), ('gone', 1000)):
        made = service_objects.Service.create(context, {
            'engine_id': name, 'host': 'h', 'hostname': name,
            'binary': 'heat-engine', 'topic': 'engine',
            'report_interval': 60})
        service_objects.Service.update_by_id(context, made.id, {
            'updated_at': timeutils.utcnow() - datetime.timedelta(
                seconds=age)})


def test_services_are_listed_without_asking_them(context, services):
    found = Operations().list_services(context)
    assert [each for each in found if 'load' in each] == []


def test_services_that_are_up_are_asked_for_their_load(context, services):
    found = Operations().list_services(context, with_load=True)
    assert {each['engine_id']: (each['status'], each['load'])
            for each in found} == {'busy': ('up', {'stacks': 1}),
                                   'silent': ('up', None),
                                   'gone': ('down', None)}
