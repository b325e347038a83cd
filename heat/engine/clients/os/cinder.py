"""The client of the block storage service, as plugins see it."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine.clients import os as os_client
from heat.engine.clients import sdk_plugin
from heat.engine.clients import shared_looks

CLIENT_NAME = 'cinder'


class CinderClientPlugin(os_client.ExtensionMixin,
                         sdk_plugin.MicroversionedPlugin):
    """Finds things of Cinder, and tells when volumes are attached."""

    client_name = CLIENT_NAME
    proxy = 'block_storage'
    sends_empty = False
    bound = 'max_cinder_api_microversion'
    service_types = [VOLUME_V3] = ['volumev3']
    CINDER_API_VERSION = '3'

    def get_volume_api_version(self):
        """Return the version of the API that is spoken."""
        return int(self.CINDER_API_VERSION)

    def _list_extensions(self):
        return {extension.alias for extension in self.sdk().extensions()}

    def _get(self, noun, what, thing_id):
        try:
            return getattr(self.sdk(), 'get_' + noun)(thing_id)
        except Exception as error:
            if not self.is_not_found(error):
                raise
            raise exception.EntityNotFound(entity=what,
                                           name=thing_id) from error

    def get_volume(self, volume):
        """Return a volume, given its id."""
        return self._get('volume', 'Volume', volume)

    def get_volume_snapshot(self, snapshot):
        """Return a snapshot of a volume, given its id."""
        return self._get('snapshot', 'VolumeSnapshot', snapshot)

    def get_volume_backup(self, backup):
        """Return a backup of a volume, given its id."""
        return self._get('backup', 'Volume backup', backup)

    def get_volume_type(self, volume_type):
        """Return the id of a type of volumes, given that or its name."""
        return self.find('type', volume_type)

    def get_qos_specs(self, qos_specs):
        """Return the id of QoS specs, given that or their name."""
        return self.find('qos_spec', qos_specs)

    def awaited_volume(self, volume_id, is_pending, may_be_gone=False):
        """Return a volume that a resource waits for, or None if unknown.

        :param is_pending: returns whether the caller polls again if the
            volume has a status
        :param may_be_gone: whether the caller waits for its end
        :raises NotFoundException: (openstacksdk) the volume does not exist
        """
        return self.awaited_thing('volume', volume_id, shared_looks.Service(
            self.sdk().get_volume,
            lambda number: self.sdk().volumes(limit=number),
            lambda found: is_pending(found.status), may_be_gone))

    def check_attach_volume_complete(self, vol_id):
        """Return whether a volume is attached.

        :raises ResourceUnknownStatus: it never will be.
        """
        pending = ('available', 'attaching', 'reserved')
        volume = self.awaited_volume(vol_id, pending.__contains__)
        if volume is None or volume.status in pending:
            return False
        if volume.status == 'in-use':
            return True
        raise exception.ResourceUnknownStatus(
            resource_status=volume.status,
            result=_('Volume attachment failed'))

    def check_detach_volume_complete(self, vol_id, server_id=None):
        """Return whether a volume is detached, or gone.

        :param server_id: the server that it is to be detached from, if it
            may stay attached to others.
        :raises ResourceUnknownStatus: it never will be.
        """
        pending = ('in-use', 'detaching', 'reserved')
        with self.ignore_not_found:
            volume = self.awaited_volume(vol_id, pending.__contains__)
            if volume is None:
                return False
            if volume.status in pending:
                return server_id is not None and server_id not in {
                    each['server_id'] for each in volume.attachments or []}
            if volume.status not in ('available', 'deleting'):
                raise exception.ResourceUnknownStatus(
                    resource_status=volume.status,
                    result=_('Volume detachment failed'))
        return True


class BaseCinderConstraint(constraints.BaseCustomConstraint):
    """Something of Cinder exists."""

    expected_exceptions = (exception.EntityNotFound,)
    resource_client_name = CLIENT_NAME


class VolumeConstraint(BaseCinderConstraint):
    """A volume, by id."""

    resource_getter_name = 'get_volume'


class VolumeSnapshotConstraint(BaseCinderConstraint):
    """A snapshot of a volume, by id."""

    resource_getter_name = 'get_volume_snapshot'


class VolumeTypeConstraint(BaseCinderConstraint):
    """A type of volumes, by name or id."""

    resource_getter_name = 'get_volume_type'


class VolumeBackupConstraint(BaseCinderConstraint):
    """A backup of a volume, by id."""

    resource_getter_name = 'get_volume_backup'


class QoSSpecsConstraint(BaseCinderConstraint):
    """QoS specs, by name or id."""

    resource_getter_name = 'get_qos_specs'


#: By the names that templates and schemas use.
CONSTRAINTS = {
    'cinder.backup': VolumeBackupConstraint,
    'cinder.qos_specs': QoSSpecsConstraint,
    'cinder.snapshot': VolumeSnapshotConstraint,
    'cinder.volume': VolumeConstraint,
    'cinder.vtype': VolumeTypeConstraint,
}
