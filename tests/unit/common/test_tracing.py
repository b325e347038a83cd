"""Traces of requests, in processes that do and do not trace."""
import subprocess
import sys

from osprofiler import profiler

from heat.common import tracing

UNTRACED = """
import sys
from heat.common import tracing
with tracing.step('rpc', {'name': 'list_stacks'}):
    assert tracing.current() is None
assert 'osprofiler' not in sys.modules
tracing.resume({'hmac_key': 'k', 'base_id': 'b', 'parent_id': 'p'})
assert tracing.current()['base_id'] == 'b'
"""


def test_a_process_without_traces_goes_on_with_that_of_another():
    ran = subprocess.run([sys.executable, '-c', UNTRACED], check=False,
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_a_step_is_below_what_it_is_a_step_of():
    profiler.clean()
    try:
        tracing.resume({'hmac_key': 'k', 'base_id': 'b', 'parent_id': 'p'})
        before = tracing.current()
        with tracing.step('rpc', {'name': 'list_stacks'}):
            within = tracing.current()
        assert tracing.current() == before
        assert within['base_id'] == before['base_id'] == 'b'
        assert within['parent_id'] != before['parent_id']
    finally:
        profiler.clean()
