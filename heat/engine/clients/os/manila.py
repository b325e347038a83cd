"""The client of the service of shares, as plugins of resources see it."""
from heat.common import exception
from heat.engine.clients import sdk_noun
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'manila'
#: The microversion of all requests: it has lists of access rules, and shows
#: the network of a share network as its own, as 2.51 no longer does.
MANILA_API_VERSION = '2.50'

_NOUNS = {
    'security_service': sdk_noun.Noun('/security-services',
                                      'security_service',
                                      'security_services'),
    'share': sdk_noun.Noun('/shares', 'share', 'shares'),
    'share_network': sdk_noun.Noun('/share-networks', 'share_network',
                                   'share_networks'),
}


class ManilaClientPlugin(sdk_plugin.ListingPlugin):
    """Finds things of Manila by name or id."""

    client_name = CLIENT_NAME
    proxy = 'shared_file_system'
    service_types = [SHARE] = ['sharev2']

    def _connect(self, version=None):
        proxy = self._adapter()
        proxy.default_microversion = MANILA_API_VERSION
        return sdk_noun.extended(proxy, _NOUNS)

    def set_share_metadata(self, share_id, metadata):
        """Replace the metadata of a share by a map of texts."""
        self.answer(self.sdk().put(f'shares/{share_id}/metadata',
                                   json={'metadata': metadata}))

    def set_extra_specs(self, share_type_id, specs):
        """Set extra specs of a share type; others stay."""
        self.answer(self.sdk().post(f'types/{share_type_id}/extra_specs',
                                    json={'extra_specs': specs}))

    def security_services_of(self, share_network_id):
        """Return the ids of the security services of a share network."""
        return {each['id'] for each in self.listed(
            f'security-services?share_network_id={share_network_id}',
            key='security_services')}

    def add_security_service(self, share_network_id, service_id):
        """Associate a security service with a share network."""
        self._about_service('add', share_network_id, service_id)

    def remove_security_service(self, share_network_id, service_id):
        """Dissociate a security service from a share network."""
        self._about_service('remove', share_network_id, service_id)

    def _about_service(self, verb, share_network_id, service_id):
        self.answer(self.sdk().post(
            f'share-networks/{share_network_id}/action', json={
                f'{verb}_security_service': {
                    'security_service_id': service_id}}))

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
