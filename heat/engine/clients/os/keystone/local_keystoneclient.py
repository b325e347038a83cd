"""Users of stacks where there is no Keystone: the embedded mode.

Nobody is asked for a token there, so a user need not exist anywhere but in
the stack: ids and keys are made here, and whoever asked for them keeps them
with the resource. Nothing leaves the process.
"""
import dataclasses
import secrets
import uuid

from heat.common import exception
from heat.common.i18n import _


@dataclasses.dataclass(frozen=True, slots=True)
class AccessKey:
    """A pair of EC2 keys and the id of the credential they are."""

    id: str
    access: str
    secret: str = dataclasses.field(repr=False)


def _new_id():
    return uuid.uuid4().hex


class LocalKeystoneClient:
    """A stand-in for Keystone where there is none.

    Named by the option keystone_backend; the embedded mode does.
    """

    #: There is no identity service that servers could ask.
    v3_endpoint = ''
    stack_domain_id = None
    auth_region_name = None

    def __init__(self, context, region_name=None):
        self._project_id = context.project_id
        self.region_name = region_name

    def _refuse(self, feature):
        raise exception.NotSupported(feature=_(
            '%s without an identity service') % feature)

    @property
    def client(self):
        """Refuse to hand out a client: there is no service to ask."""
        return self._refuse(_('Identity requests'))

    def create_trust_context(self):
        """Refuse to make a trust: there is nobody to vouch for it."""
        return self._refuse(_('A trust'))

    def delete_trust(self, trust_id):
        """Forget a trust, of which there are none."""

    # -- projects -----------------------------------------------------------

    def create_stack_domain_project(self, stack_id):
        """Return the id of a project for the users of a stack.

        The same for all resources that ask for it at the same time.
        """
        return uuid.uuid5(uuid.NAMESPACE_OID, stack_id).hex

    def delete_stack_domain_project(self, project_id):
        """Forget a project; it exists in the stack only."""

    # -- users --------------------------------------------------------------

    def create_stack_domain_user(self, username, project_id, password=None):
        """Return the id of a user of a stack."""
        return _new_id()

    def create_stack_user(self, username, password=''):
        """Return the id of a user."""
        return _new_id()

    def delete_stack_domain_user(self, user_id, project_id):
        """Forget a user; it exists in the stack only."""

    def delete_stack_user(self, user_id):
        """Forget a user; it exists in the stack only."""

    def enable_stack_domain_user(self, user_id, project_id):
        """Let a user act; nobody asks who acts anyway."""

    disable_stack_domain_user = enable_stack_domain_user

    def enable_stack_user(self, user_id):
        """Let a user act; nobody asks who acts anyway."""

    disable_stack_user = enable_stack_user

    def stack_domain_user_token(self, user_id, project_id, password):
        """Return a text to send as a token; nobody looks at it."""
        return secrets.token_urlsafe(24)

    # -- keys ---------------------------------------------------------------

    def create_stack_domain_user_keypair(self, user_id, project_id):
        """Return a new AccessKey."""
        return AccessKey(_new_id(), _new_id(), secrets.token_hex(32))

    def create_ec2_keypair(self, user_id=None):
        """Return a new AccessKey."""
        return self.create_stack_domain_user_keypair(user_id, None)

    def get_ec2_keypair(self, credential_id=None, access=None,
                        user_id=None):
        """Say that a key is unknown: only resources keep them."""
        raise exception.EntityNotFound(entity='EC2 credential',
                                       name=credential_id or access)

    def delete_ec2_keypair(self, credential_id=None, access=None,
                           user_id=None):
        """Forget a key; its resource forgets it as well."""

    def delete_stack_domain_user_keypair(self, user_id, project_id,
                                         credential_id):
        """Forget a key; its resource forgets it as well."""

    # -- endpoints ----------------------------------------------------------

    def server_keystone_endpoint_url(self, fallback_endpoint):
        """Return the URL at which servers find Keystone: the given one."""
        return fallback_endpoint
