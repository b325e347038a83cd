import pytest

from heat.common import config
from heat.common import context as heat_context
from heat.db import session
from heat.objects import event
from heat.objects import raw_template
from heat.objects import stack
from tests.fakes import database


@pytest.fixture(autouse=True)
def fresh_database(tmp_path):
    config.register_opts()
    yield database.fresh_sqlite(tmp_path / 'heat.sqlite')
    session.configure()


@pytest.fixture
def context():
    return heat_context.RequestContext(project_id='mine', is_admin=False)


@pytest.fixture
def make_stack(context):
    def make(name, tenant='mine', **values):
        template = raw_template.RawTemplate.create(context, {
            'template': {'heat_template_version': '2018-08-31',
                         'resources': {}}, 'environment': {}})
        return stack.Stack.create(context, {
            'name': name, 'raw_template_id': template.id, 'tenant': tenant,
            'disable_rollback': True, **values}).id

    return make


@pytest.fixture
def make_event(context):
    def make(stack_id, name='r', **values):
        return event.Event.create(context, {
            'stack_id': stack_id, 'resource_name': name,
            'resource_action': 'CREATE', 'resource_status': 'COMPLETE',
            'resource_type': 'T', **values})

    return make
