"""What a process loads before it has anything to do: its idle memory."""
import json

import pytest

from tests import python_process

#: Loads what an engine has loaded when it waits for work, in a process
#: of its own, and tells which modules there are.
IDLE_ENGINE = """
import json, sys
from heat.cmd import backend
backend.select()
from heat.cmd import launch_engine
from heat.common import config
from heat.common import messaging
from heat.db import api
from heat.engine import resources
from heat.engine.legacy import supervisor
from oslo_config import cfg
from heat.db import session
session.register_options(cfg.CONF)
config.register_opts(cfg.CONF)
cfg.CONF([], default_config_files=[], default_config_dirs=[])
cfg.CONF.set_override('connection', 'sqlite://', 'database')
backend.prepare_connections(cfg.CONF.database.connection)
api.configure()
messaging.setup(url='fake://')
resources.initialise()
print(json.dumps(sorted(sys.modules)))
"""

#: Large libraries, and what they are for.
UNNEEDED = {
    'openstack': 'clients of a cloud',
    'keystoneclient': 'checking tokens',
    'keystonemiddleware': 'checking tokens',
    'psycopg2': 'another database than the one that is configured',
    'dns': 'looking up names, which the system can do',
}


@pytest.mark.parametrize('concurrency', ['eventlet', 'threading'])
def test_an_idle_engine_has_not_loaded_what_it_may_never_need(
        concurrency, monkeypatch):
    monkeypatch.setenv('HEAT_CONCURRENCY', concurrency)
    printed = python_process.output(IDLE_ENGINE)
    modules = json.loads(printed.splitlines()[-1])
    loaded = {name.partition('.')[0] for name in modules}
    assert {'heat', 'sqlalchemy', 'oslo_messaging'} <= loaded
    assert loaded & set(UNNEEDED) == set()
    # Of another database than the one that is configured.
    assert 'sqlalchemy.dialects.postgresql' not in modules
