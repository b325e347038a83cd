"""The whole service in this process, as tests use it."""
import contextlib
import os
import pathlib
import sys

from oslo_config import cfg
import pytest

from heat.cmd import local_reading
from heat.cmd import pipeline
from heat.cmd import settings
from heat.common import messaging
from heat.common import policy
from heat.common import timeutils
from heat.db import session
from heat.engine import environment
from heat.engine import resources
from heat.engine import service as engine_service
from heat.engine.lifecycle import breakpoints
from heat.engine.lifecycle import handler as resource_handler
from heat.engine.stacks import template_store
from heat.rpc import api as rpc_api
from heat.rpc import local_reads
from tests.fakes import database

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUGINS = pathlib.Path(__file__).resolve().parent / 'plugins'

#: Seconds between two looks at what goes on.
QUICK = 0.02


def thing():
    """Return the plugin module of the tests, once an engine has it."""
    return sys.modules['heat.engine.plugins.thing']


class Service:
    """API and engine on a database of their own, without a port.

    :param config_files: configuration that is read
    :param options: options of [DEFAULT], and the flavor of the pipelines,
        that are to differ
    """

    def __init__(self, monkeypatch, config_files=(), **options):
        self._patch = monkeypatch
        self._config_files, self._options = list(config_files), options
        self.application = None
        self.engine = None

    def start(self, url=None):
        """Serve requests to `application` from now on.

        :param url: a database that has the tables, instead of a new one
        """
        cfg.CONF([], project='heat', default_config_dirs=[],
                 default_config_files=self._config_files)
        for name, value, group in (
                ('flavor', 'noauth', 'paste_deploy'),
                ('api_paste_config', str(ROOT / 'etc/heat/api-paste.ini'),
                 'paste_deploy'),
                ('plugin_dirs', [str(PLUGINS)], None),
                ('environment_dir', '/nonexistent', None),
                ('template_dir', '/nonexistent', None),
                ('auth_encryption_key', '0123456789abcdef' * 2, None),
                ('action_retry_limit', 2, None),
                ('keystone_backend', settings.LOCAL_KEYSTONE, None),
                ('url', 'http://localhost/v1/%(tenant_id)s', 'clients_heat'),
                ('heat_metadata_server_url', 'http://cfn.test:8000', None),
                ('heat_waitcondition_server_url',
                 'http://cfn.test:8000/v1/waitcondition', None)):
            cfg.CONF.set_override(name, self._options.get(name, value),
                                  group)
        # Nothing here is so far away that looking at it costs anything.
        self._patch.setattr(resource_handler, 'POLL_INTERVAL', QUICK)
        self._patch.setattr(breakpoints, '_LOOK_INTERVAL', QUICK)
        self._patch.setattr(timeutils, 'retry_backoff_delay',
                            lambda *_args, **_kwargs: QUICK)
        policy.reset()
        if url is None:
            self.database = database.fresh_sqlite()
        else:
            self.database = url
            session.configure(url)
        template_store.forget_all()
        messaging.cleanup()
        messaging.setup('fake://')
        self._global_env = environment.global_env()
        resources.forget()
        self.engine = engine_service.EngineService('here',
                                                   rpc_api.ENGINE_TOPIC)
        self.engine.start()
        if 'HEAT_READS_IN_API' in os.environ:
            # All tests are to pass like this, too.
            local_reading.begin()
        self.application = pipeline.application('heat-api')

    def stop(self):
        """Stop everything, and leave the process as it was."""
        local_reads.READS.install(None)
        self.engine.stop()
        messaging.cleanup()
        environment.set_global_env(self._global_env)
        resources.forget()
        policy.reset()
        cfg.CONF.clear_override('flavor', 'paste_deploy')
        cfg.CONF.reset()
        cfg.CONF.clear()


@contextlib.contextmanager
def running(config_files=()):
    """Run a Service on an empty database for a with block."""
    with pytest.MonkeyPatch.context() as patch:
        service = Service(patch, config_files)
        service.start()
        try:
            yield service
        finally:
            service.stop()
