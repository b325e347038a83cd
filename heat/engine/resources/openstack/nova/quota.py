"""Quotas of Nova."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import quota_base

_NO_INJECTION = support.SupportStatus(
    status=support.DEPRECATED, version='14.0.0',
    message=_('Nova no longer injects files. The property has no effect.'))


class NovaQuota(quota_base.Quota):
    """The quota of a project in Nova.

    By default only administrators may set it. Deleting the resource
    restores the default quota.
    """

    type_name = 'OS::Nova::Quota'
    support_status = support.SupportStatus(version='8.0.0')
    default_client_name = 'nova'
    # Nova refuses by itself what is below that.
    checks_usage = False

    properties_schema = {
        'project': properties.string(
            _('Project that the quota applies to, by name or ID.'),
            required=True,
            constraints=[constraints.ref('keystone.project')]),
        'cores': properties.integer(
            _('Maximum number of virtual processors; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'fixed_ips': properties.integer(
            _('Maximum number of fixed IPs; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'floating_ips': properties.integer(
            _('Maximum number of floating IPs; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'injected_file_content_bytes': properties.integer(
            _('Maximum size of an injected file in bytes; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True,
            support_status=_NO_INJECTION),
        'injected_file_path_bytes': properties.integer(
            _('Maximum length of the path of an injected file in bytes; -1 '
              'for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True,
            support_status=_NO_INJECTION),
        'injected_files': properties.integer(
            _('Maximum number of injected files per server; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True,
            support_status=_NO_INJECTION),
        'instances': properties.integer(
            _('Maximum number of servers; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'key_pairs': properties.integer(
            _('Maximum number of key pairs per user; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'metadata_items': properties.integer(
            _('Maximum number of metadata items per server; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'ram': properties.integer(
            _('Maximum amount of memory of all servers in megabytes; -1 for '
              'no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'security_groups': properties.integer(
            _('Maximum number of security groups; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'security_group_rules': properties.integer(
            _('Maximum number of rules per security group; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'server_groups': properties.integer(
            _('Maximum number of server groups; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'server_group_members': properties.integer(
            _('Maximum number of servers per server group; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
    }
