"""RPC calls for operators."""

from oslo_config import cfg
import pytest

from heat.engine.rpc import admin
from heat.objects import service as service_objects
from tests.unit.engine.rpc import calls

STACK = 'resources: {a: {type: Test::Thing}}'


class Listener:
    """Asks engines; the one that is slow does not answer in time."""

    def __init__(self):
        self.asked = []

    def load(self, context, engine_id):
        self.asked.append(engine_id)
        return None if engine_id == 'slow' else {'tasks_ready': 1}


@pytest.fixture
def operations(engine):
    operations = calls.made(admin.AdminOperations, engine)
    operations.listener_client = Listener()
    return operations


@pytest.fixture
def services(monkeypatch):
    def row(engine_id, **changes):
        return service_objects.Service(**{
            'id': engine_id, 'engine_id': engine_id, 'host': 'h',
            'hostname': 'h', 'binary': 'heat-engine', 'topic': 'engine',
            'report_interval': 60, **changes})

    moment = admin.liveness.heat_timeutils.utcnow()
    rows = [row(name, created_at=moment, read_at=moment)
            for name in ('quick', 'slow')]
    rows.append(row('gone', created_at=moment, deleted_at=moment,
                    read_at=moment))
    monkeypatch.setattr(service_objects.Service, 'get_all',
                        lambda context: rows)
    return rows


def test_services_are_listed(operations, engine, services):
    listed = operations.list_services(engine.context)
    assert [(each['engine_id'], each['status']) for each in listed] == [
        ('quick', 'up'), ('slow', 'up'), ('gone', 'down')]
    assert 'load' not in listed[0]
    assert operations.listener_client.asked == []


def test_only_engines_that_are_up_are_asked_for_their_load(
        operations, engine, services):
    listed = operations.list_services(engine.context, with_load=True)
    assert [each['load'] for each in listed] == [
        {'tasks_ready': 1}, None, None]
    assert sorted(operations.listener_client.asked) == ['quick', 'slow']
    services.clear()
    assert operations.list_services(engine.context, with_load=True) == []


def test_revision_is_what_the_operator_says(operations, engine):
    assert operations.get_revision(engine.context) == (
        cfg.CONF.revision['heat_revision'])


@pytest.mark.parametrize('valid', [True, False])
def test_credentials_of_a_request(operations, engine, valid, monkeypatch):
    monkeypatch.setattr(type(engine.context), 'user_creds_are_valid',
                        lambda self: valid, raising=False)
    assert operations.authenticated_to_backend(engine.context) is valid


def test_stack_changes_sides(operations, engine):
    stack = engine.create(STACK)
    assert not stack.convergence
    operations.migrate_convergence_1(engine.context, stack.id)
    assert engine.reload(stack).convergence
