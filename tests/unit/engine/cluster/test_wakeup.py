"""Who waits is woken, in this engine or in another one."""
import pytest

from heat.engine import stack as stack_module
from heat.engine.cluster import peers
from heat.engine.cluster import wakeup
from heat.engine.drivers import select as stack_driver
from heat.engine.process import worker
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool
from tests.fakes import stack as fake_stack


class Engine:
    """One of several engines; messages arrive at once."""

    def __init__(self, engines):
        self.pool = task_pool.InlinePool(group_commit.Inline())
        self.engines = engines
        self.engines.append(self)
        self.sent = []
        engine_context = stack_driver.EngineContext(
            f'engine-{len(engines)}', self.pool, self.pool.group_commit,
            worker_client=self, stack_class=stack_module.Stack)
        self.worker = worker.WorkerService(engine_context, runner=None)
        self.wakeup_notifier = wakeup.WakeupNotifier(engine_context)

    def wake(self, ctxt, keys):
        self.sent.append(keys)
        for engine in self.engines:
            engine.worker.wake(ctxt, keys)

    def waiting(self, *keys):
        """Return the keys, in the order in which they come about."""
        seen = []

        def wait(key):
            seen.append((yield task_pool.WaitFor(key)))

        for key in keys:
            self.pool.spawn(wait(key))
        self.pool.run()
        return seen


@pytest.fixture
def engines(monkeypatch):
    fake_stack.Clock(monkeypatch)
    monkeypatch.setattr(peers.Peers, 'are_alive',
                        lambda self, _context: len(both) > 1)
    both = []
    for _number in range(2):
        Engine(both)
    return both


def announce(engine, *keys, **options):
    for key in keys:
        engine.wakeup_notifier.announce(key, **options)
    for each in engine.engines:
        each.pool.run()


def test_who_waits_here_is_woken_without_a_message(engines):
    seen = engines[0].waiting(('stack', 'a'))
    announce(engines[0], ('stack', 'a'))
    assert seen == [('stack', 'a')]
    assert engines[0].sent == []


def test_who_waits_elsewhere_is_woken(engines):
    seen = engines[1].waiting(('stack', 'a'), ('signal', 3))
    announce(engines[0], ('signal', 3), ('stack', 'a'))
    assert seen == [('signal', 3), ('stack', 'a')]
    # What comes together goes out together.
    assert engines[0].sent == [[['signal', 3], ['stack', 'a']]]


def test_all_who_wait_are_woken(engines):
    seen = [engine.waiting(('signal', 3)) for engine in engines]
    announce(engines[0], ('signal', 3), many=True)
    assert seen == [[('signal', 3)]] * 2


def test_who_was_about_to_wait_is_woken(engines):
    announce(engines[0], ('stack', 'a'))
    assert engines[1].waiting(('stack', 'a')) == [('stack', 'a')]
    # Also when another one waited already.
    engines[1].waiting(('signal', 3))
    announce(engines[0], ('signal', 3))
    assert engines[1].waiting(('signal', 3)) == [('signal', 3)]


def test_many_events_are_several_messages(engines):
    announce(engines[0], *[('stack', str(n)) for n in range(
        wakeup.KEYS_PER_MESSAGE + 1)])
    assert [len(keys) for keys in engines[0].sent] == [
        wakeup.KEYS_PER_MESSAGE, 1]


def test_what_nobody_far_away_waits_for_is_not_sent(engines):
    announce(engines[0], ('stack', 'root'), far=False)
    assert engines[0].sent == []


def test_an_engine_that_is_alone_sends_nothing(engines):
    engines.pop()
    announce(engines[0], ('stack', 'a'))
    assert engines[0].sent == []


def test_an_engine_that_stops_sends_at_once(engines):
    seen = engines[1].waiting(('stack', 'a'))
    engines[0].pool.stop()
    engines[0].wakeup_notifier.announce(('stack', 'a'))
    engines[1].pool.run()
    assert seen == [('stack', 'a')]
