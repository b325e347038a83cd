"""A guru meditation report: what a process is doing, asked for by a signal.

SIGUSR2, or a change of the file that [oslo_reports] file_event_handler
names, makes a process write its threads and its configuration, without
secrets, to stderr or into [oslo_reports] log_dir.
"""
import _thread
import functools
import os
import signal
import threading

from oslo_config import cfg
from oslo_log import log as logging
from oslo_reports import opts as report_opts

from heat import version
from heat.common import timeutils

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

GROUP = 'oslo_reports'


def register_options(conf=CONF):
    """Make the options of the report known to conf."""
    for group, options in report_opts.list_opts():
        conf.register_opts(options, group)


def prepare(name):
    """Have this process, and those it makes, report when told by signal.

    Must be called in the main thread.
    """
    if not CONF[GROUP].file_event_handler:
        signal.signal(signal.SIGUSR2, functools.partial(_on_signal, name))


def watch(name):
    """Have this process report when the configured file changes."""
    path = CONF[GROUP].file_event_handler
    if path:
        threading.Thread(target=_watch, args=(name, path),
                         name='heat-report', daemon=True).start()


def _on_signal(name, _number, frame):
    # A signal may come while green threads are switched, where nothing may
    # wait. This function of the library does not.
    _thread.start_new_thread(_write, (name, frame))


def _write(name, frame=None):
    # Imported when needed: it takes more memory than it is worth in a
    # process that nobody asks.
    from oslo_reports import guru_meditation_report as gmr
    gmr.TextGuruMeditation.handle_signal(
        version.version_info, name, CONF[GROUP].log_dir, frame)


def _watch(name, path):
    seen = _changed_at(path)
    while True:
        timeutils.sleep(CONF[GROUP].file_event_handler_interval)
        now = _changed_at(path)
        if now is not None and now != seen:
            _write(name)
        seen = now


def _changed_at(path):
    try:
        return os.stat(path).st_mtime_ns
    except OSError as error:
        LOG.debug('%s cannot be looked at: %s', path, error)
        return None
