"""Policies of Neutron about who may use what."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class RBACPolicy(neutron.NeutronResource):
    """A policy that shares an object of Neutron with another project.

    To share an object with all projects, set its property ``shared``
    instead.
    """

    type_name = 'OS::Neutron::RBACPolicy'
    support_status = support.SupportStatus(version='6.0.0')
    required_service_extension = 'rbac-policies'
    entity = 'rbac_policy'

    PROPERTIES = (
        ACTION, OBJECT_ID, OBJECT_TYPE, TARGET_TENANT, TENANT_ID,
    ) = (
        'action', 'object_id', 'object_type', 'target_tenant',
        'tenant_id',
    )

    properties_schema = {
        ACTION: properties.string(
            _('Action that the policy permits to the target project.'),
            required=True,
            constraints=[constraints.AllowedValues(['access_as_shared',
                'access_as_external'])]),
        OBJECT_ID: properties.string(
            _('Object to share, by name or ID.'), required=True),
        OBJECT_TYPE: properties.string(
            _('Type of the object to share.'), required=True,
            constraints=[constraints.AllowedValues(['network',
                'qos_policy', 'security_group', 'address_scope',
                'subnetpool'])]),
        TARGET_TENANT: properties.string(
            _('ID of the project with which the object is shared; * for all '
              'projects.'),
            required=True, update_allowed=True),
        TENANT_ID: fragments.owner(),
    }

    def translation_rules(self, properties):
        """Return a rule that makes the id of the name of the thing."""
        if not properties.data.get(self.OBJECT_TYPE):
            # That it is missing is said when the properties are validated.
            return super().translation_rules(properties)
        kind = properties[self.OBJECT_TYPE]
        return [*super().translation_rules(properties),
                translation.TranslationRule(
                    properties, translation.TranslationRule.RESOLVE,
                    [self.OBJECT_ID], client_plugin=self.client_plugin(),
                    finder='find_resourceid_by_name_or_id',
                    entity='policy' if kind == 'qos_policy' else kind)]

    def validate(self):
        """Check that the thing can be used in this way."""
        problem = super().validate()
        action = self.properties[self.ACTION]
        kind = self.properties[self.OBJECT_TYPE]
        if action == 'access_as_external' and kind != 'network':
            raise exception.StackValidationFailed(message=_(
                'The action "%(action)s" applies to networks only, not to the '
                'type %(kind)s.') % {'action': action, 'kind': kind})
        return problem
