"""StackUser: a resource with a user of its own in the domain of stacks."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import resource
from heat.engine.clients.os import zaqar

#: Keys of the resource data.
_USER_ID = 'user_id'
_CREDENTIAL_ID = 'credential_id'
_ACCESS_KEY, _SECRET_KEY = 'access_key', 'secret_key'


class StackUser(resource.Resource):
    """A base of resources in whose name something outside acts.

    What is outside, a server for instance, gets credentials that allow
    nothing but to signal and to show the resource.
    """

    #: Whether what is outside knows the resource by its name.
    has_stack_user = True

    def handle_create(self):
        """Make the user."""
        self._create_user()

    def handle_delete(self):
        """Delete the user with its keys."""
        self._delete_user()
        return super().handle_delete()

    def handle_suspend(self):
        """Keep the user out for a while."""
        user_id = self._get_user_id()
        if user_id is None:
            return
        client = self.sdk('keystone')
        try:
            client.disable_stack_domain_user(
                user_id=user_id,
                project_id=self.stack.stack_user_project_id)
        except ValueError:
            # Made before there was a domain for the users of stacks.
            client.disable_stack_user(user_id)

    def handle_resume(self):
        """Let the user in again."""
        user_id = self._get_user_id()
        if user_id is None:
            return
        client = self.sdk('keystone')
        try:
            client.enable_stack_domain_user(
                user_id=user_id,
                project_id=self.stack.stack_user_project_id)
        except ValueError:
            client.enable_stack_user(user_id)

    def _create_user(self):
        """Make the user, unless there is one."""
        if self._get_user_id() is not None:
            return
        if self.stack.stack_user_project_id is None:
            self.stack.create_stack_user_project_id()
        user_id = self.sdk('keystone').create_stack_domain_user(
            username=self.physical_resource_name(),
            password=getattr(self, 'password', None),
            project_id=self.stack.stack_user_project_id)
        # At once: a user nobody knows of would stay for ever.
        self.data_set(_USER_ID, user_id)

    def _get_user_id(self):
        """Return the id of the user, None if there is none."""
        return self.data().get(_USER_ID)

    def _user_token(self):
        """Return a token of the user."""
        password = getattr(self, 'password', None)
        if password is None:
            raise ValueError(_('Cannot get a token for the user of resource '
                               '"%s": its password is unknown') % self.name)
        return self.sdk('keystone').stack_domain_user_token(
            user_id=self._get_user_id(),
            project_id=self.stack.stack_user_project_id,
            password=password)

    def _plugin(self, name):
        """Return a client plugin, or raise ClientNotAvailable."""
        plugin = self.client_plugin(name)
        if plugin is None:
            raise exception.ClientNotAvailable(client_name=name)
        return plugin

    def _queue_client(self):
        """Return a client of Zaqar that acts as the user."""
        return self._plugin('zaqar').create_for_tenant(
            self.stack.stack_user_project_id, self._user_token())

    def _create_user_queue(self, key):
        """Make a queue of the user, and keep its id in the data at *key*."""
        queue_id = self.reduce_physical_resource_name(
            self.physical_resource_name(), zaqar.MAX_NAME)
        self._queue_client().create_queue(name=queue_id)
        self.data_set(key, queue_id)
        return queue_id

    def _delete_user_queue(self, key):
        """Delete the queue whose id is in the data at *key*, if any."""
        queue_id = self.data().get(key)
        if queue_id is None:
            return
        self._queue_client().delete_queue(queue_id)
        self.data_delete(key)

    def _delete_user(self):
        user_id = self._get_user_id()
        if user_id is None:
            return
        client = self.sdk('keystone')
        try:
            client.delete_stack_domain_user(
                user_id=user_id,
                project_id=self.stack.stack_user_project_id)
        except ValueError:
            client.delete_stack_user(user_id)
        for key in (_CREDENTIAL_ID, _ACCESS_KEY, _SECRET_KEY, 'password',
                    _USER_ID):
            self.data_delete(key)

    def _create_keypair(self):
        """Make EC2 keys of the user and return them."""
        keys = self.sdk('keystone').create_stack_domain_user_keypair(
            user_id=self._get_user_id(),
            project_id=self.stack.stack_user_project_id)
        self.data_set(_CREDENTIAL_ID, keys.id, redact=True)
        self.data_set(_ACCESS_KEY, keys.access, redact=True)
        self.data_set(_SECRET_KEY, keys.secret, redact=True)
        return keys

    def _delete_keypair(self):
        """Delete the EC2 keys of the user."""
        credential_id = self.data().get(_CREDENTIAL_ID)
        user_id = self._get_user_id()
        if credential_id is None or user_id is None:
            return
        client = self.sdk('keystone')
        try:
            client.delete_stack_domain_user_keypair(
                user_id=user_id,
                project_id=self.stack.stack_user_project_id,
                credential_id=credential_id)
        except ValueError:
            client.delete_ec2_keypair(credential_id=credential_id,
                                      user_id=user_id)
        for key in (_CREDENTIAL_ID, _ACCESS_KEY, _SECRET_KEY):
            self.data_delete(key)

    def _access_allowed(self, resource_name):
        """Return whether our user may use a resource of the stack."""
        return resource_name == self.name

    def _register_access_key(self):
        """Have the stack ask us what our user may use.

        The stack calls this before it decides about a user's request.
        """
        for key in (_USER_ID, _ACCESS_KEY):
            credential = self.data().get(key)
            if credential is not None:
                self.stack.register_access_allowed_handler(
                    credential, self._access_allowed)
