"""The Keystone client of the engine: trusts and stack users.

Three accounts act here: the user of the request (or its trust), the trustee
of the group [trustee], and the administrator of the domain of stack users.
"""
import dataclasses
import json
import secrets
import uuid

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1.identity import v3
from oslo_config import cfg
from oslo_log import log as logging
from oslo_utils import importutils

from heat.common import config
from heat.common import context as heat_context
from heat.common import endpoint_utils
from heat.common import exception
from heat.common import opts_auth
from heat.common.i18n import _
from heat.engine.clients import client_exception
from heat.engine.clients import sdk

LOG = logging.getLogger(__name__)

#: Keystone takes no longer names of users.
_NAME_LIMIT = 64
_EC2 = 'ec2'


@dataclasses.dataclass(frozen=True, slots=True)
class AccessKey:
    """A pair of EC2 keys and the id of the credential they are."""

    id: str
    access: str
    secret: str = dataclasses.field(repr=False)


def _hidden():
    """Return what Keystone says of things that are gone.

    Who is no administrator of everything may not even know that.
    """
    return (sdk.exceptions.NotFoundException,
            sdk.exceptions.ForbiddenException)


def find(finder, name, **filters):
    """Return what a finder of openstacksdk finds, None if nothing.

    :raises PhysicalResourceNameAmbiguity: it finds several.
    """
    try:
        return finder(name, ignore_missing=True, **filters)
    except sdk.exceptions.DuplicateResource as error:
        raise exception.PhysicalResourceNameAmbiguity(name=name) from error


class KeystoneClient:
    """Makes the client that the option keystone_backend names."""

    def __new__(cls, context, region_name=None):
        """Return the configured client."""
        return importutils.import_class(cfg.CONF.keystone_backend)(
            context, region_name)


class KsClientWrapper:
    """The calls of the engine to Keystone for one context.

    Nothing is asked, and nobody authenticated, before it is needed.
    """

    def __init__(self, context, region_name):
        self.context = context
        self.region_name = region_name
        self._connections = {}
        self._domain_id = None

    # -- who asks -----------------------------------------------------------

    @property
    def session(self):
        """The keystoneauth session of the user of the context."""
        return self._connected('user', lambda: None).session

    @property
    def client(self):
        """The identity service as the user of the context sees it."""
        return self._connected('user', lambda: None).identity

    @property
    def domain_admin_client(self):
        """The identity service as the administrator of the domain."""
        return self._connected('domain', self._domain_admin_auth).identity

    def _connected(self, name, make_auth):
        if name not in self._connections:
            auth = make_auth()
            self._connections[name] = sdk.connect(
                self.context, auth=auth,
                region_name=self._region_of_keystone(auth))
        return self._connections[name]

    def _region_of_keystone(self, auth):
        """Return the region, unless Keystone serves it from another one."""
        if self.region_name is None:
            return None
        try:
            self.context.keystone_session.get_endpoint(
                auth=auth or self.context.auth_plugin,
                service_type='identity', region_name=self.region_name,
                interface=config.get_client_option('keystone',
                                                   'endpoint_type'))
        except ks_exceptions.EndpointNotFound:
            return None
        return self.region_name

    @property
    def v3_endpoint(self):
        """The URL of the v3 API that knows the users of stacks.

        The administrator of their domain proves there who it is: no context
        has a say in it.
        """
        url = endpoint_utils.service_auth_uri().rstrip('/')
        return url if url.endswith('/v3') else url + '/v3'

    @property
    def auth_ref(self):
        """The access data of the token of the context."""
        return self.context.auth_plugin.get_access(self.session)

    @property
    def auth_region_name(self):
        """The region that servers are told."""
        return self.region_name or self.context.region_name

    def _domain_admin_auth(self):
        conf = cfg.CONF
        missing = [name for name in ('stack_domain_admin',
                                     'stack_domain_admin_password')
                   if not conf[name]]
        if missing:
            raise exception.Error(_(
                'The domain of stack users is configured without its '
                'administrator: set %s') % ', '.join(missing))
        if conf.stack_user_domain_id:
            domain = {'domain_id': conf.stack_user_domain_id,
                      'user_domain_id': conf.stack_user_domain_id}
        else:
            domain = {'domain_name': conf.stack_user_domain_name,
                      'user_domain_name': conf.stack_user_domain_name}
        return v3.Password(
            auth_url=self.v3_endpoint, username=conf.stack_domain_admin,
            password=conf.stack_domain_admin_password, **domain)

    @property
    def has_stack_domain(self):
        """Return whether there is a domain for the users of stacks."""
        return bool(cfg.CONF.stack_user_domain_id or
                    cfg.CONF.stack_user_domain_name)

    @property
    def stack_domain_id(self):
        """The id of the domain of stack users, None without one."""
        if self._domain_id is None and self.has_stack_domain:
            self._domain_id = cfg.CONF.stack_user_domain_id
            if not self._domain_id:
                connected = self._connected('domain',
                                            self._domain_admin_auth)
                access = connected.session.auth.get_access(
                    connected.session)
                self._domain_id = access.domain_id
        return self._domain_id

    # -- trusts -------------------------------------------------------------

    def create_trust_context(self):
        """Return a context that acts for the user by a new trust.

        A context that has a trust is kept as it is.

        :raises MissingCredentialError: the user lacks the roles to trust
            with.
        :raises TrustNotAllowed: the user came with a delegation.
        """
        if self.context.trust_id:
            return self.context
        trustee_id = self._trustee_user_id()
        trustor = self.auth_ref
        # Of the roles in the token the trust gets all, unless configured.
        roles = cfg.CONF.trusts_delegated_roles or trustor.role_names
        try:
            trust = self.client.create_trust(
                trustor_user_id=trustor.user_id,
                trustee_user_id=trustee_id,
                project_id=trustor.project_id,
                is_impersonation=True,
                allow_redelegation=cfg.CONF.allow_trusts_redelegation,
                roles=[{'name': name} for name in roles])
        except sdk.exceptions.NotFoundException as error:
            LOG.debug('No trust with the roles %s: %s', roles, error)
            raise exception.MissingCredentialError(required=_(
                'roles %s') % ', '.join(roles)) from error
        except sdk.exceptions.ForbiddenException as error:
            LOG.debug('No trust is allowed: %s', error)
            raise client_exception.TrustNotAllowed(credential=_(
                'an EC2 key, a restricted application credential, or a '
                'trust that may not be handed on')) from error
        values = self.context.to_dict()
        values.update(trust_id=trust.id, trustor_user_id=trustor.user_id)
        return heat_context.RequestContext.from_dict(values,
                                                     overwrite=False)

    def _trustee_user_id(self):
        auth = opts_auth.load(heat_context.TRUSTEE_CONF_GROUP)
        if auth is None:
            LOG.error('[%s] auth_type is not set',
                      heat_context.TRUSTEE_CONF_GROUP)
            raise exception.AuthorizationFailure()
        return auth.get_user_id(self.context.keystone_session)

    def delete_trust(self, trust_id):
        """Delete a trust, which may be gone."""
        try:
            self.client.delete_trust(trust_id, ignore_missing=True)
        except ks_exceptions.Unauthorized:
            # Who acts by this very trust is refused once it is gone.
            if self.context.trust_id != trust_id:
                raise
            LOG.info('Trust %s is gone', trust_id)

    def list_trusts(self):
        """Return the trusts that the user of the context has given."""
        return list(self.client.trusts(
            trustor_user_id=self.auth_ref.user_id))

    # -- projects of stacks -------------------------------------------------

    def create_stack_domain_project(self, stack_id):
        """Make a project for the users of a stack and return its id.

        Without a domain for them it is the project of the stack itself.
        """
        if not self.has_stack_domain:
            return self.context.project_id
        name = ('%s-%s' % (self.context.project_id, stack_id))[:_NAME_LIMIT]
        client = self.domain_admin_client
        try:
            return client.create_project(
                name=name, domain_id=self.stack_domain_id,
                description='Users of a stack').id
        except sdk.exceptions.ConflictException:
            # Another resource of the stack needs it at the same time.
            project = find(client.find_project, name,
                           domain_id=self.stack_domain_id)
            if project is None:
                raise
            return project.id

    def delete_stack_domain_project(self, project_id):
        """Delete the project of a stack, which may be gone."""
        if not self.has_stack_domain:
            return
        client = self.domain_admin_client
        try:
            project = client.get_project(project_id)
        except _hidden():
            # What the administrator may not see is in another domain.
            LOG.info('Project %s of a stack is gone', project_id)
            return
        if project.domain_id != self.stack_domain_id:
            LOG.warning('Project %s is not in the domain of stack users; '
                        'it is left alone', project_id)
            return
        client.delete_project(project_id, ignore_missing=True)

    # -- users of stacks ----------------------------------------------------

    def _user_role(self, client):
        name = cfg.CONF.heat_stack_user_role
        role = find(client.find_role, name)
        if role is None:
            raise exception.Error(_(
                'Keystone has no role %s, which stack users require') %
                name)
        return role

    def create_stack_domain_user(self, username, project_id, password=None):
        """Make a user in the domain of stack users and return its id."""
        if not self.has_stack_domain:
            return self.create_stack_user(username, password or '')
        return self._new_user(self.domain_admin_client, username, password,
                              self.stack_domain_id, project_id)

    def create_stack_user(self, username, password=''):
        """Make a user in the domain of the request and return its id."""
        return self._new_user(
            self.client, username, password or None,
            self.auth_ref.project_domain_id, self.context.project_id)

    def _new_user(self, client, username, password, domain_id, project_id):
        role = self._user_role(client)
        user = client.create_user(
            # The end of a physical name is what tells it from others.
            name=username[-_NAME_LIMIT:], domain_id=domain_id,
            password=password or secrets.token_urlsafe(32),
            default_project_id=project_id)
        client.assign_project_role_to_user(project_id, user.id, role.id)
        return user.id

    def _own_user(self, user_id, project_id, action):
        """Return a user; ValueError if it is not one of this stack's.

        None if it is gone.
        """
        if not self.has_stack_domain:
            raise ValueError(_('No domain is configured for the users of '
                               'stacks'))
        try:
            user = self.domain_admin_client.get_user(user_id)
        except _hidden():
            return None
        if user.domain_id != self.stack_domain_id:
            raise ValueError(_('Cannot %(action)s user %(id)s: it is not in '
                               'the domain of stack users') % {
                'action': action, 'id': user_id})
        if user.default_project_id != project_id:
            raise ValueError(_('Cannot %(action)s user %(id)s: it belongs '
                               'to another stack') % {
                'action': action, 'id': user_id})
        return user

    def delete_stack_domain_user(self, user_id, project_id):
        """Delete a user of a stack, which may be gone."""
        if self._own_user(user_id, project_id, 'delete') is not None:
            self.domain_admin_client.delete_user(user_id,
                                                 ignore_missing=True)

    def enable_stack_domain_user(self, user_id, project_id):
        """Let a user of a stack authenticate again."""
        self._own_user_enabled(user_id, project_id, enabled=True)

    def disable_stack_domain_user(self, user_id, project_id):
        """Let a user of a stack no longer authenticate."""
        self._own_user_enabled(user_id, project_id, enabled=False)

    def _own_user_enabled(self, user_id, project_id, *, enabled):
        user = self._own_user(user_id, project_id,
                              'enable' if enabled else 'disable')
        if user is None:
            raise exception.EntityNotFound(entity='KeystoneUser',
                                           name=user_id)
        self.domain_admin_client.update_user(user_id, is_enabled=enabled)

    def delete_stack_user(self, user_id):
        """Delete a user outside of the domain; it may be gone."""
        self.client.delete_user(user_id, ignore_missing=True)

    def enable_stack_user(self, user_id):
        """Let a user outside of the domain authenticate again."""
        self.client.update_user(user_id, is_enabled=True)

    def disable_stack_user(self, user_id):
        """Let a user outside of the domain no longer authenticate."""
        self.client.update_user(user_id, is_enabled=False)

    def stack_domain_user_token(self, user_id, project_id, password):
        """Return a token of a user of a stack."""
        auth = v3.Password(auth_url=self.v3_endpoint, user_id=user_id,
                           password=password, project_id=project_id)
        return auth.get_token(self.context.keystone_session)

    # -- keys ---------------------------------------------------------------

    def create_stack_domain_user_keypair(self, user_id, project_id):
        """Make EC2 keys of a user of a stack and return them."""
        if not self.has_stack_domain:
            return self.create_ec2_keypair(user_id)
        return self._new_keys(self.domain_admin_client, user_id, project_id)

    def create_ec2_keypair(self, user_id=None):
        """Make EC2 keys, of the user of the context unless told."""
        return self._new_keys(self.client,
                              user_id or self.auth_ref.user_id,
                              self.context.project_id)

    @staticmethod
    def _new_keys(client, user_id, project_id):
        access, secret = uuid.uuid4().hex, secrets.token_hex(16)
        credential = client.create_credential(
            user_id=user_id, project_id=project_id, type=_EC2,
            blob=json.dumps({'access': access, 'secret': secret}))
        return AccessKey(credential.id, access, secret)

    def get_ec2_keypair(self, credential_id=None, access=None,
                        user_id=None):
        """Return EC2 keys by the id of the credential or the access key.

        :raises EntityNotFound: there are none.
        """
        if not credential_id and not access:
            raise ValueError(_('Either credential_id or access must be '
                               'specified'))
        for credential in self._credentials(credential_id, user_id):
            blob = json.loads(credential.blob)
            if not access or blob['access'] == access:
                return AccessKey(credential.id, blob['access'],
                                 blob['secret'])
        raise exception.EntityNotFound(entity='EC2 credential',
                                       name=credential_id or access)

    def _credentials(self, credential_id, user_id):
        if not credential_id:
            return self.client.credentials(
                type=_EC2, user_id=user_id or self.auth_ref.user_id)
        try:
            return [self.client.get_credential(credential_id)]
        except _hidden():
            return []

    def delete_ec2_keypair(self, credential_id=None, access=None,
                           user_id=None):
        """Delete EC2 keys, which may be gone."""
        try:
            found = self.get_ec2_keypair(credential_id, access, user_id)
        except exception.EntityNotFound:
            return
        self.client.delete_credential(found.id, ignore_missing=True)

    def delete_stack_domain_user_keypair(self, user_id, project_id,
                                         credential_id):
        """Delete EC2 keys of a user of a stack, which may be gone."""
        if self._own_user(user_id, project_id, 'delete the keys of'):
            self.domain_admin_client.delete_credential(
                credential_id, ignore_missing=True)

    # -- endpoints ----------------------------------------------------------

    def server_keystone_endpoint_url(self, fallback_endpoint):
        """Return the URL at which servers find Keystone.

        It is that of the catalogue if server_keystone_endpoint_type says
        so, else the given one.
        """
        interface = cfg.CONF.server_keystone_endpoint_type
        if not interface:
            return fallback_endpoint
        try:
            return self.auth_ref.service_catalog.url_for(
                service_type='identity', interface=interface,
                region_name=self.region_name)
        except ks_exceptions.EndpointNotFound:
            LOG.warning('There is no %s endpoint of Keystone for servers',
                        interface)
            return fallback_endpoint

    def url_for(self, **kwargs):
        """Return the URL of an endpoint of the catalogue."""
        kwargs.setdefault('region_name', self.region_name)
        return self.session.get_endpoint(**kwargs)

    @property
    def ssl_options(self):
        """The TLS options of sessions with Keystone."""
        return config.get_ssl_options('keystone')
