"""Cluster templates of Magnum."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class ClusterTemplate(sdk_resource.SDKResource):
    """A cluster template of Magnum.

    It describes the servers, networks and drivers of clusters.
    """

    type_name = 'OS::Magnum::ClusterTemplate'
    support_status = support.SupportStatus(version='9.0.0')
    default_client_name = 'magnum'
    entity = 'cluster_templates'
    noun = 'cluster_template'

    #: Gigabytes that the storage driver devicemapper needs.
    _MIN_DEVICEMAPPER = 3
    #: The orchestration engines that can use a volume driver.
    _VOLUME_DRIVERS = {'cinder': ('kubernetes',),
                       'rexray': ('swarm', 'mesos')}

    properties_schema = {
        'name': properties.string(
            _('Name of the cluster template.')),
        'image': properties.string(
            _('Image from which the servers boot, by name or ID.'),
            required=True,
            constraints=[constraints.CustomConstraint('glance.image')]),
        'flavor': properties.string(
            _('Flavor of the nodes.'),
            constraints=[constraints.CustomConstraint('nova.flavor')]),
        'master_flavor': properties.string(
            _('Flavor of the master nodes.'),
            constraints=[constraints.CustomConstraint('nova.flavor')]),
        'keypair': properties.string(
            _('Key pair for SSH access to the servers.'),
            constraints=[constraints.CustomConstraint('nova.keypair')]),
        'external_network': properties.string(
            _('External network that provides external connectivity to the '
              'clusters, by name or ID.'),
            required=True,
            constraints=[constraints.ref('neutron.network')]),
        'fixed_network': properties.string(
            _('Network of the servers, by name or ID. By default a network is '
              'created for each cluster.'),
            constraints=[constraints.ref('neutron.network')]),
        'fixed_subnet': properties.string(
            _('Subnet of the servers, by name or ID.'),
            constraints=[constraints.ref('neutron.subnet')]),
        'dns_nameserver': properties.string(
            _('DNS server that the servers use.'),
            constraints=[constraints.CustomConstraint('ip_addr')]),
        'docker_volume_size': properties.integer(
            _('Size in gigabytes of the volume that stores container images '
              'on each server.'),
            constraints=[constraints.Range(min=1)]),
        'docker_storage_driver': properties.string(
            _('Storage driver for container images and writable layers.'),
            default='devicemapper',
            constraints=[constraints.AllowedValues([
                'devicemapper', 'overlay'])]),
        'coe': properties.string(
            _('Container orchestration engine of the clusters.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'kubernetes', 'swarm', 'mesos'])]),
        'network_driver': properties.string(
            _('Network driver of the containers.')),
        'volume_driver': properties.string(
            _('Volume driver of the containers.'),
            constraints=[constraints.AllowedValues(['cinder', 'rexray'])]),
        'http_proxy': properties.string(
            _('URL of the HTTP proxy.')),
        'https_proxy': properties.string(
            _('URL of the HTTPS proxy.')),
        'no_proxy': properties.string(
            _('Comma-separated addresses that are reached without a '
              'proxy.')),
        'labels': properties.map(
            _('Labels: key-value parameters for the cluster driver.')),
        'tls_disabled': properties.boolean(
            _('Whether TLS is disabled for the API of the clusters.'),
            default=False),
        'public': properties.boolean(
            _('Whether the cluster template is available to other projects. '
              'By default only administrators may publish one.'),
            default=False,
            update_allowed=True),
        'registry_enabled': properties.boolean(
            _('Whether each cluster runs its own image registry.'),
            default=False),
        'server_type': properties.string(
            _('Whether clusters run on virtual machines ("vm") or on bare '
              'metal ("bm").'),
            default='vm',
            constraints=[constraints.AllowedValues(['vm', 'bm'])]),
        'floating_ip_enabled': properties.boolean(
            _('Whether the servers have floating IPs.'),
            default=True),
        'master_lb_enabled': properties.boolean(
            _('Whether a load balancer is in front of the masters.'),
            default=True),
    }

    rename = {'image': 'image_id', 'flavor': 'flavor_id',
              'master_flavor': 'master_flavor_id', 'keypair': 'keypair_id',
              'external_network': 'external_network_id'}

    def validate(self):
        """Check that the drivers suit each other."""
        problem = super().validate()
        driver, coe = self.properties['volume_driver'], self.properties['coe']
        if driver and coe not in self._VOLUME_DRIVERS[driver]:
            raise self._refuse('volume_driver', _(
                'The volume driver "%(driver)s" does not support %(coe)s') % {
                    'driver': driver, 'coe': coe})
        size = self.properties['docker_volume_size']
        if (self.properties['docker_storage_driver'] == 'devicemapper' and
                size and size < self._MIN_DEVICEMAPPER):
            raise self._refuse('docker_volume_size', _(
                'The storage driver "devicemapper" requires at least %d '
                'GB') % self._MIN_DEVICEMAPPER)
        return problem

    def translation_rules(self, props):
        """Return rules that make ids of names of networks and subnets."""
        return super().translation_rules(props)

    def _refuse(self, name, message):
        return exception.StackValidationFailed(
            path=[self.stack.t.get_section_name('resources'), self.name,
                  self.stack.t.RES_PROPERTIES, name], message=message)
