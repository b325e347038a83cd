"""The disks of a server: what is wrong with them, and how Nova is told."""
from heat.common import exception
from heat.common.i18n import _

#: What a disk can be made from; a disk of the second version has one.
_ORIGINS = ('volume_id', 'snapshot_id', 'image', 'swap_size',
            'ephemeral_size')

#: Names of properties in requests, where they are the same.
_SAME = ('device_name', 'boot_index', 'device_type', 'disk_bus',
         'volume_type')

#: Names that a device of disks may begin with.
_DEVICE = '/dev/'


class BlockDevices:
    """The disks that properties of a server describe.

    :param where: the path of the properties, for errors.
    """

    def __init__(self, props, where):
        self._image = props['image']
        self._first = props['block_device_mapping'] or []
        self._second = props['block_device_mapping_v2'] or []
        self._where = where

    # -- validation ---------------------------------------------------------

    def validate(self):
        """Raise an error if the disks cannot be, or none can start."""
        if self._first and self._second:
            raise exception.ResourcePropertyConflict(
                'block_device_mapping', 'block_device_mapping_v2')
        for index, disk in enumerate(self._first):
            self._validate_first(disk, 'block_device_mapping', index)
        for index, disk in enumerate(self._second):
            self._validate_second(disk, 'block_device_mapping_v2', index)
        starting = [index for index, disk in enumerate(self._second)
                    if disk.get('boot_index') == 0]
        if len(starting) > 1:
            self._refuse(_(
                'Only one disk can have "boot_index" 0, but several have it: '
                '%s')
                % ', '.join(map(str, starting)), 'block_device_mapping_v2')
        if not self._image and not self._bootable():
            self._refuse(_(
                'The server has no boot device: specify an "image", or a '
                'volume, snapshot or image as a disk with "boot_index" 0'))

    def _bootable(self):
        if self._first:
            # Whichever of them is the root disk, Nova knows.
            return True
        return any(disk.get('boot_index') == 0 and any(
            disk.get(origin) for origin in ('volume_id', 'snapshot_id',
                                            'image'))
            for disk in self._second)

    def _validate_first(self, disk, *where):
        if disk.get('volume_id') and disk.get('snapshot_id'):
            raise exception.ResourcePropertyConflict('volume_id',
                                                     'snapshot_id')
        if not disk.get('volume_id') and not disk.get('snapshot_id'):
            self._refuse(_('A disk requires a "volume_id" or a "snapshot_id"'),
                         *where)

    def _validate_second(self, disk, *where):
        origins = [name for name in _ORIGINS
                   if disk.get(name) not in (None, '')]
        if len(origins) > 1:
            raise exception.ResourcePropertyConflict(*origins)
        if not origins:
            self._refuse(_('A disk requires one of %s')
                         % ', '.join('"%s"' % name for name in _ORIGINS),
                         *where)
        origin = origins[0]
        if disk.get('ephemeral_format') and origin != 'ephemeral_size':
            self._refuse(_('"ephemeral_format" requires '
                           '"ephemeral_size"'), *where)
        if origin in ('image', 'swap_size', 'ephemeral_size') and (
                disk.get('boot_index') == 0 and origin != 'image'):
            self._refuse(_('A server cannot boot from a disk created by %s')
                         % origin, *where)
        if origin == 'image' and not disk.get('volume_size'):
            self._refuse(_('A volume created from an image requires a '
                           '"volume_size"'), *where)

    def _refuse(self, message, *where):
        raise exception.StackValidationFailed(
            path=[*self._where, *where], message=message)

    # -- requests -----------------------------------------------------------

    def request(self):
        """Return the disks as Nova is asked for them, None for none."""
        if not self._first and not self._second:
            return None
        disks = [*map(self._of_first, self._first),
                 *map(self._of_second, self._second)]
        if not self._image:
            if self._first and not any(
                    disk['boot_index'] == 0 for disk in disks):
                disks[0]['boot_index'] = 0
            return disks
        if any(disk['boot_index'] == 0 for disk in disks):
            # The image is known to the server, but is not its disk.
            return disks
        return [{'uuid': self._image, 'source_type': 'image',
                 'destination_type': 'local', 'boot_index': 0,
                 'delete_on_termination': True}, *disks]

    def _of_first(self, disk):
        name = disk['device_name']
        name = name[len(_DEVICE):] if name.startswith(_DEVICE) else name
        # The root disk has the first letter, whatever the bus is.
        is_root = not self._image and name in ('vda', 'sda', 'hda', 'xvda')
        return _given({
            **self._made_from(disk), 'device_name': disk['device_name'],
            'boot_index': 0 if is_root else -1})

    def _of_second(self, disk):
        asked = _given({
            **self._made_from(disk),
            **{name: disk.get(name) for name in _SAME}})
        asked.setdefault('boot_index', -1)
        return asked

    @staticmethod
    def _made_from(disk):
        if disk.get('swap_size') is not None:
            return {'source_type': 'blank', 'destination_type': 'local',
                    'guest_format': 'swap', 'delete_on_termination': True,
                    # Nova counts all disks in gigabytes, but swap space.
                    'volume_size': disk['swap_size']}
        if disk.get('ephemeral_size') is not None:
            return {'source_type': 'blank', 'destination_type': 'local',
                    'guest_format': disk.get('ephemeral_format'),
                    'delete_on_termination': True,
                    'volume_size': disk['ephemeral_size']}
        made = {'destination_type': 'volume',
                'volume_size': disk.get('volume_size'),
                'delete_on_termination': disk.get('delete_on_termination')}
        for origin, kind in (('volume_id', 'volume'),
                             ('snapshot_id', 'snapshot'),
                             ('image', 'image')):
            if disk.get(origin):
                made.update(source_type=kind, uuid=disk[origin])
        return made


def _given(values):
    return {name: value for name, value in values.items()
            if value not in (None, '')}
