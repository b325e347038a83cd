"""Build an API for a WSGI server that is not ours."""
import os
import sys

from heat.cmd import backend

#: With one of these uWSGI lets threads run that are not its own.
_THREADS = ('enable-threads', 'threads')


def check_server(server):
    """Exit if a server is set up so that answers of engines never arrive.

    :param server: the module that uWSGI offers, None elsewhere.
    """
    options = getattr(server, 'opt', None)
    if options is not None and not any(
            name in options or name.encode() in options
            for name in _THREADS):
        raise SystemExit('uWSGI has to be started with --threads N or '
                         '--enable-threads: answers of the engines are '
                         'awaited in a thread.')


def load(name):
    """Read the configuration, connect, return the application of a name.

    The server decides how requests run side by side; most use threads, so
    nothing is patched unless the environment asks for it.
    """
    check_server(sys.modules.get('uwsgi'))
    os.environ.setdefault(backend.ENVIRONMENT_VARIABLE, backend.THREADING)
    backend.select()
    from oslo_config import cfg

    from heat.cmd import checks
    from heat.cmd import local_reading
    from heat.cmd import pipeline
    from heat.cmd import preflight
    from heat.cmd import settings
    from heat.common import broker_probe
    from heat.common import exception
    from heat.common import messaging
    from heat.common import profiler
    try:
        settings.parse(name, argv=[])
        preflight.examine(lambda: checks.for_api(
            name, name.replace('-', '_'), is_listening=False))
        preflight.look_once('the broker', broker_probe.check)
        local_reading.prepare()
        profiler.setup(name, cfg.CONF.host)
        messaging.setup()
        return pipeline.application(name)
    except exception.Error as error:
        # The server that loads this ends with the line.
        raise SystemExit(f'ERROR: {error}') from error
