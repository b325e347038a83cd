"""Servers of EC2, which are servers of Nova."""
import functools
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import resource
from heat.engine import support
from heat.engine.clients.os import nova
from heat.engine.resources import scheduler_hints
from heat.engine.resources import volume_base
from heat.engine.resources.aws.ec2 import instance_networks
from heat.engine.resources.aws.ec2 import instance_schema
from heat.engine.resources.aws.ec2 import tags

#: What is told of a server that has no address.
_NO_ADDRESS = '0.0.0.0'  # noqa: S104
_ZONE = 'OS-EXT-AZ:availability_zone'
#: The last microversion in which networks may be left out.
_NETWORKS_UNTIL, _NETWORKS_REQUIRED = '2.36', '2.37'


class Instance(resource.Resource, scheduler_hints.SchedulerHintsMixin):
    """An EC2 instance.

    It is implemented as a server of Nova and prepared for
    heat-cfntools. Updates of its tags, flavor and networks do not
    replace the server.
    """

    type_name = 'AWS::EC2::Instance'
    support_status = support.SupportStatus()
    default_client_name = 'nova'
    patient = True
    looks_together = True
    physical_resource_name_limit = 53

    PROPERTIES = (
        IMAGE_ID, INSTANCE_TYPE, KEY_NAME, AVAILABILITY_ZONE,
        DISABLE_API_TERMINATION, KERNEL_ID, MONITORING,
        PLACEMENT_GROUP_NAME, PRIVATE_IP_ADDRESS, RAM_DISK_ID,
        SECURITY_GROUPS, SECURITY_GROUP_IDS, NETWORK_INTERFACES,
        SOURCE_DEST_CHECK, SUBNET_ID, TAGS, NOVA_SCHEDULER_HINTS, TENANCY,
        USER_DATA, VOLUMES, BLOCK_DEVICE_MAPPINGS,
    ) = (
        'ImageId', 'InstanceType', 'KeyName', 'AvailabilityZone',
        'DisableApiTermination', 'KernelId', 'Monitoring',
        'PlacementGroupName', 'PrivateIpAddress', 'RamDiskId',
        'SecurityGroups', 'SecurityGroupIds', 'NetworkInterfaces',
        'SourceDestCheck', 'SubnetId', 'Tags', 'NovaSchedulerHints',
        'Tenancy', 'UserData', 'Volumes', 'BlockDeviceMappings',
    )

    _HINT_KEYS = (HINT_KEY, HINT_VALUE) = ('Key', 'Value')

    _VOLUME_KEYS = (
        VOLUME_DEVICE, VOLUME_ID,
    ) = (
        'Device', 'VolumeId',
    )

    _MAPPING_KEYS = (
        DEVICE_NAME, EBS, NO_DEVICE, VIRTUAL_NAME,
    ) = (
        'DeviceName', 'Ebs', 'NoDevice', 'VirtualName',
    )

    _EBS_KEYS = (
        DELETE_ON_TERMINATION, IOPS, SNAPSHOT_ID, VOLUME_SIZE, VOLUME_TYPE,
    ) = (
        'DeleteOnTermination', 'Iops', 'SnapshotId', 'VolumeSize',
        'VolumeType',
    )

    ATTRIBUTES = (
        AVAILABILITY_ZONE_ATTR, PRIVATE_DNS_NAME, PUBLIC_DNS_NAME,
        PRIVATE_IP, PUBLIC_IP,
    ) = (
        'AvailabilityZone', 'PrivateDnsName', 'PublicDnsName', 'PrivateIp',
        'PublicIp',
    )

    properties_schema = instance_schema.PROPERTIES
    attributes_schema = instance_schema.ATTRIBUTES

    @functools.cached_property
    def _network_cards(self):
        return instance_networks.InstanceNetworks(self)

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
                    message=_('%(ebs)s with %(snapshot)s is required') % {
                        'ebs': self.EBS, 'snapshot': self.SNAPSHOT_ID})
        return problem

    # -- creating -----------------------------------------------------------

    def handle_create(self):
        """Ask for the server, then wait for it and for its volumes."""
        props, plugin = self.properties, self.client_plugin()
        flavor = plugin.find_flavor_by_name_or_id(props[self.INSTANCE_TYPE])
        groups = self._network_cards.security_groups()
        networks = self._network_cards.requested(props, groups)
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

    def find_created(self):
        """Look for what was made before its id could be recorded.

        It is not gone on with: it is deleted and made anew.
        """
        name = self.physical_resource_name()
        self._network_cards.find_port()
        if self.resource_id is None:
            for found in self.sdk().servers(details=False,
                                               name='^%s$' % name):
                if found.name == name:
                    self.resource_id_set(found.id)

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
        while not plugin.is_built(self.resource_id, 'Instance'):
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
            plugin.replace_metadata(self.resource_id,
                                    tags.as_map(prop_diff[self.TAGS]))
        if self.INSTANCE_TYPE in prop_diff:
            yield from plugin.resized(
                self.resource_id, plugin.find_flavor_by_name_or_id(
                    prop_diff[self.INSTANCE_TYPE]))
        if {self.NETWORK_INTERFACES, self.SUBNET_ID} & set(prop_diff):
            yield from self._network_cards.connected(wanted)

    def check_update_complete(self, work):
        """Return whether all changes are made."""
        return volume_base.is_done(work)

    def metadata_update(self, new_metadata=None):
        """Take the metadata of the template again."""
        if new_metadata is None:
            self.metadata_set(self.t.metadata() or {})

    # -- replacing ----------------------------------------------------------

    def prepare_for_replace(self):
        """Give up ports: the replacement may want them."""
        self._network_cards.handover.lend()

    def check_prepare_for_replace_complete(self, _token):
        """Return whether our ports are free."""
        return self._network_cards.handover.is_done()

    def restore_prev_rsrc(self, convergence=False):
        """Take back what the replacement was to have."""
        self._network_cards.handover.take_back(convergence)

    def check_restore_prev_rsrc_complete(self, _token):
        """Return whether we have our ports again."""
        return self._network_cards.handover.is_done()

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
        if plugin.must_be_asked(plugin.get_server(self.resource_id), action,
                                state):
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
        self._network_cards.delete_port()

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
