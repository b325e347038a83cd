"""Groups that Heat was scaling, and groups in the pause after it."""
import datetime

import pytest

from tests.fakes import heat_rows
from tests.functional import rest
from tests.functional import templates
from tests.functional.takeover import cloud
from tests.functional.takeover import world as world_module

FIRST, SECOND, THIRD = MEMBERS = (
    'iq3kdu5hz6kc', 'xbv4bnw2qoli', 'zt5u2a7wkqpd')
#: The members that a resource group has numbers for.
_NUMBERED = dict(zip(MEMBERS, '012', strict=True))
#: Minutes from the moment at which the rows are written.
_LATER, _SINCE, _EARLIER = 30, -5, -30
_REASON = 'ChangeInCapacity : 1'
#: {pause: (function that makes the metadata of a moment, whether the group
#: scales)}; `cooldown` is 1200 s
PAUSES = {
    'end': (lambda: {'cooldown_end': _pause(_LATER),
                     'scaling_in_progress': False}, False),
    'began': (lambda: {'cooldown': _pause(_SINCE),
                       'scaling_in_progress': False}, False),
    'bare': (lambda: _pause(_SINCE), False),
    'over': (lambda: {'cooldown_end': _pause(_EARLIER),
                      'scaling_in_progress': False}, True),
    'began-long-ago': (lambda: {'cooldown': _pause(_EARLIER)}, True),
}
#: {what Heat had done of scaling: (members before, after, state of the
#: member that comes or goes)}; without a state the child was not told
GOING = {
    'growing': ((FIRST, SECOND), MEMBERS, '!CREATE IN_PROGRESS'),
    'growing-unmade': ((FIRST, SECOND), MEMBERS, 'INIT COMPLETE'),
    'shrinking': ((FIRST, SECOND), (FIRST,), '!DELETE IN_PROGRESS'),
    'untold': ((FIRST, SECOND), (FIRST, SECOND), None),
}
SCALED = {f'{name}{"" if convergence else "-legacy"}': (name, convergence)
          for name in GOING for convergence in (True, False)}
#: The groups that an update of their stack was making larger or smaller.
SIZED = {
    f'{kind}-{name}{"" if convergence else "-legacy"}': (
        kind, name, convergence)
    for kind in ('resources', 'instances')
    for name in ('growing', 'growing-unmade', 'shrinking')
    for convergence in (True, False)}


def scaled(value='1', cooldown=0):
    """Return the resources of a stack with a group that policies scale."""
    return {
        'group': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 1, 'max_size': 5, 'cooldown': cooldown,
            'resource': templates.thing(value=value)}},
        'policy': {'type': 'OS::Heat::ScalingPolicy', 'properties': {
            'auto_scaling_group_id': {'get_resource': 'group'},
            'adjustment_type': 'change_in_capacity',
            'scaling_adjustment': 1, 'cooldown': cooldown}}}


def sized(kind, size, value='1'):
    """Return the resources of a stack with a group of a size."""
    if kind == 'resources':
        return {'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': size, 'resource_def': templates.thing(value=value)}}}
    flavor = {'1': 'small', '2': 'large'}[value]
    return {
        'config': {
            'type': 'AWS::AutoScaling::LaunchConfiguration', 'properties': {
                'ImageId': 'cirros', 'InstanceType': flavor}},
        'group': {'type': 'OS::Heat::InstanceGroup', 'properties': {
            'AvailabilityZones': ['nova'], 'Size': size,
            'LaunchConfigurationName': {'get_resource': 'config'}}}}


def _pause(minutes):
    """Return the metadata of a pause with a time in a number of minutes."""
    moment = heat_rows.now() + datetime.timedelta(minutes=minutes)
    return {moment.isoformat(): _REASON}


class Stack:
    """The rows of a stack with a group, and of its members.

    :ivar rows, child: the rows of both stacks
    """

    def __init__(self, database, services, kind='scaled'):
        self.database, self.services, self.kind = database, services, kind

    def scaled(self, name, convergence, metadata, going, cooldown=0):
        """Store a stack at rest, whose child may be scaled."""
        whole = scaled(cooldown=cooldown)
        self.rows = self.database.stack(
            name, self.database.template(whole), convergence=convergence)
        child_id = heat_rows.new_id()
        group = self.rows.resource(
            'group', physical=child_id, metadata=metadata,
            properties=whole['group']['properties'])
        policy = self.rows.resource(
            'policy', physical='user of policy', requires=(group,),
            data={'user_id': 'user of policy'}, secret={
                'access_key': 'a', 'secret_key': 's', 'credential_id': 'c',
                'ec2_signed_url': 'http://cfn.test:8000/'}, properties={
                    **whole['policy']['properties'],
                    'auto_scaling_group_id': child_id})
        if convergence:
            self.rows.graph((policy.update, group.update))
        self._child(group, *going, convergence)
        return self

    def sized(self, name, convergence, going):
        """Store a stack that is being updated, with its group."""
        before, after, _state = going
        templates_ = [self.database.template(sized(self.kind, len(members)))
                      for members in (before, after)]
        self.rows = self.database.stack(
            name, templates_[1], before=templates_[0], action='UPDATE',
            status='IN_PROGRESS', convergence=convergence)
        whole, config = sized(self.kind, len(before)), None
        properties = dict(whole['group']['properties'])
        if 'config' in whole:
            config = self.rows.resource(
                'config', properties=whole['config']['properties'])
            properties['LaunchConfigurationName'] = config.physical_name
        group = self.rows.resource(
            'group', physical=heat_rows.new_id(), action='UPDATE',
            status='IN_PROGRESS', claimed=convergence,
            template_id=templates_[0], properties=properties,
            requires=[config] if config else [])
        if convergence:
            edges = [(group.clean, group.update)]
            if config:
                edges += [(group.update, config.update),
                          (config.clean, config.update),
                          (config.clean, group.clean)]
            self.rows.graph(*edges, going=True,
                            done=[config.update] if config else [])
        else:
            self.rows.lock()
        self._child(group, *going, convergence)
        return self

    def _members(self, members):
        """Return the template of the child, in the words of Heat."""
        if self.kind == 'instances':
            return self.database.template({
                'HeatTemplateFormatVersion': '2012-12-12',
                'Resources': {member: {
                    'Type': 'OS::Heat::ScaledResource',
                    'Properties': self._properties()} for member in members},
                'Outputs': {'references': {'Value': {
                    member: {'Ref': member} for member in members}}}}, env={
                        'resource_registry': {
                            'OS::Heat::ScaledResource': 'AWS::EC2::Instance',
                            'resources': {}}})
        names = [self.named(member) for member in members]
        return self.database.template({
            'heat_template_version': '2015-04-30',
            'resources': {name: templates.thing(value='1')
                          for name in names},
            'outputs': {'refs_map': {'value': {
                name: {'get_resource': name} for name in names}}}})

    def named(self, member):
        """Return the name of a member."""
        return _NUMBERED[member] if self.kind == 'resources' else member

    def _properties(self):
        if self.kind != 'instances':
            return {'value': '1'}
        return {'ImageId': 'cirros', 'InstanceType': 'small', 'Tags': [
            {'Key': 'metering.groupname', 'Value': 'group'}]}

    def _child(self, group, before, after, state, convergence):
        """Store the child; `state` is that of the member that differs."""
        old = self._members(before)
        # A legacy stack has what it deletes in its template until that is
        # gone, and what it makes from when it begins to.
        is_old = state is None or not convergence and (
            'DELETE' in state or state == 'INIT COMPLETE')
        whole = old if is_old else self._members(after)
        going = {} if state is None else {
            'action': 'UPDATE', 'status': 'IN_PROGRESS', 'before': old}
        self.child = self.database.stack(
            group.physical_name, whole, stack_id=group.physical,
            convergence=convergence, parent=(group.stack, 'group'), **going)
        kept = [self._member(member, 'CREATE COMPLETE')
                for member in before if member in after]
        edges = [edge for row in kept for edge in (
            (row.clean, row.update), (row.update, None))]
        for member in set(before) ^ set(after):
            if state == 'INIT COMPLETE' and not convergence:
                # Heat stores no row before it makes a resource.
                continue
            row = self._member(member, state, template_id=old
                               if 'DELETE' in state else None)
            edges.append((row.clean if 'DELETE' in state else row.update,
                          None))
        if convergence:
            self.child.graph(*edges, going=state is not None,
                             done=[row.update for row in kept])
        elif state is not None:
            self.child.lock()

    def _member(self, member, state, **options):
        action, status = state.lstrip('!').split()
        convergence = self.child.convergence
        is_made = state != 'INIT COMPLETE'
        if self.kind == 'instances':
            server = is_made and self._server(member)
            options.update(physical=server or None)
        elif is_made:
            options.update(data={'tries': '1'})
        return self.child.resource(
            self.named(member), action=action, status=status,
            claimed=convergence and state.startswith('!'),
            properties=self._properties() if is_made else None, **options)

    def _server(self, name):
        made = self.services.compute.create_server(
            name=name, imageRef='cirros-id', flavorRef='small-id').id
        self.services.compute.things['server', made].update(
            _states=[], status='ACTIVE', task_state=None)
        return made


def _write(database, services):
    stacks = {}
    for name, (made_now, _is_over) in PAUSES.items():
        for suffix, convergence in (('', True), ('-legacy', False)):
            metadata = made_now()
            stacks[name + suffix] = Stack(database, services).scaled(
                name + suffix, convergence, metadata, GOING['untold'],
                cooldown=1200)
            stacks[name + suffix].metadata = metadata
    for name, (going, convergence) in SCALED.items():
        stacks[name] = Stack(database, services).scaled(
            name, convergence, {
                'cooldown_end': _pause(_EARLIER),
                'scaling_in_progress': True}, GOING[going])
    for name, (kind, going, convergence) in SIZED.items():
        stacks[name] = Stack(database, services, kind).sized(
            name, convergence, GOING[going])
    services.forget()
    return stacks


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service, which takes all stacks over at once."""
    services, stacks = cloud.Cloud(), {}
    with pytest.MonkeyPatch.context() as patch:
        services.use(patch)

        def write(database):
            stacks.update(_write(database, services))
            return {name: stack.rows for name, stack in stacks.items()}

        with world_module.serving(
                patch, tmp_path_factory.mktemp('heat'), write,
                cloud=services, stacks=stacks) as made:
            yield made


RESTING = [name + suffix for name in PAUSES for suffix in ('', '-legacy')]
ALL = [*RESTING, *SCALED, *SIZED]


def members(stack):
    """Return {name: (physical id, state)} of the members."""
    return {name: (each['physical_resource_id'], each['resource_status'])
            for name, each in stack.nested('group').resources().items()}


def _signal(stack):
    stack.request('POST', 'resources/policy/signal', expect=200)


def _scales(stack):
    """Let a stack scale; wait for the end."""
    size = len(members(stack))
    _signal(stack)
    rest.wait_for(lambda: len(members(stack)) == size + 1,
                  lambda: members(stack))
    rest.wait_for(lambda: not stack.get('resources/group/metadata')[
        'metadata']['scaling_in_progress'], 'the end of scaling')


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', RESTING)
def test_group_in_a_pause_is_shown_as_before(world, name):
    stack, seen = world.stack(name), world.stacks[name]
    assert not world_module.differing(
        stack.show(), world_module.expected_stack(seen.rows))
    assert not world_module.differing(
        stack.resource('group'),
        world_module.expected_resource(seen.rows.rows['group']))
    assert stack.get('resources/group/metadata')['metadata'] == seen.metadata


@pytest.mark.parametrize('name', RESTING)
def test_group_scales_once_the_pause_is_over(world, name):
    stack = world.stack(name)
    if PAUSES[name.removesuffix('-legacy')][1]:
        _scales(stack)
        return
    before = members(stack)
    _signal(stack)
    assert members(stack) == before
    assert stack.nested('group').state == 'CREATE_COMPLETE'


@pytest.mark.parametrize('name', SCALED)
def test_scaling_ends(world, name):
    going, convergence = SCALED[name]
    _before, after, state = GOING[going]
    stack, seen = world.stack(name), world.stacks[name]
    child = rest.Stack(stack.client, seen.child.name, seen.child.id)
    if state is not None:
        child.wait('UPDATE_COMPLETE' if convergence else 'UPDATE_FAILED')
    # The user of a group learns nothing of scaling by its state.
    assert stack.state == 'CREATE_COMPLETE'
    if convergence:
        assert set(members(stack)) == set(after)
        kept = {row.name: row.physical for row in seen.child.rows.values()
                if (row.action, row.status) == ('CREATE', 'COMPLETE')}
        assert kept.items() <= {name: its_id for name, (its_id, _state)
                                in members(stack).items()}.items()


@pytest.mark.parametrize('name', SIZED)
def test_change_of_size_ends(world, name):
    kind, going, convergence = SIZED[name]
    stack, seen = world.stack(name), world.stacks[name]
    stack.wait('UPDATE_COMPLETE' if convergence else 'UPDATE_FAILED')
    if convergence:
        assert set(members(stack)) == {
            seen.named(member) for member in GOING[going][1]}
    else:
        stack.updated(templates.hot(sized(kind, len(GOING[going][1]))))
        assert len(members(stack)) == len(GOING[going][1])
    assert stack.physical('group') == seen.child.id


@pytest.mark.parametrize('name', ALL)
def test_nothing_is_done_where_nothing_changes(world, name):
    stack, before = world.stack(name), members(world.stack(name))
    if name in SIZED:
        kind, going, _convergence = SIZED[name]
        same = sized(kind, len(GOING[going][1]))
    else:
        same = scaled(cooldown=1200 if name in RESTING else 0)
    done = world.log(name), len(world.cloud.changes())
    stack.updated(templates.hot(same))
    if name not in SCALED or SCALED[name][1]:
        assert (world.log(name), len(world.cloud.changes())) == done
        assert members(stack) == before
    assert not [state for _id, state in members(stack).values()
                if not state.endswith('_COMPLETE')]


@pytest.mark.parametrize('name', SCALED)
def test_group_scales_again(world, name):
    _scales(world.stack(name))


@pytest.mark.parametrize('name', ALL)
def test_members_are_updated(world, name):
    stack, before = world.stack(name), members(world.stack(name))
    if name in SIZED:
        kind = SIZED[name][0]
        stack.updated(templates.hot(sized(kind, len(before), '2')))
        if kind == 'instances':
            # New servers come of another launch configuration.
            assert members(stack) == before
            return
    else:
        stack.updated(templates.hot(scaled(
            '2', cooldown=1200 if name in RESTING else 0)))
    assert {its_id for its_id, _state in members(stack).values()} == {
        its_id for its_id, _state in before.values()}
    assert {state for _id, state in members(stack).values()} == {
        'UPDATE_COMPLETE'}


@pytest.mark.parametrize('name', ALL)
def test_stack_is_deleted(world, name):
    world.stack(name).deleted()


def test_nothing_is_left(world):
    assert world.left() == {}
    assert world.cloud.left() == []
