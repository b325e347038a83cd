"""API processes hear of events while clients listen, and not too often."""
import pytest

from heat.common import current_engine
from heat.engine import stack as stack_module
from heat.engine.cluster import event_wakeup
from heat.engine.cluster import peers
from heat.engine.drivers import select as stack_driver
from heat.engine.process import worker
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool
from tests.fakes import stack as fake_stack


class Engine:
    """One of several engines; messages arrive at once."""

    def __init__(self, engines, clock):
        self.pool = task_pool.InlinePool(group_commit.Inline())
        self.engines = engines
        self.engines.append(self)
        self.clock = clock
        self.told, self.sent, self.is_taken = [], [], True
        engine_context = stack_driver.EngineContext(
            f'engine-{len(engines)}', self.pool, self.pool.group_commit,
            worker_client=self, event_client=self,
            stack_class=stack_module.Stack)
        self.engine = stack_driver.RunningEngine(engine_context)
        self.worker = worker.WorkerService(engine_context, runner=None)

    def wake(self, ctxt, keys):
        self.told.append(self.clock.now)
        for each in self.engines:
            current_engine.install(each.engine)
            each.worker.wake(ctxt, keys)
        current_engine.install(None)

    def stored(self, ctxt):
        assert ctxt.is_admin
        self.sent.append(self.clock.now)
        return self.is_taken

    def store(self, seconds=0.0, rate=100):
        """Store a number of events per second for some time."""
        end = self.clock.now + seconds
        while True:
            self.engine.events.stored()
            while self.pool.step():
                pass
            if self.clock.now >= end:
                return
            self.clock.now += 1 / rate

    def ask(self):
        self.engine.events.asked()
        self.pool.run()


@pytest.fixture
def clock(monkeypatch):
    return fake_stack.Clock(monkeypatch)


@pytest.fixture
def engines(monkeypatch, clock):
    monkeypatch.setattr(peers.Peers, 'are_alive',
                        lambda self, _context: len(made) > 1)
    made = []
    for _number in range(3):
        Engine(made, clock)
    yield made
    current_engine.install(None)


def test_nothing_is_sent_while_nobody_listens(engines):
    engines[0].store(10)
    assert engines[0].sent == []
    assert engines[0].told == []
    assert engines[0].pool.active() == []


def test_event_is_told_at_once(engines, clock):
    engines[0].ask()
    clock.now += 5
    engines[0].store()
    assert engines[0].sent == [clock.now]


@pytest.mark.parametrize('rate', [8, 100, 1000])
def test_there_are_a_few_messages_a_second_whatever_the_rate(engines, rate):
    engines[0].ask()
    engines[0].store(10, rate)
    assert len(engines[0].sent) == pytest.approx(40, abs=2)


def test_last_event_of_many_is_told_too(engines, clock):
    engines[0].ask()
    engines[0].store()
    clock.now += event_wakeup.PAUSE / 2
    engines[0].store()
    assert len(engines[0].sent) == 1
    engines[0].pool.run()
    assert len(engines[0].sent) == 2
    assert engines[0].pool.active() == []


def test_all_engines_learn_of_a_question_to_one(engines):
    engines[1].ask()
    for each in engines:
        each.store()
        assert len(each.sent) == 1


def test_questions_are_told_now_and_then(engines, clock):
    """Whichever engines are asked, one message in ten seconds is enough."""
    for second in range(60):
        engines[second % 3].ask()
        clock.now += 1
    assert sum(len(each.told) for each in engines) == 6


def test_an_engine_that_is_alone_tells_nobody(engines):
    del engines[1:]
    engines[0].ask()
    engines[0].store()
    assert (len(engines[0].told), len(engines[0].sent)) == (0, 1)


def test_wake_ups_end_when_questions_do(engines, clock):
    engines[0].ask()
    clock.now += event_wakeup.LEASE
    for each in engines:
        each.store()
        assert each.sent == []


def test_wake_up_that_cannot_be_sent_is_the_last_until_somebody_asks(
        engines):
    engines[0].ask()
    engines[0].is_taken = False
    engines[0].store(10)
    assert len(engines[0].sent) == 1
    engines[0].is_taken = True
    engines[0].ask()
    engines[0].store()
    assert len(engines[0].sent) == 2


def test_engine_that_stops_sends_nothing(engines):
    engines[0].ask()
    engines[0].pool.stop()
    engines[0].engine.events.stored()
    engines[0].engine.events.asked()
    assert engines[0].sent == []


def test_without_an_engine_nobody_is_told():
    current_engine.install(None)
    for note in (event_wakeup.stored, event_wakeup.asked,
                 event_wakeup.heard):
        note()
