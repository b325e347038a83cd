"""Whose exports an RPC call lists."""
import oslo_messaging
import pytest

from heat.common import exception
from heat.engine.rpc import queries
from heat.objects import export as export_objects
from heat.objects import raw_template as template_objects
from heat.objects import stack as stack_objects
from tests.fakes import database
from tests.fakes import stack as fake_stack


@pytest.fixture
def context(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    context = fake_stack.context(project_id='project')
    for tenant in ('project', 'other'):
        raw = template_objects.RawTemplate.create(
            context, {'template': {}, 'files': {}, 'environment': {}})
        stack = stack_objects.Stack.create(context, {
            'name': 'st', 'raw_template_id': raw.id, 'tenant': tenant,
            'disable_rollback': True})
        export_objects.Export.replace(
            context, tenant, stack.id, {f'of-{tenant}': ('O', tenant)}, ())
    return context


def test_exports_of_the_project_are_listed(context):
    found, = queries.ExportQueries().list_exports(context)
    assert (found['name'], found['value']) == ('of-project', 'project')
    assert found['stack_identity']['tenant'] == 'project'
    assert queries.ExportQueries().list_exports(
        context, marker='of-project') == []


@pytest.mark.parametrize('name', ['of-project', 'of-other', ['x'], 1])
def test_what_nothing_imports_is_an_error(context, name):
    with pytest.raises(oslo_messaging.ExpectedException) as raised:
        queries.ExportQueries().list_imports(context, name)
    assert raised.value.exc_info[0] is exception.Invalid
