"""The property and attribute schemata of EC2 instances."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine.resources.aws.ec2 import tags


def _custom(name):
    return [constraints.CustomConstraint(name)]


class InstanceSchema:
    """The properties and attributes of AWS::EC2::Instance."""

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

    _ebs = {
        DELETE_ON_TERMINATION: properties.boolean(
            _('Whether the volume is deleted with the server.'),
            default=True),
        IOPS: properties.number(
            _('How many operations a second the volume can do.'),
            implemented=False),
        SNAPSHOT_ID: properties.string(
            _('The snapshot of a volume that the volume is made of.'),
            constraints=_custom('cinder.snapshot')),
        VOLUME_SIZE: properties.string(
            _('The size in GiB; by default that of the snapshot.')),
        VOLUME_TYPE: properties.string(
            _('The type of the volume.'), implemented=False),
    }

    properties_schema = {
        IMAGE_ID: properties.string(
            _('The image to start from, by name or id.'),
            required=True,
            constraints=_custom('glance.image')),
        INSTANCE_TYPE: properties.string(
            _('The flavor, by name or id.'),
            required=True,
            update_allowed=True,
            constraints=_custom('nova.flavor')),
        KEY_NAME: properties.string(
            _('The key pair whose owner may log in.'),
            constraints=_custom('nova.keypair')),
        AVAILABILITY_ZONE: properties.string(
            _('The availability zone.')),
        DISABLE_API_TERMINATION: properties.string(
            _('Whether the server cannot be deleted.'), implemented=False),
        KERNEL_ID: properties.string(
            _('The id of a kernel.'), implemented=False),
        MONITORING: properties.boolean(
            _('Whether the server is watched closely.'), implemented=False),
        PLACEMENT_GROUP_NAME: properties.string(
            _('The name of a placement group.'), implemented=False),
        PRIVATE_IP_ADDRESS: properties.string(
            _('The address of the server.'), implemented=False),
        RAM_DISK_ID: properties.string(
            _('The id of a RAM disk.'), implemented=False),
        SECURITY_GROUPS: properties.list(
            _('Names or ids of security groups.')),
        SECURITY_GROUP_IDS: properties.list(
            _('Ids of security groups, beside those in SecurityGroups.')),
        NETWORK_INTERFACES: properties.list(
            _('The network interfaces: ids of ports, or maps of '
              'NetworkInterfaceId and DeviceIndex.'),
            update_allowed=True),
        SOURCE_DEST_CHECK: properties.boolean(
            _('Whether packets from and to other addresses are dropped.'),
            implemented=False),
        SUBNET_ID: properties.string(
            _('The subnet in which the server has an address.'),
            update_allowed=True),
        TAGS: tags.schema(update_allowed=True),
        NOVA_SCHEDULER_HINTS: properties.list(
            _('Hints by which the scheduler finds a host.'),
            schema=properties.map(_('A hint.'), schema={
                HINT_KEY: properties.string(
                    _('The name of the hint.'), required=True),
                HINT_VALUE: properties.string(
                    _('What is hinted.'), required=True),
            })),
        TENANCY: properties.string(
            _('Whether the server has a machine to itself.'),
            constraints=[constraints.AllowedValues(['dedicated',
                                                    'default'])],
            implemented=False),
        USER_DATA: properties.string(
            _('What cloud-init does when the server starts.')),
        VOLUMES: properties.list(
            _('Volumes to be attached once the server is there.'),
            default=[],
            schema=properties.map(_('A volume.'), schema={
                VOLUME_DEVICE: properties.string(
                    _('The name of the device.'), required=True),
                VOLUME_ID: properties.string(
                    _('The id of the volume.'),
                    required=True,
                    constraints=_custom('cinder.volume')),
            })),
        BLOCK_DEVICE_MAPPINGS: properties.list(
            _('Volumes that are made with the server, of snapshots.'),
            schema=properties.map(_('A volume.'), schema={
                DEVICE_NAME: properties.string(
                    _('The name of the device, such as vdb; the server '
                      'starts from vda.'),
                    required=True),
                EBS: properties.map(
                    _('What the volume is made of.'), schema=_ebs),
                NO_DEVICE: properties.map(
                    _('What the image says, to be left out.'),
                    implemented=False),
                VIRTUAL_NAME: properties.string(
                    _('The name of a virtual device.'), implemented=False),
            })),
    }

    attributes_schema = {
        AVAILABILITY_ZONE_ATTR: attributes.Schema(
            _('The availability zone that the server is in.'),
            type=attributes.Schema.STRING),
        PRIVATE_DNS_NAME: attributes.Schema(
            _('The address of the server; there is no name for it.'),
            type=attributes.Schema.STRING),
        PUBLIC_DNS_NAME: attributes.Schema(
            _('The address of the server; there is no name for it.'),
            type=attributes.Schema.STRING),
        PRIVATE_IP: attributes.Schema(
            _('The address of the server.'),
            type=attributes.Schema.STRING),
        PUBLIC_IP: attributes.Schema(
            _('The address of the server.'),
            type=attributes.Schema.STRING),
    }
