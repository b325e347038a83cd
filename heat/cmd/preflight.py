"""Look at the configuration before a process starts to serve.

The checks run in a child process: they load libraries that the service may
never need, and none of them can hold the service up.
"""
import contextlib
import json
import logging as std_logging
import os
import signal
import sys
import time

from oslo_config import cfg
from oslo_log import log as logging

from heat.cmd import backend
from heat.common import lazy
from heat.common import startup
from heat.db import probe

# Loaded by the child that runs them only.
checks = lazy.module('heat.cmd.checks')

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

#: Seconds that the checks of one child may take.
PATIENCE = 7
#: Seconds between two looks at what is away, and between two warnings.
_PAUSE, _REMIND = 1, 30


def examine(make_checks, meanwhile=lambda: None):
    """Run checks in a child process.

    :param make_checks: a function, called in the child, that returns
        functions; these return lists of errors and of warnings
    :param meanwhile: is called in this process while the child works
    :raises startup.Refused: at least one has found an error
    """
    found = _in_child(lambda: _collect(make_checks()), meanwhile)
    if found is None:
        LOG.warning('The configuration could not be examined within %d s',
                    PATIENCE)
        return
    for warning in found['warnings']:
        LOG.warning('%s', warning)
    if found['errors']:
        raise startup.Refused('\nERROR: '.join(found['errors']))


def _collect(checks):
    errors, warnings = [], []
    for check in checks:
        some, others = check()
        errors += some
        warnings += others
        if some:
            # What comes later may depend on what is wrong.
            break
    return {'errors': [startup.line(error) for error in errors],
            'warnings': [startup.line(warning) for warning in warnings]}


def wait_for(what, attempt):
    """Return when a dependency can be used.

    Until then SIGTERM ends the process as if nothing had been started.

    :param attempt: a function that raises Refused or Away
    :raises startup.Refused: waiting would not help
    """
    reminded = None
    while True:
        trouble = look(attempt)
        if trouble is None:
            if reminded is not None:
                LOG.warning('%s is there', what)
            return
        now = time.monotonic()
        if reminded is None or now - reminded >= _REMIND:
            LOG.warning('Waiting for %s: %s', what, trouble)
            reminded = now
        time.sleep(_PAUSE)


def wait_for_database():
    """Return when the database is reachable and its tables can be used.

    :raises startup.Refused: waiting would not help
    """
    wait_for('the database', probe.check)
    look_once('the tables', lambda: checks.tables())


def look_once(what, attempt):
    """Refuse to start if waiting would not help; say what is away.

    :raises startup.Refused: waiting would not help
    """
    trouble = look(attempt)
    if trouble is not None:
        LOG.warning('%s is away, requests are answered by 503 until it is '
                    'back: %s', what.capitalize(), trouble)


def look(attempt):
    """Probe once; return what keeps it from working, or None.

    :raises startup.Refused: waiting would not help
    """
    def work():
        try:
            attempt()
        except startup.Refused as error:
            return {'refused': startup.line(error)}
        except startup.Away as error:
            return {'away': startup.line(error)}
        return {}

    found = _in_child(work)
    if found is None:
        return f'no answer within {PATIENCE} s'
    if 'refused' in found:
        raise startup.Refused(found['refused'])
    return found.get('away')


def _in_child(work, meanwhile=lambda: None):
    """Return what a function returns in a child, None if it takes too long.

    :param meanwhile: is called in this process before the result is read
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        _be_child(work, writing)
    os.close(writing)
    chunks = []
    try:
        meanwhile()
        while chunk := os.read(reading, 65536):
            chunks.append(chunk)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    if not chunks:
        return None
    found = json.loads(b''.join(chunks))
    if 'defect' in found:
        raise startup.Refused(found['defect'])
    return found


def _be_child(work, writing):
    """Work, write the result into a pipe and end."""
    try:
        backend.begin_child()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM,
                       signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(PATIENCE)
        # What is worth a line is in the result.
        std_logging.disable(std_logging.CRITICAL)
        try:
            found = work()
        except Exception as error:  # noqa: BLE001 (shown to the operator)
            found = {'defect': startup.cause(error)}
        os.write(writing, json.dumps(found).encode())
    finally:
        os._exit(0)
