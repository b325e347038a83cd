"""Custom constraints that ask the network service."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'neutron'


class NeutronConstraint(sdk_plugin.SDKConstraint):
    """Something of Neutron exists, under this id or name."""

    resource_client_name = CLIENT_NAME
    resource_getter_name = 'find_resourceid_by_name_or_id'
    #: The noun of what is looked for, and the extension that has it.
    resource_name: str | None = None
    extension: str | None = None

    def validate_with_client(self, client, value):
        """Ask Neutron; raise EntityNotFound if it does not know the value.
        """
        plugin = client.client_plugin(CLIENT_NAME)
        if self.extension and not plugin.has_extension(self.extension):
            raise exception.EntityNotFound(
                entity=_('neutron extension'), name=self.extension)
        getattr(plugin, self.resource_getter_name)(self.resource_name, value)


class NetworkConstraint(NeutronConstraint):
    """A network."""

    resource_name = 'network'


class PortConstraint(NeutronConstraint):
    """A port."""

    resource_name = 'port'


class RouterConstraint(NeutronConstraint):
    """A router."""

    resource_name = 'router'


class SubnetConstraint(NeutronConstraint):
    """A subnet."""

    resource_name = 'subnet'


class SubnetPoolConstraint(NeutronConstraint):
    """A pool that subnets are taken from."""

    resource_name = 'subnetpool'


class SecurityGroupConstraint(NeutronConstraint):
    """A security group."""

    resource_name = 'security_group'


class AddressScopeConstraint(NeutronConstraint):
    """An address scope."""

    resource_name = 'address_scope'
    extension = 'address-scope'


class QoSPolicyConstraint(NeutronConstraint):
    """A QoS policy."""

    resource_name = 'policy'
    extension = 'qos'


class FlowClassifierConstraint(NeutronConstraint):
    """A flow classifier of service function chains."""

    resource_name = 'flow_classifier'
    extension = 'sfc'


class PortPairConstraint(NeutronConstraint):
    """A port pair of service function chains."""

    resource_name = 'port_pair'
    extension = 'sfc'


class PortPairGroupConstraint(NeutronConstraint):
    """A port pair group of service function chains."""

    resource_name = 'port_pair_group'
    extension = 'sfc'


class NeutronExtConstraint(NeutronConstraint):
    """Something of an extension of Neutron."""

    resource_getter_name = 'resolve_ext_resource'


class ProviderConstraint(constraints.BaseCustomConstraint):
    """A provider of a kind of service exists."""

    expected_exceptions = (exception.StackValidationFailed,)
    service_type: str | None = None

    def validate_with_client(self, client, value):
        """Ask Neutron for the providers it has."""
        known = {provider.name for provider in
                 client.client_plugin(CLIENT_NAME).sdk().service_providers(
                     service_type=self.service_type)}
        if value not in known:
            raise exception.StackValidationFailed(message=_(
                'Unable to find the provider %(name)s of %(type)s.')
                % {'name': value, 'type': self.service_type})


#: By the names that templates and schemas use.
CONSTRAINTS = {
    'neutron.address_scope': AddressScopeConstraint,
    'neutron.flow_classifier': FlowClassifierConstraint,
    'neutron.network': NetworkConstraint,
    'neutron.port': PortConstraint,
    'neutron.port_pair': PortPairConstraint,
    'neutron.port_pair_group': PortPairGroupConstraint,
    'neutron.qos_policy': QoSPolicyConstraint,
    'neutron.router': RouterConstraint,
    'neutron.security_group': SecurityGroupConstraint,
    'neutron.subnet': SubnetConstraint,
    'neutron.subnetpool': SubnetPoolConstraint,
}
