"""Quotas of Cinder."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import quota_base


class CinderQuota(quota_base.Quota):
    """The quota of a project in Cinder.

    By default only administrators may set it. Deleting the resource
    restores the default quota.
    """

    type_name = 'OS::Cinder::Quota'
    support_status = support.SupportStatus(version='7.0.0')
    default_client_name = 'cinder'

    properties_schema = {
        'project': properties.string(
            _('Project that the quota applies to, by name or ID.'),
            required=True,
            constraints=[constraints.ref('keystone.project')]),
        'gigabytes': properties.integer(
            _('Maximum total size of volumes and snapshots in gigabytes; -1 '
              'for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'volumes': properties.integer(
            _('Maximum number of volumes; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'snapshots': properties.integer(
            _('Maximum number of snapshots; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'backups': properties.integer(
            _('Maximum number of backups; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True,
            support_status=support.SupportStatus(version='16.0.0')),
        'backup_gigabytes': properties.integer(
            _('Maximum total size of backups in gigabytes; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True,
            support_status=support.SupportStatus(version='16.0.0')),
    }
