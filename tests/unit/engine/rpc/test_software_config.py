"""RPC calls about software configs and deployments."""
import pytest

from heat.common import exception
from heat.engine.rpc import software_config
from tests.fakes import database
from tests.fakes import stack as fake_stack
from tests.unit.engine.rpc import calls


@pytest.fixture
def context():
    database.emptied_sqlite()
    return fake_stack.context(project_id='project')


OPERATIONS = software_config.SoftwareConfigOperations()


def config(context, name='c', **changes):
    return OPERATIONS.create_software_config(context, **{
        'group': 'script', 'name': name, 'config': 'text', 'inputs': [],
        'outputs': [{'name': 'o', 'error_output': True}], 'options': None,
        **changes})


def deployment(context, made, **changes):
    return OPERATIONS.create_software_deployment(context, **{
        'server_id': 'server', 'config_id': made['id'], 'input_values': {},
        'action': 'CREATE', 'status': 'IN_PROGRESS', 'status_reason': '',
        'stack_user_project_id': None, **changes})


def test_config_is_stored_shown_listed_and_deleted(context):
    made = config(context)
    assert OPERATIONS.show_software_config(context, made['id']) == made
    listed, = OPERATIONS.list_software_configs(context)
    assert listed['id'] == made['id']
    assert not {'config', 'project'} & set(listed)
    OPERATIONS.delete_software_config(context, made['id'])
    with calls.refused(exception.NotFound, made['id']):
        OPERATIONS.show_software_config(context, made['id'])


def test_operators_see_whose_configs_these_are(context):
    config(context)
    admin = fake_stack.context(project_id='ops', is_admin=True)
    assert OPERATIONS.list_software_configs(admin) == []
    # Who acts in no project sees those of all.
    admin.project_id = None
    listed, = OPERATIONS.list_software_configs(admin)
    assert listed['project'] == 'project'


def test_other_projects_see_nothing(context):
    made = config(context)
    deployed = deployment(context, made)
    other = fake_stack.context(project_id='other')
    assert OPERATIONS.list_software_configs(other) == []
    assert OPERATIONS.list_software_deployments(other, 'server') == []
    for call, number in (
            (OPERATIONS.show_software_config, made['id']),
            (OPERATIONS.delete_software_config, made['id']),
            (OPERATIONS.show_software_deployment, deployed['id']),
            (OPERATIONS.delete_software_deployment, deployed['id'])):
        with calls.refused(exception.NotFound):
            call(other, number)


def test_config_in_use_is_not_deleted(context):
    made = config(context)
    deployed = deployment(context, made)
    with calls.refused(exception.SoftwareConfigInUse, made['id']):
        OPERATIONS.delete_software_config(context, made['id'])
    OPERATIONS.delete_software_deployment(context, deployed['id'])
    OPERATIONS.delete_software_config(context, made['id'])


def test_deployment_is_changed(context):
    deployed = deployment(context, config(context))
    assert 'updated_time' not in deployed
    changed = OPERATIONS.update_software_deployment(
        context, deployed['id'], None, None, {'o': 1}, None, 'COMPLETE',
        'done', '2026-05-01T12:00:00Z')
    assert (changed['status'], changed['output_values'],
            changed['updated_time'], changed['action']) == (
        'COMPLETE', {'o': 1}, '2026-05-01T12:00:00Z', 'CREATE')
    assert OPERATIONS.check_software_deployment(
        context, deployed['id'], 0)['status'] == 'COMPLETE'


def test_server_is_told_its_configs_in_order(context):
    for name in ('b', 'a', 'c'):
        deployment(context, config(context, name))
    deployment(context, config(context, 'x'), server_id='other')
    assert [each['name'] for each in
            OPERATIONS.metadata_software_deployments(
                context, 'server')] == ['a', 'b', 'c']
    with pytest.raises(ValueError, match='server_id'):
        OPERATIONS.metadata_software_deployments(context, '')


def test_report_of_an_agent(context):
    deployed = deployment(context, config(context))
    told = OPERATIONS.signal_software_deployment(
        context, deployed['id'], {'o': 'broken'}, None)
    assert told == f'deployment {deployed["id"]} failed'
    shown = OPERATIONS.show_software_deployment(context, deployed['id'])
    assert (shown['status'], shown['status_reason']) == ('FAILED',
                                                         'o : broken')
    with pytest.raises(ValueError, match='deployment_id'):
        OPERATIONS.signal_software_deployment(context, '', {}, None)
