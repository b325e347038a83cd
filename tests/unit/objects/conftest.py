import types

from oslo_config import cfg
import pytest

from heat.common import config  # noqa: F401 (registers options)
from heat.db import session
from heat.objects import raw_template
from heat.objects import stack
from tests.fakes import database


@pytest.fixture(autouse=True)
def fresh_database(tmp_path):
    yield database.fresh_sqlite(tmp_path / 'heat.sqlite')
    session.configure()


@pytest.fixture
def make_context():
    def make(project_id='project', is_admin=False, **more):
        fields = {'tenant': 'demo', 'username': 'anna', 'password': 'secret',
                  'auth_url': 'http://keystone/v3', 'region_name': 'here',
                  'trust_id': None, 'trustor_user_id': None}
        return types.SimpleNamespace(project_id=project_id,
                                     is_admin=is_admin, **{**fields, **more})

    return make


@pytest.fixture
def context(make_context):
    return make_context()


@pytest.fixture
def admin(make_context):
    return make_context('admin', True)


@pytest.fixture
def encrypting():
    """The configuration asks for encryption."""
    cfg.CONF.set_override('encrypt_parameters_and_properties', True)
    yield
    cfg.CONF.clear_override('encrypt_parameters_and_properties')


@pytest.fixture
def make_stack(context):
    made = []

    def make(name=None, **values):
        name = name or 'stack' + '-again' * len(made)
        made.append(name)
        template = raw_template.RawTemplate.create(
            context, {'template': {'resources': {}}, 'environment': {}})
        return stack.Stack.create(context, {
            'name': name, 'raw_template_id': template.id, 'tenant': 'project',
            'disable_rollback': True, **values})

    return make


@pytest.fixture
def a_stack(make_stack):
    return make_stack()
