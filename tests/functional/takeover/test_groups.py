"""Scaling groups and wait conditions that Heat had in hand."""

import pytest

from tests.fakes import heat_rows
from tests.functional import rest
from tests.functional import templates
from tests.functional.takeover import world as world_module

MEMBERS = ('iq3kdu5hz6kc', 'xbv4bnw2qoli')
KINDS = {'group': True, 'group-legacy': False}
URL = 'http://cfn.test:8000/v1/signal/arn?Signature=of-heat'
WAITING = {
    'handle': {'type': 'OS::Heat::WaitConditionHandle'},
    'wait': {'type': 'OS::Heat::WaitCondition', 'properties': {
        'handle': {'get_resource': 'handle'}, 'timeout': 600, 'count': 2}}}


def scaled(value='1'):
    """Return the resources of a stack with a group that scales."""
    return {
        'group': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 1, 'max_size': 5, 'cooldown': 0,
            'resource': templates.thing(value=value)}},
        'policy': {'type': 'OS::Heat::ScalingPolicy', 'properties': {
            'auto_scaling_group_id': {'get_resource': 'group'},
            'adjustment_type': 'change_in_capacity',
            'scaling_adjustment': 1, 'cooldown': 0}}}


def group(database, name, convergence):
    """Store a stack with a group of two members."""
    stack = database.stack(name, database.template(scaled()),
                           convergence=convergence)
    child_id = heat_rows.new_id()
    parent = stack.resource(
        'group', physical=child_id, metadata={
            'cooldown_end': {'2026-11-20T16:31:00': 'ExactCapacity : 2'},
            'scaling_in_progress': False},
        properties=scaled()['group']['properties'])
    policy = stack.resource(
        'policy', physical='user of policy', requires=(parent,),
        data={'user_id': 'user of policy'}, secret={
            'access_key': 'a', 'secret_key': 's', 'credential_id': 'c',
            'ec2_signed_url': URL}, properties={
                **scaled()['policy']['properties'],
                'auto_scaling_group_id': child_id})
    child = database.stack(parent.physical_name, database.template({
        'heat_template_version': '2015-04-30',
        'resources': {member: templates.thing(value='1')
                      for member in MEMBERS},
        'outputs': {'refs_map': {'value': {
            member: {'get_resource': member} for member in MEMBERS}}}}),
        stack_id=child_id, convergence=convergence, parent=(stack, 'group'))
    rows = [child.resource(member, properties={'value': '1'},
                           data={'tries': '1'}) for member in MEMBERS]
    if convergence:
        stack.graph((policy.update, parent.update))
        child.graph(*((row.update, None) for row in rows))
    return stack


def waiting(database):
    """Store a stack that waits for the second of two signals."""
    stack = database.stack('wait', database.template(WAITING),
                           status='IN_PROGRESS')
    handle = stack.resource(
        'handle', physical='user of handle', properties={},
        data={'user_id': 'user of handle'}, secret={'password': 'pw'},
        metadata={'1': {'data': None, 'reason': 'Signal 1 received',
                        'status': 'SUCCESS'}})
    wait = stack.resource(
        'wait', action='CREATE', status='IN_PROGRESS', claimed=True,
        requires=(handle,), properties={
            'handle': 'user of handle', 'timeout': 600, 'count': 2})
    stack.graph((wait.update, handle.update), going=True,
                done=[handle.update])
    return stack


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service."""
    with pytest.MonkeyPatch.context() as patch:
        with world_module.serving(
            patch, tmp_path_factory.mktemp('heat'), lambda database: {
                'wait': waiting(database), **{
                    name: group(database, name, convergence)
                    for name, convergence in KINDS.items()}}) as made:
            yield made


def members(stack):
    return {name: (each['physical_resource_id'], each['resource_status'])
            for name, each in stack.nested('group').resources().items()}


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', KINDS)
def test_group_is_shown_as_before(world, name):
    stack, rows = world.stack(name), world.rows[name]
    assert not world_module.differing(
        stack.show(), world_module.expected_stack(rows))
    for resource in ('group', 'policy'):
        assert not world_module.differing(
            stack.resource(resource),
            world_module.expected_resource(rows.rows[resource]))
    assert stack.resource('policy')['attributes']['alarm_url'] == URL
    assert set(members(stack)) == set(MEMBERS)
    assert stack.nested('group').show()['parent'] == stack.id


@pytest.mark.parametrize('name', KINDS)
def test_members_are_not_touched(world, name):
    stack = world.stack(name)
    before = members(stack)
    stack.updated(templates.hot(scaled()))
    assert members(stack) == before
    assert stack.resource('policy')['attributes']['alarm_url'] == URL
    assert not world.log(name)


@pytest.mark.parametrize('name', KINDS)
def test_group_grows_and_changes(world, name):
    stack = world.stack(name)
    stack.request('POST', 'resources/policy/signal', expect=200)
    rest.wait_for(lambda: len(members(stack)) == 3, lambda: members(stack))
    rest.wait_for(lambda: not stack.get('resources/group/metadata')[
        'metadata']['scaling_in_progress'], 'the end of scaling')
    assert set(MEMBERS) < set(members(stack))
    stack.updated(templates.hot(scaled('2')))
    assert {status for _id, status in members(stack).values()} == {
        'UPDATE_COMPLETE'}


def test_signals_that_came_count(world):
    stack = world.stack('wait')
    rest.wait_for(lambda: world_module.sql(
        'SELECT 1 FROM resource WHERE id = :id AND engine_id != :old',
        id=world.rows['wait'].rows['wait'].id,
        old=world.rows['wait'].database.engine_id), stack.resources)
    stack.request('POST', 'resources/handle/signal', {}, expect=200)
    stack.wait('CREATE_COMPLETE')
    assert set(stack.get('resources/handle/metadata')['metadata']) == {
        '1', '2'}


@pytest.mark.parametrize('name', ['wait', *KINDS])
def test_stack_is_deleted(world, name):
    world.stack(name).deleted()
    if name in KINDS:
        assert sum(number for what, number in world.log(name).items()
                   if what.startswith('DELETE')) == 3


def test_nothing_is_left(world):
    assert world.left() == {}
