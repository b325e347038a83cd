"""Groups whose size changes, and what changes it."""
import contextlib
import dataclasses
import json

import pytest

from heat.common import context as heat_context
from heat.common import current_engine
from heat.engine import background_work
from heat.engine import environment
from heat.engine import notification
from heat.engine.drivers import select as stack_driver
from heat.engine.process import recovery
from heat.engine.resources import template_resource
from heat.engine.resources.aws.autoscaling import autoscaling_group
from heat.objects import service as service_objects
from tests.functional import rest
from tests.functional.templates import attr
from tests.functional.templates import hot

ASG, POLICY = 'OS::Heat::AutoScalingGroup', 'OS::Heat::ScalingPolicy'


def ref(name):
    return {'get_resource': name}


def thing(value='v', **more):
    return {'type': 'Test::Thing', 'properties': {'value': value, **more}}


def scaled(member=None, policy=None, **group):
    """Return a template with a group and a policy."""
    return hot({
        'g': {'type': ASG, 'properties': {
            'min_size': 1, 'max_size': 5,
            'resource': member or thing(), **group}},
        'p': {'type': POLICY, 'properties': {
            'auto_scaling_group_id': ref('g'), 'scaling_adjustment': 1,
            'adjustment_type': 'change_in_capacity', **(policy or {})}}},
        outputs={
            'size': {'value': attr('g', 'current_size')},
            'values': {'value': attr('g', 'outputs_list', 'value')},
            'by_name': {'value': attr('g', 'outputs', 'value')},
            'refs': {'value': attr('g', 'refs')},
            'map': {'value': attr('g', 'refs_map')},
            'first': {'value': attr('g', 'resource.0.value')}})


@pytest.fixture
def notices(monkeypatch):
    """Return the notifications of scaling: (suffix, body)."""
    seen = []

    def notify(context, event_type, level, body):
        if event_type.startswith('autoscaling.'):
            seen.append((event_type.partition('.')[2], level, body()))

    monkeypatch.setattr(notification, 'notify', notify)
    return seen


def signal(stack, name='p', details=None, expect=200):
    return stack.request('POST', f'resources/{name}/signal', details,
                         expect=expect)


def wait_size(stack, size):
    rest.wait_for(lambda: stack.outputs()['size'] == size and
                  stack.nested('g').state.endswith('_COMPLETE'),
                  lambda: stack.outputs())
    return stack.outputs()


def wait_idle(stack, name='g'):
    """Wait until scaling has come to its end."""
    rest.wait_for(lambda: not stack.get(f'resources/{name}/metadata')
                  ['metadata'].get('scaling_in_progress'), 'the end')


def scale(stack, size, name='p', details=None):
    signal(stack, name, details)
    outputs = wait_size(stack, size)
    wait_idle(stack)
    return outputs


def test_attributes_of_a_group(driver, api):
    stack = api.created('s', scaled(desired_capacity=3))
    outputs = stack.outputs()
    assert outputs['size'] == 3
    assert outputs['values'] == ['v', 'v', 'v']
    assert outputs['first'] == 'v'
    assert set(outputs['by_name'].values()) == {'v'}
    names = set(stack.nested('g').resources())
    assert set(outputs['map']) == set(outputs['by_name']) == names
    assert sorted(outputs['refs']) == sorted(outputs['map'].values())


def test_signals_scale(driver, api, notices):
    stack = api.created('s', scaled())
    one = stack.outputs()['refs']
    two = scale(stack, 2)['refs']
    assert two[0] == one[0]
    three = scale(stack, 3, details={'current': 'ALARM'})['refs']
    assert three[:2] == two
    assert stack.state == 'CREATE_COMPLETE'
    assert stack.states()['g'] == 'CREATE_COMPLETE'
    told(notices, 4)
    assert [(suffix, level, body['capacity'])
            for suffix, level, body in notices] == [
        ('start', 'INFO', 1), ('end', 'INFO', 2),
        ('start', 'INFO', 2), ('end', 'INFO', 3)]
    body = notices[0][2]
    assert body['groupname'] == stack.physical('g')
    assert (body['adjustment'], body['adjustment_type']) == (
        1, 'change_in_capacity')
    assert body['stack_identity'].endswith(stack.id)


def told(notices, number):
    """Wait for so many notices; an end can be seen before that."""
    rest.wait_for(lambda: len(notices) >= number, lambda: notices)


@pytest.mark.parametrize('how', ['stop', 'send'])
def test_cancelled_scaling_is_told_of(driver, api, gate, notices, service,
                                      how):
    stack = api.created('s', scaled(member=thing(gated=['CREATE'])))
    stack.update(scaled(member=thing(gate=gate, gated=['CREATE'])))
    stack.wait('UPDATE_COMPLETE')
    signal(stack)
    rest.wait_for(lambda: notices, 'the start')
    groups = service.engine.thread_group_mgr
    # Only the task that watches is left when the signal is delivered.
    rest.wait_for(lambda: ['_watch' in task.name for task in
                           groups.tasks_of(stack.id)] == [True],
                  lambda: groups.tasks_of(stack.id))
    if how == 'stop':
        groups.stop(stack.id)
    else:
        groups.send(stack.id, 'cancel')
    rest.wait_for(lambda: len(notices) == 2, lambda: notices)
    suffix, level, body = notices[1]
    assert (suffix, level) == ('error', 'ERROR')
    assert body['message'] == 'Resizing the group %s was cancelled' % (
        stack.physical('g'))
    wait_idle(stack)
    gate.open()


@pytest.fixture
def going(monkeypatch):
    """Return a context in which an engine scales that goes away then."""
    def nobody(self, stack, scaling):
        yield 0

    @contextlib.contextmanager
    def scaling(*, told=True):
        group = autoscaling_group.AutoScalingGroup
        with monkeypatch.context() as patch:
            patch.setattr(background_work, 'engine_id', lambda: 'gone')
            patch.setattr(group, '_watch', nobody)
            if not told:
                # Before the nested stack has heard of it.
                patch.setattr(group, 'resize', lambda self, size: None)
            yield

    return scaling


def test_scaling_whose_engine_is_gone_is_told_of(driver, api, notices,
                                                 going):
    stack = api.created('s', scaled())
    with going():
        signal(stack)
        wait_size(stack, 2)
        # It goes away when it has begun to watch.
        rest.wait_for(lambda: not tasks(stack), lambda: tasks(stack))
    # Nobody believes that it goes on.
    scale(stack, 3)
    told(notices, 4)
    assert [(suffix, body['capacity']) for suffix, _level, body
            in notices] == [('start', 1), ('error', 2), ('start', 2),
                            ('end', 3)]
    assert 'is gone' in notices[1][2]['message']


def abandoned(stack, notices, going, *, told):
    """Have a group scaled by an engine that does not see its end."""
    with going(told=told):
        signal(stack)
        rest.wait_for(lambda: notices and not tasks(stack), 'the start')


def tasks(stack):
    return stack_driver.thread_group_mgr().tasks_of(stack.id)


def taken_up(stack):
    """Have several engines take up what is left to others."""
    for _engine in range(2):
        recovery.Recovery(current_engine.get().context,
                          current_engine.get()).run_once()
    wait_idle(stack)
    rest.wait_for(lambda: not tasks(stack), lambda: tasks(stack))


@pytest.mark.parametrize('told', [True, False], ids=['told', 'not told'])
def test_scaling_is_seen_to_its_end_by_other_engines(driver, api, notices,
                                                     going, told):
    stack = api.created('s', scaled(policy={'cooldown': 600}))
    abandoned(stack, notices, going, told=told)
    taken_up(stack)
    # One of them tells of its end.
    assert [(suffix, body['capacity'])
            for suffix, _level, body in notices] == [('start', 1), ('end', 2)]
    metadata = stack.get('resources/g/metadata')['metadata']
    assert [*metadata['cooldown_end'].values()] == ['change_in_capacity : 1']
    signal(stack)
    assert wait_size(stack, 2)
    assert len(notices) == 2


class Answers:
    """Answers for engines that are there; another one has been killed."""

    def is_alive(self, _context, engine_id):
        """Whether an engine answers."""
        return engine_id != 'gone'


def test_scaling_of_a_killed_engine_does_not_wait_for_its_lease(
        driver, api, notices, going, conf):
    conf('convergence_scan_interval', 600)
    engine_context = dataclasses.replace(current_engine.get().context,
                                       listener_client=Answers())
    stack = api.created('s', scaled(policy={'cooldown': 600}))
    other = recovery.Recovery(engine_context, current_engine.get())
    other.run_once()
    context = heat_context.get_admin_context()
    row = service_objects.Service.create(context, {
        'engine_id': 'gone', 'host': 'h', 'hostname': 'h',
        'binary': 'heat-engine', 'topic': 'engine', 'report_interval': 600})
    try:
        abandoned(stack, notices, going, told=False)
        other.run_once()
        # Once may be an accident.
        assert not tasks(stack)
        other.run_once()
        rest.wait_for(lambda: len(notices) > 1, 'the end')
        rest.wait_for(lambda: not tasks(stack), lambda: tasks(stack))
        assert [suffix for suffix, *_rest in notices] == ['start', 'end']
        assert wait_size(stack, 2)
        # It is not asked for again, and nobody looks at all resources.
        other.run_once()
        assert not tasks(stack)
    finally:
        service_objects.Service.delete(context, row.id)


def test_scaling_that_nobody_can_go_on_with_is_told_of(
        driver, api, notices, going):
    stack = api.created('s', scaled(desired_capacity=2))
    abandoned(stack, notices, going, told=False)
    nested = stack.nested('g')
    nested.request('PATCH', f'resources/{sorted(nested.resources())[0]}',
                   {'mark_unhealthy': True}, expect=200)
    taken_up(stack)
    assert [(suffix, body['capacity'])
            for suffix, _level, body in notices] == [('start', 2),
                                                     ('error', 1)]
    assert 'is gone' in notices[1][2]['message']
    assert nested.state == 'CREATE_COMPLETE'
    scale(stack, 2)


def test_who_takes_up_what_has_just_begun_awaits_its_end(
        driver, api, gate, notices, monkeypatch):
    stack = growing(api, gate)
    group = autoscaling_group.AutoScalingGroup
    takers, looks = [], []
    watch_again, is_resized = group.watch_again, group._is_resized

    def again(self):
        takers.append(self)
        watch_again(self)

    def early(self):
        if self not in takers:
            return is_resized(self)
        # It was looked at just before the update began.
        looks.append(self)
        return len(looks) == 1 or is_resized(self)

    with monkeypatch.context() as patch:
        patch.setattr(autoscaling_group, '_LOOK_INTERVAL', 0.05)
        patch.setattr(group, 'watch_again', again)
        patch.setattr(group, '_is_resized', early)
        recovery.Recovery(current_engine.get().context,
                          current_engine.get()).run_once()
        rest.wait_for(lambda: len(looks) > 1 or len(notices) > 1,
                      lambda: looks)
        metadata = stack.get('resources/g/metadata')['metadata']
        assert metadata['scaling_in_progress'] is True
        assert [suffix for suffix, *_rest in notices] == ['start']
        gate.open()
        wait_idle(stack)
        rest.wait_for(lambda: not tasks(stack), lambda: tasks(stack))
    assert [(suffix, body['capacity'])
            for suffix, _level, body in notices] == [('start', 1), ('end', 2)]


def test_engine_that_ends_leaves_scaling_to_others(driver, api, gate,
                                                   notices, service):
    stack = growing(api, gate)
    groups = service.engine.thread_group_mgr
    rest.wait_for(lambda: ['_watch' in task.name for task in
                           tasks(stack)] == [True], lambda: tasks(stack))
    groups.is_ending = True
    try:
        groups.stop(stack.id)
        rest.wait_for(lambda: not tasks(stack), 'the task to end')
    finally:
        groups.is_ending = False
    assert [suffix for suffix, *_rest in notices] == ['start']
    gate.open()
    taken_up(stack)
    assert [suffix for suffix, *_rest in notices] == ['start', 'end']
    assert stack.outputs()['size'] == 2


def test_signals_that_change_nothing(driver, api, notices):
    stack = api.created('s', scaled(max_size=1))
    signal(stack)
    signal(stack, details={'current': 'ok'})
    signal(stack, details={'state': 'insufficient data'})
    assert stack.outputs()['size'] == 1
    assert stack.nested('g').state == 'CREATE_COMPLETE'
    assert notices == []
    assert not [each for each in stack.events('p') if 'SIGNAL' in each]


@pytest.mark.parametrize(('policy', 'begin', 'end'), [
    ({'adjustment_type': 'exact_capacity', 'scaling_adjustment': 4}, 2, 4),
    ({'scaling_adjustment': -1}, 3, 2),
    ({'scaling_adjustment': -9}, 3, 1),
    ({'adjustment_type': 'percent_change_in_capacity',
      'scaling_adjustment': 50}, 2, 3),
    ({'adjustment_type': 'percent_change_in_capacity',
      'scaling_adjustment': 10, 'min_adjustment_step': 2}, 2, 4),
])
def test_kinds_of_adjustments(driver, api, policy, begin, end):
    stack = api.created('s', scaled(desired_capacity=begin, policy=policy))
    before = stack.outputs()['refs']
    after = scale(stack, end)['refs']
    kept = min(begin, end)
    # The oldest go first; those that stay are left alone.
    assert set(after) & set(before) <= set(before)
    assert len(set(after) & set(before)) == kept


def test_cooldown_of_the_policy(driver, api):
    stack = api.created('s', scaled(policy={'cooldown': 600}))
    scale(stack, 2)
    signal(stack)
    assert stack.nested('g').state == 'UPDATE_COMPLETE'
    metadata = stack.get('resources/g/metadata')['metadata']
    assert list(metadata['cooldown_end'].values()) == [
        'change_in_capacity : 1']
    assert stack.outputs()['size'] == 2


def test_cooldown_of_the_group_begins_with_its_creation(driver, api):
    stack = api.created('s', scaled(cooldown=600))
    metadata = stack.get('resources/g/metadata')['metadata']
    assert list(metadata['cooldown_end'].values()) == ['ExactCapacity : 1']
    signal(stack)
    assert stack.outputs()['size'] == 1


def test_no_scaling_while_scaling(driver, api, gate, notices):
    template = scaled(thing(gate=gate))
    template['resources']['p']['properties']['scaling_adjustment'] = 2
    stack = api.create('s', template)
    gate.open()
    stack.wait('CREATE_COMPLETE')
    second = type(gate)('second')
    stack.patched(scaled(thing(gate=second, gated=['CREATE']), policy={
        'scaling_adjustment': 2}))
    wait_idle(stack)
    notices.clear()
    signal(stack)
    rest.wait_for(lambda: stack.nested('g').state == 'UPDATE_IN_PROGRESS' and
                  len(stack.nested('g').resources()) == 3, 'growth')
    signal(stack)
    assert len(stack.nested('g').resources()) == 3
    assert [suffix for suffix, *_rest in notices] == ['start']
    second.open()
    wait_size(stack, 3)


def growing(api, gate):
    """Return a stack whose group is being resized."""
    stack = api.created('s', scaled(thing(gated=[])))
    stack.patched(scaled(thing(gate=gate, gated=['CREATE'])))
    wait_idle(stack)
    signal(stack)
    rest.wait_for(lambda: stack.nested('g').state == 'UPDATE_IN_PROGRESS',
                  'growth')
    return stack


def test_delete_while_scaling(driver, api, gate, notices, conf):
    conf('error_wait_time', 1)
    stack = growing(api, gate)
    stack.delete()
    gate.open()
    stack.wait_deleted()
    rest.wait_for(lambda: len(notices) == 2, lambda: notices)
    assert api.stacks(show_nested='true') == []


def test_update_while_scaling(driver, api, gate, notices):
    stack = growing(api, gate)
    stack.patch(scaled(thing('w', gated=[]), desired_capacity=3))
    gate.open()
    stack.wait('UPDATE_COMPLETE')
    assert stack.outputs()['values'] == ['w'] * 3
    wait_idle(stack)
    scale(stack, 4)


def test_no_signals_while_suspended(driver, api):
    stack = api.created('s', scaled())
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    answer = signal(stack, expect=400)
    assert answer.error == 'NotSupported'
    stack.act('resume')
    stack.wait('RESUME_COMPLETE')
    scale(stack, 2)


def test_failure_of_scaling(driver, api, notices, thing):
    stack = api.created('s', scaled())
    stack.patched(scaled({'type': 'Test::Thing', 'properties': {
        'value': 'v', 'fail': ['CREATE']}}))
    signal(stack)
    rest.wait_for(lambda: [each[0] for each in notices][-1:] == ['error'],
                  lambda: notices)
    suffix, level, body = notices[-1]
    assert level == 'ERROR'
    assert 'went wrong' in body['message']
    assert stack.nested('g').state == 'UPDATE_FAILED'
    # No pause after what has failed; an update puts it right.
    stack.patched(scaled())
    scale(stack, 3 if stack.outputs()['size'] == 2 else 2)


def test_size_after_an_update(driver, api):
    stack = api.created('s', scaled())
    scale(stack, 2)
    # What scaling has led to stays, unless the template says otherwise.
    stack.updated(scaled(thing('w')))
    assert stack.outputs()['values'] == ['w', 'w']
    stack.updated(scaled(thing('w'), desired_capacity=4))
    assert stack.outputs()['size'] == 4
    stack.updated(scaled(thing('w'), max_size=3))
    assert stack.outputs()['size'] == 3
    stack.updated(scaled(thing('w'), min_size=0, desired_capacity=0))
    assert stack.outputs()['values'] == []
    stack.deleted()


def test_rolling_update_keeps_members_in_service(driver, api, thing):
    def rolling(value):
        return scaled({'type': 'Test::Thing', 'properties': {
            'value': value}}, desired_capacity=4, rolling_updates={
                'max_batch_size': 2, 'min_in_service': 3, 'pause_time': 0})
    stack = api.created('s', rolling('a'))
    before = set(stack.outputs()['refs'])
    thing.log[api.project].clear()
    stack.updated(rolling('b'))
    outputs = stack.outputs()
    assert outputs['values'] == ['b'] * 4
    log = [what for what, _name in thing.log[api.project]]
    # One more than the four makes it possible to change two at a time.
    assert sorted(log[:2]) == ['CREATE', 'UPDATE']
    assert log.count('UPDATE') + log.count('CREATE') == 4
    assert log.count('DELETE') == log.count('CREATE')
    assert len(before & set(outputs['refs'])) == 4 - log.count('DELETE')


def test_unhealthy_member_is_replaced_by_the_next_update(driver, api):
    stack = api.created('s', scaled(desired_capacity=2))
    nested = stack.nested('g')
    name = sorted(nested.resources())[0]
    before = nested.physical(name)
    nested.request('PATCH', f'resources/{name}', {
        'mark_unhealthy': True, 'resource_status_reason': 'dead'},
        expect=200)
    assert stack.outputs()['size'] == 1
    stack.updated(scaled(desired_capacity=2))
    assert stack.outputs()['size'] == 2
    assert before not in stack.outputs()['refs']


def test_group_is_adopted_with_its_members(driver, api, conf, thing):
    conf('enable_stack_abandon', True)
    conf('enable_stack_adopt', True)
    template = scaled(desired_capacity=2)
    stack = api.created('s', template)
    scale(stack, 3)
    refs = stack.outputs()['refs']
    names = set(stack.nested('g').resources())
    data = stack.request('DELETE', 'abandon', expect=200).json
    assert set(data['resources']['g']['resources']) == names
    rest.wait_for(lambda: api.stacks(show_nested='true') == [], 'the end')
    thing.log[api.project].clear()
    found = api.post('stacks', {
        'stack_name': 't', 'template': template,
        'adopt_stack_data': json.dumps(data)}, expect=201)['stack']
    other = rest.Stack(api, 't', found['id'])
    other.wait('ADOPT_COMPLETE')
    assert set(other.nested('g').resources()) == names
    assert sorted(other.outputs()['refs']) == sorted(refs)
    assert thing.log[api.project] == []
    scale(other, 4)
    other.deleted()


def test_parameters_of_what_is_nested_in_a_group(driver, api):
    inner = ('heat_template_version: 2018-08-31\n'
             'parameters: {word: {type: string}}\n'
             'resources: {}\n')
    for kind, template in (
            ('g', scaled({'type': 'inner.yaml',
                          'properties': {'word': 'x'}})),
            ('c', chain('inner.yaml', resource_properties={'word': 'x'}))):
        template.pop('outputs')
        found = api.post('validate', {
            'template': template, 'files': {'inner.yaml': inner}},
            show_nested='true')
        [member] = found['NestedParameters'][kind][
            'NestedParameters'].values()
        assert set(member['Parameters']) == {'word'}


@pytest.mark.parametrize(('change', 'words'), [
    ({'min_size': 6}, 'min_size (6)'),
    ({'desired_capacity': 7}, 'desired_capacity (7)'),
    ({'resource': {'properties': {}}}, 'must have a type'),
    ({'resource': {'type': 'Test::Thing', 'colour': 'red'}}, 'colour'),
    ({'resource': {'type': 'No::Such'}}, 'No::Such'),
    ({'resource': {'type': 'Test::Thing', 'properties': {'worth': 1}}},
     'worth'),
])
def test_invalid_groups(driver, api, change, words):
    template = scaled()
    template['resources']['g']['properties'].update(change)
    answer = api.create('s', template, expect=400)
    assert answer.error == 'StackValidationFailed'
    assert words in answer.message
    assert 'resources.g' in answer.message


def test_least_step_is_for_changes_in_per_cent(driver, api):
    answer = api.create('s', scaled(policy={'min_adjustment_step': 2}),
                        expect=400)
    assert 'min_adjustment_step' in answer.message


def test_policy_has_urls(driver, api):
    template = scaled()
    template['outputs'] = {
        'alarm': {'value': attr('p', 'alarm_url')},
        'signal': {'value': attr('p', 'signal_url')}}
    stack = api.created('s', template)
    outputs = stack.outputs()
    assert '/signal/' in outputs['alarm']
    assert 'Signature=' in outputs['alarm']
    assert outputs['signal'].endswith('/resources/p/signal')


def test_policy_without_a_group(driver, api):
    template = scaled()
    del template['outputs']
    template['resources']['g'] = thing()
    stack = api.created('s', template)
    signal(stack)
    assert stack.state == 'CREATE_COMPLETE'


# -- the AWS types ----------------------------------------------------------

INSTANCE = """
heat_template_version: 2018-08-31
parameters:
  ImageId: {type: string}
  InstanceType: {type: string}
  KeyName: {type: string, default: ''}
  UserData: {type: string, default: ''}
  SecurityGroups: {type: json, default: []}
  Tags: {type: json, default: []}
  SubnetId: {type: string, default: ''}
  BlockDeviceMappings: {type: json, default: []}
  NovaSchedulerHints: {type: json, default: []}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: UserData}}}
outputs:
  PublicIp: {value: {get_attr: [t, value]}}
  Tags: {value: {get_param: Tags}}
"""
ENVIRONMENT = {'resource_registry': {
    'AWS::EC2::Instance': 'instance.yaml'}}
FILES = {'instance.yaml': INSTANCE}


@pytest.fixture
def no_cloud(monkeypatch):
    """Take names of images and flavors as they are.

    The template that stands for a server is a simple one: it has lists of
    maps as JSON, which a stand-in for the type of servers could not have.
    """
    monkeypatch.setattr(template_resource.TemplateResource, '_facade',
                        lambda self: None)
    registered = environment.global_env()
    before = {name: registered.get_constraint(name)
              for name in ('glance.image', 'nova.flavor')}
    for name in before:
        registered.register_constraint(name, Anything)
    yield
    for name, constraint in before.items():
        registered.register_constraint(name, constraint)


class Anything:
    """A constraint that every value meets."""

    def validate(self, value, context):
        return True


def aws(kind, user_data='10.0.0.1', update_policy=None, **properties):
    group = {'Type': kind, 'Properties': {
        'AvailabilityZones': ['nova'],
        'LaunchConfigurationName': {'Ref': 'lc'}, **properties}}
    if update_policy:
        group['UpdatePolicy'] = update_policy
    resources = {
        'g': group,
        'lc': {'Type': 'AWS::AutoScaling::LaunchConfiguration',
               'Properties': {'ImageId': 'image', 'InstanceType': 'small',
                              'UserData': user_data}}}
    if kind.endswith('AutoScalingGroup'):
        resources['p'] = {
            'Type': 'AWS::AutoScaling::ScalingPolicy', 'Properties': {
                'AutoScalingGroupName': {'Ref': 'g'},
                'ScalingAdjustment': 1,
                'AdjustmentType': 'ChangeInCapacity'}}
    return {'HeatTemplateFormatVersion': '2012-12-12',
            'Resources': resources, 'Outputs': {
                'list': {'Value': {'Fn::GetAtt': ['g', 'InstanceList']}}}}


def test_instance_group(driver, api, no_cloud):
    kind = 'OS::Heat::InstanceGroup'
    stack = api.created('s', aws(kind, Size=2), files=FILES,
                        environment=ENVIRONMENT)
    assert stack.outputs() == {'list': '10.0.0.1,10.0.0.1'}
    nested = stack.nested('g')
    members = nested.resources()
    assert {each['resource_type'] for each in members.values()} == {
        'OS::Heat::ScaledResource'}
    name = sorted(members)[0]
    tags = nested.resource(name)['attributes']['Tags']
    assert tags == [{'Key': 'metering.groupname',
                     'Value': stack.physical('g')}]
    # Members that are there stay as they are.
    stack.updated(aws(kind, '10.0.0.2', Size=3), files=FILES,
                  environment=ENVIRONMENT)
    assert sorted(stack.outputs()['list'].split(',')) == [
        '10.0.0.1', '10.0.0.1', '10.0.0.2']
    stack.updated(aws(kind, '10.0.0.3', Size=3, update_policy={
        'RollingUpdate': {'MaxBatchSize': 2, 'MinInstancesInService': 2}}),
        files=FILES, environment=ENVIRONMENT)
    assert stack.outputs()['list'] == ','.join(['10.0.0.3'] * 3)
    stack.deleted()


def test_aws_group_scales(driver, api, no_cloud):
    kind = 'AWS::AutoScaling::AutoScalingGroup'
    stack = api.created('s', aws(kind, MinSize=1, MaxSize=3), files=FILES,
                        environment=ENVIRONMENT)
    assert stack.outputs() == {'list': '10.0.0.1'}
    signal(stack)
    wait_idle(stack)
    rest.wait_for(lambda: stack.outputs()['list'] == '10.0.0.1,10.0.0.1',
                  lambda: stack.outputs())
    name = sorted(stack.nested('g').resources())[0]
    tags = stack.nested('g').resource(name)['attributes']['Tags']
    assert [tag['Key'] for tag in tags] == [
        'metering.groupname', 'metering.AutoScalingGroupName']
    stack.deleted()


@pytest.mark.parametrize(('properties', 'words'), [
    ({'MinSize': 3, 'MaxSize': 2}, 'MinSize (3)'),
    ({'MinSize': 1, 'MaxSize': 2, 'DesiredCapacity': 3},
     'DesiredCapacity (3)'),
    ({'MinSize': 1, 'MaxSize': 2, 'LaunchConfigurationName': None},
     'InstanceId'),
    ({'MinSize': 1, 'MaxSize': 2, 'LaunchConfigurationName': 'other'},
     'no launch configuration "other"'),
    ({'MinSize': 1, 'MaxSize': 2, 'LoadBalancerNames': ['lc']},
     'not a load balancer'),
    ({'MinSize': 1, 'MaxSize': 2, 'update_policy': {
        'AutoScalingRollingUpdate': {'PauseTime': 'PT2H'}}}, '1 hour'),
])
def test_invalid_aws_groups(driver, api, no_cloud, properties, words):
    answer = api.create('s', aws('AWS::AutoScaling::AutoScalingGroup',
                                 **properties), expect=400, files=FILES,
                        environment=ENVIRONMENT)
    assert words in answer.message


# -- OS::Heat::ResourceChain ------------------------------------------------

def chain(*types, **properties):
    return hot({'c': {'type': 'OS::Heat::ResourceChain', 'properties': {
        'resources': list(types), **properties}}}, outputs={
            'refs': {'value': attr('c', 'refs')},
            'all': {'value': attr('c', 'value')},
            'by_name': {'value': attr('c', 'attributes', 'value')},
            'second': {'value': attr('c', 'resource.1.value')}})


def test_chain(driver, api, thing):
    stack = api.created('s', chain('Test::Thing', 'Test::Thing',
                                   resource_properties={'value': 'x'}))
    nested = stack.nested('c')
    assert stack.outputs() == {
        'refs': [nested.physical('0'), nested.physical('1')],
        'all': ['x', 'x'], 'by_name': {'0': 'x', '1': 'x'}, 'second': 'x'}
    assert nested.resource('1')['required_by'] == []
    assert nested.resource('0')['required_by'] == ['1']
    stack.updated(chain('Test::Thing', 'Test::Thing', 'Test::Thing',
                        resource_properties={'value': 'x'}))
    assert stack.outputs()['all'] == ['x'] * 3
    stack.updated(chain('Test::Thing', resource_properties={'value': 'x'}))
    assert stack.outputs()['all'] == ['x']
    stack.deleted()
    log = thing.log[api.project]
    assert log[:2] == [('CREATE', '0'), ('CREATE', '1')]


def test_concurrent_chain(driver, api):
    stack = api.created('s', chain('Test::Thing', 'Test::Thing',
                                   concurrent=True))
    assert stack.nested('c').resource('0')['required_by'] == []


@pytest.mark.parametrize('types', [['No::Such'], [7]])
def test_invalid_chain(driver, api, types):
    answer = api.create('s', chain(*types), expect=400)
    assert answer.error == 'StackValidationFailed'
    assert 'resources.c' in answer.message


@pytest.mark.parametrize('through', ['signal', 'update'])
def test_members_keep_references(driver, api, through):
    """A new member gets the same reference as those that were there."""
    template = scaled(thing(ref('base')))
    template['resources']['base'] = thing('b')
    stack = api.created('s', template)
    base = stack.resource('base')['physical_resource_id']
    assert stack.outputs()['values'] == [base]
    if through == 'signal':
        scale(stack, 2)
    else:
        template['resources']['g']['properties']['min_size'] = 2
        stack.updated(template)
    assert stack.outputs()['values'] == [base, base]


def test_outputs_around_a_group_follow_it(driver, api):
    """What the outer stack says comes from two stacks further inside."""
    outer = hot({'tier': {'type': 'tier.yaml'}}, outputs={
        'size': {'value': attr('tier', 'size')}})
    tier = hot({'group': {'type': 'group.yaml'}}, outputs={
        'size': {'value': attr('group', 'size')}})
    stack = api.created('s', outer, files={
        'tier.yaml': json.dumps(tier), 'group.yaml': json.dumps(scaled())})
    assert stack.outputs()['size'] == 1
    signal(stack.nested('tier').nested('group'))
    rest.wait_for(lambda: stack.outputs()['size'] == 2,
                  lambda: stack.outputs())
