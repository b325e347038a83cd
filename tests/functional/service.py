"""The whole service in this process, as tests use it."""
import pathlib
import sys

from oslo_config import cfg

from heat.cmd import pipeline
from heat.cmd import settings
from heat.common import messaging
from heat.common import policy
from heat.common import timeutils
from heat.engine import environment
from heat.engine import resource_handler
from heat.engine import resource_hook
from heat.engine import resources
from heat.engine import service as engine_service
from heat.engine import template_store
from heat.rpc import api as rpc_api
from tests.fakes import database

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUGINS = pathlib.Path(__file__).resolve().parent / 'plugins'

#: Seconds between two looks at what goes on.
QUICK = 0.02


def thing():
    """Return the plugin module of the tests, once an engine has it."""
    return sys.modules['heat.engine.plugins.thing']


class Service:
    """API and engine on a database of their own, without a port."""

    def __init__(self, monkeypatch):
        self._patch = monkeypatch
        self.application = None
        self.engine = None

    def start(self):
        """Serve requests to `application` from now on."""
        cfg.CONF([], project='heat', default_config_files=[],
                 default_config_dirs=[])
        for name, value, group in (
                ('flavor', 'noauth', 'paste_deploy'),
                ('api_paste_config', str(ROOT / 'etc/heat/api-paste.ini'),
                 'paste_deploy'),
                ('plugin_dirs', [str(PLUGINS)], None),
                ('environment_dir', '/nonexistent', None),
                ('auth_encryption_key', '0123456789abcdef' * 2, None),
                ('action_retry_limit', 2, None),
                ('keystone_backend', settings.LOCAL_KEYSTONE, None),
                ('url', 'http://localhost/v1/%(tenant_id)s', 'clients_heat'),
                ('heat_metadata_server_url', 'http://cfn.test:8000', None),
                ('heat_waitcondition_server_url',
                 'http://cfn.test:8000/v1/waitcondition', None)):
            cfg.CONF.set_override(name, value, group)
        # Nothing here is so far away that looking at it costs anything.
        self._patch.setattr(resource_handler, 'POLL_INTERVAL', QUICK)
        self._patch.setattr(resource_hook, '_LOOK_INTERVAL', QUICK)
        self._patch.setattr(timeutils, 'retry_backoff_delay',
                            lambda *_args, **_kwargs: QUICK)
        policy.reset()
        self.database = database.fresh_sqlite()
        template_store.forget_all()
        messaging.cleanup()
        messaging.setup('fake://')
        self._global_env = environment.global_env()
        self._patch.setattr(resources, '_initialised', False)
        self.engine = engine_service.EngineService('here',
                                                   rpc_api.ENGINE_TOPIC)
        self.engine.start()
        self.application = pipeline.application('heat-api')

    def stop(self):
        """Stop everything, and leave the process as it was."""
        self.engine.stop()
        messaging.cleanup()
        environment.set_global_env(self._global_env)
        policy.reset()
        cfg.CONF.clear_override('flavor', 'paste_deploy')
        cfg.CONF.reset()
        cfg.CONF.clear()


