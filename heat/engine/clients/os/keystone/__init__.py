"""The client of the identity service, as plugins of resources see it."""
import functools
import re

from keystoneauth1 import exceptions as ks_exceptions

from heat.common import cloud_error
from heat.common import config
from heat.common import exception
from heat.engine.clients import client_plugin
from heat.engine.clients import native
from heat.engine.clients import sdk
from heat.engine.clients.os.keystone import heat_keystoneclient

CLIENT_NAME = 'keystone'

#: "name{domain}": an entity of a domain.
_WITH_DOMAIN = re.compile(r'^(?P<entity>.+?)(?:\{(?P<domain>.+)\})?$',
                          re.DOTALL)


class PluginKeystoneClient:
    """The calls to Keystone as third-party plugins expect them.

    What it hands out as clients is of python-keystoneclient, if that is
    installed.
    """

    def __init__(self, own):
        self._own = own

    def __getattr__(self, name):
        return getattr(self._own, name)

    @functools.cached_property
    def client(self):
        """The identity service as the user of the context sees it."""
        return _native_or(self._own.client)

    @functools.cached_property
    def domain_admin_client(self):
        """The identity service as the administrator of the domain."""
        return _native_or(self._own.domain_admin_client)


def _native_or(proxy):
    """Return a client that acts as a proxy does, or the proxy."""
    return native.client(CLIENT_NAME, lambda: native.Endpoint(
        session=proxy.session, service_type=KeystoneClientPlugin.IDENTITY,
        interface=config.get_client_option(CLIENT_NAME, 'endpoint_type'),
        region_name=proxy.region_name)) or proxy


class KeystoneClientPlugin(client_plugin.ClientPlugin):
    """Keeps users of stacks, and finds things of Keystone by name or id."""

    exceptions_module = [ks_exceptions, sdk.exceptions, exception]

    service_types = [IDENTITY] = ['identity']

    def sdk(self, version=None):
        """Return the calls to Keystone; its `client` is a proxy."""
        return self._made_once(('sdk', version), self._connect)

    def _create(self, version=None):
        return PluginKeystoneClient(self.sdk())

    def _connect(self, version=None):
        return heat_keystoneclient.KeystoneClient(
            self.context, region_name=self._get_region_name())

    def is_not_found(self, ex):
        """Return whether an error means that there is no such thing."""
        # What openstacksdk does not find by name has no status.
        return isinstance(ex, (ks_exceptions.NotFound,
                               sdk.exceptions.NotFoundException,
                               exception.EntityNotFound)) or (
            cloud_error.status_of(ex) == 404)

    def is_over_limit(self, ex):
        """Return whether an error means that a limit is reached."""
        return isinstance(ex, ks_exceptions.RequestEntityTooLarge) or (
            cloud_error.status_of(ex) == 413)

    def is_conflict(self, ex):
        """Return whether an error means that something is in the way."""
        return isinstance(ex, ks_exceptions.Conflict) or (
            cloud_error.status_of(ex) == 409)

    def enable_region(self, region_id, enabled):
        """Say whether a region is in use."""
        answer = self.sdk().client.patch(
            '/regions/' + region_id, json={'region': {'enabled': enabled}})
        sdk.exceptions.raise_from_response(answer)

    @staticmethod
    def parse_entity_with_domain(entity_with_domain, entity_type):
        """Return (name or id, domain or None) of "name{domain}"."""
        found = _WITH_DOMAIN.match(entity_with_domain or '')
        if found is None:
            raise exception.EntityNotFound(entity=entity_type,
                                           name=entity_with_domain)
        return found['entity'], found['domain']

    def get_domain_id(self, domain):
        """Return the id of a domain, given that or its name."""
        return self._find('KeystoneDomain', 'find_domain', domain)

    def get_project_id(self, project, domain=None):
        """Return the id of a project, given that or its name."""
        return self._find_in_domain('KeystoneProject', 'find_project',
                                    project, domain)

    def get_user_id(self, user, domain=None):
        """Return the id of a user, given that or its name."""
        return self._find_in_domain('KeystoneUser', 'find_user', user,
                                    domain)

    def get_group_id(self, group, domain=None):
        """Return the id of a group, given that or its name."""
        return self._find_in_domain('KeystoneGroup', 'find_group', group,
                                    domain)

    def get_role_id(self, role, domain=None):
        """Return the id of a role, given that or its name."""
        return self._find_in_domain('KeystoneRole', 'find_role', role,
                                    domain)

    def get_region_id(self, region):
        """Return the id of a region, which is all it has."""
        return self._find('KeystoneRegion', 'find_region', region)

    def get_service_id(self, service):
        """Return the id of a service, given that or its name."""
        try:
            return self._find('KeystoneService', 'find_service', service)
        except exception.PhysicalResourceNameAmbiguity as error:
            raise exception.KeystoneServiceNameConflict(
                service=service) from error

    def _find_in_domain(self, entity, finder, name, domain):
        if name is None:
            return None
        if domain is None:
            name, domain = self.parse_entity_with_domain(name, entity)
        filters = {}
        if domain is not None:
            filters['domain_id'] = self.get_domain_id(domain)
        return self._find(entity, finder, name, **filters)

    def _find(self, entity, finder, name, **filters):
        if name is None:
            return None

        def find():
            found = heat_keystoneclient.find(
                getattr(self.sdk().client, finder), name, **filters)
            if found is None:
                raise exception.EntityNotFound(entity=entity, name=name)
            return found.id

        return self.finds.ask(entity, filters, name, find)
