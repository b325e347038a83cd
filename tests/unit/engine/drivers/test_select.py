"""Which driver carries a stack through its actions."""
import inspect
import types

import pytest

from heat.common import current_engine
from heat.engine.convergence import driver as convergence_driver
from heat.engine.drivers import select
from heat.engine.legacy import driver as legacy_driver
from tests.fakes import stacks


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.mark.parametrize(('convergence', 'driver'), [
    (True, convergence_driver.ConvergenceDriver),
    (1, convergence_driver.ConvergenceDriver),
    (False, legacy_driver.LegacyDriver),
    (None, legacy_driver.LegacyDriver)])
def test_stack_says_which_one(engine, convergence, driver):
    stack = types.SimpleNamespace(convergence=convergence)
    assert isinstance(select.of(stack), driver)
    assert select.of(stack) is select.of(stack)


@pytest.mark.parametrize('driver', [
    convergence_driver.ConvergenceDriver, legacy_driver.LegacyDriver])
@pytest.mark.parametrize('name', [
    name for name in vars(select.Driver)
    if not name.startswith('_') and callable(getattr(select.Driver, name))])
def test_both_have_the_whole_interface(driver, name):
    wanted = inspect.signature(getattr(select.Driver, name))
    offered = inspect.signature(getattr(driver, name))
    assert list(offered.parameters)[:len(wanted.parameters)] == list(
        wanted.parameters)
    required = [each.name for each in offered.parameters.values()
                if each.default is each.empty]
    assert set(required) <= set(wanted.parameters)


def test_the_latest_engine_is_the_one_of_the_process(engine):
    assert select.engine_id() == stacks.ENGINE_ID
    assert select.thread_group_mgr() is engine.groups
    engine.configure('another')
    assert select.engine_id() == 'another'
    assert current_engine.get().context.engine_id == 'another'


def test_without_an_engine_nothing_can_be_carried_out(engine, monkeypatch):
    monkeypatch.setattr(current_engine, '_engine', None)
    assert select.engine_id() is None
    assert select.thread_group_mgr() is None
    with pytest.raises(RuntimeError):
        select.of(types.SimpleNamespace(convergence=True))


class Listener:
    def is_alive(self, context, engine_id):
        return engine_id == 'alive'


def test_engines_answer(engine):
    engine.configure(listener=Listener())
    context = current_engine.get().context
    for engine_id, answers in ((stacks.ENGINE_ID, True), ('alive', True),
                               ('dead', False)):
        assert context.answers(None, engine_id) is answers
    # Who cannot ask believes.
    engine.configure()
    assert current_engine.get().context.answers(None, 'dead')
