"""Common base of volumes of both APIs."""
from typing import Any

from heat.common import cloud_error
from heat.common import exception
from heat.common.i18n import _
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.nova import server_attributes

#: States that a volume leaves by itself, and in which it is not deleted.
_BUSY = frozenset(['creating', 'downloading', 'uploading', 'attaching',
                   'detaching', 'extending', 'retyping', 'backing-up',
                   'restoring-backup', 'maintenance'])
#: What Cinder answers then.
_REFUSALS = (400, 409)
#: What next() returns of work that is done.
_DONE = object()


def is_done(work):
    """Do the next step of some work; return whether it was the last.

    :param work: an iterator that looks once, or None.
    """
    return work is None or next(work, _DONE) is _DONE


class BaseVolume(sdk_resource.SDKResource):
    """Base of volumes: made, restored, backed up and deleted."""

    default_client_name = 'cinder'
    entity = 'volumes'
    noun = 'volume'
    gone = sdk_resource.WaitFor(failed=frozenset(['error_deleting']))
    retry_busy = True
    looks_together = True

    #: The property that names a backup to restore.
    BACKUP_ID: Any = None
    #: States of a volume that is being made.
    _volume_creating_status: Any = ('creating', 'restoring-backup')

    def _name(self):
        return self.physical_resource_name()

    def _name_of_ours(self):
        ours = self.physical_resource_name()
        return ours if self._name() == ours else None

    def _description(self):
        return self.physical_resource_name()

    def _fetch_name_and_description(self, name=None, description=None):
        return {'name': name or self._name(),
                'description': description or self._description()}

    def _create_arguments(self):
        """Return what is sent beside the name, if it has a value."""
        return {}

    # -- creating -----------------------------------------------------------

    def handle_create(self):
        """Ask for the volume, or for a backup to become one."""
        backup_id = self.properties.get(self.BACKUP_ID)
        named = self._fetch_name_and_description()
        if backup_id:
            restored = self.sdk().restore_backup(backup_id,
                                                    name=named['name'])
            vol_id = restored.volume_id
            self.resource_id_set(vol_id)
            self.sdk().update_volume(vol_id, **named)
            return vol_id
        vol_id = self._made(
            self.sdk().create_volume, **self.client_plugin().given(
                {**self._create_arguments(), **named})).id
        self.resource_id_set(vol_id)
        return vol_id

    def check_create_complete(self, vol_id):
        """Return whether the volume is there."""
        volume = self.client_plugin().awaited_volume(
            vol_id, self._volume_creating_status.__contains__)
        return volume is not None and self._has_reached(
            'available', self._volume_creating_status,
            sdk_resource.shown(volume))

    def _is_in(self, wanted, pending):
        """Return whether a state is reached that others lead to."""
        return self._has_reached(wanted, pending, self._show_resource())

    def _has_reached(self, wanted, pending, live):
        return sdk_resource.WaitFor(
            ready=frozenset([wanted]), pending=frozenset(pending),
            failed=frozenset(['error', 'error_restoring',
                              'error_extending'])).reached(live, self.name)

    def _awaited(self):
        volume = self.client_plugin().awaited_volume(
            self.resource_id, lambda status: status not in self.gone.failed,
            may_be_gone=True)
        return None if volume is None else sdk_resource.shown(volume)

    def needs_replace_failed(self):
        """Replace what failed unless it is there and well."""
        if not self.resource_id:
            return True
        with self.client_plugin().ignore_not_found:
            return self._show_resource()['status'] in ('error', 'deleting')
        return True

    def handle_check(self):
        """Look whether the volume is there and well."""
        status = self._show_resource()['status']
        if status not in ('available', 'in-use'):
            raise exception.Error(_('%(name)s is %(state)s') % {
                'name': self.name, 'state': status})

    def drift_list_is_proof(self):
        """Return True: Cinder lists all volumes of a project."""
        return self._is_listed()

    # -- backups ------------------------------------------------------------

    def _back_up(self):
        """Ask for a backup; return its id."""
        attached = self._show_resource()['status'] == 'in-use'
        return self.sdk().create_backup(
            volume_id=self.resource_id, force=attached,
            name=self.physical_resource_name()).id

    def _is_backed_up(self, backup_id):
        backup = sdk_resource.shown(self.sdk().get_backup(backup_id))
        return sdk_resource.WaitFor(
            ready=frozenset(['available']), pending=frozenset(['creating']),
            failed=frozenset(['error'])).reached(backup, self.name)

    def handle_snapshot_delete(self, state):
        """Back up the volume, unless it was never made, and delete it."""
        if self.resource_id is None:
            return None
        return self._delete_after_backup(
            state not in (('CREATE', 'FAILED'), ('INIT', 'COMPLETE')))

    def _delete_after_backup(self, wanted):
        if wanted:
            backup_id = self._back_up()
            while not self._is_backed_up(backup_id):
                yield
        taken = super().handle_delete()
        while not super().check_delete_complete(taken):
            yield

    def _is_busy(self, error):
        """Return whether the volume has to come to rest first."""
        return (cloud_error.status_of(error) in _REFUSALS and
                self._show_resource()['status'] in _BUSY)

    def check_delete_complete(self, check):
        """Return whether the volume, once backed up, is gone."""
        if check is None or isinstance(check, bool):
            return super().check_delete_complete(check)
        return is_done(check)


class BaseVolumeAttachment(sdk_resource.SDKResource):
    """Base of attachments of volumes to servers."""

    default_client_name = 'cinder'
    looks_together = True
    #: The physical id is that of the volume, which may be a resource, too.
    names_another = True

    INSTANCE_ID: Any = None
    VOLUME_ID: Any = None
    DEVICE: Any = None

    def handle_create(self):
        """Ask for the attachment; return what is being attached."""
        return self._attach(self.properties)

    def _attach(self, properties):
        volume_id = properties[self.VOLUME_ID]
        self.resource_id_set(self.client_plugin('nova').attach_volume(
            properties[self.INSTANCE_ID], volume_id,
            properties[self.DEVICE] or None))
        return volume_id

    def find_created(self):
        """Return the attachment that an interrupted create has made, or None.

        After a create that failed, the attachment may be that of somebody
        else.
        """
        if self.state_before != (self.CREATE, self.IN_PROGRESS) or (
                not self._is_attached(self.properties)):
            return None
        return self.resource_id or self.properties[self.VOLUME_ID]

    def _is_attached(self, properties):
        """Return whether a volume is or is being attached to a server."""
        return not self.client_plugin('nova').check_detach_volume_complete(
            properties[self.INSTANCE_ID], properties[self.VOLUME_ID])

    def check_create_complete(self, volume_id):
        """Return whether the volume is attached."""
        return self.client_plugin().check_attach_volume_complete(volume_id)

    def handle_delete(self):
        """Begin to detach the volume."""
        if self.resource_id is None:
            return None
        return self._detached(
            is_reused=self.stack.action != self.stack.DELETE)

    def _detached(self, is_reused=True):
        """A task to detach the volume.

        :param is_reused: whether it may be attached to the same server
            again. Nova refuses that until it has forgotten the attachment,
            shortly after Cinder has.
        """
        nova = self.client_plugin('nova')
        server_id = self.properties[self.INSTANCE_ID]
        while not nova.detach_volume(server_id, self.resource_id):
            yield
        while not self.client_plugin().check_detach_volume_complete(
                self.properties[self.VOLUME_ID], server_id):
            yield
        while is_reused and not nova.check_detach_volume_complete(
                server_id, self.resource_id):
            yield

    def check_delete_complete(self, check):
        """Return whether the volume is detached."""
        return is_done(check)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to attach another volume, or elsewhere."""
        return self._moved({
            name: prop_diff.get(name, self.properties[name])
            for name in (self.INSTANCE_ID, self.VOLUME_ID, self.DEVICE)
        }) if prop_diff else None

    def _moved(self, wanted):
        volume_id = wanted[self.VOLUME_ID]
        if self._is_elsewhere(wanted) and self._is_attached(wanted):
            # An interrupted update has attached it.
            self.resource_id_set(volume_id)
        else:
            yield from self._detached()
            self._attach(wanted)
        while not self.check_create_complete(volume_id):
            yield

    def _is_elsewhere(self, wanted):
        """Return whether another volume or server is wanted."""
        return any(wanted[name] != self.properties[name]
                   for name in (self.INSTANCE_ID, self.VOLUME_ID))

    def check_update_complete(self, unsent):
        """Return whether the volume is attached where it is to be."""
        return is_done(unsent)

    def needs_replace_failed(self):
        """Replace what failed unless the volume is attached.

        Nova refuses to attach it again beside what would be replaced.
        """
        if self.resource_id is None:
            return True
        return self.client_plugin('nova').check_detach_volume_complete(
            self.properties[self.INSTANCE_ID], self.resource_id)

    def _show_resource(self):
        return None

    def import_data(self):
        """Return what is attached where; EntityNotFound if it is not.

        The id of an attachment is that of the volume.
        """
        if self.resource_id != self.properties[self.VOLUME_ID] or (
                not self._is_attached(self.properties)):
            raise exception.EntityNotFound(entity=_('volume attachment'),
                                           name=self.resource_id)
        return {name: self.properties[name]
                for name in (self.INSTANCE_ID, self.VOLUME_ID)}

    def drift_listing(self):
        """Return the list of servers, which tells of their volumes."""
        return server_attributes.listing(self)

    def drift_thing_id(self):
        """Return the id of the server."""
        return self.properties[self.INSTANCE_ID]

    def drift_list_is_proof(self):
        """Return whether Nova lists all servers of the project."""
        return self._is_listed() and (
            server_attributes.lists_all(self.client_plugin('nova')))

    def drift_data_of(self, thing, live):
        """Return nothing; raise EntityNotFound if it is detached."""
        server_attributes.require_known(thing)
        if not any(each.id == self.properties[self.VOLUME_ID]
                   for each in thing.attached_volumes):
            raise self._detached_error()
        return {}

    def _detached_error(self):
        return exception.EntityNotFound(entity=_('volume attachment'),
                                        name=self.resource_id)

    def drift_data(self):
        """Return nothing; raise EntityNotFound if it is detached."""
        if not self._is_attached(self.properties):
            raise self._detached_error()
        return {}

    #: A check says nothing of an attachment.
    handle_check: Any = None
