"""Volumes of EC2, and their attachments to servers."""
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources import volume_base
from heat.engine.resources.aws.ec2 import tags


class Volume(sdk_resource.Unshown, volume_base.BaseVolume):
    """An Elastic Block Store volume.

    It is implemented as a volume of Cinder.
    """

    type_name = 'AWS::EC2::Volume'
    support_status = support.SupportStatus()
    entity: Any = None

    PROPERTIES = (
        AVAILABILITY_ZONE, SIZE, BACKUP_ID, TAGS,
    ) = (
        'AvailabilityZone', 'Size', 'SnapshotId', tags.TAGS,
    )

    properties_schema = {
        AVAILABILITY_ZONE: properties.string(
            _('Availability zone in which the volume is created.'),
            required=True,
            immutable=True),
        SIZE: properties.integer(
            _('Size in GiB.'),
            immutable=True,
            constraints=[constraints.Range(min=1)]),
        BACKUP_ID: properties.string(
            _('Backup from which the volume is restored.'),
            immutable=True,
            constraints=[constraints.CustomConstraint('cinder.backup')]),
        TAGS: tags.schema(immutable=True),
    }

    def validate(self):
        """Check that it is known how big the volume is."""
        problem = super().validate()
        if not {self.SIZE, self.BACKUP_ID} & set(self.properties.data):
            raise exception.PropertyUnspecifiedError(self.SIZE,
                                                     self.BACKUP_ID)
        return problem

    def _create_arguments(self):
        return {
            'size': self.properties[self.SIZE],
            'availability_zone': self.properties[self.AVAILABILITY_ZONE],
            'metadata': tags.as_map(self.properties[self.TAGS])}


class VolumeAttachment(volume_base.BaseVolumeAttachment):
    """The attachment of an Elastic Block Store volume to an instance.

    It attaches a volume of Cinder to a server of Nova.
    """

    type_name = 'AWS::EC2::VolumeAttachment'
    support_status = support.SupportStatus()

    PROPERTIES = (
        INSTANCE_ID, VOLUME_ID, DEVICE,
    ) = (
        'InstanceId', 'VolumeId', 'Device',
    )

    properties_schema = {
        INSTANCE_ID: properties.string(
            _('Server to which the volume is attached.'),
            required=True,
            immutable=True,
            constraints=[constraints.CustomConstraint('nova.server')]),
        VOLUME_ID: properties.string(
            _('Volume to attach.'),
            required=True,
            immutable=True,
            constraints=[constraints.CustomConstraint('cinder.volume')]),
        DEVICE: properties.string(
            _('Name of the device, /dev/vdb to /dev/vdz. The operating system '
              'of the server may assign another name.'),
            required=True,
            immutable=True,
            constraints=[constraints.AllowedPattern('/dev/vd[b-z]')]),
    }
