"""The client of the orchestration service: ours, or that of elsewhere."""
from typing import Any

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import loading as ks_loading
from oslo_config import cfg

from heat.common import cloud_error
from heat.common.i18n import _
from heat.engine.clients import client_plugin
from heat.engine.clients import native
from heat.engine.clients import sdk

CLIENT_NAME = 'heat'

#: What stored credentials may authenticate with.
AUTH_TYPES = frozenset([
    'password', 'token', 'v2password', 'v2token', 'v3applicationcredential',
    'v3password', 'v3token', 'v3totp'])


class HeatClientPlugin(client_plugin.ClientPlugin):
    """Asks the orchestration API, and knows where servers reach it."""

    exceptions_module = sdk.exceptions

    service_types = [ORCHESTRATION, CLOUDFORMATION] = [
        'orchestration', 'cloudformation']

    def sdk(self, version=None):
        """Return the proxy, made when it is first asked for."""
        return self._made_once(('sdk', version), self._connect)

    def _create(self, version=None):
        return native.client(CLIENT_NAME, self._native_endpoint) or self.sdk()

    def _native_endpoint(self):
        region = self._get_region_name()
        is_configured = self._get_client_option(CLIENT_NAME, 'url')
        return native.Endpoint(
            session=sdk.connect(self.context, region_name=region,
                                service=CLIENT_NAME).session,
            service_type=self.ORCHESTRATION, region_name=region,
            interface=self._get_client_option(CLIENT_NAME, 'endpoint_type'),
            endpoint_override=(self.get_heat_url() if is_configured
                               else None))

    def _connect(self, version=None):
        proxy = sdk.connect(self.context,
                            region_name=self._get_region_name(),
                            service=CLIENT_NAME).orchestration
        if self._get_client_option(CLIENT_NAME, 'url'):
            # It may be in no catalogue.
            proxy.endpoint_override = self.get_heat_url()
        return proxy

    def elsewhere(self, region_name=None, credentials=None, verify=None):
        """Return the client of another region, or of another cloud.

        :param credentials: `auth_type` and `auth`, the arguments of the
            authentication plugin; by default the user's own are used
        :param verify: whether certificates are checked, or the file of
            those to check with; by default as configured
        """
        auth = None if credentials is None else _auth_plugin(credentials)
        tls = None if verify is None else {'verify': verify, 'cert': None}
        return sdk.connect(
            self.context, auth=auth, service=CLIENT_NAME, tls=tls,
            guarded=auth is not None,
            region_name=region_name or self._get_region_name()
        ).orchestration

    def is_not_found(self, ex):
        """Return whether an error means that there is no such thing."""
        return isinstance(ex, sdk.exceptions.NotFoundException) or (
            native.status_of(CLIENT_NAME, ex) == 404)

    def is_over_limit(self, ex):
        """Return whether an error means that a limit is reached."""
        return 413 in (cloud_error.status_of(ex),
                       native.status_of(CLIENT_NAME, ex))

    def is_conflict(self, ex):
        """Return whether an error means that something is in the way."""
        return isinstance(ex, sdk.exceptions.ConflictException) or (
            native.status_of(CLIENT_NAME, ex) == 409)

    def is_client_exception(self, ex):
        """Return whether a client of the service raised this error."""
        return (super().is_client_exception(ex) or
                native.is_raised_by(CLIENT_NAME, ex))

    def is_endpoint_missing(self, ex):
        """Return whether an error means that the catalogue has no endpoint.
        """
        return isinstance(ex, ks_exceptions.EndpointNotFound)

    def endpoint_missing_text(self, region_name):
        """Return the text about a region without orchestration service."""
        interface = self._get_client_option(CLIENT_NAME, 'endpoint_type')
        return (f'{interface.removesuffix("URL")} endpoint for '
                f'{self.ORCHESTRATION} service in {region_name} region not '
                'found')

    def get_heat_url(self):
        """Return the URL of the orchestration API for the project."""
        configured = self._get_client_option(CLIENT_NAME, 'url')
        if configured:
            return configured % {'tenant_id': self.context.project_id}
        return self._endpoint(self.ORCHESTRATION)

    def get_heat_cfn_url(self):
        """Return the URL of the CloudFormation-compatible API."""
        return self._endpoint(self.CLOUDFORMATION)

    def get_cfn_metadata_server_url(self):
        """Return the URL below which servers read their metadata."""
        url = cfg.CONF.heat_metadata_server_url or self.get_heat_cfn_url()
        url = url.rstrip('/')
        # Earlier configurations name the server only.
        return url + '/' if url.endswith('/v1') else url + '/v1/'

    def get_insecure_option(self):
        """Return whether certificates of the service are not checked."""
        return self._get_client_option(CLIENT_NAME, 'insecure')

    def _endpoint(self, service_type):
        return self.url_for(
            service_type=service_type,
            endpoint_type=self._get_client_option(CLIENT_NAME,
                                                  'endpoint_type'))


def _auth_plugin(credentials):
    """Return the authentication plugin that stored credentials describe.

    What is wrong with them is said without any of their values.
    """
    try:
        kind, arguments = credentials['auth_type'], credentials['auth']
        if kind not in AUTH_TYPES:
            raise ValueError(_('auth_type must be one of %s')
                             % ', '.join(sorted(AUTH_TYPES)))
        loader: Any = ks_loading.get_plugin_loader(kind)
        unknown = set(arguments) - {option.dest for option
                                    in loader.get_options()}
        if unknown:
            raise ValueError(_('auth has unknown arguments: %s')
                             % ', '.join(sorted(unknown)))
        return loader.load_from_options(**arguments)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(_('credentials must be a map with auth_type and '
                           'auth')) from error
    except ks_exceptions.MissingRequiredOptions as error:
        raise ValueError(_('auth lacks arguments: %s') % ', '.join(
            sorted(option.dest for option in error.options))) from error
