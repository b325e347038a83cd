"""AWS::IAM::User and AWS::IAM::AccessKey: users of a stack, and keys."""
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine.resources import stack_user

LOG = logging.getLogger(__name__)


class User(stack_user.StackUser):
    """An IAM user.

    The policies of the user, resources of the type
    OS::Heat::AccessPolicy in the same stack, list the resources to
    which the user has access. Without policies the user has access to
    all resources of the stack.
    """

    PROPERTIES = (
        PATH, GROUPS, LOGIN_PROFILE, POLICIES,
    ) = (
        'Path', 'Groups', 'LoginProfile', 'Policies',
    )

    _LOGIN_PROFILE_KEYS = (
        LOGIN_PROFILE_PASSWORD,
    ) = (
        'Password',
    )

    properties_schema = {
        PATH: properties.Schema(
            properties.Schema.STRING,
            _('Has no effect.')),
        GROUPS: properties.Schema(
            properties.Schema.LIST,
            _('Has no effect.')),
        LOGIN_PROFILE: properties.Schema(
            properties.Schema.MAP,
            _('Login profile of the user.'),
            schema={
                LOGIN_PROFILE_PASSWORD: properties.Schema(
                    properties.Schema.STRING,
                    _('Password of the user. If omitted, a random password is '
                      'generated.')),
            }),
        POLICIES: properties.Schema(
            properties.Schema.LIST,
            _('Access policies of the user, by resource name.')),
    }

    def handle_create(self):
        """Make the user."""
        profile = self.properties[self.LOGIN_PROFILE] or {}
        self.password = profile.get(self.LOGIN_PROFILE_PASSWORD)
        for policy in self._policies():
            if not callable(getattr(policy, 'access_allowed', None)):
                raise exception.InvalidTemplateAttribute(
                    resource=self.name, key=self.POLICIES)
        super().handle_create()
        self.resource_id_set(self._get_user_id())

    def _policies(self):
        """Yield the policies, None for one that is not in the stack."""
        for name in self.properties[self.POLICIES] or ():
            if not isinstance(name, str):
                LOG.debug('A policy that is not the name of a resource is '
                          'ignored')
                continue
            yield self.stack[name] if name in self.stack else None

    def get_reference_id(self):
        """Return the name of the user once there is one."""
        return self.physical_resource_name_or_FnGetRefId()

    def access_allowed(self, resource_name):
        """Return whether the user may use a resource of the stack."""
        for policy in self._policies():
            if policy is None or not policy.access_allowed(resource_name):
                LOG.debug('User %s may not use %s', self.name,
                          resource_name)
                return False
        return True

    _access_allowed = access_allowed

    @property
    def user_id(self):
        """The id of the user in Keystone, None if there is none."""
        return self._get_user_id()

    def make_keys(self):
        """Make keys of the user, of which it has one pair; return them."""
        return self._create_keypair()

    def delete_keys(self):
        """Delete the keys of the user, if there are any."""
        self._delete_keypair()


class AccessKey(resource.Resource):
    """An access key of an IAM user.

    The key signs requests of a user that is defined in the same stack.
    """

    PROPERTIES = (
        SERIAL, USER_NAME, STATUS,
    ) = (
        'Serial', 'UserName', 'Status',
    )

    ATTRIBUTES = (
        ATTR_USER_NAME, SECRET_ACCESS_KEY,
    ) = (
        'UserName', 'SecretAccessKey',
    )

    properties_schema = {
        SERIAL: properties.Schema(
            properties.Schema.INTEGER,
            _('Not implemented.'),
            implemented=False),
        USER_NAME: properties.Schema(
            properties.Schema.STRING,
            _('Name of the user to whom the access keys belong.'),
            required=True),
        STATUS: properties.Schema(
            properties.Schema.STRING,
            _('Not implemented.'),
            constraints=[constraints.AllowedValues(['Active', 'Inactive'])],
            implemented=False),
    }

    attributes_schema = {
        ATTR_USER_NAME: attributes.Schema(
            _('Name of the user to whom the access keys belong.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        SECRET_ACCESS_KEY: attributes.Schema(
            _('Secret access key.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
    }

    def _user(self):
        """Return the user, None if it is not in the stack."""
        with self.frozen_properties() as props:
            return self.stack.resource_by_refid(props[self.USER_NAME])

    def handle_create(self):
        """Make the keys; they belong to the user."""
        user = self.stack.resource_by_refid(self.properties[self.USER_NAME])
        if not isinstance(user, User):
            raise exception.NotFound(_('could not find user %s')
                                     % self.properties[self.USER_NAME])
        keys = user.make_keys()
        # Both halves are kept; Keystone alone may show them later.
        self.data_set('credential_id', keys.id, redact=True)
        self.data_set('secret_key', keys.secret, redact=True)
        self.resource_id_set(keys.access)

    def handle_delete(self):
        """Delete the keys, unless the user has taken them along."""
        if self.resource_id is None:
            return
        user = self._user()
        if isinstance(user, User):
            user.delete_keys()

    def _register_access_key(self):
        """Have the stack ask the user what its keys allow."""
        user = self._user()
        if self.resource_id is not None and isinstance(user, User):
            self.stack.register_access_allowed_handler(
                self.resource_id, user.access_allowed)

    def _secret_access_key(self):
        stored = self.data().get('secret_key')
        if stored is None and self.resource_id is not None:
            # Made by an early release, which kept it in Keystone only.
            user = self._user()
            stored = self.sdk('keystone').get_ec2_keypair(
                access=self.resource_id,
                user_id=user and user.user_id).secret
        return stored

    def _resolve_attribute(self, name):
        if name == self.ATTR_USER_NAME:
            with self.frozen_properties() as props:
                return props[self.USER_NAME]
        if name == self.SECRET_ACCESS_KEY and self.resource_id is not None:
            return self._secret_access_key()
        return None


def resource_mapping():
    """Return the types of this module."""
    return {
        'AWS::IAM::User': User,
        'AWS::IAM::AccessKey': AccessKey,
    }
