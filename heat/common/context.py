"""Request contexts: user, project and credentials.

The context is passed as an argument everywhere; nobody fetches it.
"""
import contextlib
import functools
import threading

from keystoneauth1 import access
from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1.identity import access as access_plugin
from keystoneauth1.identity import generic
from oslo_config import cfg
from oslo_context import context
from oslo_log import log as logging
from oslo_messaging.rpc import dispatcher as rpc_dispatcher
from oslo_utils import importutils

from heat.common import cloud_session
from heat.common import config
from heat.common import endpoint_utils
from heat.common import exception
from heat.common import identity_headers
from heat.common import metrics
from heat.common import opts_auth
from heat.common import outage
from heat.common import policy
from heat.common import reading
from heat.common import request_budget
from heat.common import timeutils
from heat.common import tracing
from heat.common import wsgi

LOG = logging.getLogger(__name__)

TRUSTEE_CONF_GROUP = opts_auth.TRUSTEE_GROUP

_SECRETS = ('auth_token', 'password', 'aws_creds', 'auth_token_info',
            'trust_id')


class _Logging(threading.local):
    """The flag of a thread that reads a context to write a line of the log."""

    reads = False


_logging = _Logging()


@contextlib.contextmanager
def _as_stored():
    """Read contexts as they are, for the log.

    A handler holds its lock while a line is formatted. Asking Keystone or
    the policy meanwhile would log, and wait for locks whose holders log.
    """
    outer, _logging.reads = _logging.reads, True
    try:
        yield
    finally:
        _logging.reads = outer


class RequestContext(context.RequestContext):
    """The security context of a request, and of the work done for it."""

    #: Whether a user waits for the answer to this very call.
    answer_soon = False

    FROM_DICT_EXTRA_KEYS = [
        'username', 'password', 'aws_creds', 'trust_id', 'trustor_user_id',
        'auth_token_info', 'auth_url', 'region_name']

    def __init__(self, username=None, password=None, aws_creds=None,
                 auth_url=None, is_admin=None, trust_id=None,
                 trustor_user_id=None, auth_token_info=None,
                 region_name=None, auth_plugin=None,
                 trusts_auth_plugin=None, **kwargs):
        # oslo.context speaks of user_name, Heat of username.
        user_name = kwargs.pop('user_name', None)
        super().__init__(is_admin=is_admin,
                         user_name=username or user_name, **kwargs)
        self.username = username or user_name
        self.password = password
        self.aws_creds = aws_creds
        self.auth_url = auth_url
        self.trust_id = trust_id
        self.trustor_user_id = trustor_user_id
        self.auth_token_info = auth_token_info
        self.region_name = region_name
        self._auth_plugin = auth_plugin
        self._trusts_auth_plugin = trusts_auth_plugin
        self._clients = None
        self._keystone_session = None

    @property
    def tenant_id(self):
        """The project, by its older name."""
        return self.project_id

    def check_is_admin(self):
        """Ask the policy; oslo.context does, if is_admin is None."""
        if _logging.reads:
            # It stays unknown.
            return None
        # What is logged on the way names the context, and thus asks again.
        self._is_admin = False
        return policy.get_enforcer().check_is_admin(self)

    @property
    def clients(self):
        """The clients of cloud services acting for this context.

        Only the engine has them. The option cloud_backend names their class.
        """
        if self._clients is None:
            backend = importutils.import_class(cfg.CONF.cloud_backend)
            self._clients = backend(self)
        return self._clients

    @property
    def keystone_session(self):
        """A session with the TLS options of the Keystone client."""
        reading.require_engine()
        if self._keystone_session is None:
            # Plugins may load the account of the trustee themselves.
            opts_auth.register(TRUSTEE_CONF_GROUP)
            self._keystone_session = cloud_session.CloudSession(
                **config.get_ssl_options('keystone'))
        return self._keystone_session

    @property
    def knows_keystone(self):
        """Return whether there is a Keystone to ask for a catalogue.
        """
        return bool(self.auth_url or self.auth_token_info or self.trust_id
                    or self._auth_plugin or endpoint_utils.is_configured())

    @property
    def keystone_v3_endpoint(self):
        """The URL of the v3 API of the Keystone that knows the user.

        It is the one that the context names only if an option names it,
        too: a request, a message and a row of the database may be forged.
        """
        if self.auth_url and endpoint_utils.is_trusted(self.auth_url):
            return self.auth_url.replace('v2.0', 'v3')
        return endpoint_utils.service_auth_uri()

    @property
    def can_authenticate(self):
        """Return whether there is a Keystone, and anything to show it.

        With noauth, and in the embedded mode, there is not.
        """
        return self.knows_keystone and bool(
            self._auth_plugin or self.auth_token or self.password
            or self.trust_id or self.auth_token_info)

    def user_creds_are_valid(self):
        """Return whether Keystone accepts what the request came with."""
        if not self.can_authenticate:
            return False
        try:
            return bool(self.auth_plugin.get_token(self.keystone_session))
        except (exception.AuthorizationFailure,
                ks_exceptions.ClientException) as exc:
            LOG.info('The credentials of a request are not accepted: %s',
                     type(exc).__name__)
            return False

    @property
    def auth_plugin(self):
        """The keystoneauth plugin that acts as the user."""
        if self._auth_plugin is None:
            self._auth_plugin = self._create_auth_plugin()
        return self._auth_plugin

    def _create_auth_plugin(self):
        if self.trust_id and (
                cfg.CONF.reauthentication_auth_method == 'trusts' or
                not (self.auth_token or self.password)):
            return self.trusts_auth_plugin
        if self.auth_token_info:
            info = access.create(body=self.auth_token_info,
                                 auth_token=self.auth_token)
            return access_plugin.AccessInfoPlugin(
                auth_ref=info, auth_url=self.keystone_v3_endpoint)
        if self.password:
            # The name would need a domain, which is not always known.
            who = ({'user_id': self.user_id} if self.user_id else
                   {'username': self.username,
                    'user_domain_id': self.user_domain_id})
            return generic.Password(
                password=self.password, project_id=self.project_id,
                auth_url=self.keystone_v3_endpoint, **who)
        if self.auth_token:
            # Without the catalog that came with it the token has to be
            # shown to Keystone once more.
            return generic.Token(
                auth_url=self.keystone_v3_endpoint, token=self.auth_token,
                project_id=self.project_id)
        LOG.info('A context without token, password or trust cannot act in '
                 'the cloud')
        raise exception.AuthorizationFailure()

    def reload_auth_plugin(self):
        """Drop the plugin, so that the next use makes another one."""
        self._auth_plugin = None

    def act_by_trust(self, trust_id, trustor_user_id):
        """Act by a trust from now on, also where clients have been made.

        What they have found out in the cloud is kept.
        """
        self.trust_id = trust_id
        self.trustor_user_id = trustor_user_id
        self._trusts_auth_plugin = None
        self.reload_auth_plugin()
        reconnect = getattr(self._clients, 'reconnect', None)
        if reconnect is not None:
            reconnect()

    @property
    def trusts_auth_plugin(self):
        """The keystoneauth plugin that acts for the user by a trust."""
        if self._trusts_auth_plugin is None:
            try:
                plugin = opts_auth.load(TRUSTEE_CONF_GROUP,
                                        trust_id=self.trust_id)
            except ks_exceptions.MissingRequiredOptions as exc:
                LOG.error('The group [%s] is incomplete: %s',
                          TRUSTEE_CONF_GROUP, exc)
                raise exception.AuthorizationFailure() from exc
            if plugin is None:
                LOG.error('[%s] auth_type is not set', TRUSTEE_CONF_GROUP)
                raise exception.AuthorizationFailure()
            self._trusts_auth_plugin = plugin
        return self._trusts_auth_plugin

    def to_dict(self):
        """Return what travels over RPC; from_dict() restores it."""
        values = super().to_dict()
        values.update({
            'user_id': self.user_id,
            'username': self.username,
            'user_name': self.user_name,
            'password': self.password,
            'aws_creds': self.aws_creds,
            'tenant': self.project_name,
            'tenant_id': self.project_id,
            'project_name': self.project_name,
            'domain_name': self.domain_name,
            'user_domain_name': self.user_domain_name,
            'project_domain_name': self.project_domain_name,
            'user_domain_id': self.user_domain_id,
            'project_domain_id': self.project_domain_id,
            'trust_id': self.trust_id,
            'trustor_user_id': self.trustor_user_id,
            'auth_token_info': self.auth_token_info,
            'auth_url': self.auth_url,
            'region_name': self.region_name,
        })
        return values

    @classmethod
    def from_dict(cls, values, **kwargs):
        """Return the context that to_dict() described."""
        for name, fallbacks in (
                ('user_id', ('user_id', 'user')),
                ('project_id', ('project_id', 'tenant_id')),
                ('project_name', ('project_name', 'tenant')),
                ('user_domain_id', ('user_domain_id', 'user_domain')),
                ('project_domain_id',
                 ('project_domain_id', 'project_domain'))):
            found = (values.get(key) for key in fallbacks)
            kwargs.setdefault(name, next(filter(None, found), None))
        # None means: to be asked of the policy.
        kwargs.setdefault('is_admin', values.get('is_admin'))
        return super().from_dict(values, **kwargs)

    def get_logging_values(self):
        """Return what log lines may show: what is known, and no secrets.

        Nothing is loaded, waited for or asked.
        """
        with _as_stored():
            values = super().get_logging_values()
        for key in _SECRETS:
            if values.get(key):
                values[key] = '***'
        return values

    def elevated(self):
        """Return a copy with the authority of an administrator."""
        copy = type(self).from_dict(self.to_dict(), is_admin=True,
                                    overwrite=False)
        if 'admin' not in (role.lower() for role in copy.roles):
            copy.roles = list(copy.roles) + ['admin']
        return copy


class StoredContext(RequestContext):
    """A context made of stored credentials; its roles come from Keystone.

    They are asked for when somebody wants to know, not before.
    """

    _loaded = False
    _stored: dict = {}

    def _load_keystone_data(self):
        if self._loaded:
            return
        self._loaded = True
        if not (self._auth_plugin or self.trust_id or self.password or
                self.auth_token):
            # Without Keystone (noauth) nothing is stored to ask it with.
            return
        try:
            found = self.auth_plugin.get_access(self.keystone_session)
        except (exception.AuthorizationFailure,
                ks_exceptions.ClientException) as exc:
            # A cloud without Keystone, or one that is away: the work goes
            # on, with the authority of nobody.
            LOG.debug('Cannot look up stored credentials: %s', exc)
            return
        self._stored = dict(self._stored)
        self._stored['roles'] = found.role_names
        self._stored['user_domain_id'] = found.user_domain_id
        self._stored['project_domain_id'] = found.project_domain_id

    def _get(self, name):
        if not self._stored.get(name) and not _logging.reads:
            self._load_keystone_data()
        return self._stored.get(name)

    def _set(self, name, value):
        self._stored = dict(self._stored)
        self._stored[name] = value

    roles = property(
        lambda self: self._get('roles') or [],
        lambda self, value: self._set('roles', value))
    user_domain_id = property(
        lambda self: self._get('user_domain_id'),
        lambda self, value: self._set('user_domain_id', value))
    project_domain_id = property(
        lambda self: self._get('project_domain_id'),
        lambda self, value: self._set('project_domain_id', value))


def get_admin_context(show_deleted=False):
    """Return a context for work that no user asked for."""
    return RequestContext(is_admin=True, show_deleted=show_deleted,
                          overwrite=False)


@contextlib.contextmanager
def budget_of_request():
    """Count what a request takes.

    :raises RequestLimitExceeded: it takes more than its budget holds.
    """
    with request_budget.of_request():
        try:
            yield
        except ValueError as exc:
            # Properties convert Exceeded to an error of their own.
            if not (isinstance(exc, request_budget.Exceeded) or
                    request_budget.is_exhausted()):
                raise
            raise exception.RequestLimitExceeded(message=str(exc)) from exc


def request_context(func):
    """Decorate an RPC method: make its errors travel to the caller.

    Errors of ours are expected ones: they are sent as they are and leave no
    traceback in the engine's log. What the call costs is counted.
    """
    @functools.wraps(func)
    def wrapped(self, ctxt, *args, **kwargs):
        if ctxt is not None and not isinstance(ctxt, context.RequestContext):
            ctxt = RequestContext.from_dict(dict(ctxt))
        began, outcome = timeutils.wallclock(), 'error'
        try:
            with tracing.step('rpc', {'name': func.__name__}), _in_time(
                    ctxt), budget_of_request():
                result = func(self, ctxt, *args, **kwargs)
            outcome = 'ok'
            return result
        except reading.EngineNeeded:
            outcome = 'passed on'
            raise
        except exception.HeatException as exc:
            outcome = 'refused'
            raise rpc_dispatcher.ExpectedException() from exc
        finally:
            metrics.RPC_SERVED.labels(func.__name__, outcome).inc()
            metrics.RPC_SERVED_SECONDS.labels(func.__name__).observe(
                timeutils.wallclock() - began)
    return wrapped


@contextlib.contextmanager
def _in_time(ctxt):
    """Answer a user soon when the database is away."""
    soon = getattr(ctxt, 'answer_soon', False)
    try:
        with outage.limited(outage.PATIENCE if soon else None):
            yield
    except outage.Unavailable as exc:
        raise exception.ServiceUnavailable() from exc


def forget():
    """Have this thread's log lines name no request, until there is one.

    A thread serves many requests, one after the other; oslo.context has no
    way to say that one is over.
    """
    vars(context._request_store).pop(  # noqa: SLF001 (see above)
        'context', None)


def begin_request(environ):
    """Have this thread's log lines name the id of a request, so far alone.

    :param environ: the request's; oslo.middleware has put the id there
    """
    RequestContext(
        is_admin=False, request_id=environ.get('openstack.request_id'),
        global_request_id=environ.get('openstack.global_request_id'))


def current():
    """Return the context that this thread's log lines name, or None."""
    return context.get_current()


def resume(ctxt):
    """Have this thread's log lines name a context, or none."""
    if ctxt is None:
        forget()
    else:
        ctxt.update_store()


class ContextMiddleware(wsgi.Middleware):
    """Builds the context of a request from headers of the auth filters."""

    def process_request(self, request):
        """Put the context on the request."""
        check = request.environ.pop(identity_headers.TOKEN_CHECK, None)
        if check is not None and (
                'X-Identity-Status' not in request.headers):
            # No filter has checked the token of the request.
            refusal = check(request)
            if refusal is not None:
                return refusal
        request.context = self._make_context(request)
        return None

    @staticmethod
    def _make_context(request):
        headers, environ = request.headers, request.environ
        values = {
            'auth_url': environ.get(identity_headers.AUTH_URL),
            'region_name': identity_headers.region(environ),
            'auth_token_info': environ.get('keystone.token_info'),
            'auth_plugin': environ.get('keystone.token_auth'),
        }
        if headers.get('X-Auth-User') is not None:
            # What a filter has found out is more than what a client says.
            values['username'] = (headers.get('X-User-Name') or
                                  headers['X-Auth-User'])
            values['password'] = headers.get('X-Auth-Key')
        else:
            values['aws_creds'] = environ.get(
                identity_headers.EC2_CREDENTIALS)
        if _needs_own_plugin(values):
            values.pop('auth_plugin')
        return RequestContext.from_environ(environ, **values)


def _needs_own_plugin(values):
    """Return whether the token filter's plugin would act as the wrong one.

    It belongs to the token; a request with a password is to be able to go
    on after the token has expired.
    """
    return values['auth_plugin'] is None or values.get('password')


def ContextMiddleware_filter_factory(global_conf, **local_conf):  # noqa: N802
    """Return the paste filter that builds contexts."""
    conf = {**global_conf, **local_conf}

    def make(app):
        return ContextMiddleware(app, conf)
    return make
