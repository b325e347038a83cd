"""The client of the load balancing service, as plugins of resources see it.
"""
from heat.common import exception
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'octavia'


class OctaviaClientPlugin(sdk_plugin.SDKClientPlugin):
    """Finds things of Octavia by name or id."""

    client_name = CLIENT_NAME
    proxy = 'load_balancer'
    service_types = [LOADBALANCER] = ['load-balancer']
    supported_versions = [V2] = ['2']
    default_version = V2

    def get_loadbalancer(self, value):
        """Return the id of a load balancer, given that or its name."""
        return self.find('load_balancer', value)

    def get_listener(self, value):
        """Return the id of a listener, given that or its name."""
        return self.find('listener', value)

    def get_pool(self, value):
        """Return the id of a pool, given that or its name."""
        return self.find('pool', value)

    def get_l7policy(self, value):
        """Return the id of a policy of layer 7, given that or its name."""
        return self.find('l7_policy', value)

    def get_flavor(self, value):
        """Return the id of a flavor, given that or its name."""
        return self.find('flavor', value)

    def get_flavorprofile(self, value):
        """Return the id of a flavor profile, given that or its name."""
        return self.find('flavor_profile', value)

    def get_availabilityzone(self, value):
        """Return the name of an availability zone, which is its id."""
        found = self.sdk().find_availability_zone(value,
                                                     ignore_missing=True)
        if found is None:
            raise exception.EntityNotFound(entity='AvailabilityZone',
                                           name=value)
        return found.name

    def get_availabilityzoneprofile(self, value):
        """Return the id of a profile of zones, given that or its name."""
        return self.find('availability_zone_profile', value)


class OctaviaConstraint(sdk_plugin.SDKConstraint):
    """Something of Octavia exists, under this id or name."""

    expected = (exception.EntityNotFound,
                exception.PhysicalResourceNameAmbiguity)
    resource_client_name = CLIENT_NAME


class LoadbalancerConstraint(OctaviaConstraint):
    """A load balancer."""

    resource_getter_name = 'get_loadbalancer'


class ListenerConstraint(OctaviaConstraint):
    """A listener."""

    resource_getter_name = 'get_listener'


class PoolConstraint(OctaviaConstraint):
    """A pool."""

    resource_getter_name = 'get_pool'


class L7PolicyConstraint(OctaviaConstraint):
    """A policy of layer 7."""

    resource_getter_name = 'get_l7policy'


class FlavorConstraint(OctaviaConstraint):
    """A flavor of load balancers."""

    resource_getter_name = 'get_flavor'


class FlavorProfileConstraint(OctaviaConstraint):
    """A profile that flavors are made of."""

    resource_getter_name = 'get_flavorprofile'


class AvailabilityZoneConstraint(OctaviaConstraint):
    """An availability zone of load balancers."""

    resource_getter_name = 'get_availabilityzone'


class AvailabilityZoneProfileConstraint(OctaviaConstraint):
    """A profile that availability zones are made of."""

    resource_getter_name = 'get_availabilityzoneprofile'


#: By the names that templates and schemas use.
CONSTRAINTS = {
    'octavia.availabilityzone': AvailabilityZoneConstraint,
    'octavia.availabilityzoneprofile': AvailabilityZoneProfileConstraint,
    'octavia.flavor': FlavorConstraint,
    'octavia.flavorprofile': FlavorProfileConstraint,
    'octavia.l7policy': L7PolicyConstraint,
    'octavia.listener': ListenerConstraint,
    'octavia.loadbalancer': LoadbalancerConstraint,
    'octavia.pool': PoolConstraint,
}
