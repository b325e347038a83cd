"""Servers of EC2, which are servers of Nova."""
import collections.abc
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import resource
from heat.engine import support
from heat.engine.clients.os import nova
from heat.engine.resources import scheduler_hints
from heat.engine.resources import volume_base
from heat.engine.resources.aws.ec2 import instance_schema
from heat.engine.resources.aws.ec2 import tags
from heat.engine.resources.openstack.nova import port_handover

#: What is told of a server that has no address.
_NO_ADDRESS = '0.0.0.0'  # noqa: S104
_ZONE = 'OS-EXT-AZ:availability_zone'
#: The resource data with the port that was made for the server.
_PORT = 'port_id'
#: The last microversion in which networks may be left out.
_NETWORKS_UNTIL, _NETWORKS_REQUIRED = '2.36', '2.37'


class Instance(instance_schema.InstanceSchema, port_handover.PortHandover,
               resource.Resource, scheduler_hints.SchedulerHintsMixin):
    """Resource to manage AWS instances.

    It is a server of Nova, which heat-cfntools can find their way around
    in. Its tags, flavor and networks can change without another server
    taking its place.
    """

    type_name = 'AWS::EC2::Instance'
    support_status = support.SupportStatus()
    default_client_name = 'nova'
    patient = True
    physical_resource_name_limit = 53

    properties_schema = instance_schema.InstanceSchema.properties_schema
    attributes_schema = instance_schema.InstanceSchema.attributes_schema

    def validate(self):
        """Check what the schema cannot say."""
        problem = super().validate()
        written = self.properties.data
        if written.get(self.NETWORK_INTERFACES) and (
                written.get(self.SECURITY_GROUPS) or
                written.get(self.SECURITY_GROUP_IDS)):
            raise exception.ResourcePropertyConflict(
                '/'.join((self.SECURITY_GROUPS, self.SECURITY_GROUP_IDS)),
                self.NETWORK_INTERFACES)
        for index, mapping in enumerate(
                self.properties[self.BLOCK_DEVICE_MAPPINGS] or ()):
            ebs = mapping[self.EBS]
            if not ebs or not ebs.get(self.SNAPSHOT_ID):
                raise exception.StackValidationFailed(
                    path=[self.stack.t.get_section_name('resources'),
                          self.name, self.stack.t.RES_PROPERTIES,
                          self.BLOCK_DEVICE_MAPPINGS, index],
                    message=_('%(ebs)s with %(snapshot)s is needed') % {
                        'ebs': self.EBS, 'snapshot': self.SNAPSHOT_ID})
        return problem

    # -- creating -----------------------------------------------------------

    def handle_create(self):
        """Ask for the server, then wait for it and for its volumes."""
        props, plugin = self.properties, self.client_plugin()
        flavor = plugin.find_flavor_by_name_or_id(props[self.INSTANCE_TYPE])
        groups = self._security_groups()
        networks = self._networks(props[self.NETWORK_INTERFACES],
                                  props[self.SUBNET_ID], groups)
        user_data = plugin.build_userdata(
            self.metadata_get(refresh=True) or {},
            props[self.USER_DATA] or '')
        image = self.client_plugin('glance').find_image_by_name_or_id(
            props[self.IMAGE_ID])
        request = {
            'name': self.physical_resource_name(),
            'imageRef': image,
            'flavorRef': flavor,
            'key_name': props[self.KEY_NAME],
            'availability_zone': props[self.AVAILABILITY_ZONE],
            'user_data': nova.encoded(user_data) if user_data else None,
            'metadata': tags.as_map(props[self.TAGS]),
            'OS-SCH-HNT:scheduler_hints': self._scheduler_hints(
                self._hints()) or None,
            'block_device_mapping_v2': self._block_devices(image),
            'networks': networks,
        }
        if groups and networks is None:
            request['security_groups'] = [{'name': group}
                                          for group in groups]
        # Newer versions want to be told of networks.
        version = (_NETWORKS_UNTIL if networks is None and
                   plugin.is_version_supported(_NETWORKS_REQUIRED) else None)
        made = self.sdk(version=version).create_server(
            **plugin.given(request))
        self.resource_id_set(made.id)
        return self._created()

    def _security_groups(self):
        """Return the ids of the security groups."""
        names = [*(self.properties[self.SECURITY_GROUPS] or ()),
                 *(self.properties[self.SECURITY_GROUP_IDS] or ())]
        return names and self.client_plugin('neutron').get_secgroup_uuids(
            names)

    def _hints(self):
        hints: dict[str, Any] = {}
        for hint in self.properties[self.NOVA_SCHEDULER_HINTS] or ():
            key, value = hint[self.HINT_KEY], hint[self.HINT_VALUE]
            if key in hints:
                # A hint that is given again is a list.
                before = hints[key]
                hints[key] = [*(before if isinstance(before, list)
                                else [before]), value]
            else:
                hints[key] = value
        return hints

    def _networks(self, interfaces, subnet_id, groups):
        """Return the networks of a request, None for whatever there is."""
        if interfaces:
            return [{'port': port_id} for port_id in _port_ids(interfaces)]
        if not subnet_id:
            return None
        plugin = self.client_plugin('neutron')
        request = {
            'name': self.physical_resource_name(),
            'network_id': plugin.network_id_from_subnet_id(subnet_id),
            'fixed_ips': [{'subnet_id': subnet_id}]}
        if groups:
            request['security_groups'] = groups
        port_id = plugin.sdk().create_port(**request).id
        self.data_set(_PORT, port_id)
        return [{'port': port_id}]

    def find_created(self):
        """Look for what was made before its id could be recorded.

        It is not gone on with: it is deleted and made anew.
        """
        name = self.physical_resource_name()
        if self.properties[self.SUBNET_ID] and not self.data().get(_PORT):
            port = self.sdk('neutron').find_port(name,
                                                    ignore_missing=True)
            if port is not None:
                self.data_set(_PORT, port.id)
        if self.resource_id is None:
            for found in self.sdk().servers(details=False,
                                               name='^%s$' % name):
                if found.name == name:
                    self.resource_id_set(found.id)

    def _ports_given(self):
        return set(_port_ids(self.properties[self.NETWORK_INTERFACES] or ()))

    def _block_devices(self, image_id):
        mappings = self.properties[self.BLOCK_DEVICE_MAPPINGS]
        if not mappings:
            return None
        disks = [self._disk(mapping) for mapping in mappings]
        if not any(disk['boot_index'] == 0 for disk in disks):
            disks.insert(0, {
                'boot_index': 0, 'uuid': image_id, 'source_type': 'image',
                'destination_type': 'local', 'delete_on_termination': True})
        return disks

    def _disk(self, mapping):
        ebs = mapping[self.EBS]
        device = mapping[self.DEVICE_NAME].removeprefix('/dev/')
        disk = {
            'boot_index': 0 if device == 'vda' else -1,
            'uuid': ebs[self.SNAPSHOT_ID],
            'source_type': 'snapshot',
            'destination_type': 'volume',
            'device_name': device,
            'delete_on_termination': ebs[self.DELETE_ON_TERMINATION]}
        if ebs[self.VOLUME_SIZE]:
            disk['volume_size'] = int(ebs[self.VOLUME_SIZE])
        return disk

    def _created(self):
        """Wait for the server; then attach the volumes, one by one."""
        plugin = self.client_plugin()
        while True:
            server = plugin.fetch_server(self.resource_id)
            if server is not None and plugin._check_active(server,
                                                           'Instance'):
                break
            yield
        for volume in self.properties[self.VOLUMES] or ():
            plugin.attach_volume(self.resource_id, volume[self.VOLUME_ID],
                                 volume[self.VOLUME_DEVICE])
            while not self.client_plugin(
                    'cinder').check_attach_volume_complete(
                        volume[self.VOLUME_ID]):
                yield

    def check_create_complete(self, work):
        """Return whether the server has all it is to have."""
        return volume_base.is_done(work)

    # -- changing -----------------------------------------------------------

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to change what differs."""
        if tmpl_diff.metadata_changed():
            self.metadata_set(json_snippet.metadata() or {})
        if not prop_diff:
            return None
        return self._changed(prop_diff, json_snippet.properties(
            self.properties_schema, self.context))

    def _changed(self, prop_diff, wanted):
        plugin = self.client_plugin()
        if self.TAGS in prop_diff:
            plugin.meta_update(plugin.get_server(self.resource_id),
                               tags.as_map(prop_diff[self.TAGS]))
        if self.INSTANCE_TYPE in prop_diff:
            yield from plugin.resized(
                self.resource_id, plugin.find_flavor_by_name_or_id(
                    prop_diff[self.INSTANCE_TYPE]))
        if {self.NETWORK_INTERFACES, self.SUBNET_ID} & set(prop_diff):
            yield from self._connected(wanted)

    def _connected(self, wanted):
        """Attach the ports that are wanted, and no others."""
        plugin = self.client_plugin()
        before = {each.port_id for each in
                  self.sdk().server_interfaces(self.resource_id)}
        ours = self.data().get(_PORT)
        if not wanted[self.NETWORK_INTERFACES] and (
                wanted[self.SUBNET_ID] == self.properties[self.SUBNET_ID]
                ) and ours:
            networks = [{'port': ours}]
        else:
            networks = self._networks(wanted[self.NETWORK_INTERFACES],
                                      wanted[self.SUBNET_ID],
                                      self._security_groups())
        ports = [each['port'] for each in networks or ()]
        for port_id in sorted(before - set(ports)):
            plugin.interface_detach(self.resource_id, port_id)
            while not plugin.check_interface_detach(self.resource_id,
                                                    port_id):
                yield
        for port_id in [each for each in ports if each not in before]:
            plugin.interface_attach(self.resource_id, port_id)
            while not plugin.check_interface_attach(self.resource_id,
                                                    port_id):
                yield
        if ours and ours not in ports:
            self.sdk('neutron').delete_port(ours, ignore_missing=True)
            if self.data().get(_PORT) == ours:
                self.data_delete(_PORT)

    def check_update_complete(self, work):
        """Return whether all changes are made."""
        return volume_base.is_done(work)

    def metadata_update(self, new_metadata=None):
        """Take the metadata of the template again."""
        if new_metadata is None:
            self.metadata_set(self.t.metadata() or {})

    # -- looking, suspending, deleting --------------------------------------

    def handle_check(self):
        """Look whether the server is there and active."""
        plugin = self.client_plugin()
        server = plugin.get_server(self.resource_id)
        self._verify_check_conditions([{
            'attr': 'status', 'expected': 'ACTIVE',
            'current': plugin.get_status(server)}])

    def handle_suspend(self):
        """Ask for the server to be suspended, unless it is."""
        return self._ask_for('suspend', 'SUSPENDED')

    def handle_resume(self):
        """Ask for the server to go on, unless it does."""
        return self._ask_for('resume', 'ACTIVE')

    def _ask_for(self, action, state):
        if self.resource_id is None:
            raise exception.Error(_(
                'Cannot %(action)s %(name)s, resource_id not set') % {
                    'action': action, 'name': self.name})
        plugin = self.client_plugin()
        if plugin.get_status(plugin.get_server(self.resource_id)) != state:
            getattr(self.sdk(), action + '_server')(self.resource_id)
        return state

    def _is_in(self, state):
        plugin = self.client_plugin()
        server = plugin.fetch_server(self.resource_id)
        if server is None:
            return False
        status = plugin.get_status(server)
        if status == state:
            return True
        if status in ('ACTIVE', 'SUSPENDED') or (
                status in plugin.deferred_server_statuses):
            return False
        raise exception.ResourceUnknownStatus(
            resource_status=status, result=_('%(name)s is not %(state)s') % {
                'name': self.name, 'state': state})

    def check_suspend_complete(self, state):
        """Return whether the server is suspended."""
        return self._is_in(state)

    def check_resume_complete(self, state):
        """Return whether the server is active again."""
        return self._is_in(state)

    def handle_delete(self):
        """Begin to delete the server, and what was made for it."""
        if self.resource_id is not None:
            with self.client_plugin().ignore_not_found:
                self.sdk().delete_server(self.resource_id,
                                            ignore_missing=False)
        return self._deleted()

    def _deleted(self):
        while self.resource_id is not None and not (
                self.client_plugin().check_delete_server_complete(
                    self.resource_id)):
            yield
        port_id = self.data().get(_PORT)
        if port_id:
            self.sdk('neutron').delete_port(port_id, ignore_missing=True)
            self.data_delete(_PORT)

    def check_delete_complete(self, work):
        """Return whether the server is gone."""
        return volume_base.is_done(work)

    # -- what others see ----------------------------------------------------

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        plugin = self.client_plugin()
        if name == self.AVAILABILITY_ZONE_ATTR:
            return plugin.show_server(self.resource_id).get(_ZONE)
        return plugin.server_to_ipaddress(
            plugin.get_server(self.resource_id)) or _NO_ADDRESS


def _port_ids(interfaces):
    """Return the ids of ports, in the order of their devices."""
    def place(interface):
        return (int(interface.get('DeviceIndex') or 0)
                if isinstance(interface, collections.abc.Mapping) else 0)

    return [each['NetworkInterfaceId'] if isinstance(
        each, collections.abc.Mapping) else each
        for each in sorted(interfaces, key=place)]
