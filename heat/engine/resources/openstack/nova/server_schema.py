"""The property and attribute schemata of a Nova server."""
from oslo_config import cfg

from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import server_base
from heat.engine.resources.openstack.neutron import neutron
from heat.engine.resources.openstack.neutron import port

_VOLUME_KEYS = {
    'volume_id': properties.string(
        _('ID of the volume to use as the disk.'),
        constraints=[constraints.CustomConstraint('cinder.volume')]),
    'snapshot_id': properties.string(
        _('ID of the snapshot from which a volume is created.'),
        constraints=[constraints.CustomConstraint('cinder.snapshot')]),
    'volume_size': properties.integer(
        _('Size in GB of the volume to create.')),
    'delete_on_termination': properties.boolean(
        _('Whether the volume is deleted when the server is deleted.')),
}

PROPERTIES = {
    'name': properties.string(
        _('Name of the server. If omitted, a name is generated.'),
        update_allowed=True),
    'image': properties.string(
        _('Image from which the server boots, by name or ID. Not required if '
          'the server boots from a block device.'),
        constraints=[constraints.CustomConstraint('glance.image')],
        update_allowed=True),
    'block_device_mapping': properties.list(
        _('Volumes to attach as disks. block_device_mapping_v2 supports more '
          'settings.'),
        schema=properties.map(
            _('One volume.'),
            schema={
                'device_name': properties.string(
                    _('Device name of the disk on the server, for example '
                      'vda. The hypervisor may choose another name.'),
                    required=True),
                **_VOLUME_KEYS,
            })),
    'block_device_mapping_v2': properties.list(
        _('Disks of the server: existing volumes, volumes created from '
          'snapshots and images, swap space and ephemeral disks.'),
        schema=properties.map(
            _('One disk.'),
            schema={
                'device_name': properties.string(
                    _('Device name of the disk on the server, for example '
                      'vda. The hypervisor may choose another name.')),
                **_VOLUME_KEYS,
                'image_id': properties.string(
                    _('Deprecated name of "image".'),
                    constraints=[
                        constraints.CustomConstraint('glance.image')],
                    support_status=neutron.hidden('9.0.0', '7.0.0',
                                                  '5.0.0')),
                'image': properties.string(
                    _('Image from which a volume is created, by name or ID.'),
                    constraints=[
                        constraints.CustomConstraint('glance.image')],
                    support_status=support.SupportStatus(
                        version='7.0.0')),
                'device_type': properties.string(
                    _('Type of the device as presented to the server.'),
                    constraints=[constraints.AllowedValues(
                        ['cdrom', 'disk'])]),
                'disk_bus': properties.string(
                    _('Bus of the disk. The supported values depend on the '
                      'hypervisor.'),
                    constraints=[constraints.AllowedValues(
                        ['ide', 'lame_bus', 'sata', 'scsi', 'usb',
                         'virtio'])]),
                'boot_index': properties.integer(
                    _('Boot order of the disk; 0 for the boot disk.')),
                'swap_size': properties.integer(
                    _('Size in MB of a swap disk.')),
                'ephemeral_size': properties.integer(
                    _('Size in GB of an ephemeral disk, which is deleted with '
                      'the server.'),
                    constraints=[constraints.Range(min=1)],
                    support_status=support.SupportStatus(
                        version='8.0.0')),
                'ephemeral_format': properties.string(
                    _('File system of the ephemeral disk.'),
                    constraints=[constraints.AllowedValues(
                        ['ext2', 'ext3', 'ext4', 'xfs', 'ntfs'])],
                    support_status=support.SupportStatus(
                        version='8.0.0')),
                'volume_type': properties.string(
                    _('Type of the volume to create, by name or ID.'),
                    constraints=[
                        constraints.CustomConstraint('cinder.vtype')],
                    support_status=support.SupportStatus(
                        version='26.0.0')),
            }),
        support_status=support.SupportStatus(version='2015.1')),
    'flavor': properties.string(
        _('Name or ID of the flavor of the server.'),
        required=True,
        constraints=[constraints.CustomConstraint('nova.flavor')],
        update_allowed=True),
    'flavor_update_policy': properties.string(
        _('Effect of a change of the flavor: resize or replace the '
          'server.'),
        default='RESIZE',
        constraints=[constraints.AllowedValues(['RESIZE', 'REPLACE'])],
        update_allowed=True),
    'image_update_policy': properties.string(
        _('Effect of a change of the image: rebuild the server, '
          'optionally preserving its ephemeral disks, or replace it.'),
        default='REBUILD',
        constraints=[constraints.AllowedValues(
            ['REBUILD', 'REPLACE', 'REBUILD_PRESERVE_EPHEMERAL'])],
        update_allowed=True),
    'key_name': properties.string(
        _('Name of the key pair for SSH access to the server.'),
        constraints=[constraints.CustomConstraint('nova.keypair')]),
    'admin_user': properties.string(
        _('Name of the administrative user on the server. Defaults to the '
          'user that the image defines.'),
        support_status=neutron.hidden('5.0.0', '2014.1', '2013.2')),
    'availability_zone': properties.string(
        _('Availability zone in which the server is created.')),
    'security_groups': properties.list(
        _('Security groups of the ports that are created for the server, by '
          'name or ID. Existing ports keep their own security groups.'),
        default=[]),
    'networks': properties.list(
        _('Network interfaces of the server, in order. If omitted, the server '
          'is attached to the network of the project.'),
        schema=properties.map(
            _('One network interface.'),
            schema={
                'uuid': properties.string(
                    _('Deprecated name of "network".'),
                    constraints=[
                        constraints.CustomConstraint('neutron.network')],
                    support_status=neutron.hidden('5.0.0', '2014.1')),
                'network': properties.string(
                    _('Network on which a port is created for the server, by '
                      'name or ID.'),
                    constraints=[
                        constraints.CustomConstraint('neutron.network')]),
                'allocate_network': properties.string(
                    _('Automatic network allocation: Nova chooses or '
                      'creates a network (auto), or attaches none (none). '
                      'No other key may be set beside it.'),
                    constraints=[constraints.AllowedValues(
                        ['none', 'auto'])],
                    update_allowed=True,
                    support_status=support.SupportStatus(
                        version='9.0.0')),
                'fixed_ip': properties.string(
                    _('Fixed IP address of the port to create.'),
                    constraints=[
                        constraints.CustomConstraint('ip_addr')]),
                'port': properties.string(
                    _('Existing port to attach, by name or ID.'),
                    constraints=[
                        constraints.CustomConstraint('neutron.port')]),
                'port_extra_properties': properties.map(
                    _('Additional properties of the port to be created.'),
                    schema=port.Port.extra_properties_schema,
                    update_allowed=True,
                    support_status=support.SupportStatus(
                        version='6.0.0')),
                'subnet': properties.string(
                    _('Subnet from which the port to create gets its address, '
                      'by name or ID.'),
                    support_status=support.SupportStatus(
                        version='5.0.0')),
                'floating_ip': properties.string(
                    _('ID of the floating IP to associate with the port.'),
                    support_status=support.SupportStatus(
                        version='6.0.0')),
                'tag': properties.string(
                    _('Device tag by which the operating system of the server '
                      'identifies the network interface.'),
                    support_status=support.SupportStatus(
                        version='9.0.0')),
            }),
        update_allowed=True),
    'scheduler_hints': properties.map(
        _('Hints for the scheduler that places the server.')),
    'metadata': properties.map(
        _('Arbitrary key-value metadata that Nova stores for the server. It '
          'is distinct from the metadata of the resource.'),
        default={},
        update_allowed=True),
    'user_data_format': properties.string(
        _('Format of the user data. HEAT_CFNTOOLS adds the data that '
          'heat-cfntools needs, SOFTWARE_CONFIG the data that agents of '
          'software deployments need. RAW passes the data unchanged.'),
        default=cfg.CONF.default_user_data_format,
        constraints=[constraints.AllowedValues(
            ('HEAT_CFNTOOLS', 'RAW', 'SOFTWARE_CONFIG'))]),
    **server_base.deployment_properties(),
    'user_data_update_policy': properties.string(
        _('Effect of a change of user_data: replace the server, rebuild '
          'it, or ignore the change.'),
        default='REPLACE',
        constraints=[constraints.AllowedValues(
            ['REPLACE', 'IGNORE', 'REBUILD'])],
        update_allowed=True,
        support_status=support.SupportStatus(version='6.0.0')),
    'user_data': properties.string(
        _('User data of the server: a script or other data for '
          'cloud-init, or the ID of a software config.'),
        default='',
        update_allowed=True),
    'reservation_id': properties.string(
        _('Reservation ID of a set of servers that are requested together. It '
          'has no effect, because each server is requested separately.')),
    'config_drive': properties.boolean(
        _('Whether the user data is provided on a configuration drive.')),
    'diskConfig': properties.string(
        _('Whether the partition of the image is extended to the size of '
          'the disk (AUTO) or left unchanged (MANUAL).'),
        constraints=[constraints.AllowedValues(['AUTO', 'MANUAL'])]),
    'personality': properties.map(
        _('Contents of files to inject into the server, by path.'),
        default={},
        support_status=support.SupportStatus(
            status=support.DEPRECATED, version='12.0.0',
            message=_('Use the property user_data of '
                      'OS::Nova::Server.'))),
    'admin_pass': properties.string(
        _('Password of the administrative user of the server.'),
        update_allowed=True),
    'tags': properties.list(
        _('Tags of the server.'),
        schema=properties.string(_('Tag of the server.')),
        update_allowed=True,
        support_status=support.SupportStatus(version='8.0.0')),
}

ATTRIBUTES = {
    'name': attributes.Schema(
        _('Name of the server.'), type=attributes.Schema.STRING),
    'addresses': attributes.Schema(
        _('Addresses of the server, by the name and by the ID of the network. '
          'Each entry includes the port, the subnets and the network: '
          '{get_attr: [server, addresses, network, 0, port]} is the ID of the '
          'first port.'),
        support_status=support.SupportStatus(
            version='11.0.0',
            previous_status=support.SupportStatus(
                status=support.SUPPORTED)),
        type=attributes.Schema.MAP),
    'networks': attributes.Schema(
        _('IP addresses of the server, by the name and by the ID of the '
          'network: {get_attr: [server, networks, network, 0]} is the first '
          'address.'),
        type=attributes.Schema.MAP),
    'first_address': attributes.Schema(
        _('First IP address of the server. Use the attribute networks '
          'instead.'),
        support_status=neutron.hidden('5.0.0', '2014.2', '2013.2')),
    'instance_name': attributes.Schema(
        _('Name of the server in the hypervisor.'),
        type=attributes.Schema.STRING),
    'accessIPv4': attributes.Schema(
        _('Manually assigned IPv4 address for access to the server.'),
        support_status=support.SupportStatus(
            status=support.DEPRECATED, version='14.0.0',
            previous_status=support.SupportStatus(
                status=support.SUPPORTED, version='2015.1')),
        type=attributes.Schema.STRING),
    'accessIPv6': attributes.Schema(
        _('Manually assigned IPv6 address for access to the server.'),
        support_status=support.SupportStatus(
            status=support.DEPRECATED, version='14.0.0',
            previous_status=support.SupportStatus(
                status=support.SUPPORTED, version='2015.1')),
        type=attributes.Schema.STRING),
    'console_urls': attributes.Schema(
        _('URLs of the consoles of the server by type, for example novnc or '
          'spice-html5. Each URL contains a token that expires.'),
        support_status=support.SupportStatus(version='2015.1'),
        type=attributes.Schema.MAP),
    'tags': attributes.Schema(
        _('Tags of the server.'),
        support_status=support.SupportStatus(version='8.0.0'),
        type=attributes.Schema.LIST),
    'os_collect_config': attributes.Schema(
        _('Configuration of os-collect-config, the agent on the server.'),
        type=attributes.Schema.MAP,
        support_status=support.SupportStatus(version='9.0.0'),
        cache_mode=attributes.Schema.CACHE_NONE),
}
