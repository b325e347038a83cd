"""What each role may do in its own project, on every route."""
import pytest

from tests.functional.templates import hot
from tests.security import test_tenant_isolation as table
from tests.security import treasure as treasure_module

#: Actions that only read, by controller and action.
READING = {
    ('stacks', name) for name in (
        'list_resource_types', 'resource_schema',
        'list_template_versions', 'list_template_functions', 'index',
        'preview', 'detail', 'lookup', 'show', 'template', 'environment',
        'files', 'show_snapshot', 'list_snapshots', 'list_outputs',
        'show_output')} | {
    ('resource', 'index'), ('resource', 'show'), ('resource', 'metadata'),
    # The recorded policy lets a reader signal.
    ('resource', 'signal'), ('events', 'index'), ('events', 'show'),
    ('software_configs', 'index'), ('software_configs', 'show'),
    ('software_deployments', 'index'), ('software_deployments', 'show'),
    ('software_deployments', 'metadata'),
    ('build_info', 'build_info'), ('protection', 'show'),
    ('protection', 'show_policy'), ('drift', 'show'),
    ('change_sets', 'index'), ('change_sets', 'show'),
    ('events', 'timeline'), ('events', 'stream'),
    ('events', 'stream_of_project'), ('permissions', 'index')}
#: What is for users that a template defines, before their stack is asked.
OF_STACK_USERS = {('stacks', 'lookup'), ('resource', 'metadata'),
                  ('resource', 'signal'),
                  ('software_deployments', 'metadata')}
#: What only administrators may ask.
OF_ADMINS = {('service', 'index'), ('protection', 'update_policy')}


@pytest.fixture(scope='module')
def property_(world):
    return treasure_module.Treasure.of(world.project('roles'))


@pytest.fixture(scope='module')
def signalled(world):
    """Return what nobody looks at: a signal changes it later on."""
    return treasure_module.Treasure.of(world.project('signalled'))


@pytest.fixture(autouse=True)
def _strict(conf, rules):
    """Have the roles be what the present defaults say."""
    rules()
    conf('enforce_new_defaults', True, 'oslo_policy')


def is_allowed(who, row):
    key = row['controller'], row['action']
    if key in OF_ADMINS:
        return None if who == 'admin' else False
    if who == 'stack user':
        # Of another stack than this one: it passes the policy only.
        return None if key in OF_STACK_USERS else False
    if who == 'somebody':
        return False
    return key in READING if who == 'reader' else True


@pytest.mark.parametrize(('row', 'template'), [
    case for case in table.CASES if 'DELETE' not in case.id])
@pytest.mark.parametrize('who', ['reader', 'somebody', 'stack user'])
def test_less_than_a_member(property_, signalled, who, row, template):
    if row['action'] == 'signal' and who == 'reader':
        property_ = signalled
    before = property_.state()
    values = table.with_arn(property_.values)
    answer = property_.project.client(who).request(
        row['method'], table.filled(template, values), table.body_of(row))
    allowed = is_allowed(who, row)
    if allowed is None:
        return
    assert (answer.status != 403) is allowed, answer
    if not allowed:
        table.check(answer, property_, str(values).lower())
        assert property_.state() == before


@pytest.mark.parametrize('template', [
    '/v1/{tenant_id}/stacks/{stack_name}/{stack_id}',
    '/v1/{tenant_id}/stacks/{stack_name}/{stack_id}/abandon',
    '/v1/{tenant_id}/stacks/{stack_name}/{stack_id}/snapshots/'
    '{snapshot_id}',
    '/v1/{tenant_id}/software_configs/{config_id}',
    '/v1/{tenant_id}/software_deployments/{deployment_id}'])
@pytest.mark.parametrize('who', ['reader', 'somebody', 'stack user'])
def test_nobody_less_than_a_member_deletes(property_, who, template):
    before = property_.state()
    answer = property_.project.client(who).request(
        'DELETE', table.filled(template, property_.values))
    assert answer.status == 403
    assert property_.state() == before


@pytest.mark.parametrize('who', ['member', 'admin'])
def test_member(world, who):
    """A member does it all, an administrator of the project as well."""
    client = world.project('members').client(who)
    stack = client.created('s', hot({'t': {'type': 'Test::Thing'}}))
    stack.updated(hot({'t': {'type': 'Test::Thing', 'properties': {
        'value': 'x'}}}))
    stack.deleted()


def test_administrator_of_a_project_is_none_of_others(victim, attacker,
                                                     treasure):
    admin = attacker.client('admin')
    for path in (f'/v1/{victim.id}/stacks', f'/v1/{victim.id}/stacks/'
                 f'{treasure.stack.name}/{treasure.stack.id}'):
        assert admin.request('GET', path).status == 403
    assert admin.request('GET', treasure.stack.path).status == 404
    assert treasure.stack.id not in str(admin.get('stacks'))
    assert admin.request('GET', 'stacks', global_tenant='true').status == 403
