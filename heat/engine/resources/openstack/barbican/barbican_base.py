"""Common base of the resources of the key manager."""
from heat.engine.resources import sdk_resource

#: States of what Barbican makes by and by.
STORED = sdk_resource.WaitFor(
    ready=frozenset(['ACTIVE']), pending=frozenset(['PENDING']),
    failed=frozenset(['ERROR']))


class BarbicanResource(sdk_resource.SDKResource):
    """Base of the resources of the key manager.

    They are known by their reference, a URL, as other services want it.
    """

    default_client_name = 'barbican'
    noun: str

    def _created_id(self, created):
        return getattr(created, self.noun + '_ref')

    def _show_resource(self):
        return self.client_plugin().show(self.entity, self.resource_id)

    def _delete(self):
        self._verb('delete')(self.client_plugin().id_of(self.resource_id),
                             ignore_missing=False)


def secret_refs(container):
    """Return the references of the secrets of a container, by name."""
    return {each.get('name'): each['secret_ref']
            for each in container.get('secret_refs') or ()}
