"""Types of one thing in a service: how Heat has them, and what changes.

In texts, <own> stands for a word that no other stack has.
"""
import dataclasses
import json

from tests.functional.takeover import clouds

_DONE = ('ACTIVE',)
_PENDING = {'create': ('PENDING_CREATE', 'ACTIVE'),
            'update': ('PENDING_UPDATE', 'PENDING_UPDATE', 'ACTIVE'),
            'delete': ('PENDING_DELETE',)}
_AT_ONCE = {'create': _DONE, 'update': _DONE}


@dataclasses.dataclass(frozen=True)
class Kind:
    """A resource type, and how its service shows cloud resources of it.

    :ivar before: the properties; `after`: those of an update in place, if any
    :ivar shelf: where the fake service stores them
    :ivar live: the values that the service shows; `changed`: those after the
        update
    :ivar states: {operation: the states that it passes through}
    :ivar form: of the physical id that Heat stores: 'id', 'name' or None
    :ivar is_found: whether a cloud resource is found by its name when the row
        has no id
    :ivar needs: (shelf, values) of what each stack needs one of its own of
    :ivar data: of the row; `secret`: and encrypted
    """

    type: str
    shelf: object
    before: dict
    live: dict
    after: dict = dataclasses.field(default_factory=dict)
    changed: dict = dataclasses.field(default_factory=dict)
    states: dict = dataclasses.field(default_factory=lambda: _AT_ONCE)
    form: str | None = 'id'
    is_found: bool = True
    needs: tuple | None = None
    data: dict = dataclasses.field(default_factory=dict)
    secret: dict = dataclasses.field(default_factory=dict)

    @property
    def rest(self):
        """The states of a thing that nothing is done to."""
        return self.states['create'][-1:]


def own(value, word):
    """Return a value with <own> in its texts replaced."""
    return json.loads(json.dumps(value).replace('<own>', word))


_FIRST, _OTHER = {'description': 'first'}, {'description': 'other'}


def _identity(name, noun, before=None, after=None, **more):
    before = _FIRST if before is None else before
    after = _OTHER if after is None else after
    return Kind(f'OS::Keystone::{name}', clouds.Shelf('identity', noun),
                before, before, after, after, **more)


def _roles(*roles):
    return [{'role': role, 'project': 'demo-id'} for role in roles]


def _assignment(who):
    return Kind(
        f'OS::Keystone::{who.title()}RoleAssignment',
        clouds.Assignments('identity', 'given'),
        {who: '<own>', 'roles': _roles('member-id')},
        {'roles': ['member-id']},
        {'roles': _roles('reader-id')}, {'roles': ['reader-id']}, form=None,
        needs=(clouds.Shelf('identity', who), {}))


IDENTITY = {
    'user': Kind(
        'OS::Keystone::User', clouds.Users('identity', 'user'), {
            **_FIRST, 'password': 'secret1', 'groups': ['staff-id'],
            'roles': _roles('member-id')},
        {**_FIRST, 'groups': ['staff-id'], 'roles': ['member-id']},
        {**_OTHER, 'groups': ['guests-id'], 'roles': _roles('reader-id')},
        {**_OTHER, 'groups': ['guests-id'], 'roles': ['reader-id']}),
    'project': _identity('Project', 'project'),
    'domain': _identity('Domain', 'domain'),
    'group': _identity('Group', 'group'),
    'role': _identity('Role', 'role', {}, {'name': '<own>'}),
    'region': _identity('Region', 'region', is_found=False),
    'service': _identity('Service', 'service', {'type': 'compute'}),
    'endpoint': Kind(
        'OS::Keystone::Endpoint', clouds.Shelf('identity', 'endpoint'), {
            'service': 'some-id', 'interface': 'internal',
            'url': 'http://a/'},
        {'service_id': 'some-id', 'interface': 'internal',
         'url': 'http://a/'}, {'url': 'http://b/'}, {'url': 'http://b/'},
        is_found=False),
    'user-roles': _assignment('user'),
    'group-roles': _assignment('group'),
}


def _balancing(name, noun, before, live, after=None, **more):
    after = after or _OTHER
    return Kind(
        f'OS::Octavia::{name}', clouds.Shelf('balancing', noun),
        {**(_FIRST if 'description' in after else {}), **before},
        {**(_FIRST if 'description' in after else {}), **live},
        after, after, states=_PENDING, **more)


BALANCING = {
    'balancer': _balancing(
        'LoadBalancer', 'load_balancer', {'vip_subnet': 'subnet-id'},
        {'vip_subnet_id': 'subnet-id'}),
    'listener': _balancing(
        'Listener', 'listener', {
            'loadbalancer': 'load_balancer-id', 'protocol': 'HTTP',
            'protocol_port': 80},
        {'loadbalancer_id': 'load_balancer-id', 'protocol': 'HTTP'}),
    'pool': _balancing(
        'Pool', 'pool', {
            'loadbalancer': 'load_balancer-id', 'protocol': 'HTTP',
            'lb_algorithm': 'ROUND_ROBIN'},
        {'loadbalancer_id': 'load_balancer-id', 'protocol': 'HTTP'}),
    'member': _balancing(
        'PoolMember', 'member', {
            'pool': 'pool-id', 'address': '10.0.0.5', 'protocol_port': 80,
            'weight': 1},
        {'parent': 'pool-id', 'address': '10.0.0.5', 'weight': 1},
        {'weight': 2}, is_found=False),
    'monitor': _balancing(
        'HealthMonitor', 'health_monitor', {
            'pool': '<own>', 'delay': 5, 'timeout': 3, 'max_retries': 2,
            'type': 'HTTP'}, {'pool_id': '<own>', 'delay': 5},
        {'delay': 6}, is_found=False,
        needs=(clouds.Shelf('balancing', 'pool'), {})),
    'policy': _balancing(
        'L7Policy', 'l7_policy', {
            'listener': 'listener-id', 'action': 'REJECT'},
        {'listener_id': 'listener-id', 'action': 'REJECT'}),
    'rule': Kind(
        'OS::Octavia::L7Rule', clouds.Shelf('balancing', 'l7_rule'), {
            'l7policy': 'l7_policy-id', 'type': 'PATH',
            'compare_type': 'STARTS_WITH', 'value': '/a'},
        {'parent': 'l7_policy-id', 'type': 'PATH', 'rule_value': '/a'},
        {'value': '/b'}, {'rule_value': '/b'}, states=_PENDING,
        is_found=False),
}

_SIGNED = {'data': {'user_id': 'user of it'}, 'secret': {
    'access_key': 'a', 'secret_key': 's', 'credential_id': 'c',
    'ec2_signed_url': 'http://cfn.test:8000/v1/signal/arn?Signature=s'}}
_SUCCESS = {'create': ('SUCCESS',), 'update': ('SUCCESS',)}
_FLOW = {'type': 'direct', 'tasks': [{'name': 't', 'action': 'std.noop'}]}


class _Flows(clouds.Collection):
    """Workflows, whose description is in the text of their definition."""

    def values(self, services, its_id):
        """Return whether the definition is the second one."""
        return {'is_other': 'description: other' in super().values(
            services, its_id)['definition']}

    def change(self, services, its_id, values, states):
        """Have another definition."""
        kept = self.all(services)[its_id]
        if values.pop('is_other', False):
            values['definition'] = (
                f'version: "2.0"\n{kept["name"]}:\n  type: direct\n  '
                'description: other\n  tasks: {t: {action: std.noop}}\n')
        super().change(services, its_id, values, states)


def _flow(form):
    return Kind(
        'OS::Mistral::Workflow', _Flows('flows', '/workflows'),
        _FLOW, {'definition': 'version: "2.0"', 'input': ''},
        {'description': 'other'}, {'is_other': True}, states=_SUCCESS,
        form=form, **_SIGNED)


def _trigger(form):
    return Kind(
        'OS::Mistral::CronTrigger',
        clouds.Collection('flows', '/cron_triggers'),
        {'workflow': {'name': 'flow'}, 'pattern': '* * * * *'},
        {'workflow_id': 'flow-id', 'pattern': '* * * * *'}, states=_SUCCESS,
        form=form)


FLOWS = {
    'flow-name': _flow('name'), 'flow-id': _flow('id'),
    'trigger-name': _trigger('name'), 'trigger-id': _trigger('id'),
    'queue': Kind(
        'OS::Zaqar::Queue', clouds.Queues('queues', 'queue'),
        {'metadata': {'a': 1}},
        {'a': 1}, {'metadata': {'a': 2}}, {'a': 2}, form='queue'),
    'subscription': Kind(
        'OS::Zaqar::Subscription',
        clouds.Subscriptions('queues', 'subscription'),
        {'queue_name': 'news', 'subscriber': 'http://a/'},
        {'subscriber': 'http://a/'}, {'subscriber': 'http://b/'},
        {'subscriber': 'http://b/'}, is_found=False),
}


def _alarm(name, kind, before, rule, after):
    whole = {'type': kind, f'{kind}_rule': rule, 'enabled': True,
             'severity': 'low'}
    return Kind(
        f'OS::Aodh::{name}', clouds.Collection('alarms', '/v2/alarms'),
        before, whole, after, after,
        states={'create': ('ok',), 'update': ('ok',)})


ALARMS = {
    'event-alarm': _alarm(
        'EventAlarm', 'event', {'event_type': 'compute.*'},
        {'event_type': 'compute.*', 'query': []}, {'severity': 'critical'}),
    'metric-alarm': _alarm(
        'GnocchiResourcesAlarm', 'gnocchi_resources_threshold', {
            'metric': 'cpu', 'resource_id': 'one',
            'resource_type': 'instance', 'aggregation_method': 'mean',
            'threshold': 1.0, 'comparison_operator': 'gt'},
        {'metric': 'cpu', 'threshold': 1.0}, {'severity': 'critical'}),
}

_SHARE = {'create': ('creating', 'available'), 'update': ('available',),
          'delete': ('deleting',)}
_THERE = {'create': ('available',), 'update': ('available',)}
_BUILT = {'create': ('BUILD', 'BUILD', 'ACTIVE'),
          'update': ('ACTIVE',), 'delete': ('SHUTDOWN',)}
_CLUSTER = {
    'create': ('CREATE_IN_PROGRESS', 'CREATE_COMPLETE'),
    'update': ('UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE'),
    'delete': ('DELETE_IN_PROGRESS',)}

PLATFORMS = {
    'share': Kind(
        'OS::Manila::Share', clouds.Collection('shares', '/shares'),
        {'share_protocol': 'NFS', 'size': 1},
        {'share_proto': 'NFS', 'size': 1}, _OTHER,
        {'display_description': 'other'}, states=_SHARE),
    'share-network': Kind(
        'OS::Manila::ShareNetwork',
        clouds.Collection('shares', '/share-networks'),
        {'neutron_network': 'network-id', 'neutron_subnet': 'subnet-id'},
        {'neutron_net_id': 'network-id', 'neutron_subnet_id': 'subnet-id'},
        _OTHER, _OTHER, states=_THERE),
    'security-service': Kind(
        'OS::Manila::SecurityService',
        clouds.Collection('shares', '/security-services'),
        {'type': 'ldap', **_FIRST}, {'type': 'ldap', **_FIRST}, _OTHER,
        _OTHER, states=_THERE),
    'instance': Kind(
        'OS::Trove::Instance',
        clouds.Collection('databases', '/instances'),
        {'flavor': 'small', 'size': 1},
        {'flavor': {'id': 'small-id'}, 'volume': {'size': 1}},
        {'name': '<own>'}, {'name': '<own>'}, states=_BUILT),
    'cluster': Kind(
        'OS::Magnum::Cluster', clouds.Collection('clusters', '/clusters'),
        {'cluster_template': 'kube', 'node_count': 1},
        {'cluster_template_id': 'kube-id', 'node_count': 1},
        {'node_count': 2}, {'node_count': 2}, states=_CLUSTER),
    'cluster-template': Kind(
        'OS::Magnum::ClusterTemplate',
        clouds.Collection('clusters', '/clustertemplates'),
        {'image': 'image-id', 'external_network': 'network-id',
         'coe': 'kubernetes'},
        {'image_id': 'image-id', 'external_network_id': 'network-id',
         'coe': 'kubernetes', 'public': False},
        {'public': True}, {'public': True}),
}
