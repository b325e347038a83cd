"""The client of the DNS service, as plugins of resources see it."""
from heat.common import exception
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'designate'


class DesignateClientPlugin(sdk_plugin.SDKClientPlugin):
    """Finds zones of Designate by name or id."""

    client_name = CLIENT_NAME
    proxy = 'dns'
    service_types = [DNS] = ['dns']

    def get_zone_id(self, zone_id_or_name):
        """Return the id of a zone, given that or its name."""
        return self.find('zone', zone_id_or_name)


class DesignateZoneConstraint(sdk_plugin.SDKConstraint):
    """A zone of DNS exists, under this id or name."""

    expected = (exception.EntityNotFound,
                exception.PhysicalResourceNameAmbiguity)
    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_zone_id'


#: By the names that templates and schemas use.
CONSTRAINTS = {'designate.zone': DesignateZoneConstraint}
