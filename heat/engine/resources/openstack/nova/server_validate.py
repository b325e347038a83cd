"""Validation of the properties of a server."""
from collections.abc import Callable
from typing import NamedTuple

from heat.common import exception
from heat.common.i18n import _
from heat.engine.resources.openstack.nova import server_block_devices
from heat.engine.resources.openstack.nova import server_update
from heat.engine.software import deployments as software_deployments

#: What needs a certain microversion: tags of network cards, networks that
#: Nova chooses, and types of volumes it makes.
_NIC_TAGS, _ALLOCATED, _VOLUME_TYPES = '2.42', '2.37', '2.67'

#: What Nova takes for tags.
_TAG_LENGTH, _TAG_COUNT = 60, 50


class Checks(NamedTuple):
    """Checks of the resource that plugins may override."""

    network: Callable
    maximum: Callable


class ServerValidation:
    """The checks of properties before anything is asked for.

    :param server: the resource
    :param checks: checks that the resource makes itself
    """

    def __init__(self, server, checks: Checks):
        self._server = server
        self._check = checks
        self._cards = server.network_cards

    @property
    def _plugin(self):
        return self._server.client_plugin()

    def validate(self):
        """Check what can be known before there is a server."""
        props = self._server.properties
        server_block_devices.BlockDevices(
            props, property_path(self._server)).validate()
        self._validate_networks(props)
        self._validate_agent()
        self._validate_tags(props['tags'])
        self._validate_versions(props)
        self._validate_image_flavor(props)
        self._validate_limits(props)

    def _refuse(self, message, *rest):
        raise exception.StackValidationFailed(
            path=property_path(self._server, *rest), message=message)

    # -- networks -----------------------------------------------------------

    def _validate_networks(self, props):
        networks = props['networks'] or []
        for index, network in enumerate(networks):
            try:
                self._check.network(network)
            except exception.StackValidationFailed as error:
                self._refuse(error.error_message, 'networks', index)
            if network.get('allocate_network'):
                self._validate_allocated(network, networks, index)
        if props['security_groups'] and any(net.get('port')
                                            for net in networks):
            raise exception.ResourcePropertyConflict('security_groups',
                                                     'networks/port')

    def _validate_allocated(self, network, networks, index):
        others = sorted(name for name, value in network.items()
                        if value not in (None, '', [], {}) and
                        name != 'allocate_network')
        if others or len(networks) > 1:
            self._refuse(
                _('"allocate_network" applies to all network interfaces and '
                  'cannot be combined with: %s') % (
                      ', '.join(others) or _('other networks')),
                'networks', index)

    # -- agents, tags, versions ---------------------------------------------

    def _validate_agent(self):
        if not self._server.user_data_software_config():
            return
        metadata = self._server.t.metadata() or {}
        if software_deployments.METADATA_KEY in metadata:
            raise exception.StackValidationFailed(
                path=[self._server.stack.t.get_section_name('resources'),
                      self._server.name, 'metadata'],
                message=_('The key "deployments" is reserved for the software '
                          'deployments of the server'))

    def _validate_tags(self, tags):
        tags = tags or []
        if len(tags) > _TAG_COUNT:
            self._refuse(_('A server has at most %d tags') % _TAG_COUNT,
                         'tags')
        for index, tag in enumerate(tags):
            if not 0 < len(tag) <= _TAG_LENGTH or set(tag) & {',', '/'}:
                self._refuse(
                    _('A tag must have 1 to %d characters and must not '
                      'contain a comma or slash') % _TAG_LENGTH, 'tags', index)

    def _validate_versions(self, props):
        networks = props['networks']
        disks = props['block_device_mapping_v2'] or []
        for wanted, version, place in (
                (props['tags'], server_update.TAGS, ['tags']),
                (self._cards.is_tagged(networks), _NIC_TAGS,
                 ['networks', 'tag']),
                (self._cards.allocation(networks), _ALLOCATED,
                 ['networks', 'allocate_network']),
                (any(disk.get('volume_type') for disk in disks),
                 _VOLUME_TYPES, ['block_device_mapping_v2', 'volume_type']),
                (props['user_data_update_policy'] == 'REBUILD',
                 server_update.REBUILD_USER_DATA,
                 ['user_data_update_policy'])):
            if wanted and not self._plugin.is_version_supported(version):
                self._refuse(
                    _('This property requires version %s of the Compute API, '
                      'which is not available in this '
                      'cloud') % version, *place)

    # -- image, flavor, limits ----------------------------------------------

    def _validate_image_flavor(self, props):
        """Check that the image fits the flavor, if both are known yet."""
        if not props['image'] or not props['flavor']:
            return
        nova, glance = self._plugin, self._server.client_plugin('glance')
        with glance.ignore_not_found, nova.ignore_not_found:
            self._validate_fits(props,
                                glance.known_image(props['image']),
                                nova.get_flavor(props['flavor']))

    def _validate_fits(self, props, image, flavor):
        if str(image.status).lower() != 'active':
            self._refuse(
                _('The image %(image)s is not active; its status is '
                  '%(status)s') % {
                    'image': props['image'], 'status': image.status},
                'image')
        if flavor.ram < (image.min_ram or 0):
            self._refuse(
                _('The image %(image)s requires %(needed)s MB of memory, but '
                  'the flavor %(flavor)s has %(has)s') % {
                      'image': props['image'], 'needed': image.min_ram,
                      'flavor': props['flavor'], 'has': flavor.ram},
                'flavor')
        # A flavor without a disk takes what the image needs.
        if flavor.disk and flavor.disk < (image.min_disk or 0):
            self._refuse(
                _('The image %(image)s requires a disk of %(needed)s GB, but '
                  'the flavor %(flavor)s has %(has)s') % {
                      'image': props['image'], 'needed': image.min_disk,
                      'flavor': props['flavor'], 'has': flavor.disk},
                'flavor')

    def _validate_limits(self, props):
        if not props['metadata'] and not props['personality']:
            return
        try:
            self._compare(props, self._plugin.absolute_limits())
        except exception.StackValidationFailed:
            # They may have been raised since they were asked for.
            self._compare(props, self._plugin.absolute_limits(latest=True))

    def _compare(self, props, limits):
        metadata, files = props['metadata'], props['personality']
        if metadata:
            self._check.maximum(
                len(metadata), _limit(limits, 'server_meta'),
                _('The metadata of the server exceeds the limit of Nova'))
        if files:
            self._check.maximum(
                len(files), _limit(limits, 'personality'),
                _('The number of files in "personality" exceeds the limit of '
                  'Nova'))
            for path, contents in files.items():
                self._check.maximum(
                    len(str(contents).encode()),
                    _limit(limits, 'personality_size'),
                    _('The size of the file %s in "personality" exceeds the '
                      'limit of Nova') % path)


def _limit(limits, name):
    """Return a limit of the project; -1 if the service has none."""
    value = getattr(limits, name, None)
    return -1 if value is None else value


def property_path(server, *rest):
    """Return the path of a property in the template."""
    sections = server.stack.t
    return [sections.get_section_name('resources'), server.name,
            sections.RES_PROPERTIES, *rest]
