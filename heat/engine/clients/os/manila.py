"""The client of the service of shares, as plugins of resources see it."""
from heat.common import exception
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'manila'


class ManilaClientPlugin(sdk_plugin.ListingPlugin):
    """Finds things of Manila by name or id."""

    client_name = CLIENT_NAME
    proxy = 'shared_file_system'
    service_types = [SHARE] = ['sharev2']

    def get_share_network(self, share_network_identity):
        """Return the id of a network of shares, given that or its name."""
        return self.find_listed('share-networks', share_network_identity)

    def get_share_snapshot(self, snapshot_identity):
        """Return the id of a snapshot, given that or its name."""
        return self.find_listed('snapshots', snapshot_identity)

    def get_share_type(self, share_type_identity):
        """Return the id of a type of shares, given that or its name."""
        return self.find_listed('types', share_type_identity,
                                key='share_types')

    def get_security_service(self, service_identity):
        """Return the id of a security service, given that or its name."""
        return self.find_listed('security-services', service_identity)


class _ManilaConstraint(sdk_plugin.SDKConstraint):
    """Something of Manila exists, under this id or name."""

    expected = (exception.EntityNotFound,
                exception.PhysicalResourceNameAmbiguity)
    resource_client_name = CLIENT_NAME


class ManilaShareNetworkConstraint(_ManilaConstraint):
    """A network of shares."""

    resource_getter_name = 'get_share_network'


class ManilaShareSnapshotConstraint(_ManilaConstraint):
    """A snapshot of a share."""

    resource_getter_name = 'get_share_snapshot'


class ManilaShareTypeConstraint(_ManilaConstraint):
    """A type of shares."""

    resource_getter_name = 'get_share_type'


#: By the names that templates and schemas use.
CONSTRAINTS = {'manila.share_network': ManilaShareNetworkConstraint,
               'manila.share_snapshot': ManilaShareSnapshotConstraint,
               'manila.share_type': ManilaShareTypeConstraint}
