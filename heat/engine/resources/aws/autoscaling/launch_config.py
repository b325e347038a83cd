"""AWS::AutoScaling::LaunchConfiguration: how to make a server."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import function
from heat.engine import properties
from heat.engine import resource


class LaunchConfiguration(resource.Resource):
    """The settings of the servers in a group.

    It creates nothing in the cloud. Any change replaces the launch
    configuration.
    """

    PROPERTIES = (
        IMAGE_ID, INSTANCE_TYPE, KEY_NAME, USER_DATA, SECURITY_GROUPS,
        KERNEL_ID, RAM_DISK_ID, BLOCK_DEVICE_MAPPINGS, NOVA_SCHEDULER_HINTS,
        INSTANCE_ID,
    ) = (
        'ImageId', 'InstanceType', 'KeyName', 'UserData', 'SecurityGroups',
        'KernelId', 'RamDiskId', 'BlockDeviceMappings', 'NovaSchedulerHints',
        'InstanceId',
    )

    _BLOCK_DEVICE_MAPPING_KEYS = (
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

    _HINT_KEYS = (
        HINT_KEY, HINT_VALUE,
    ) = (
        'Key', 'Value',
    )

    properties_schema = {
        INSTANCE_ID: properties.Schema(
            properties.Schema.STRING,
            _('ID of a server whose settings new servers copy.'),
            constraints=[constraints.CustomConstraint('nova.server')]),
        IMAGE_ID: properties.Schema(
            properties.Schema.STRING,
            _('Name or ID of the image.'),
            constraints=[constraints.CustomConstraint('glance.image')]),
        INSTANCE_TYPE: properties.Schema(
            properties.Schema.STRING,
            _('Name or ID of the flavor.'),
            constraints=[constraints.CustomConstraint('nova.flavor')]),
        KEY_NAME: properties.Schema(
            properties.Schema.STRING,
            _('Name of the key pair.'),
            constraints=[constraints.CustomConstraint('nova.keypair')]),
        USER_DATA: properties.Schema(
            properties.Schema.STRING,
            _('User data that the server receives when it boots.')),
        SECURITY_GROUPS: properties.Schema(
            properties.Schema.LIST,
            _('Names or IDs of the security groups.')),
        KERNEL_ID: properties.Schema(
            properties.Schema.STRING,
            _('ID of the kernel image.'),
            implemented=False),
        RAM_DISK_ID: properties.Schema(
            properties.Schema.STRING,
            _('ID of the RAM disk image.'),
            implemented=False),
        BLOCK_DEVICE_MAPPINGS: properties.Schema(
            properties.Schema.LIST,
            _('Volumes to create and attach to each server.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                _('One volume.'),
                schema={
                    DEVICE_NAME: properties.Schema(
                        properties.Schema.STRING,
                        _('Name of the device, for example vda.'),
                        required=True),
                    EBS: properties.Schema(
                        properties.Schema.MAP,
                        _('Settings of the volume.'),
                        schema={
                            DELETE_ON_TERMINATION: properties.Schema(
                                properties.Schema.BOOLEAN,
                                _('Whether the volume is deleted with the '
                                  'server.'),
                                default=True),
                            IOPS: properties.Schema(
                                properties.Schema.NUMBER,
                                _('Number of I/O operations per second.'),
                                implemented=False),
                            SNAPSHOT_ID: properties.Schema(
                                properties.Schema.STRING,
                                _('ID of the snapshot from which the volume '
                                  'is created.'),
                                constraints=[constraints.CustomConstraint(
                                    'cinder.snapshot')]),
                            VOLUME_SIZE: properties.Schema(
                                properties.Schema.STRING,
                                _('Size in GB. Defaults to the size of the '
                                  'snapshot.')),
                            VOLUME_TYPE: properties.Schema(
                                properties.Schema.STRING,
                                _('Volume type.'),
                                implemented=False),
                        }),
                    NO_DEVICE: properties.Schema(
                        properties.Schema.MAP,
                        _('Suppresses the device of this name.'),
                        implemented=False),
                    VIRTUAL_NAME: properties.Schema(
                        properties.Schema.STRING,
                        _('Name of the virtual device.'),
                        implemented=False),
                })),
        NOVA_SCHEDULER_HINTS: properties.Schema(
            properties.Schema.LIST,
            _('Hints for the scheduler that places the servers.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                _('One scheduler hint.'),
                schema={
                    HINT_KEY: properties.Schema(
                        properties.Schema.STRING,
                        _('Name of the scheduler hint.'),
                        required=True),
                    HINT_VALUE: properties.Schema(
                        properties.Schema.STRING,
                        _('Value of the scheduler hint.'),
                        required=True),
                })),
    }

    def validate(self):
        """Check that what a server needs is given, directly or by example.
        """
        super().validate()
        if self.properties[self.INSTANCE_ID]:
            return
        missing = [name for name in (self.IMAGE_ID, self.INSTANCE_TYPE)
                   if name not in self.properties.data]
        if missing:
            raise exception.StackValidationFailed(message=_(
                '%(missing)s is required if %(instance)s is not '
                'specified.') % {
                    'instance': self.INSTANCE_ID,
                    'missing': ' and '.join(missing)})

    def handle_create(self):
        """Take over what is not given from the server named as example."""
        instance_id = self.properties[self.INSTANCE_ID]
        if not instance_id:
            return
        server = self.client_plugin('nova').get_server(instance_id)
        values = function.resolve(self.properties.data)
        for name, value in (
                (self.IMAGE_ID, server.image['id']),
                (self.INSTANCE_TYPE, server.flavor['id']),
                (self.KEY_NAME, server.key_name),
                (self.SECURITY_GROUPS, [
                    group['name'] for group
                    in server.security_groups or ()])):
            if value:
                values.setdefault(name, value)
        self.update_stored_properties(values)

    def needs_replace_with_tmpl_diff(self, tmpl_diff):
        """Return whether the metadata changes: servers keep what they had."""
        return tmpl_diff.metadata_changed()

    def get_reference_id(self):
        """Return the unique name, by which groups find us."""
        return self.physical_resource_name_or_FnGetRefId()


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'AWS::AutoScaling::LaunchConfiguration': LaunchConfiguration,
    }
