"""Work of resources beside their actions."""
import pytest

from heat.engine import background_work
from heat.engine.drivers import select
from heat.objects import resource as resource_objects
from heat.objects import service as service_objects
from tests.fakes import stacks

TEXT = """
resources:
  a: {type: Test::Thing}
  b: {type: Test::Thing}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def note(engine, stack, name):
    resource_objects.Resource.update_by_id(
        engine.context, stack[name].id,
        {'rsrc_metadata': {background_work.NOTE: 1}})


def test_work_that_is_noted_is_found(engine):
    stack = engine.create(TEXT)
    engine.create(TEXT, 'other')
    assert list(background_work.unattended(engine.context)) == []
    note(engine, stack, 'b')
    assert [tuple(each) for each in background_work.unattended(
        engine.context)] == [(stack.id, 'b')]


def test_resource_resumes_its_work(engine, monkeypatch):
    stack = engine.create(TEXT)
    resumed = []
    monkeypatch.setattr(stacks.Thing, 'watch_again',
                        lambda self: resumed.append(self.name),
                        raising=False)
    background_work.take_up(engine.context, stack.id, 'b')
    assert resumed == ['b']


@pytest.mark.parametrize('name', ['a', 'gone'])
def test_what_has_nothing_to_resume_is_left_alone(engine, name):
    stack = engine.create(TEXT)
    background_work.take_up(engine.context, stack.id, name)
    assert engine.reload(stack).state == ('CREATE', 'COMPLETE')


class Listener:
    def __init__(self, *alive):
        self.alive = alive

    def is_alive(self, context, engine_id=None):
        return engine_id in self.alive


def lease(engine, engine_id):
    service_objects.Service.create(engine.context, {
        'engine_id': engine_id, 'host': 'h', 'hostname': 'h',
        'binary': 'heat-engine', 'topic': 'engine', 'report_interval': 60})


def test_work_is_attended_while_its_engine_is_there(engine):
    assert background_work.engine_id() == stacks.ENGINE_ID
    engine.configure(listener=Listener('engine-2', 'engine-4'))
    for each in ('engine-2', 'engine-3'):
        lease(engine, each)
    attended = {each: background_work.is_attended(engine.context, each)
                for each in (None, stacks.ENGINE_ID, 'engine-2', 'engine-3',
                             'engine-4')}
    # Of two that have a lease one answers; another answers without one.
    assert attended == {None: True, stacks.ENGINE_ID: True,
                        'engine-2': True, 'engine-3': False,
                        'engine-4': False}


def test_outside_an_engine_nobody_is_missed(engine, monkeypatch):
    monkeypatch.setattr(select.current_engine, '_engine', None)
    assert background_work.engine_id() is None
    assert background_work.is_attended(engine.context, 'engine-9')
