"""Policies of Neutron about who may use what."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources.openstack.neutron import neutron


class RBACPolicy(neutron.NeutronResource):
    """A permission for another project to use something of Neutron.

    What all projects may use need not be shared one by one: the property
    "shared" of the thing does that.
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
            _('Action that the policy grants to the other project.'),
            required=True,
            constraints=[constraints.AllowedValues(['access_as_shared',
                'access_as_external'])]),
        OBJECT_ID: properties.string(
            _('The thing to share, by name or id.'), required=True),
        OBJECT_TYPE: properties.string(
            _('The kind of the thing.'), required=True,
            constraints=[constraints.AllowedValues(['network',
                'qos_policy', 'security_group', 'address_scope',
                'subnetpool'])]),
        TARGET_TENANT: properties.string(
            _('The project with which it is shared; * for all.'),
            required=True, update_allowed=True),
        TENANT_ID: properties.string(
            _('The project that owns it. Only administrators may name '
              'another one than their own.')),
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
                'The action "%(action)s" is for a network, not for a '
                '%(kind)s.') % {'action': action, 'kind': kind})
        return problem
