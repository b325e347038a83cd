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
    return [stack[name] for name in stack.defn.rsrc_names_of_type(_TABLE)]


def after_route_tables(resource, deps):
    """Let a gateway wait for the route tables of its network."""
    for table in route_tables(resource.stack):
        if order.same(order.given(resource, _VPC_ID),
                      order.given(table, _VPC_ID)):
            deps += (resource, table)


def after(resource, deps):
    """Let a resource wait for the gateways, and for who is led to them."""
    stack = resource.stack
    for each in (_ATTACHMENT, _ASSOCIATION):
        for name in stack.defn.rsrc_names_of_type(each):
            deps += (resource, stack[name])
