"""SignalResponder: a resource that something outside sends signals to."""
from urllib import parse

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import ec2_signature
from heat.common import exception
from heat.common import json_text
from heat.common import password_gen
from heat.common.i18n import _
from heat.engine.clients.os import swift
from heat.engine.resources import stack_user

LOG = logging.getLogger(__name__)

SIGNAL_TYPES = (
    WAITCONDITION, SIGNAL,
) = (
    '/waitcondition', '/signal',
)
#: The method with which a pre-signed URL is requested.
SIGNAL_VERB = {WAITCONDITION: 'PUT', SIGNAL: 'POST'}

#: Keys of the resource data.
_PASSWORD = 'password'
_EC2_URL, _HEAT_URL = 'ec2_signed_url', 'heat_signal_url'
_SWIFT_URL, _SWIFT_OBJECT = 'swift_signal_url', 'swift_signal_object_name'
#: When the last signal was written that we have taken.
_SWIFT_TAKEN = 'swift_signal_taken'
_QUEUE_ID = 'zaqar_signal_queue_id'

#: Seconds for which a queue message is ours once we have taken it.
_CLAIM_TTL = 300


class SignalResponder(stack_user.StackUser):
    """A base of resources that take signals from outside the engine.

    How a signal comes is the choice of the property `signal_transport`,
    for types that have it.
    """

    PROPERTIES: tuple[str, ...]
    PROPERTIES = (
        SIGNAL_TRANSPORT,
    ) = (
        'signal_transport',
    )

    ATTRIBUTES: tuple[str, ...]
    ATTRIBUTES = (
        SIGNAL_ATTR,
    ) = (
        'signal',
    )

    # What a signal sets off may need more than the user of the resource
    # is allowed to do.
    requires_deferred_auth = True

    def handle_create(self):
        """Make the user who may signal."""
        self._ensure_user()

    def handle_delete(self):
        """Delete what signals come through, then the user."""
        self._delete_signals()
        return super().handle_delete()

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

    # -- which transport ----------------------------------------------------

    def _transport_is(self, name):
        wanted = getattr(self, name, None)
        return (wanted is not None and
                self.properties[self.SIGNAL_TRANSPORT] == wanted)

    def _signal_transport_cfn(self):
        return self._transport_is('CFN_SIGNAL')

    def _signal_transport_heat(self):
        return self._transport_is('HEAT_SIGNAL')

    def _signal_transport_none(self):
        return self._transport_is('NO_SIGNAL')

    def _signal_transport_temp_url(self):
        return self._transport_is('TEMP_URL_SIGNAL')

    def _signal_transport_zaqar(self):
        return self._transport_is('ZAQAR_SIGNAL')

    def _needed_client(self):
        """Return the name of the client that the transport needs."""
        if self._signal_transport_temp_url():
            return 'swift'
        return 'zaqar' if self._signal_transport_zaqar() else None

    def validate(self):
        """Check the definition, and that signals can come as it says."""
        result = super().validate()
        name = self._needed_client()
        if name is not None and self.client_plugin(name) is None:
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      'properties', self.SIGNAL_TRANSPORT],
                message=_('%(transport)s requires the service %(service)s, '
                          'for which no client is available') % {
                    'transport': self.properties[self.SIGNAL_TRANSPORT],
                    'service': name})
        return result

    # -- where to send a signal ---------------------------------------------

    def signal_access(self):
        """Return what a deployment tells its server of the transport.

        A map with a `url` that carries its own permission and the HTTP
        `verb`, or credentials, with the `queue_id` if the signal is posted
        to a queue. None if the server sends no signal.
        """
        if self._signal_transport_cfn():
            return {'url': self._get_ec2_signed_url(), 'verb': 'POST'}
        if self._signal_transport_temp_url():
            return {'url': self._get_swift_signal_url(), 'verb': 'PUT'}
        if self._signal_transport_heat():
            return self._get_heat_signal_credentials()
        if self._signal_transport_zaqar():
            return {**self._get_heat_signal_credentials(),
                    'queue_id': self._get_zaqar_signal_queue_id()}
        return None

    def _get_signal(self, signal_type=SIGNAL, multiple_signals=False):
        """Return what a sender of signals has to know, None if nothing.

        A map with `alarm_url`, a place that takes signals, credentials for
        it if it does not carry them, or the `queue_id` to post to.
        """
        if self._signal_transport_cfn():
            return {'alarm_url': self._get_ec2_signed_url(
                signal_type=signal_type)}
        if self._signal_transport_temp_url():
            return {'alarm_url': self._get_swift_signal_url(
                multiple_signals=multiple_signals)}
        if self._signal_transport_heat():
            return {**self._get_heat_signal_credentials(),
                    'alarm_url': self._get_heat_signal_url(
                        project_id=self.stack.stack_user_project_id)}
        if self._signal_transport_zaqar():
            return {**self._get_heat_signal_credentials(),
                    'queue_id': self._get_zaqar_signal_queue_id()}
        return None

    def _is_too_early_or_late(self):
        return self.id is None or self.action in (self.INIT, self.DELETE)

    def _ensure_user(self):
        """Make the user, with a password, unless there is one."""
        if self._get_user_id() is not None:
            return
        if self.password is None:
            self.password = password_gen.generate_openstack_password()
        self._create_user()

    def _get_ec2_signed_url(self, signal_type=SIGNAL, never_expire=False):
        """Return a URL of the cfn API that carries its own permission.

        None before the resource is created, and after it is deleted.
        """
        stored = self.data().get(_EC2_URL)
        if stored is not None:
            return stored
        if self._is_too_early_or_late():
            return None
        access, secret = (self.data().get('access_key'),
                          self.data().get('secret_key'))
        if not access or not secret:
            self._ensure_user()
            keys = self._create_keypair()
            access, secret = keys.access, keys.secret
        url = self._signed(self._cfn_url(signal_type), signal_type, access,
                           secret, never_expire)
        self.data_set(_EC2_URL, url, redact=True)
        return url

    def _cfn_url(self, signal_type):
        """Return the URL of the cfn API for one type of signals."""
        configured = cfg.CONF.heat_waitcondition_server_url
        if configured:
            return configured.replace(WAITCONDITION, signal_type)
        return self.client_plugin('heat').get_heat_cfn_url() + signal_type

    def _signed(self, base, signal_type, access, secret, never_expire):
        parts = parse.urlsplit(base)
        path = self.identifier().arn_url_path()
        params = {'SignatureMethod': 'HmacSHA256', 'SignatureVersion': '2',
                  'AWSAccessKeyId': access}
        if not never_expire:
            params['Timestamp'] = self.created_time.strftime(
                '%Y-%m-%dT%H:%M:%SZ')
        # The server sees the path decoded, and so checks it decoded.
        params['Signature'] = ec2_signature.sign_v2(secret, {
            'host': parts.netloc.lower(), 'verb': SIGNAL_VERB[signal_type],
            'path': parse.unquote(parts.path + path), 'params': params})
        return '%s%s?%s' % (base, path, parse.urlencode(params))

    def _delete_ec2_signed_url(self):
        self.data_delete(_EC2_URL)
        self._delete_keypair()

    def _get_heat_signal_credentials(self):
        """Return what the user needs to get a token."""
        self._ensure_user()
        client = self.sdk('keystone')
        return {
            'auth_url': client.server_keystone_endpoint_url(
                fallback_endpoint=client.v3_endpoint),
            'username': self.physical_resource_name(),
            'user_id': self._get_user_id(),
            'password': self.password,
            'project_id': self.stack.stack_user_project_id,
            'domain_id': client.stack_domain_id,
            'region_name': (self.client_plugin('heat').region_name
                            or client.auth_region_name),
        }

    def _get_heat_signal_url(self, project_id=None):
        """Return the URL of the orchestration API that takes signals.

        :param project_id: the project in it, if it is not the stack's
        """
        stored = self.data().get(_HEAT_URL)
        if stored is not None:
            return stored
        if self._is_too_early_or_late():
            return None
        path = self.identifier().url_path()
        if project_id is not None:
            path = project_id + path[path.index('/'):]
        url = parse.urljoin(self.client_plugin('heat').get_heat_url(),
                            path + SIGNAL)
        self.data_set(_HEAT_URL, url)
        return url

    def _get_swift_signal_url(self, multiple_signals=False):
        """Return a URL that takes signals as objects of Swift.

        :param multiple_signals: keep one signal when the next one comes
        """
        stored = self.data().get(_SWIFT_URL)
        if stored is not None:
            return stored
        if self._is_too_early_or_late():
            return None
        plugin = self._plugin('swift')
        container, name = self.stack.id, self.physical_resource_name()
        if multiple_signals:
            url = plugin.get_signal_url(container, name)
        else:
            client = plugin.sdk()
            client.create_container(name=container)
            client.upload_object(container, name, data=swift.IN_PROGRESS)
            url = plugin.get_temp_url(container, name)
        self.data_set(_SWIFT_URL, url, redact=True)
        self.data_set(_SWIFT_OBJECT, name)
        return url

    def _delete_swift_signal_url(self):
        name = self.data().get(_SWIFT_OBJECT)
        if name is None:
            return
        # Other resources of the stack share the container.
        self._plugin('swift').delete_object_with_versions(self.stack.id,
                                                          name)
        for key in (_SWIFT_OBJECT, _SWIFT_URL, _SWIFT_TAKEN):
            self.data_delete(key)

    def _get_zaqar_signal_queue_id(self):
        """Return the id of a queue that takes signals."""
        stored = self.data().get(_QUEUE_ID)
        if stored is not None:
            return stored
        if self._is_too_early_or_late():
            return None
        self._ensure_user()
        return self._create_user_queue(_QUEUE_ID)

    def _delete_signals(self):
        """Remove whatever takes signals for us."""
        self._delete_ec2_signed_url()
        self.data_delete(_HEAT_URL)
        self._delete_swift_signal_url()
        self._delete_user_queue(_QUEUE_ID)

    # -- signals that have to be fetched ------------------------------------

    def signals_are_fetched(self):
        """Return whether signals are only seen by who looks for them."""
        return (self._signal_transport_temp_url() or
                self._signal_transport_zaqar())

    def _service_signal(self):
        """Fetch signals that do not come by themselves, and take them."""
        if self._needed_client() is None:
            return
        # Where they come to is made when somebody asks for it: perhaps by
        # another engine, after we have looked.
        self.data_forget()
        if self._signal_transport_temp_url():
            self._service_swift_signal()
        else:
            self._service_zaqar_signal()

    def _service_swift_signal(self):
        name = self.data().get(_SWIFT_OBJECT)
        if name is None:
            return
        plugin, container = self._plugin('swift'), self.stack.id
        taken = self.data().get(_SWIFT_TAKEN, '')
        for when, where, body in plugin.read_versions(container, name):
            # The last one has to stay: if we deleted it, we might delete
            # one that has just come instead.
            if when > taken and body != swift.IN_PROGRESS:
                self.signal(details=self._parsed(body) if body else {})
                self.data_set(_SWIFT_TAKEN, when)
            if where != name:
                plugin.sdk().delete_object(where, container=container)

    def _service_zaqar_signal(self):
        queue_id = self.data().get(_QUEUE_ID)
        if queue_id is None:
            return
        client = self._queue_client()
        claim = client.create_claim(queue_id, ttl=_CLAIM_TTL,
                                    grace=_CLAIM_TTL)
        for message in getattr(claim, 'messages', None) or ():
            self.signal(details=message['body'])
            client.delete_message(queue_id, message['id'], claim=claim)

    def _parsed(self, body):
        try:
            return json_text.loads(body)
        except ValueError as error:
            raise exception.Error(_(
                'A signal to resource "%s" is not JSON') % self.name
            ) from error
