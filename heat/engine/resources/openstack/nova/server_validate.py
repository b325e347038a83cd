"""Validation of the properties of a server."""
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import resource
from heat.engine.resources.openstack.nova import server_update
from heat.engine.software import deployments as software_deployments

#: What needs a certain microversion: tags of network cards, networks that
#: Nova chooses, and types of volumes it makes.
_NIC_TAGS, _ALLOCATED, _VOLUME_TYPES = '2.42', '2.37', '2.67'

#: What Nova takes for tags.
_TAG_LENGTH, _TAG_COUNT = 60, 50


class ServerValidation(resource.Resource):
    """For servers whose properties are checked before anything is asked."""

    user_data_software_config: Any
    _block_devices: Any
    _check_maximum: Any
    _is_nic_tagged: Any
    _str_network: Any
    _validate_network: Any

    def _path(self, *rest):
        """Return the path of a property in the template."""
        return [self.stack.t.get_section_name('resources'), self.name,
                self.stack.t.RES_PROPERTIES, *rest]

    def _refuse(self, message, *rest):
        raise exception.StackValidationFailed(path=self._path(*rest),
                                              message=message)

    def validate(self):
        """Check what can be known before there is a server."""
        problem = super().validate()
        props = self.properties
        self._block_devices(props).validate()
        self._validate_networks(props)
        self._validate_agent()
        self._validate_tags(props['tags'])
        self._validate_versions(props)
        self._validate_image_flavor(props)
        self._validate_limits(props)
        return problem

    # -- networks -----------------------------------------------------------

    def _validate_networks(self, props):
        networks = props['networks'] or []
        for index, network in enumerate(networks):
            try:
                self._validate_network(network)
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
                _('"allocate_network" stands for all network cards; nothing '
                  'can be said beside it: %s') % (
                      ', '.join(others) or _('other networks')),
                'networks', index)

    # -- agents, tags, versions ---------------------------------------------

    def _validate_agent(self):
        if not self.user_data_software_config():
            return
        metadata = self.t.metadata() or {}
        if software_deployments.METADATA_KEY in metadata:
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      'metadata'],
                message=_('The key "deployments" is not for templates: the '
                          'software deployments of the server go there'))

    def _validate_tags(self, tags):
        tags = tags or []
        if len(tags) > _TAG_COUNT:
            self._refuse(_('A server has at most %d tags') % _TAG_COUNT,
                         'tags')
        for index, tag in enumerate(tags):
            if not 0 < len(tag) <= _TAG_LENGTH or set(tag) & {',', '/'}:
                self._refuse(
                    _('A tag has 1 to %d characters, and neither comma nor '
                      'slash') % _TAG_LENGTH, 'tags', index)

    def _validate_versions(self, props):
        networks = props['networks']
        disks = props['block_device_mapping_v2'] or []
        for wanted, version, place in (
                (props['tags'], server_update.TAGS, ['tags']),
                (self._is_nic_tagged(networks), _NIC_TAGS,
                 ['networks', 'tag']),
                (self._str_network(networks), _ALLOCATED,
                 ['networks', 'allocate_network']),
                (any(disk.get('volume_type') for disk in disks),
                 _VOLUME_TYPES, ['block_device_mapping_v2', 'volume_type']),
                (props['user_data_update_policy'] == 'REBUILD',
                 server_update.REBUILD_USER_DATA,
                 ['user_data_update_policy'])):
            if wanted and not self.client_plugin().is_version_supported(
                    version):
                self._refuse(
                    _('This needs version %s of the compute API, which this '
                      'cloud does not have') % version, *place)

    # -- image, flavor, limits ----------------------------------------------

    def _validate_image_flavor(self, props):
        """Check that the image fits the flavor, if both are known yet."""
        if not props['image'] or not props['flavor']:
            return
        nova, glance = self.client_plugin(), self.client_plugin('glance')
        with glance.ignore_not_found, nova.ignore_not_found:
            self._validate_fits(props,
                                glance.known_image(props['image']),
                                nova.get_flavor(props['flavor']))

    def _validate_fits(self, props, image, flavor):
        if str(image.status).lower() != 'active':
            self._refuse(
                _('The image %(image)s is not active, but %(status)s') % {
                    'image': props['image'], 'status': image.status},
                'image')
        if flavor.ram < (image.min_ram or 0):
            self._refuse(
                _('The image %(image)s needs %(needed)s MB of memory; the '
                  'flavor %(flavor)s has %(has)s') % {
                      'image': props['image'], 'needed': image.min_ram,
                      'flavor': props['flavor'], 'has': flavor.ram},
                'flavor')
        # A flavor without a disk takes what the image needs.
        if flavor.disk and flavor.disk < (image.min_disk or 0):
            self._refuse(
                _('The image %(image)s needs a disk of %(needed)s GB; that '
                  'of the flavor %(flavor)s has %(has)s') % {
                      'image': props['image'], 'needed': image.min_disk,
                      'flavor': props['flavor'], 'has': flavor.disk},
                'flavor')

    def _validate_limits(self, props):
        metadata, files = props['metadata'], props['personality']
        if not metadata and not files:
            return
        limits = self.client_plugin().absolute_limits()
        if metadata:
            self._check_maximum(
                len(metadata), _limit(limits, 'server_meta'),
                _('The server has more metadata than Nova keeps'))
        if files:
            self._check_maximum(
                len(files), _limit(limits, 'personality'),
                _('"personality" has more files than Nova puts into '
                  'servers'))
            for path, contents in files.items():
                self._check_maximum(
                    len(str(contents).encode()),
                    _limit(limits, 'personality_size'),
                    _('The contents of the file %s in "personality" are '
                      'longer than Nova allows') % path)


def _limit(limits, name):
    """Return a limit of the project; -1 if the service has none."""
    value = getattr(limits, name, None)
    return -1 if value is None else value
