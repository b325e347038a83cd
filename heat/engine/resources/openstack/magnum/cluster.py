"""Clusters of Magnum."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource

_ACTIONS = ('CREATE', 'UPDATE', 'ROLLBACK', 'RESUME', 'RESTORE', 'ADOPT',
            'CHECK', 'SNAPSHOT')


class Cluster(sdk_resource.SDKResource):
    """A cluster of Magnum.

    A cluster is a group of servers that run the containers of a
    container orchestration engine such as Kubernetes.
    """

    type_name = 'OS::Magnum::Cluster'
    support_status = support.SupportStatus(version='9.0.0')
    default_client_name = 'magnum'
    entity = 'clusters'
    noun = 'cluster'

    properties_schema = {
        'name': properties.string(
            _('Name of the cluster.')),
        'cluster_template': properties.string(
            _('Cluster template, by name or ID.'),
            required=True,
            constraints=[constraints.ref('magnum.cluster_template')]),
        'keypair': properties.string(
            _('Key pair for SSH access to the servers. Defaults to the key '
              'pair of the cluster template.'),
            constraints=[constraints.CustomConstraint('nova.keypair')]),
        'node_count': properties.integer(
            _('Number of nodes.'),
            default=1,
            constraints=[constraints.Range(min=1)],
            update_allowed=True),
        'master_count': properties.integer(
            _('Number of master nodes.'),
            default=1,
            constraints=[constraints.Range(min=1)],
            update_allowed=True),
        'discovery_url': properties.string(
            _('Discovery URL by which the nodes find each other.'),
            update_allowed=True),
        'create_timeout': properties.integer(
            _('Timeout of the creation of the cluster in minutes; 0 for no '
              'timeout.'),
            default=60,
            constraints=[constraints.Range(min=0)],
            update_allowed=True),
    }

    attributes_schema = {
        'name': attributes.Schema(
            _('Name of the cluster.'),
            type=attributes.Schema.STRING),
        'node_count': attributes.Schema(
            _('Number of nodes.'),
            type=attributes.Schema.INTEGER),
        'master_count': attributes.Schema(
            _('Number of master nodes.'),
            type=attributes.Schema.INTEGER),
        'cluster_template_id': attributes.Schema(
            _('ID of the cluster template.'),
            type=attributes.Schema.STRING),
        'keypair': attributes.Schema(
            _('Key pair for SSH access to the servers.'),
            type=attributes.Schema.STRING),
        'stack_id': attributes.Schema(
            _('ID of the stack that Magnum created for the cluster.'),
            type=attributes.Schema.STRING),
        'api_address': attributes.Schema(
            _('URL of the API of the container orchestration engine.'),
            type=attributes.Schema.STRING),
        'node_addresses': attributes.Schema(
            _('IP addresses of the nodes.'),
            type=attributes.Schema.LIST),
        'master_addresses': attributes.Schema(
            _('IP addresses of the master nodes.'),
            type=attributes.Schema.LIST),
        'discovery_url': attributes.Schema(
            _('Discovery URL by which the nodes find each other.'),
            type=attributes.Schema.STRING),
        'create_timeout': attributes.Schema(
            _('Timeout of the creation of the cluster in minutes.'),
            type=attributes.Schema.INTEGER),
        'status': attributes.Schema(
            _('Status of the cluster.'),
            type=attributes.Schema.STRING),
        'status_reason': attributes.Schema(
            _('Reason for the status of the cluster.'),
            type=attributes.Schema.STRING),
        'coe_version': attributes.Schema(
            _('Version of the container orchestration engine.'),
            type=attributes.Schema.STRING),
        'container_version': attributes.Schema(
            _('Version of the container runtime.'),
            type=attributes.Schema.STRING),
    }

    rename = {'cluster_template': 'cluster_template_id'}
    ready = sdk_resource.WaitFor(
        ready=frozenset(f'{action}_COMPLETE' for action in _ACTIONS),
        pending=frozenset(f'{action}_IN_PROGRESS' for action in _ACTIONS),
        failed=frozenset(f'{action}_FAILED' for action in _ACTIONS),
        reason='status_reason')
    gone = sdk_resource.WaitFor(
        ready=frozenset(['DELETE_COMPLETE']),
        failed=frozenset(['DELETE_FAILED']), reason='status_reason')

    # What an update has asked for, by the names of requests.
    _asked: dict | None = None

    def prepare_update(self, body, prop_diff):
        """Remember what the cluster has to show in the end."""
        self._asked = dict(body)
        return body

    def check_update_complete(self, unsent):
        """Return whether the cluster has changed.

        Magnum shows the old status until it begins to.
        """
        live = self._show_resource()
        return self.ready.reached(live, self.name) and all(
            live.get(name) == value
            for name, value in (self._asked or {}).items())
