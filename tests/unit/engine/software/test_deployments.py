"""Deployments of configs to servers."""
import datetime
import types

import pytest

from heat.common import exception
from heat.common import timeutils
from heat.engine import resource
from heat.engine.software import configs
from heat.engine.software import deployments
from heat.objects import resource as resource_objects
from heat.objects import software_config as config_objects
from tests.fakes import database
from tests.fakes import stack as fake_stack

PROGRESS = {'server_id': 'phys', 'action': 'CREATE', 'status': 'IN_PROGRESS'}


class Server(resource.Resource):
    properties_schema = {}


@pytest.fixture
def stack():
    database.emptied_sqlite()
    stack = fake_stack.FakeStack({'server': {'type': 'T::Server'}},
                                 types={'T::Server': Server})
    server = stack.stored('server')
    resource_objects.Resource.update_by_id(stack.context, server.id, {
        'physical_resource_id': 'phys', 'rsrc_metadata': {'own': 1}})
    return stack


@pytest.fixture
def context(stack):
    return stack.context


def derived(config='text', name='n', **changes):
    return {'group': 'script', 'name': name, 'config': config, 'inputs': [],
            'outputs': [], 'options': {}, **changes}


def create(context, config=None, **values):
    made = config or configs.create(context, **derived())
    return deployments.create(context, config_id=made.id,
                              **{**PROGRESS, **values})


def told(stack):
    """Return the configs that the metadata of the server has."""
    metadata = stack.row('server').rsrc_metadata
    assert metadata['own'] == 1
    return [each['config'] for each in metadata.get('deployments', ())]


def test_server_of_a_stack_learns_by_its_metadata(stack, context):
    row = create(context)
    assert told(stack) == ['text']
    deployments.delete(context, row.id)
    assert told(stack) == []


def test_metadata_do_not_show_whose_a_config_is(stack, context):
    create(context)
    shown, = stack.row('server').rsrc_metadata['deployments']
    assert set(shown) == {'id', 'name', 'group', 'creation_time', 'config',
                          'inputs', 'outputs', 'options'}


def test_server_of_another_project_is_not_told(stack):
    other = fake_stack.context(project_id='other')
    create(other)
    assert told(stack) == []


@pytest.mark.parametrize(('values', 'error'), [
    ({'server_id': ''}, 'server_id must be'),
    ({'server_id': 'x' * 37}, 'server_id has 37'),
    ({'action': 'x' * 256}, 'action has 256'),
    ({'status': 'x' * 256}, 'status has 256'),
    ({'stack_user_project_id': 'x' * 65}, 'stack_user_project_id'),
    ({'stack_user_project_id': 'elsewhere'}, 'of a stack of this project')])
def test_bad_values(context, values, error):
    with pytest.raises(exception.Invalid, match=error):
        create(context, **values)


def test_missing_config_and_deployment(context):
    with pytest.raises(exception.NotFound, match='config'):
        deployments.create(context, config_id='no', **PROGRESS)
    assert deployments.find(context, 'no') is None
    for call in (deployments.get, deployments.delete):
        with pytest.raises(exception.NotFound, match='Deployment'):
            call(context, 'no')
    row = create(context)
    with pytest.raises(exception.NotFound, match='config'):
        deployments.update(context, row.id, config_id='no')
    deployments.withdraw(context, 'no')


def test_end_of_a_deployment_is_announced(context, monkeypatch):
    keys = []
    monkeypatch.setattr(deployments.wakeup, 'announce', keys.append)
    row = create(context)
    deployments.update(context, row.id, output_values={'o': 1})
    assert keys == []
    deployments.update(context, row.id, status='COMPLETE')
    assert keys == [deployments.wake_key(row.id)]


def test_deployment_that_takes_too_long_fails(context):
    row = create(context)
    assert deployments.check(context, row.id, 60).status == 'IN_PROGRESS'
    began = row.created_at
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timeutils, 'utcnow', lambda: (
            began + datetime.timedelta(
                seconds=61)))
        found = deployments.check(context, row.id, 60)
    assert (found.status, found.status_reason) == ('FAILED',
                                                   'Deployment timed out.')


# -- deployments with a config of their own ----------------------------------

def deploy(context, number='d', config='text', **values):
    return deployments.deploy(context, number, derived(config),
                              **{**PROGRESS, **values})


def config_texts(context):
    return sorted(configs.part(configs.get(context, row.id), 'config')
                  for row in config_objects.SoftwareConfig.get_all(context))


def test_config_that_is_replaced_goes_away(stack, context):
    first = deploy(context)
    second = deploy(context, config='other', action='UPDATE')
    assert first.id == second.id == 'd'
    assert config_texts(context) == ['other']
    assert told(stack) == ['other']


def test_deployment_that_offers_the_same_stays(context):
    first = deploy(context)
    assert deploy(context).config_id == first.config_id
    deployments.update(context, 'd', status='COMPLETE')
    # What an interrupted action had done need not be done again.
    assert deploy(context, may_be_done=True).config_id == first.config_id
    assert deploy(context).config_id != first.config_id


def test_config_that_somebody_else_deployed_stays(context):
    row = deploy(context)
    create(context, configs.get(context, row.config_id))
    deployments.withdraw(context, 'd')
    assert deployments.find(context, 'd') is None
    assert config_texts(context) == ['text']


def test_withdrawn_deployment_takes_its_config_along(stack, context):
    deploy(context)
    deployments.withdraw(context, 'd')
    assert config_texts(context) == []
    assert told(stack) == []


@pytest.mark.parametrize(('changes', 'alike'), [
    ({}, True), ({'config': 'other'}, False), ({'group': 'ansible'}, False),
    ({'options': None}, True), ({'options': {'a': 1}}, False),
    ({'inputs': [{'name': 'deploy_signal_id', 'value': 'u'}]}, True),
    ({'inputs': [{'name': 'mine', 'value': 'u'}]}, False),
    ({'outputs': [{'name': 'o'}]}, True)])
def test_configs_that_have_a_server_do_the_same(changes, alike):
    assert deployments.are_alike(derived(), {**derived(),
                                             **changes}) is alike


# -- reports -----------------------------------------------------------------

def judged(details, before=None):
    row = types.SimpleNamespace(
        output_values=before, config=types.SimpleNamespace(config={
            'outputs': [{'name': 'out'},
                        {'name': 'err', 'error_output': True}]}))
    return deployments.judged(row, details)


@pytest.mark.parametrize(('details', 'status', 'reason'), [
    ({}, 'COMPLETE', 'Outputs received'),
    ({'out': 'x', 'deploy_status_code': 0}, 'COMPLETE', 'Outputs received'),
    ({'deploy_status_code': '0'}, 'COMPLETE', 'Outputs received'),
    ({'err': ''}, 'COMPLETE', 'Outputs received'),
    ({'err': 'bad'}, 'FAILED', 'err : bad'),
    ({'deploy_status_code': '2', 'err': 'bad'}, 'FAILED',
     'err : bad, deploy_status_code : Deployment exited with non-zero '
     'status code: 2')])
def test_what_a_report_amounts_to(details, status, reason):
    assert judged(details)[:2] == (status, reason)


def test_outputs_of_a_report():
    _status, _reason, outputs = judged(
        {'out': 'x', 'undeclared': 'y', 'deploy_stdout': 'text'},
        before={'earlier': 1})
    assert outputs == {
        'earlier': 1, 'out': 'x', 'deploy_stdout': 'text',
        'deploy_stderr': None, 'deploy_status_code': None}


def test_report_of_what_has_ended_is_of_no_interest(context):
    row = create(context, status='COMPLETE')
    assert deployments.signal(context, row.id, {'o': 1}) is None
    assert deployments.get(context, row.id).output_values is None


@pytest.mark.parametrize(('details', 'word'), [
    (None, 'succeeded'), ({'deploy_status_code': 1}, 'failed')])
def test_report_ends_a_deployment(context, details, word):
    row = create(context)
    assert deployments.signal(context, row.id, details) == (
        f'deployment {row.id} {word}')
