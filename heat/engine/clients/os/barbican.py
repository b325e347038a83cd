"""The client of the key manager, as plugins of resources see it."""
import base64

from heat.common import exception
from heat.engine import constraints
from heat.engine.clients import sdk
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'barbican'

#: What holds secrets in a container is named as the property without this.
_SUFFIX = '_ref'


class BarbicanClientPlugin(sdk_plugin.SDKClientPlugin):
    """Keeps containers of secrets, and finds things by their reference.

    A reference is the URL of a thing; it ends in its id.
    """

    client_name = CLIENT_NAME
    proxy = 'key_manager'
    service_types = [KEY_MANAGER] = ['key-manager']

    @staticmethod
    def id_of(ref):
        """Return the id in a reference."""
        return ref.rstrip('/').rpartition('/')[2]

    def show(self, kind, ref):
        """Return what the service tells of a thing: never what is secret.

        :param kind: the collection: secrets, containers or orders.
        """
        response = self.sdk().get('/%s/%s' % (kind, self.id_of(ref)))
        sdk.exceptions.raise_from_response(response)
        return response.json()

    def _get(self, entity, kind, ref):
        try:
            return self.show(kind, ref)
        except sdk.exceptions.NotFoundException as error:
            raise exception.EntityNotFound(entity=entity,
                                           name=ref) from error

    def get_secret_by_ref(self, secret_ref):
        """Return what a secret is like; EntityNotFound without one."""
        return self._get('Secret', 'secrets', secret_ref)

    def get_container_by_ref(self, container_ref):
        """Return what a container is like; EntityNotFound without one."""
        return self._get('Container', 'containers', container_ref)

    def get_secret_payload_by_ref(self, secret_ref):
        """Return what is secret, as text; base64 of what is no text."""
        found = self.sdk().get_secret(self.id_of(secret_ref))
        payload = found.payload
        if not isinstance(payload, bytes):
            return payload
        try:
            return payload.decode()
        except UnicodeDecodeError:
            return base64.b64encode(payload).decode()

    def create_generic_container(self, **props):
        """Make a container of any secrets; return its reference.

        :param props: its name, and secret_refs: references by name.
        """
        return self._create_container('generic', props.get('name'),
                                      props.get('secret_refs') or {})

    def create_certificate(self, **props):
        """Make a container of a certificate; return its reference."""
        return self._create_typed('certificate', props)

    def create_rsa(self, **props):
        """Make a container of a pair of keys; return its reference."""
        return self._create_typed('rsa', props)

    def _create_typed(self, kind, props):
        return self._create_container(kind, props.get('name'), {
            key.removesuffix(_SUFFIX): ref for key, ref in props.items()
            if key.endswith(_SUFFIX) and ref is not None})

    def _create_container(self, kind, name, refs):
        return self.sdk().create_container(
            type=kind, name=name, secret_refs=[
                {'name': key, 'secret_ref': ref}
                for key, ref in refs.items()]).container_ref


class SecretConstraint(constraints.BaseCustomConstraint):
    """A secret exists under this reference."""

    expected_exceptions = (exception.EntityNotFound,)
    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_secret_by_ref'


class ContainerConstraint(constraints.BaseCustomConstraint):
    """A container of secrets exists under this reference."""

    expected_exceptions = (exception.EntityNotFound,)
    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_container_by_ref'


#: By the names that templates and schemas use.
CONSTRAINTS = {
    'barbican.container': ContainerConstraint,
    'barbican.secret': SecretConstraint,
}
