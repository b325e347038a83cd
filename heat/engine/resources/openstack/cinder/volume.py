"""Volumes of Cinder, and their attachment to servers."""
import json
from typing import Any

from oslo_config import cfg

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources import scheduler_hints
from heat.engine.resources import volume_base

#: The microversion since which volumes grow while they are attached.
_EXTEND_IN_USE = '3.42'
#: States that lead back to what the volume was.
_CHANGING = ('extending', 'retyping', 'restoring-backup', 'detaching',
             'attaching', 'reserved')


class CinderVolume(volume_base.BaseVolume,
                   scheduler_hints.SchedulerHintsMixin):
    """A volume of Cinder: a disk that exists independently of servers.

    The volume is empty, or created from an image, a snapshot, a backup
    or another volume. With the deletion policy Snapshot a backup of the
    volume remains when the resource is deleted.
    """

    type_name = 'OS::Cinder::Volume'

    (SIZE, AVAILABILITY_ZONE, SNAPSHOT_ID, BACKUP_ID, NAME, DESCRIPTION,
     VOLUME_TYPE, METADATA, IMAGE_REF, IMAGE, SOURCE_VOLID, READ_ONLY,
     SCHEDULER_HINTS) = (
        'size', 'availability_zone', 'snapshot_id', 'backup_id', 'name',
        'description', 'volume_type', 'metadata', 'imageRef', 'image',
        'source_volid', 'read_only', 'scheduler_hints')

    properties_schema = {
        'availability_zone': properties.string(
            _('Availability zone in which the volume is created.')),
        'size': properties.integer(
            _('Size of the volume in gigabytes. An update can extend the '
              'volume but not shrink it.'),
            constraints=[constraints.Range(min=1)],
            update_allowed=True),
        'snapshot_id': properties.string(
            _('ID of the snapshot from which the volume is created.'),
            constraints=[constraints.CustomConstraint('cinder.snapshot')]),
        'backup_id': properties.string(
            _('ID of the backup from which the volume is restored.'),
            constraints=[constraints.CustomConstraint('cinder.backup')],
            update_allowed=True),
        'name': properties.string(
            _('Name of the volume. If omitted, a name is generated.'),
            update_allowed=True),
        'description': properties.string(
            _('Description of the volume.'),
            update_allowed=True),
        'volume_type': properties.string(
            _('Volume type, by name or ID.'),
            constraints=[constraints.CustomConstraint('cinder.vtype')],
            update_allowed=True),
        'metadata': properties.map(
            _('Metadata of the volume, as keys and string values.'),
            default={},
            update_allowed=True),
        'imageRef': properties.string(
            _('ID of the image from which the volume is created.'),
            support_status=support.SupportStatus(
                status=support.HIDDEN, version='5.0.0',
                previous_status=support.SupportStatus(
                    status=support.DEPRECATED, version='2014.1'))),
        'image': properties.string(
            _('Image from which the volume is created, by name or ID.'),
            constraints=[constraints.CustomConstraint('glance.image')]),
        'source_volid': properties.string(
            _('ID of the source volume of which the volume is a copy.'),
            constraints=[constraints.CustomConstraint('cinder.volume')]),
        'scheduler_hints': properties.map(
            _('Hints for the scheduler that places the volume.'),
            support_status=support.SupportStatus(version='2015.1')),
        'read_only': properties.boolean(
            _('Whether the volume is read-only.'),
            update_allowed=True,
            support_status=support.SupportStatus(version='5.0.0')),
        'multiattach': properties.boolean(
            _('Whether the volume can be attached to several servers. '
              'Superseded by the volume type.'),
            default=False,
            support_status=support.SupportStatus(
                status=support.HIDDEN, version='13.0.0',
                previous_status=support.SupportStatus(version='6.0.0'))),
    }

    attributes_schema = {
        'attachments': attributes.Schema(
            _('Attachments of the volume, in JSON format.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            support_status=support.SupportStatus(
                status=support.DEPRECATED, version='9.0.0',
                previous_status=support.SupportStatus(version='2015.1')),
            type=attributes.Schema.STRING),
        'attachments_list': attributes.Schema(
            _('Attachments of the volume.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            support_status=support.SupportStatus(version='9.0.0'),
            type=attributes.Schema.LIST),
        'availability_zone': attributes.Schema(
            _('Availability zone of the volume.'),
            type=attributes.Schema.STRING),
        'bootable': attributes.Schema(
            _('Whether servers can boot from the volume: true or false.'),
            type=attributes.Schema.STRING),
        'created_at': attributes.Schema(
            _('Time at which the volume was created.'),
            type=attributes.Schema.STRING),
        'display_description': attributes.Schema(
            _('Description of the volume.'),
            type=attributes.Schema.STRING),
        'display_name': attributes.Schema(
            _('Name of the volume.'),
            type=attributes.Schema.STRING),
        'encrypted': attributes.Schema(
            _('Whether the volume is encrypted.'),
            type=attributes.Schema.STRING),
        'metadata': attributes.Schema(
            _('Metadata of the volume, in JSON format.'),
            type=attributes.Schema.STRING),
        'metadata_values': attributes.Schema(
            _('Metadata of the volume.'),
            type=attributes.Schema.MAP),
        'multiattach': attributes.Schema(
            _('Whether the volume can be attached to several servers.'),
            support_status=support.SupportStatus(version='6.0.0'),
            type=attributes.Schema.BOOLEAN),
        'size': attributes.Schema(
            _('Size of the volume in gigabytes.'),
            type=attributes.Schema.STRING),
        'snapshot_id': attributes.Schema(
            _('ID of the snapshot from which the volume was created.'),
            type=attributes.Schema.STRING),
        'source_volid': attributes.Schema(
            _('ID of the source volume of which the volume is a copy.'),
            type=attributes.Schema.STRING),
        'status': attributes.Schema(
            _('Status of the volume.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        'volume_type': attributes.Schema(
            _('Volume type.'),
            type=attributes.Schema.STRING),
    }

    _volume_creating_status = ('creating', 'restoring-backup', 'downloading')

    def translation_rules(self, properties):
        """Read the old name of the property image as the new one."""
        return [translation.TranslationRule(
            properties, translation.TranslationRule.REPLACE, [self.IMAGE],
            value_path=[self.IMAGE_REF])]

    def validate(self):
        """Check that the volume has one origin, and a size if it needs it.
        """
        problem = super().validate()
        origins = [name for name in (self.SNAPSHOT_ID, self.SOURCE_VOLID,
                                     self.IMAGE, self.BACKUP_ID)
                   if self.properties[name]]
        if self.properties[self.SIZE] is not None and len(origins) > 1:
            raise exception.StackValidationFailed(message=_(
                'A volume with a "size" can be created from one source only, '
                'not from %s') % ', '.join(origins))
        if self.properties[self.SIZE] is None and (
                len(origins) != 1 or origins == [self.IMAGE]):
            raise exception.StackValidationFailed(message=_(
                'A volume requires a "size", or exactly one of "snapshot_id", '
                '"source_volid" and "backup_id" from which its size derives. '
                'Specified: %s')
                % (', '.join(origins) or _('none')))
        return problem

    @classmethod
    def validate_deletion_policy(cls, policy):
        """Refuse to leave backups where the cloud makes none."""
        super().validate_deletion_policy(policy)
        if policy == 'Snapshot' and not cfg.CONF.volumes.backups_enabled:
            raise exception.StackValidationFailed(message=_(
                'The deletion policy "Snapshot" requires the volume backup '
                'service, which is not available in this cloud'))

    # -- creating -----------------------------------------------------------

    def _name(self):
        return self.properties[self.NAME] or super()._name()

    def _description(self):
        return self.properties[self.DESCRIPTION]

    def _create_arguments(self):
        props = self.properties
        image = props[self.IMAGE] and self.client_plugin(
            'glance').find_image_by_name_or_id(props[self.IMAGE])
        return {
            'size': props[self.SIZE],
            'availability_zone': props[self.AVAILABILITY_ZONE],
            'metadata': props[self.METADATA] or None,
            'volume_type': props[self.VOLUME_TYPE],
            'source_volid': props[self.SOURCE_VOLID],
            'snapshot_id': props[self.SNAPSHOT_ID],
            'imageRef': image or None,
            'OS-SCH-HNT:scheduler_hints': self._scheduler_hints(
                props[self.SCHEDULER_HINTS]) or None}

    def check_create_complete(self, vol_id):
        """Return whether the volume is there; make it read-only if wanted."""
        if not super().check_create_complete(vol_id):
            return False
        if self.properties[self.READ_ONLY] is not None:
            self.sdk().set_volume_readonly(
                vol_id, self.properties[self.READ_ONLY])
        return True

    # -- changing -----------------------------------------------------------

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to change what differs, one thing after the other."""
        self._refuse_shrinking(prop_diff.get(self.SIZE))
        return self._changed(prop_diff) if prop_diff else None

    def _refuse_shrinking(self, size):
        if size is not None and size < int(self._show_resource()['size']):
            raise exception.NotSupported(feature=_(
                'Shrinking volume %s') % self.name)

    def _changed(self, diff):
        client, vol_id = self.sdk(), self.resource_id
        if diff.get(self.BACKUP_ID):
            client.restore_backup(diff[self.BACKUP_ID], volume=vol_id)
            yield from self._await_rest()
        if self.NAME in diff or self.DESCRIPTION in diff:
            client.update_volume(vol_id, **{
                'name': diff.get(self.NAME, self.properties[self.NAME]) or
                self.physical_resource_name(),
                'description': diff.get(
                    self.DESCRIPTION, self.properties[self.DESCRIPTION])})
        if self.METADATA in diff:
            self._change_metadata(diff[self.METADATA] or {})
        if diff.get(self.VOLUME_TYPE):
            client.retype_volume(vol_id, self.client_plugin(
                ).get_volume_type(diff[self.VOLUME_TYPE]))
            yield from self._await_rest()
        if diff.get(self.SIZE):
            yield from self._grown(diff[self.SIZE])
        if self.READ_ONLY in diff:
            client.set_volume_readonly(vol_id, bool(diff[self.READ_ONLY]))

    def _change_metadata(self, wanted):
        present = self._show_resource().get('metadata') or {}
        removed = sorted(set(present) - set(wanted) - {'readonly'})
        if removed:
            self.sdk().delete_volume_metadata(self.resource_id, removed)
        if wanted:
            self.sdk().set_volume_metadata(self.resource_id, **wanted)

    def _grown(self, size):
        """Let the volume grow, without the servers where it must be."""
        live = self._show_resource()
        if size == int(live['size']):
            return
        servers = [] if self.client_plugin().is_version_supported(
            _EXTEND_IN_USE) else list(live.get('attachments') or [])
        nova: Any = self.client_plugin('nova') if servers else None
        for each in servers:
            while not nova.detach_volume(each['server_id'],
                                         self.resource_id):
                yield
        while servers and not (
                self.client_plugin().check_detach_volume_complete(
                    self.resource_id)):
            yield
        self.sdk().extend_volume(self.resource_id, size)
        yield from self._await_rest()
        for each in servers:
            nova.attach_volume(each['server_id'], self.resource_id,
                               each.get('device'))
        while servers and not (
                self.client_plugin().check_attach_volume_complete(
                    self.resource_id)):
            yield

    def _await_rest(self):
        """Wait until the volume is at rest again."""
        while True:
            yield
            wanted = 'in-use' if self._show_resource().get(
                'attachments') else 'available'
            if self._is_in(wanted, (*_CHANGING, 'available', 'in-use')):
                return

    def check_update_complete(self, unsent):
        """Return whether all changes are made."""
        return volume_base.is_done(unsent)

    # -- snapshots ----------------------------------------------------------

    def handle_snapshot(self):
        """Ask for a backup."""
        backup_id = self._back_up()
        self.data_set('backup_id', backup_id)
        return backup_id

    def check_snapshot_complete(self, backup_id):
        """Return whether the backup is there."""
        return self._is_backed_up(backup_id)

    def handle_delete_snapshot(self, snapshot):
        """Ask for the backup of a snapshot to go away."""
        backup_id = snapshot['resource_data'].get('backup_id')
        if not backup_id:
            return None
        with self.client_plugin().ignore_not_found:
            self.sdk().delete_backup(backup_id, ignore_missing=False)
            return backup_id
        return None

    def check_delete_snapshot_complete(self, backup_id):
        """Return whether the backup is gone."""
        if backup_id is None:
            return True
        with self.client_plugin().ignore_not_found:
            status = self.sdk().get_backup(backup_id).status
            if status not in ('available', 'deleting'):
                raise exception.ResourceUnknownStatus(
                    resource_status=status,
                    result=_('The backup was not deleted'))
            return False
        return True

    def handle_restore(self, defn, restore_data):
        """Return a definition that makes the volume from its backup."""
        backup_id = restore_data['resource_data']['backup_id']
        origins = (self.IMAGE, self.IMAGE_REF, self.SOURCE_VOLID,
                   self.SNAPSHOT_ID, self.SIZE)
        props = {key: value for key, value in
                 defn.properties(self.properties_schema).data.items()
                 if key not in origins and value is not None}
        return defn.freeze(properties={**props, self.BACKUP_ID: backup_id})

    # -- what others see ----------------------------------------------------

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        live = self._show_resource()
        if name == 'metadata':
            return json.dumps(live.get('metadata') or {})
        if name == 'attachments':
            return json.dumps(live.get('attachments') or [])
        where = {'metadata_values': 'metadata', 'display_name': 'name',
                 'attachments_list': 'attachments',
                 'display_description': 'description'}.get(name, name)
        value = live.get(where)
        if name in ('metadata_values', 'attachments_list', 'multiattach'):
            return value
        if isinstance(value, bool):
            return str(value).lower()
        return None if value is None else str(value)

    def parse_live(self, live):
        """Leave out of the metadata what Cinder puts there itself."""
        metadata = dict(live.get('metadata') or {})
        read_only = metadata.pop('readonly', None)
        return {**live, self.METADATA: metadata,
                self.READ_ONLY: str(read_only).lower() == 'true'}


class CinderVolumeAttachment(volume_base.BaseVolumeAttachment):
    """The attachment of a volume of Cinder to a server of Nova.

    Deleting the resource detaches the volume. An update detaches the
    volume and attaches it again as specified.
    """

    type_name = 'OS::Cinder::VolumeAttachment'

    PROPERTIES = (INSTANCE_ID, VOLUME_ID, DEVICE) = (
        'instance_uuid', 'volume_id', 'mountpoint')

    properties_schema = {
        'instance_uuid': properties.string(
            _('ID of the server to which the volume is attached.'),
            required=True,
            update_allowed=True),
        'volume_id': properties.string(
            _('ID of the volume.'),
            required=True,
            constraints=[constraints.CustomConstraint('cinder.volume')],
            update_allowed=True),
        'mountpoint': properties.string(
            _('Device name of the volume on the server, for example /dev/vdb. '
              'The hypervisor may choose another name.'),
            update_allowed=True),
    }
