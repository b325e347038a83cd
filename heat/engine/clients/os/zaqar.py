"""The client of the messaging service, as plugins of resources see it."""
import dataclasses
import uuid

from keystoneauth1 import noauth
from keystoneauth1 import token_endpoint

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine.clients import sdk
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'zaqar'

#: How long the name of a queue may be.
MAX_NAME = 64

_PATCH = 'application/openstack-messaging-v2.0-json-patch'


@dataclasses.dataclass(frozen=True, slots=True)
class Claim:
    """Messages that nobody else gets for a while."""

    id: str | None
    messages: list


class Queues:
    """The queues of a project.

    The client library has words for the service, but loses what it does
    not know of: metadata of queues, who claims, errors of posts.
    """

    def __init__(self, proxy, headers=None):
        self._proxy = proxy
        self._headers = {'Client-ID': str(uuid.uuid4()), **(headers or {})}

    def _request(self, method, *path, headers=None, **options):
        answer = self._proxy.request(
            '/' + '/'.join(('queues', *path)), method,
            headers={**self._headers, **(headers or {})}, **options)
        sdk.exceptions.raise_from_response(answer)
        return answer

    @property
    def endpoint(self):
        """The URL of the service, with its version."""
        return self._proxy.get_endpoint()

    def url_of(self, name):
        """Return the URL of a queue."""
        return '%s/queues/%s' % (self.endpoint.rstrip('/'), name)

    def create_queue(self, name, metadata=None):
        """Make a queue, unless there is one."""
        self._request('PUT', name, json=metadata or {})

    def get_queue(self, name):
        """Return the metadata of a queue, with options of the service."""
        return self._request('GET', name).json()

    def update_queue(self, name, metadata):
        """Make these the metadata of a queue; options that are not in them
        have their defaults again.
        """
        known = {key: value for key, value in self.get_queue(name).items()
                 if not key.startswith('_')}
        changes = [{'op': 'remove', 'path': _pointer(key)}
                   for key in known if key not in metadata]
        changes += [{'op': 'replace' if key in known else 'add',
                     'path': _pointer(key), 'value': value}
                    for key, value in metadata.items()
                    if key not in known or known[key] != value]
        if changes:
            self._request('PATCH', name, json=changes,
                          headers={'Content-Type': _PATCH})

    def delete_queue(self, name):
        """Delete a queue with what is in it; it may be gone."""
        self._request('DELETE', name)

    def share_queue(self, name, **what):
        """Return a signature by which anybody may use a part of a queue.
        """
        return self._request('POST', name, 'share', json=what).json()

    def post_message(self, name, messages):
        """Put messages, maps of `body` and `ttl`, into a queue."""
        self._request('POST', name, 'messages', json={'messages': messages})

    def create_claim(self, name, ttl, grace):
        """Return messages, and have nobody else get them."""
        answer = self._request('POST', name, 'claims',
                               json={'ttl': ttl, 'grace': grace})
        if answer.status_code == 204:
            return Claim(None, [])
        return Claim(answer.headers['Location'].rpartition('/')[2],
                     answer.json()['messages'])

    def delete_message(self, name, message_id, claim=None):
        """Delete a message, claimed by us or by nobody."""
        self._request('DELETE', name, 'messages', message_id,
                      params={'claim_id': claim.id} if claim else {})

    def create_subscription(self, name, **values):
        """Have messages of a queue be sent; return the id of that."""
        return self._request('POST', name, 'subscriptions',
                             json=values).json()['subscription_id']

    def get_subscription(self, name, subscription_id):
        """Return what is sent to whom."""
        return self._request('GET', name, 'subscriptions',
                             subscription_id).json()

    def update_subscription(self, name, subscription_id, **values):
        """Change what is sent to whom."""
        self._request('PATCH', name, 'subscriptions', subscription_id,
                      json=values)

    def delete_subscription(self, name, subscription_id):
        """Have messages no longer be sent."""
        self._request('DELETE', name, 'subscriptions', subscription_id)


def _pointer(key):
    """Return how a patch names an entry of the metadata of a queue."""
    return '/metadata/' + key.replace('~', '~0').replace('/', '~1')


class _TokenOfProject(token_endpoint.Token):
    """A token of which we know what project it is of."""

    def __init__(self, endpoint, token, project_id):
        super().__init__(endpoint, token)
        self._project_id = project_id

    def get_project_id(self, session, **_options):
        """Return the id of the project."""
        return self._project_id


class ZaqarClientPlugin(sdk_plugin.SDKClientPlugin):
    """Hands out queues: our own, or those of another project."""

    client_name = CLIENT_NAME
    proxy = 'message'
    service_types = [MESSAGING] = ['messaging']
    #: For how many seconds a message is kept unless somebody says.
    DEFAULT_TTL = 3600

    def _connect(self, version=None):
        return Queues(self._adapter())

    def create_for_tenant(self, tenant_id, token):
        """Return the queues of another project, for which there is a token.
        """
        connection = sdk.connect(
            self.context, service=CLIENT_NAME, auth=_TokenOfProject(
                self.sdk().endpoint, token, tenant_id))
        return Queues(connection.message)

    def create_from_signed_url(self, project_id, paths, expires, methods,
                               signature):
        """Return the queues of a project, as far as a signature allows.

        It is what share_queue has given.
        """
        connection = sdk.connect(
            self.context, service=CLIENT_NAME, auth=noauth.NoAuth(
                self.sdk().endpoint.rstrip('/')))
        return Queues(connection.message, {
            'X-Project-Id': project_id, 'URL-Signature': signature,
            'URL-Expires': expires, 'URL-Methods': ','.join(methods),
            'URL-Paths': ','.join(paths)})

    def get_queue(self, queue_name):
        """Return the name of a queue, if one can be called so.

        A queue is there as soon as somebody uses it.
        """
        if not isinstance(queue_name, str):
            raise TypeError(_('The name of a queue must be a string'))
        if not 0 < len(queue_name) <= MAX_NAME:
            raise ValueError(_('The name of a queue must have 1 to %d '
                               'characters')
                             % MAX_NAME)
        try:
            self.sdk().get_queue(queue_name)
        except sdk.exceptions.NotFoundException as error:
            raise exception.EntityNotFound(entity='Queue',
                                           name=queue_name) from error
        return queue_name


class ZaqarEventSink:
    """Puts the events of a stack into a queue."""

    def __init__(self, target, ttl=None):
        """Remember the queue, and for how many seconds to keep events."""
        self._target = target
        self._ttl = ttl

    def consume(self, context, event):
        """Put an event into the queue."""
        plugin = context.clients.client_plugin(CLIENT_NAME)
        plugin.sdk().post_message(self._target, [
            {'body': event, 'ttl': self._ttl or plugin.DEFAULT_TTL}])


class QueueConstraint(constraints.BaseCustomConstraint):
    """A queue of this name can be used."""

    expected_exceptions = (exception.EntityNotFound, TypeError, ValueError)
    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_queue'


#: By the names that templates and schemas use.
CONSTRAINTS = {'zaqar.queue': QueueConstraint}

#: By the types that environments use.
EVENT_SINKS = {'zaqar-queue': ZaqarEventSink}
