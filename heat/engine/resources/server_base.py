"""BaseServer: a server that software deployments reach."""
import json
import uuid

from oslo_config import cfg

from heat.common import exception
from heat.common import password_gen
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import stack_user
from heat.engine.software import deployments as software_deployments

#: Keys of the metadata.
_AGENT, _DEPLOYMENTS = 'os-collect-config', software_deployments.METADATA_KEY
#: The parts of the agent's configuration, of which a server has one.
_SOURCES = ('heat', 'zaqar', 'cfn', 'request')
#: Keys of the resource data.
_PASSWORD = 'password'
_PUT_URL, _QUEUE_ID = (software_deployments.PUT_URL,
                       software_deployments.QUEUE_ID)
_CONTAINER, _OBJECT = 'metadata_container', 'metadata_object_name'

_QUEUE_TTL = 3600


TRANSPORTS = ('POLL_SERVER_CFN', 'POLL_SERVER_HEAT', 'POLL_TEMP_URL',
              'ZAQAR_MESSAGE')


def deployment_properties():
    """Return the schema of what says how a server learns what to deploy."""
    return {
        'software_config_transport': properties.string(
            _('Transport by which the server receives its software '
              'deployments. POLL_SERVER_CFN: the agent polls the '
              'CloudFormation API. POLL_SERVER_HEAT: the agent polls the '
              'Orchestration API. Both use a restricted user. POLL_TEMP_URL: '
              'the agent polls an object at a temporary URL. ZAQAR_MESSAGE: '
              'the agent reads a dedicated queue.'),
            default=cfg.CONF.default_software_config_transport,
            update_allowed=True,
            constraints=[constraints.AllowedValues(TRANSPORTS)]),
        'deployment_swift_data': properties.map(
            _('Swift container and object for the metadata of the server. '
              'Applies to POLL_TEMP_URL.'),
            schema={
                'container': properties.string(
                    _('Name of the container.'),
                    constraints=[constraints.Length(min=1)]),
                'object': properties.string(
                    _('Name of the object.'),
                    constraints=[constraints.Length(min=1)]),
            },
            default={},
            update_allowed=True,
            support_status=support.SupportStatus(version='9.0.0')),
    }


class BaseServer(stack_user.StackUser):
    """A base of servers whose agent learns what to deploy.

    The agent is os-collect-config; its configuration is part of the
    metadata of the server, beside the deployments themselves.
    """

    SOFTWARE_CONFIG_TRANSPORT, DEPLOYMENT_SWIFT_DATA = (
        'software_config_transport', 'deployment_swift_data')

    _SOFTWARE_CONFIG_TRANSPORTS = (
        POLL_SERVER_CFN, POLL_SERVER_HEAT, POLL_TEMP_URL, ZAQAR_MESSAGE,
    ) = TRANSPORTS

    _DEPLOYMENT_SWIFT_DATA_KEYS = (
        CONTAINER, OBJECT,
    ) = (
        'container', 'object',
    )

    physical_resource_name_limit = cfg.CONF.max_server_name_length
    entity = 'servers'

    # What the schema of the resource has.
    NAME: str
    NAME_ATTR: str
    OS_COLLECT_CONFIG: str

    #: Where agents look before they look at us.
    default_collectors: list[str] = []

    def __init__(self, name, json_snippet, stack):
        super().__init__(name, json_snippet, stack)
        self.default_collectors = list(type(self).default_collectors)

    @property
    def password(self):
        """The password of the user, None if it has none."""
        return self.data().get(_PASSWORD)

    @password.setter
    def password(self, password):
        if password is None:
            self.data_delete(_PASSWORD)
        else:
            self.data_set(_PASSWORD, password, redact=True)

    def _server_name(self):
        return (self.properties[self.NAME] or
                self.physical_resource_name())

    def user_data_software_config(self):
        """Return whether there is an agent to be told of deployments."""
        return True

    # -- which transport ----------------------------------------------------

    def _is_by(self, props, transport):
        return props[self.SOFTWARE_CONFIG_TRANSPORT] == transport

    def transport_poll_server_cfn(self, props):
        """Return whether the agent asks the cfn API."""
        return self._is_by(props, self.POLL_SERVER_CFN)

    def transport_poll_server_heat(self, props):
        """Return whether the agent asks the orchestration API."""
        return self._is_by(props, self.POLL_SERVER_HEAT)

    def transport_poll_temp_url(self, props):
        """Return whether the agent reads an object of Swift."""
        return self._is_by(props, self.POLL_TEMP_URL)

    def transport_zaqar_message(self, props):
        """Return whether the agent reads a queue of Zaqar."""
        return self._is_by(props, self.ZAQAR_MESSAGE)

    def validate(self):
        """Check the definition, and that the transport has its service."""
        result = super().validate()
        props = self.properties
        name = ('swift' if self.transport_poll_temp_url(props) else
                'zaqar' if self.transport_zaqar_message(props) else None)
        if name is not None and self.client_plugin(name) is None:
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      'properties', self.SOFTWARE_CONFIG_TRANSPORT],
                message=_('%(transport)s requires the service %(service)s, '
                          'for which no client is available') % {
                    'transport': props[self.SOFTWARE_CONFIG_TRANSPORT],
                    'service': name})
        return result

    # -- what the agent is told ---------------------------------------------

    def _create_transport_credentials(self, props):
        """Make the user that the agent acts as."""
        if self.transport_poll_server_cfn(props):
            self._create_user()
            if not self.data().get('access_key'):
                self._create_keypair()
        elif (self.transport_poll_server_heat(props) or
                self.transport_zaqar_message(props)):
            if self.password is None:
                self.password = password_gen.generate_openstack_password()
            self._create_user()

    def _populate_deployments_metadata(self, meta, props):
        """Store metadata from which the agent knows where to look."""
        agent = {source: dict.fromkeys(values) if isinstance(values, dict)
                 else values
                 for source, values in (meta.get(_AGENT) or {}).items()
                 if source in _SOURCES}
        name, values = self._source(props)
        agent[name] = values
        agent['collectors'] = [*self.default_collectors, name, 'local']
        # What comes from the template stays.
        others = {key: value for key, value in
                  (meta.get(_AGENT) or {}).items() if key not in agent}
        wanted = {**meta, _AGENT: {**others, **agent}}

        def merge(new, latest):
            return {**new, _DEPLOYMENTS: latest.get(
                _DEPLOYMENTS, new.get(_DEPLOYMENTS) or [])}

        self.metadata_set(wanted, merge_metadata=merge)
        meta.clear()
        meta.update(self.metadata_get())
        self._publish(meta)

    def _source(self, props):
        """Return (name, values) of where the agent is to look."""
        if self.transport_poll_server_heat(props):
            return 'heat', {**self._agent_credentials(),
                            'stack_id': self.stack.identifier().stack_path(),
                            'resource_name': self.name}
        if self.transport_zaqar_message(props):
            return 'zaqar', {**self._agent_credentials(),
                             'queue_id': self._create_user_queue(_QUEUE_ID)}
        if self.transport_poll_temp_url(props):
            return 'request', {'metadata_url': self._temp_url(props)}
        return 'cfn', {
            'metadata_url':
                self.client_plugin('heat').get_cfn_metadata_server_url(),
            'access_key_id': self.data().get('access_key'),
            'secret_access_key': self.data().get('secret_key'),
            'stack_name': self.stack.name,
            'path': '%s.Metadata' % self.name,
        }

    def _agent_credentials(self):
        client = self.sdk('keystone')
        return {
            'user_id': self._get_user_id(),
            'password': self.password,
            'auth_url': client.server_keystone_endpoint_url(
                fallback_endpoint=client.v3_endpoint),
            'project_id': self.stack.stack_user_project_id,
            'region_name': (self.client_plugin('heat').region_name
                            or client.auth_region_name),
        }

    def _temp_url(self, props):
        """Return the URL of an object that will hold the metadata."""
        plugin = self.client_plugin('swift')
        where = props[self.DEPLOYMENT_SWIFT_DATA] or {}
        container = (where.get(self.CONTAINER) or
                     self.physical_resource_name())
        name = where.get(self.OBJECT) or str(uuid.uuid4())
        plugin.sdk().create_container(name=container)
        self.data_set(_CONTAINER, container)
        self.data_set(_OBJECT, name)
        self.data_set(_PUT_URL, plugin.get_temp_url(container, name),
                      redact=True)
        return plugin.get_temp_url(container, name, method='GET')

    def _publish(self, meta):
        """Put the metadata where an agent that does not ask us looks."""
        data = self.data()
        if data.get(_QUEUE_ID):
            self._queue_client().post_message(
                data[_QUEUE_ID], [{'body': meta, 'ttl': _QUEUE_TTL}])
        if data.get(_OBJECT):
            self.client_plugin('swift').sdk().upload_object(
                self._metadata_container(), data[_OBJECT],
                data=json.dumps(meta))

    def _metadata_container(self):
        """Return the container of the object with the metadata.

        Heat stores the name of the object alone; its container follows from
        the properties.
        """
        where = self.properties[self.DEPLOYMENT_SWIFT_DATA] or {}
        return (self.data().get(_CONTAINER) or where.get(self.CONTAINER) or
                self.physical_resource_name())

    def _delete_queue(self):
        """Delete the queue with the metadata, if there is one."""
        self._delete_user_queue(_QUEUE_ID)

    def _delete_temp_url(self):
        """Delete the object with the metadata, if there is one."""
        name = self.data().get(_OBJECT)
        if name is None:
            return
        plugin = self.client_plugin('swift')
        client, container = plugin.sdk(), self._metadata_container()
        # A user may have removed either before us.
        with plugin.ignore_not_found:
            client.delete_object(name, container=container)
            if not list(client.objects(container)):
                client.delete_container(container)
        for key in (_OBJECT, _CONTAINER, _PUT_URL):
            self.data_delete(key)

    # -- actions ------------------------------------------------------------

    def check_create_complete(self, server_id):
        """Return whether the server is there."""
        return True

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Follow changes of the metadata and of the transport."""
        if tmpl_diff.metadata_changed():
            self._update_metadata(json_snippet.metadata())
        if self.user_data_software_config() and (
                self.SOFTWARE_CONFIG_TRANSPORT in prop_diff or
                self.DEPLOYMENT_SWIFT_DATA in prop_diff):
            self._update_transport(json_snippet)

    def _update_metadata(self, metadata):
        def merge(new, latest):
            # What we have put there is not the template's to change.
            kept = {key: latest[key] for key in (_DEPLOYMENTS,)
                    if key in latest}
            if _AGENT in latest:
                kept[_AGENT] = {**latest[_AGENT],
                                **(new.get(_AGENT) or {})}
            return {**new, **kept}

        self.metadata_set(
            metadata or {}, merge_metadata=merge
            if self.user_data_software_config() else None)

    def _update_transport(self, json_snippet):
        props = json_snippet.properties(self.properties_schema,
                                        self.context)
        self._delete_queue()
        self._delete_temp_url()
        self._create_transport_credentials(props)
        self._populate_deployments_metadata(
            dict(self.metadata_get(refresh=True) or {}), props)

    def metadata_update(self, new_metadata=None):
        """Take over what the template's metadata have become."""
        if new_metadata is not None:
            return

        def merge(new, latest):
            return {**latest, **new}

        self.metadata_set(self.t.metadata() or {}, merge_metadata=merge)

    def handle_delete(self):
        """Delete the server with what the agent was told by."""
        if self.resource_id is None and not self.data():
            return None
        return self._delete()

    def handle_snapshot_delete(self, state):
        """Delete the server; what snapshots can take, subclasses know."""
        return self.handle_delete()

    def _delete(self):
        self._delete_queue()
        self._delete_temp_url()
        self._delete_keypair()
        self._delete_user()
        return self.resource_id

    def check_delete_complete(self, prg):
        """Return whether the server is gone."""
        return True

    @staticmethod
    def _check_maximum(count, maximum, msg):
        """Raise an error if there are more than there may be.

        A maximum of -1 means that there is none.
        """
        if maximum != -1 and count > maximum:
            raise exception.StackValidationFailed(message=msg)

    # -- attributes ---------------------------------------------------------

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == self.NAME_ATTR:
            return self._server_name()
        if name == self.OS_COLLECT_CONFIG:
            return (self.metadata_get(refresh=True) or {}).get(_AGENT, {})
        return None
