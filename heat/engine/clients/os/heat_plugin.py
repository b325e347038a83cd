"""The client of the orchestration service: ours, or that of elsewhere."""
from openstack import exceptions
from oslo_config import cfg

from heat.engine.clients import client_plugin
from heat.engine.clients import sdk

CLIENT_NAME = 'heat'


class HeatClientPlugin(client_plugin.ClientPlugin):
    """Asks the orchestration API, and knows where servers reach it."""

    exceptions_module = exceptions

    service_types = [ORCHESTRATION, CLOUDFORMATION] = [
        'orchestration', 'cloudformation']

    def _create(self, version=None):
        return sdk.connect(self.context, region_name=self._get_region_name(),
                           service=CLIENT_NAME).orchestration

    def is_not_found(self, ex):
        """Tell whether an error means that there is no such thing."""
        return isinstance(ex, exceptions.NotFoundException)

    def is_over_limit(self, ex):
        """Tell whether an error means that a limit is reached."""
        return getattr(ex, 'status_code', None) == 413

    def is_conflict(self, ex):
        """Tell whether an error means that something is in the way."""
        return isinstance(ex, exceptions.ConflictException)

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
        """Tell whether certificates of the service are not checked."""
        return self._get_client_option(CLIENT_NAME, 'insecure')

    def _endpoint(self, service_type):
        return self.url_for(
            service_type=service_type,
            endpoint_type=self._get_client_option(CLIENT_NAME,
                                                  'endpoint_type'))
