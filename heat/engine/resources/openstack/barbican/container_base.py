"""Common base of the containers of secrets."""
import abc

from heat.common.i18n import _
from heat.engine import attributes
from heat.engine.resources.openstack.barbican import barbican_base


class ContainerResource(barbican_base.BarbicanResource):
    """Base of the containers of the key manager."""

    entity = 'containers'
    noun = 'container'
    ready = barbican_base.STORED

    attributes_schema = {
        'consumers': attributes.Schema(
            _('Users and services registered as consumers of the container.'),
            type=attributes.Schema.LIST),
        'container_ref': attributes.Schema(
            _('Reference of the container.'),
            type=attributes.Schema.STRING),
        'secret_refs': attributes.Schema(
            _('References of the secrets, by name.'),
            type=attributes.Schema.MAP),
        'status': attributes.Schema(
            _('Status of the container.'),
            type=attributes.Schema.STRING),
    }

    @abc.abstractmethod
    def _make(self, given):
        """Make the container; return its reference."""

    def _create(self):
        self.resource_id_set(self._make(self._given()))

    def _resolve_attribute(self, name):
        if name == 'secret_refs' and self.resource_id is not None:
            return barbican_base.secret_refs(self._show_resource())
        return super()._resolve_attribute(name)
