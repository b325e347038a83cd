"""Build an API for a WSGI server that is not ours."""
import os

from heat.cmd import backend


def load(name):
    """Read the configuration, connect, return the application of a name.

    The server decides how requests run side by side; most use threads, so
    nothing is patched unless the environment asks for it.
    """
    os.environ.setdefault(backend.ENVIRONMENT_VARIABLE, backend.THREADING)
    backend.select()
    from oslo_config import cfg

    from heat.cmd import pipeline
    from heat.cmd import settings
    from heat.common import messaging
    from heat.common import profiler
    settings.parse(name, argv=[])
    profiler.setup(name, cfg.CONF.host)
    messaging.setup()
    return pipeline.application(name)
