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


class ServerSchema:
    """The names, properties and attributes of servers."""

    PROPERTIES = (
        NAME, IMAGE, BLOCK_DEVICE_MAPPING, BLOCK_DEVICE_MAPPING_V2,
        FLAVOR, FLAVOR_UPDATE_POLICY, IMAGE_UPDATE_POLICY, KEY_NAME,
        ADMIN_USER, AVAILABILITY_ZONE, SECURITY_GROUPS, NETWORKS,
        SCHEDULER_HINTS, METADATA, USER_DATA_FORMAT, USER_DATA,
        RESERVATION_ID, CONFIG_DRIVE, DISK_CONFIG, PERSONALITY,
        ADMIN_PASS, SOFTWARE_CONFIG_TRANSPORT, USER_DATA_UPDATE_POLICY,
        TAGS, DEPLOYMENT_SWIFT_DATA,
    ) = (
        'name', 'image', 'block_device_mapping', 'block_device_mapping_v2',
        'flavor', 'flavor_update_policy', 'image_update_policy', 'key_name',
        'admin_user', 'availability_zone', 'security_groups', 'networks',
        'scheduler_hints', 'metadata', 'user_data_format', 'user_data',
        'reservation_id', 'config_drive', 'diskConfig', 'personality',
        'admin_pass', 'software_config_transport', 'user_data_update_policy',
        'tags', 'deployment_swift_data',
    )

    _BLOCK_DEVICE_MAPPING_KEYS = (
        BLOCK_DEVICE_MAPPING_DEVICE_NAME, BLOCK_DEVICE_MAPPING_VOLUME_ID,
        BLOCK_DEVICE_MAPPING_SNAPSHOT_ID, BLOCK_DEVICE_MAPPING_VOLUME_SIZE,
        BLOCK_DEVICE_MAPPING_DELETE_ON_TERM,
    ) = (
        'device_name', 'volume_id', 'snapshot_id', 'volume_size',
        'delete_on_termination',
    )

    _BLOCK_DEVICE_MAPPING_V2_KEYS = (
        BLOCK_DEVICE_MAPPING_IMAGE_ID, BLOCK_DEVICE_MAPPING_IMAGE,
        BLOCK_DEVICE_MAPPING_DEVICE_TYPE, BLOCK_DEVICE_MAPPING_DISK_BUS,
        BLOCK_DEVICE_MAPPING_BOOT_INDEX, BLOCK_DEVICE_MAPPING_SWAP_SIZE,
        BLOCK_DEVICE_MAPPING_EPHEMERAL_SIZE,
        BLOCK_DEVICE_MAPPING_EPHEMERAL_FORMAT,
        BLOCK_DEVICE_MAPPING_VOLUME_TYPE,
    ) = (
        'image_id', 'image', 'device_type', 'disk_bus', 'boot_index',
        'swap_size', 'ephemeral_size', 'ephemeral_format', 'volume_type',
    )

    _NETWORK_KEYS = (
        NETWORK_UUID, NETWORK_ID, ALLOCATE_NETWORK, NETWORK_FIXED_IP,
        NETWORK_PORT, NETWORK_SUBNET, NETWORK_PORT_EXTRA,
        NETWORK_FLOATING_IP, NIC_TAG,
    ) = (
        'uuid', 'network', 'allocate_network', 'fixed_ip', 'port', 'subnet',
        'port_extra_properties', 'floating_ip', 'tag',
    )

    #: What tells one interface from another.
    _IFACE_MANAGED_KEYS = (NETWORK_PORT, NETWORK_ID, NETWORK_FIXED_IP,
                           NETWORK_SUBNET)

    _SOFTWARE_CONFIG_FORMATS = (
        HEAT_CFNTOOLS, RAW, SOFTWARE_CONFIG,
    ) = (
        'HEAT_CFNTOOLS', 'RAW', 'SOFTWARE_CONFIG',
    )

    _ALLOCATE_TYPES = (
        NETWORK_NONE, NETWORK_AUTO,
    ) = (
        'none', 'auto',
    )

    REPLACE, RESIZE, REBUILD, PRESERVE, IGNORE = (
        'REPLACE', 'RESIZE', 'REBUILD', 'REBUILD_PRESERVE_EPHEMERAL',
        'IGNORE')

    ATTRIBUTES = (
        NAME_ATTR, ADDRESSES, NETWORKS_ATTR, FIRST_ADDRESS,
        INSTANCE_NAME, ACCESSIPV4, ACCESSIPV6, CONSOLE_URLS, TAGS_ATTR,
        OS_COLLECT_CONFIG,
    ) = (
        'name', 'addresses', 'networks', 'first_address',
        'instance_name', 'accessIPv4', 'accessIPv6', 'console_urls', 'tags',
        'os_collect_config',
    )

    _VOLUME_KEYS = {
        BLOCK_DEVICE_MAPPING_VOLUME_ID: properties.string(
            _('The id of a volume that the disk is.'),
            constraints=[constraints.CustomConstraint('cinder.volume')]),
        BLOCK_DEVICE_MAPPING_SNAPSHOT_ID: properties.string(
            _('The id of a snapshot that a volume is made from.'),
            constraints=[constraints.CustomConstraint('cinder.snapshot')]),
        BLOCK_DEVICE_MAPPING_VOLUME_SIZE: properties.integer(
            _('The size in GB of the volume that is made.')),
        BLOCK_DEVICE_MAPPING_DELETE_ON_TERM: properties.boolean(
            _('Whether the volume is deleted when the server is deleted.')),
    }

    properties_schema = {
        NAME: properties.string(
            _('The name of the server. If there is none, one is made up.'),
            update_allowed=True),
        IMAGE: properties.string(
            _('The image that the server starts from, by name or id. It may '
              'be left out if a block device is to be started from.'),
            constraints=[constraints.CustomConstraint('glance.image')],
            update_allowed=True),
        BLOCK_DEVICE_MAPPING: properties.list(
            _('The disks of the server that are volumes. '
              'block_device_mapping_v2 can say more.'),
            schema=properties.map(
                _('A disk that is a volume.'),
                schema={
                    BLOCK_DEVICE_MAPPING_DEVICE_NAME: properties.string(
                        _('The name under which the server sees the disk, '
                          'like vda. The hypervisor may choose another '
                          'one.'),
                        required=True),
                    **_VOLUME_KEYS,
                })),
        BLOCK_DEVICE_MAPPING_V2: properties.list(
            _('The disks of the server: volumes, copies of snapshots and '
              'images, swap space and empty ones.'),
            schema=properties.map(
                _('A disk of the server.'),
                schema={
                    BLOCK_DEVICE_MAPPING_DEVICE_NAME: properties.string(
                        _('The name under which the server sees the disk, '
                          'like vda. The hypervisor may choose another '
                          'one.')),
                    **_VOLUME_KEYS,
                    BLOCK_DEVICE_MAPPING_IMAGE_ID: properties.string(
                        _('The image that a volume is made from; the old '
                          'name of "image".'),
                        constraints=[
                            constraints.CustomConstraint('glance.image')],
                        support_status=neutron.hidden('9.0.0', '7.0.0',
                                                      '5.0.0')),
                    BLOCK_DEVICE_MAPPING_IMAGE: properties.string(
                        _('The image that a volume is made from, by name or '
                          'id.'),
                        constraints=[
                            constraints.CustomConstraint('glance.image')],
                        support_status=support.SupportStatus(
                            version='7.0.0')),
                    BLOCK_DEVICE_MAPPING_DEVICE_TYPE: properties.string(
                        _('Type of the device as presented to the server.'),
                        constraints=[constraints.AllowedValues(
                            ['cdrom', 'disk'])]),
                    BLOCK_DEVICE_MAPPING_DISK_BUS: properties.string(
                        _('The bus that the disk is on. What there is '
                          'depends on the hypervisor.'),
                        constraints=[constraints.AllowedValues(
                            ['ide', 'lame_bus', 'sata', 'scsi', 'usb',
                             'virtio'])]),
                    BLOCK_DEVICE_MAPPING_BOOT_INDEX: properties.integer(
                        _('The place of the disk among those that the '
                          'server tries to start from: 0 for the first '
                          'one.')),
                    BLOCK_DEVICE_MAPPING_SWAP_SIZE: properties.integer(
                        _('The size in MB of swap space that the disk '
                          'is.')),
                    BLOCK_DEVICE_MAPPING_EPHEMERAL_SIZE: properties.integer(
                        _('The size in GB of an empty disk that goes away '
                          'with the server.'),
                        constraints=[constraints.Range(min=1)],
                        support_status=support.SupportStatus(
                            version='8.0.0')),
                    BLOCK_DEVICE_MAPPING_EPHEMERAL_FORMAT: properties.string(
                        _('The file system on the empty disk.'),
                        constraints=[constraints.AllowedValues(
                            ['ext2', 'ext3', 'ext4', 'xfs', 'ntfs'])],
                        support_status=support.SupportStatus(
                            version='8.0.0')),
                    BLOCK_DEVICE_MAPPING_VOLUME_TYPE: properties.string(
                        _('The type of the volume that is made, by name or '
                          'id.'),
                        constraints=[
                            constraints.CustomConstraint('cinder.vtype')],
                        support_status=support.SupportStatus(
                            version='26.0.0')),
                }),
            support_status=support.SupportStatus(version='2015.1')),
        FLAVOR: properties.string(
            _('Name or ID of the flavor of the server.'),
            required=True,
            constraints=[constraints.CustomConstraint('nova.flavor')],
            update_allowed=True),
        FLAVOR_UPDATE_POLICY: properties.string(
            _('Effect of a change of the flavor: resize or replace the '
              'server.'),
            default=RESIZE,
            constraints=[constraints.AllowedValues([RESIZE, REPLACE])],
            update_allowed=True),
        IMAGE_UPDATE_POLICY: properties.string(
            _('Effect of a change of the image: rebuild the server, '
              'optionally preserving its ephemeral disks, or replace it.'),
            default=REBUILD,
            constraints=[constraints.AllowedValues(
                [REBUILD, REPLACE, PRESERVE])],
            update_allowed=True),
        KEY_NAME: properties.string(
            _('The name of the key pair with which to log in.'),
            constraints=[constraints.CustomConstraint('nova.keypair')]),
        ADMIN_USER: properties.string(
            _('The name of the user with whom to log in, if it is not that '
              'of the image.'),
            support_status=neutron.hidden('5.0.0', '2014.1', '2013.2')),
        AVAILABILITY_ZONE: properties.string(
            _('The availability zone in which the server is placed.')),
        SECURITY_GROUPS: properties.list(
            _('The security groups of the ports that are made for the '
              'server, by names or ids. Ports that exist have their own.'),
            default=[]),
        NETWORKS: properties.list(
            _('The network cards of the server, in order. Without any the '
              'server is attached to the network of the project.'),
            schema=properties.map(
                _('A network card.'),
                schema={
                    NETWORK_UUID: properties.string(
                        _('The network; the old name of "network".'),
                        constraints=[
                            constraints.CustomConstraint('neutron.network')],
                        support_status=neutron.hidden('5.0.0', '2014.1')),
                    NETWORK_ID: properties.string(
                        _('The network on which a port is made for the '
                          'server, by name or id.'),
                        constraints=[
                            constraints.CustomConstraint('neutron.network')]),
                    ALLOCATE_NETWORK: properties.string(
                        _('Automatic network allocation: Nova chooses or '
                          'creates a network (auto), or attaches none (none). '
                          'No other key may be set beside it.'),
                        constraints=[constraints.AllowedValues(
                            [NETWORK_NONE, NETWORK_AUTO])],
                        update_allowed=True,
                        support_status=support.SupportStatus(
                            version='9.0.0')),
                    NETWORK_FIXED_IP: properties.string(
                        _('The address of the port that is made.'),
                        constraints=[
                            constraints.CustomConstraint('ip_addr')]),
                    NETWORK_PORT: properties.string(
                        _('A port that exists, by name or id.'),
                        constraints=[
                            constraints.CustomConstraint('neutron.port')]),
                    NETWORK_PORT_EXTRA: properties.map(
                        _('Additional properties of the port to be created.'),
                        schema=port.Port.extra_properties_schema,
                        update_allowed=True,
                        support_status=support.SupportStatus(
                            version='6.0.0')),
                    NETWORK_SUBNET: properties.string(
                        _('The subnet of which the port that is made has an '
                          'address, by name or id.'),
                        support_status=support.SupportStatus(
                            version='5.0.0')),
                    NETWORK_FLOATING_IP: properties.string(
                        _('The id of a floating IP that leads to the '
                          'port.'),
                        support_status=support.SupportStatus(
                            version='6.0.0')),
                    NIC_TAG: properties.string(
                        _('A word by which the server knows the network '
                          'card.'),
                        support_status=support.SupportStatus(
                            version='9.0.0')),
                }),
            update_allowed=True),
        SCHEDULER_HINTS: properties.map(
            _('Hints for the scheduler that places the server.')),
        METADATA: properties.map(
            _('Keys and values that Nova keeps for the server. They are not '
              'the metadata of the resource.'),
            default={},
            update_allowed=True),
        USER_DATA_FORMAT: properties.string(
            _('Format of the user data. HEAT_CFNTOOLS adds the data that '
              'heat-cfntools needs, SOFTWARE_CONFIG the data that agents of '
              'software deployments need. RAW passes the data unchanged.'),
            default=cfg.CONF.default_user_data_format,
            constraints=[constraints.AllowedValues(
                _SOFTWARE_CONFIG_FORMATS)]),
        **server_base.deployment_properties(),
        USER_DATA_UPDATE_POLICY: properties.string(
            _('Effect of a change of user_data: replace the server, rebuild '
              'it, or ignore the change.'),
            default=REPLACE,
            constraints=[constraints.AllowedValues(
                [REPLACE, IGNORE, REBUILD])],
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
        USER_DATA: properties.string(
            _('User data of the server: a script or other data for '
              'cloud-init, or the ID of a software config.'),
            default='',
            update_allowed=True),
        RESERVATION_ID: properties.string(
            _('The id of a set of servers that are asked for at once. It '
              'has no effect, since each server is asked for alone.')),
        CONFIG_DRIVE: properties.boolean(
            _('Whether the user data is provided on a configuration drive.')),
        DISK_CONFIG: properties.string(
            _('Whether the partition of the image is extended to the size of '
              'the disk (AUTO) or left unchanged (MANUAL).'),
            constraints=[constraints.AllowedValues(['AUTO', 'MANUAL'])]),
        PERSONALITY: properties.map(
            _('Contents of files that are put into the server, by their '
              'paths.'),
            default={},
            support_status=support.SupportStatus(
                status=support.DEPRECATED, version='12.0.0',
                message=_('Use the property user_data of '
                          'OS::Nova::Server.'))),
        ADMIN_PASS: properties.string(
            _('The password of the administrator of the server.'),
            update_allowed=True),
        TAGS: properties.list(
            _('Words by which the server can be found.'),
            schema=properties.string(_('A word.')),
            update_allowed=True,
            support_status=support.SupportStatus(version='8.0.0')),
    }

    attributes_schema = {
        NAME_ATTR: attributes.Schema(
            _('The name of the server.'), type=attributes.Schema.STRING),
        ADDRESSES: attributes.Schema(
            _('The addresses of the server by network, under its name and '
              'under its id. Of each the port, the subnets and the network '
              'are told too: {get_attr: [server, addresses, network, 0, '
              'port]} is the id of the first port.'),
            support_status=support.SupportStatus(
                version='11.0.0',
                previous_status=support.SupportStatus(
                    status=support.SUPPORTED)),
            type=attributes.Schema.MAP),
        NETWORKS_ATTR: attributes.Schema(
            _('Lists of addresses by network, under its name and under its '
              'id: {get_attr: [server, networks, network, 0]} is the first '
              'address.'),
            type=attributes.Schema.MAP),
        FIRST_ADDRESS: attributes.Schema(
            _('The first address of the server. Use the attribute networks '
              'instead.'),
            support_status=neutron.hidden('5.0.0', '2014.2', '2013.2')),
        INSTANCE_NAME: attributes.Schema(
            _('The name by which the hypervisor knows the server.'),
            type=attributes.Schema.STRING),
        ACCESSIPV4: attributes.Schema(
            _('The IPv4 address under which the server is said to be.'),
            support_status=support.SupportStatus(
                status=support.DEPRECATED, version='14.0.0',
                previous_status=support.SupportStatus(
                    status=support.SUPPORTED, version='2015.1')),
            type=attributes.Schema.STRING),
        ACCESSIPV6: attributes.Schema(
            _('The IPv6 address under which the server is said to be.'),
            support_status=support.SupportStatus(
                status=support.DEPRECATED, version='14.0.0',
                previous_status=support.SupportStatus(
                    status=support.SUPPORTED, version='2015.1')),
            type=attributes.Schema.STRING),
        CONSOLE_URLS: attributes.Schema(
            _('The URLs of the consoles of the server by their kind, '
              'novnc or spice-html5 for instance. Each holds a token that '
              'does not last.'),
            support_status=support.SupportStatus(version='2015.1'),
            type=attributes.Schema.MAP),
        TAGS_ATTR: attributes.Schema(
            _('The tags of the server.'),
            support_status=support.SupportStatus(version='8.0.0'),
            type=attributes.Schema.LIST),
        OS_COLLECT_CONFIG: attributes.Schema(
            _('The configuration for the agent of the server, '
              'os-collect-config.'),
            type=attributes.Schema.MAP,
            support_status=support.SupportStatus(version='9.0.0'),
            cache_mode=attributes.Schema.CACHE_NONE),
    }
