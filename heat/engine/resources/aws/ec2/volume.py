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
    """Resource to manage AWS elastic block store volumes.

    It is a volume of Cinder.
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
            _('The availability zone in which the volume is made.'),
            required=True,
            immutable=True),
        SIZE: properties.integer(
            _('The size in GiB.'),
            immutable=True,
            constraints=[constraints.Range(min=1)]),
        BACKUP_ID: properties.string(
            _('The backup that becomes the volume.'),
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
    """Resource to attach AWS elastic block store volumes to servers.

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
            _('The server.'),
            required=True,
            immutable=True,
            constraints=[constraints.CustomConstraint('nova.server')]),
        VOLUME_ID: properties.string(
            _('The volume.'),
            required=True,
            immutable=True,
            constraints=[constraints.CustomConstraint('cinder.volume')]),
        DEVICE: properties.string(
            _('The name of the device, /dev/vdb to /dev/vdz. What it is '
              'called in the server, its system decides.'),
            required=True,
            immutable=True,
            constraints=[constraints.AllowedPattern('/dev/vd[b-z]')]),
    }
