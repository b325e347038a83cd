"""Quotas of Nova."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import quota_base

_NO_INJECTION = support.SupportStatus(
    status=support.DEPRECATED, version='14.0.0',
    message=_('Nova injects no files any more, so OS::Nova::Quota limits '
              'none.'))


class NovaQuota(quota_base.Quota):
    """The quota of a project in Nova.

    By default only administrators may set it. Deleting it brings back what
    is usual for projects.
    """

    type_name = 'OS::Nova::Quota'
    support_status = support.SupportStatus(version='8.0.0')
    default_client_name = 'nova'
    # Nova refuses by itself what is below that.
    checks_usage = False

    properties_schema = {
        'project': properties.string(
            _('The project whose quota it is, by name or id.'),
            required=True,
            constraints=[constraints.ref('keystone.project')]),
        'cores': properties.integer(
            _('How many virtual processors there may be; -1 for any '
              'number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'fixed_ips': properties.integer(
            _('How many fixed IPs there may be; -1 for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'floating_ips': properties.integer(
            _('How many floating IPs there may be; -1 for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'injected_file_content_bytes': properties.integer(
            _('How many bytes an injected file may have; -1 for any '
              'number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True,
            support_status=_NO_INJECTION),
        'injected_file_path_bytes': properties.integer(
            _('How many bytes the path of an injected file may have; -1 '
              'for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True,
            support_status=_NO_INJECTION),
        'injected_files': properties.integer(
            _('How many files a server may be given; -1 for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True,
            support_status=_NO_INJECTION),
        'instances': properties.integer(
            _('How many servers there may be; -1 for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'key_pairs': properties.integer(
            _('How many key pairs a user may have; -1 for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'metadata_items': properties.integer(
            _('How many metadata a server may have; -1 for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'ram': properties.integer(
            _('How many megabytes of memory servers may have in all; -1 '
              'for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'security_groups': properties.integer(
            _('How many security groups there may be; -1 for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'security_group_rules': properties.integer(
            _('How many rules a security group may have; -1 for any '
              'number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'server_groups': properties.integer(
            _('How many server groups there may be; -1 for any number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
        'server_group_members': properties.integer(
            _('How many servers may be in a server group; -1 for any '
              'number.'),
            constraints=[constraints.Range(min=-1)],
            update_allowed=True),
    }
