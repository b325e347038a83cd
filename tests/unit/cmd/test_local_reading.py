"""The option api_reads_database."""
from oslo_config import cfg
import pytest

from heat.cmd import local_reading
from heat.common import config
from heat.common import context as heat_context
from heat.common import current_engine
from heat.common import exception
from heat.common import startup
from heat.db import session
from heat.rpc import local_reads
from tests.fakes import database

CONTEXT = heat_context.RequestContext(project_id='p', is_admin=False)


@pytest.fixture
def conf():
    """Return a function that sets options until the end of the test."""
    config.register_opts()
    session.register_options()
    names = []
    engine = current_engine.get()

    def set_option(name, value, group=None):
        cfg.CONF.set_override(name, value, group)
        names.append((name, group))

    yield set_option
    for name, group in names:
        cfg.CONF.clear_override(name, group)
    local_reads.READS.install(None)
    current_engine.install(engine)


def is_read():
    return local_reads.READS.answer(CONTEXT, 'list_stacks', {})[0]


def test_engines_are_asked_by_default(conf):
    local_reading.prepare()
    assert not is_read()


def test_database_is_read_if_configured(conf):
    conf('api_reads_database', True)
    conf('auth_encryption_key', 'x' * 32)
    conf('connection', database.fresh_sqlite(), 'database')
    local_reading.prepare()
    assert is_read()


def test_database_needs_tables(conf, tmp_path):
    conf('api_reads_database', True)
    conf('auth_encryption_key', 'x' * 32)
    url = f'sqlite:///{tmp_path}/empty'
    session.configure(url)
    conf('connection', url, 'database')
    with pytest.raises(startup.Refused, match='db_sync'):
        local_reading.prepare()
    assert not is_read()


def test_key_of_the_engines_is_needed(conf):
    conf('api_reads_database', True)
    conf('auth_encryption_key', 'short')
    with pytest.raises(exception.Error, match='auth_encryption_key'):
        local_reading.prepare()
    assert not is_read()
