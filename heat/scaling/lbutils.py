"""Tell load balancers which members a group has."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import scheduler

#: By the type of a load balancer, the property that lists its members.
_MEMBER_PROPERTIES = {
    'AWS::ElasticLoadBalancing::LoadBalancer': 'Instances',
    'OS::Neutron::LoadBalancer': 'members',
}


def reconfigure_loadbalancers(load_balancers, id_list):
    """Let each load balancer have exactly these members."""
    for balancer in load_balancers:
        scheduler.TaskRunner(reconfiguring, balancer, id_list)()


def reconfiguring(balancer, id_list):
    """A task to let a load balancer have exactly these members."""
    present = balancer.frozen_definition()
    values = dict(present.properties(balancer.properties_schema,
                                     balancer.context).data)
    values[_member_property(balancer)] = list(id_list)
    return balancer.update(present.freeze(properties=values))


def require_load_balancer(resource):
    """Raise StackValidationFailed for what is no load balancer."""
    _member_property(resource)


def _member_property(balancer):
    for type_name, property_name in _MEMBER_PROPERTIES.items():
        if balancer.has_interface(type_name):
            return property_name
    raise exception.StackValidationFailed(message=_(
        'Resource "%(name)s" of type %(type)s is not a load balancer; a '
        'group supports load balancers of these types: %(types)s.') % {
            'name': balancer.name, 'type': balancer.type(),
            'types': ', '.join(sorted(_MEMBER_PROPERTIES))})
