import contextlib
import threading

import pytest

from heat.common import context
from heat.common import reading


def test_all_is_allowed_elsewhere():
    reading.require_engine()
    with reading.only():
        pass
    reading.require_engine()


def test_only_reads_are_allowed_within_at_any_depth():
    with reading.only():
        with pytest.raises(reading.EngineNeeded), reading.only():
            reading.require_engine()
        with pytest.raises(reading.EngineNeeded):
            reading.require_engine()
    reading.require_engine()


def test_an_error_handler_does_not_swallow_it():
    def swallow():
        with contextlib.suppress(Exception):
            reading.require_engine()

    with pytest.raises(reading.EngineNeeded), reading.only():
        swallow()


def test_other_threads_go_on():
    done = []

    def work():
        reading.require_engine()
        done.append(True)

    with reading.only():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert done == [True]


@pytest.mark.parametrize('ask', [
    lambda one: one.keystone_session,
    lambda one: one.clients.client('nova'),
    lambda one: one.clients.sdk('nova'),
    lambda one: one.clients.client('no such service')])
def test_no_service_is_reached(ask):
    one = context.RequestContext(project_id='p', auth_token='t',
                                 auth_url='http://127.0.0.1:1/v3')
    with pytest.raises(reading.EngineNeeded), reading.only():
        ask(one)
