"""A pytest plugin that runs the tests under eventlet.

Loaded with ``-p tests.concurrency`` so that it comes before every other
import: what eventlet does not patch first, it cannot patch.
"""
import os

from execnet import gateway_base

from heat.cmd import backend


def _keep_commands_native():
    """Let a process of pytest-xdist go on taking its commands.

    These come through a thread that was there before eventlet, and could
    not wake a process that waits for them in eventlet's way.
    """
    from eventlet import patcher
    native = patcher.original('threading')
    model = gateway_base.ThreadExecModel
    model.Lock = model.RLock = lambda self: native.RLock()
    model.Event = lambda self: native.Event()


if backend.select() == backend.EVENTLET and (
        'PYTEST_XDIST_WORKER' in os.environ):
    _keep_commands_native()
