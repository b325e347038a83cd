import types

from oslo_config import cfg
import pytest

from heat.common import config  # noqa: F401 (registers options)
from heat.db import session
from tests.fakes import database


@pytest.fixture(autouse=True)
def fresh_database(tmp_path):
    yield database.fresh_sqlite(tmp_path / 'heat.sqlite')
    session.configure()


@pytest.fixture
def context():
    return types.SimpleNamespace(
        project_id='project', is_admin=False, tenant='demo', username='anna',
        auth_url='http://keystone/v3', region_name='here', password='secret',
        trust_id=None, trustor_user_id=None)


@pytest.fixture
def conf():
    yield cfg.CONF
    cfg.CONF.clear_override('encrypt_parameters_and_properties')
    cfg.CONF.clear_override('hidden_stack_tags')
