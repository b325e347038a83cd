"""The property and attribute schemata of EC2 instances."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine.resources.aws.ec2 import tags


def _custom(name):
    return [constraints.CustomConstraint(name)]


_ebs = {
    'DeleteOnTermination': properties.boolean(
        _('Whether the volume is deleted with the server.'),
        default=True),
    'Iops': properties.number(
        _('Number of I/O operations per second of the volume.'),
        implemented=False),
    'SnapshotId': properties.string(
        _('Snapshot from which the volume is created.'),
        constraints=_custom('cinder.snapshot')),
    'VolumeSize': properties.string(
        _('Size in GiB. Defaults to the size of the snapshot.')),
    'VolumeType': properties.string(
        _('Volume type.'), implemented=False),
}

PROPERTIES = {
    'ImageId': properties.string(
        _('Image of the server, by name or ID.'),
        required=True,
        constraints=_custom('glance.image')),
    'InstanceType': properties.string(
        _('Flavor of the server, by name or ID.'),
        required=True,
        update_allowed=True,
        constraints=_custom('nova.flavor')),
    'KeyName': properties.string(
        _('Name of the key pair for SSH access.'),
        constraints=_custom('nova.keypair')),
    'AvailabilityZone': properties.string(
        _('Availability zone in which the server is created.')),
    'DisableApiTermination': properties.string(
        _('Whether the server is protected from '
          'deletion.'), implemented=False),
    'KernelId': properties.string(
        _('ID of the kernel image.'), implemented=False),
    'Monitoring': properties.boolean(
        _('Whether detailed monitoring is enabled.'), implemented=False),
    'PlacementGroupName': properties.string(
        _('Name of the placement group.'), implemented=False),
    'PrivateIpAddress': properties.string(
        _('Private IP address of the server.'), implemented=False),
    'RamDiskId': properties.string(
        _('ID of the RAM disk image.'), implemented=False),
    'SecurityGroups': properties.list(
        _('Security groups of the server, by name or ID.')),
    'SecurityGroupIds': properties.list(
        _('IDs of security groups to apply in addition to SecurityGroups.')),
    'NetworkInterfaces': properties.list(
        _('Network interfaces of the server: port IDs, or maps with the keys '
          'NetworkInterfaceId and DeviceIndex.'),
        update_allowed=True),
    'SourceDestCheck': properties.boolean(
        _('Whether packets with a source or destination address other than '
          'those of the interface are dropped.'),
        implemented=False),
    'SubnetId': properties.string(
        _('ID of the subnet of the server. A port with an address of the '
          'subnet is created.'),
        update_allowed=True),
    'Tags': tags.schema(update_allowed=True),
    'NovaSchedulerHints': properties.list(
        _('Hints for the scheduler that places the server.'),
        schema=properties.map(_('One scheduler hint.'), schema={
            'Key': properties.string(
                _('Name of the scheduler hint.'), required=True),
            'Value': properties.string(
                _('Value of the scheduler hint.'), required=True),
        })),
    'Tenancy': properties.string(
        _('Tenancy of the server: whether it runs on a dedicated host.'),
        constraints=[constraints.AllowedValues(['dedicated',
                                                'default'])],
        implemented=False),
    'UserData': properties.string(
        _('User data of the server, processed by cloud-init.')),
    'Volumes': properties.list(
        _('Volumes to attach when the server is active.'),
        default=[],
        schema=properties.map(_('One volume.'), schema={
            'Device': properties.string(
                _('Name of the device.'), required=True),
            'VolumeId': properties.string(
                _('ID of the volume.'),
                required=True,
                constraints=_custom('cinder.volume')),
        })),
    'BlockDeviceMappings': properties.list(
        _('Volumes to create from snapshots and attach when the server is '
          'created.'),
        schema=properties.map(_('One volume.'), schema={
            'DeviceName': properties.string(
                _('Name of the device, for example vdb. The server boots from '
                  'vda.'),
                required=True),
            'Ebs': properties.map(
                _('Settings of the volume.'), schema=_ebs),
            'NoDevice': properties.map(
                _('Suppresses the device that the image defines.'),
                implemented=False),
            'VirtualName': properties.string(
                _('Name of the virtual device.'), implemented=False),
        })),
}

ATTRIBUTES = {
    'AvailabilityZone': attributes.Schema(
        _('Availability zone of the server.'),
        type=attributes.Schema.STRING),
    'PrivateDnsName': attributes.Schema(
        _('IP address of the server. DNS names are not available.'),
        type=attributes.Schema.STRING),
    'PublicDnsName': attributes.Schema(
        _('IP address of the server. DNS names are not available.'),
        type=attributes.Schema.STRING),
    'PrivateIp': attributes.Schema(
        _('Private IP address of the server.'),
        type=attributes.Schema.STRING),
    'PublicIp': attributes.Schema(
        _('Private IP address of the server.'),
        type=attributes.Schema.STRING),
}
