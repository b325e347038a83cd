"""That lines can be logged is seen again and again."""
import logging
import threading

import pytest

from heat.engine.process import log_probe


@pytest.fixture
def handler():
    handler = logging.NullHandler()
    handler.createLock()
    handler.lock = threading.RLock()
    logger = logging.getLogger('heat.tests.log_probe')
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def test_probe_counts_what_was_done(handler):
    probe = log_probe.LogProbe()
    for turn in range(3):
        assert probe.pulse().done == turn
        probe.run_once()


def test_probe_rests_before_it_starts(handler):
    assert not log_probe.LogProbe().pulse().waits


def test_lock_that_is_not_given_back_shows(handler):
    probe = log_probe.LogProbe()
    handler.acquire()
    try:
        thread = threading.Thread(target=probe.run_once, daemon=True)
        thread.start()
        thread.join(0.01)
        assert thread.is_alive()
        assert (probe.pulse().done, probe.pulse().waits) == (0, True)
    finally:
        handler.release()
    thread.join(10)
    assert (probe.pulse().done, probe.pulse().waits) == (1, False)


def test_locks_are_free_afterwards(handler):
    log_probe.LogProbe().run_once()
    got = []
    thread = threading.Thread(
        target=lambda: got.append(handler.lock.acquire(timeout=10)))
    thread.start()
    thread.join()
    assert got == [True]


def test_turns_that_are_due_show_until_it_is_stopped(monkeypatch):
    monkeypatch.setattr(log_probe.periodic.Periodic, 'start',
                        lambda self: None)
    probe = log_probe.LogProbe()
    probe.start()
    assert probe.pulse().waits
    probe.stop()
    assert not probe.pulse().waits
