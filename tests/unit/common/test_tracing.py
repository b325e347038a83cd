"""Traces of requests, in processes that do and do not trace."""
from osprofiler import profiler
import pytest

from heat.common import tracing


@pytest.fixture(autouse=True)
def _untraced():
    profiler.clean()
    yield
    profiler.clean()


def test_what_is_not_traced_goes_on_with_the_trace_of_another():
    with tracing.step('rpc', {'name': 'list_stacks'}):
        assert tracing.current() is None
    tracing.resume({'hmac_key': 'k', 'base_id': 'b', 'parent_id': 'p'})
    assert tracing.current()['base_id'] == 'b'


def test_a_step_is_below_what_it_is_a_step_of():
    tracing.resume({'hmac_key': 'k', 'base_id': 'b', 'parent_id': 'p'})
    before = tracing.current()
    with tracing.step('rpc', {'name': 'list_stacks'}):
        within = tracing.current()
    assert tracing.current() == before
    assert within['base_id'] == before['base_id'] == 'b'
    assert within['parent_id'] != before['parent_id']
