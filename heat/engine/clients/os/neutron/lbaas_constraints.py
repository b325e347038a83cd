"""Custom constraints about load balancing in Neutron.

Octavia has taken it over: without the extension nothing satisfies them.
"""
from heat.engine.clients.os.neutron import neutron_constraints


class LoadbalancerConstraint(neutron_constraints.NeutronConstraint):
    """A load balancer."""

    resource_name = 'loadbalancer'
    extension = 'lbaasv2'


class ListenerConstraint(neutron_constraints.NeutronConstraint):
    """A listener of a load balancer."""

    resource_name = 'listener'
    extension = 'lbaasv2'


class PoolConstraint(neutron_constraints.NeutronConstraint):
    """A pool of a load balancer."""

    resource_name = 'pool'
    extension = 'lbaasv2'


class LBaasV2ProviderConstraint(neutron_constraints.ProviderConstraint):
    """A provider of load balancing."""

    service_type = 'LOADBALANCERV2'


#: By the names that templates and schemas use.
CONSTRAINTS = {
    'neutron.lbaas.listener': ListenerConstraint,
    'neutron.lbaas.loadbalancer': LoadbalancerConstraint,
    'neutron.lbaas.pool': PoolConstraint,
    'neutron.lbaas.provider': LBaasV2ProviderConstraint,
}
