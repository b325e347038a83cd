"""Implicit dependencies of EC2 addresses on routes into a network.

These are dependencies that no template says. Properties are compared as
they are written: nothing has an id when a stack is made.
"""
from heat.engine.resources.openstack.neutron import order

_ATTACHMENT = 'AWS::EC2::VPCGatewayAttachment'
_ASSOCIATION = 'AWS::EC2::SubnetRouteTableAssociation'
_TABLE = 'AWS::EC2::RouteTable'
_VPC_ID = 'VpcId'


def route_tables(stack):
    """Return the route tables of a stack."""
    return [other for other in stack.values()
            if other.has_interface(_TABLE)]


def after_route_tables(resource, deps):
    """Let a gateway wait for the route tables of its network."""
    for table in route_tables(resource.stack):
        if order.same(order.given(resource, _VPC_ID),
                      order.given(table, _VPC_ID)):
            deps += (resource, table)


def after(resource, deps):
    """Let a resource wait for the gateways, and for who is led to them."""
    for other in resource.stack.values():
        if any(other.has_interface(each)
               for each in (_ATTACHMENT, _ASSOCIATION)):
            deps += (resource, other)
