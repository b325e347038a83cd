"""Projects of Keystone."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.keystone import keystone


class KeystoneProject(keystone.KeystoneResource):
    """A project of Keystone.

    A project owns servers, networks, volumes and other resources. By
    default only administrators may create it.
    """

    type_name = 'OS::Keystone::Project'
    support_status = support.SupportStatus(version='2015.1')
    entity = 'projects'
    noun = 'project'
    # Keystone takes no longer names of them.
    physical_resource_name_limit = 64

    properties_schema = {
        'name': properties.string(
            _('Name of the project. If omitted, a name is generated.'),
            update_allowed=True),
        'domain': properties.string(
            _('Domain of the project, by name or ID.'),
            default='default',
            constraints=[constraints.ref('keystone.domain')],
            update_allowed=True),
        'description': properties.string(
            _('Description of the project.'),
            default='',
            update_allowed=True),
        'enabled': properties.boolean(
            _('Whether the project is enabled. No tokens are issued for a '
              'disabled project.'),
            default=True,
            update_allowed=True),
        'parent': properties.string(
            _('Parent project, by name or ID.'),
            constraints=[constraints.ref('keystone.project')],
            support_status=support.SupportStatus(version='6.0.0')),
        'tags': properties.list(
            _('Tags of the project.'),
            default=[],
            update_allowed=True,
            support_status=support.SupportStatus(version='10.0.0')),
    }

    attributes_schema = {
        'domain_id': attributes.Schema(
            _('ID of the domain of the project.'),
            support_status=support.SupportStatus(version='10.0.0'),
            type=attributes.Schema.STRING),
        'enabled': attributes.Schema(
            _('Whether the project is enabled. No tokens are issued for a '
              'disabled project.'),
            support_status=support.SupportStatus(version='10.0.0'),
            type=attributes.Schema.BOOLEAN),
        'is_domain': attributes.Schema(
            _('Whether the project also acts as a domain.'),
            support_status=support.SupportStatus(version='10.0.0'),
            type=attributes.Schema.BOOLEAN),
        'name': attributes.Schema(
            _('Name of the project.'),
            support_status=support.SupportStatus(version='10.0.0'),
            type=attributes.Schema.STRING),
        'parent_id': attributes.Schema(
            _('ID of the parent project or domain.'),
            support_status=support.SupportStatus(version='10.0.0'),
            type=attributes.Schema.STRING),
    }

    rename = {'domain': 'domain_id', 'parent': 'parent_id'}

    def _delete(self):
        self._delete_default_security_groups()
        super()._delete()

    def _delete_default_security_groups(self):
        """Delete what Neutron made by itself for the project."""
        neutron = self.client_plugin('neutron')
        if neutron is None or not neutron.does_endpoint_exist(
                neutron.NETWORK, 'neutron'):
            return
        client = neutron.sdk()
        for group in client.security_groups(project_id=self.resource_id,
                                            name='default'):
            with neutron.ignore_not_found:
                client.delete_security_group(group.id, ignore_missing=False)
