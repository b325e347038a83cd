"""OS::Heat::DeployedServer: a server that is there already."""
import uuid

from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import server_base


class DeployedServer(server_base.BaseServer):
    """A server that exists outside Heat.

    It creates nothing in the cloud. The resource represents a machine
    with an agent, which is configured by the attribute
    ``os_collect_config``. Software deployments are applied to it as to
    any other server.
    """

    default_client_name = 'heat'

    PROPERTIES = (
        NAME, METADATA, SOFTWARE_CONFIG_TRANSPORT,
        DEPLOYMENT_SWIFT_DATA,
    ) = (
        'name', 'metadata', 'software_config_transport',
        'deployment_swift_data',
    )

    ATTRIBUTES = (
        NAME_ATTR, OS_COLLECT_CONFIG,
    ) = (
        'name', 'os_collect_config',
    )

    drift_unsupported = _('Nothing but Heat knows of it.')

    properties_schema = {
        NAME: properties.Schema(
            properties.Schema.STRING,
            _('Name of the server.'),
            update_allowed=True),
        METADATA: properties.Schema(
            properties.Schema.MAP,
            _('Arbitrary keys and values. They are not sent to the server.'),
            update_allowed=True,
            support_status=support.SupportStatus(
                status=support.DEPRECATED,
                version='9.0.0',
                message=_('This property has no effect.'),
                previous_status=support.SupportStatus(version='8.0.0'))),
        **server_base.deployment_properties(),
    }

    attributes_schema = {
        NAME_ATTR: attributes.Schema(
            _('Name of the server.'),
            type=attributes.Schema.STRING),
        OS_COLLECT_CONFIG: attributes.Schema(
            _('Configuration of os-collect-config, the agent on the server.'),
            type=attributes.Schema.MAP,
            support_status=support.SupportStatus(version='9.0.0'),
            cache_mode=attributes.Schema.CACHE_NONE),
    }

    @classmethod
    def is_service_available(cls, context):
        """Return that it is: we are the orchestration service."""
        return True, None

    def handle_create(self):
        """Make what the agent needs to ask for deployments."""
        self._create_transport_credentials(self.properties)
        self._populate_deployments_metadata(
            dict(self.metadata_get(refresh=True) or {}), self.properties)
        self.resource_id_set(str(uuid.uuid4()))
        return self.resource_id

    def _show_resource(self):
        """Return None: no service knows the server."""
        return None


def resource_mapping():
    """Return the type of this module."""
    return {'OS::Heat::DeployedServer': DeployedServer}
