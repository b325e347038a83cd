"""Containers of any secrets."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.barbican import container_base


class GenericContainer(container_base.ContainerResource):
    """A generic container of Barbican.

    It references any secrets that belong together.
    """

    type_name = 'OS::Barbican::GenericContainer'
    support_status = support.SupportStatus(version='6.0.0')

    properties_schema = {
        'name': properties.string(
            _('Name of the container. It need not be unique.')),
        'secrets': properties.list(
            _('Secrets of the container. Their names must be unique.'),
            schema=properties.map(
                schema={
                    'name': properties.string(
                        _('Name of the secret in the container.'),
                        required=True),
                    'ref': properties.string(
                        _('Reference of the secret.'),
                        required=True,
                        constraints=[constraints.CustomConstraint('barbican.secret')]),
                })),
    }

    def validate(self):
        """Check that no two secrets have the same name."""
        problem = super().validate()
        names = [each['name'] for each in self.properties['secrets'] or ()]
        for name in names:
            if names.count(name) > 1:
                raise exception.StackValidationFailed(
                    path=[self.stack.t.get_section_name('resources'),
                          self.name, self.stack.t.RES_PROPERTIES, 'secrets'],
                    message=_('several secrets have the name %s') % name)
        return problem

    def _make(self, given):
        refs = {each['name']: each['ref']
                for each in given.get('secrets') or ()}
        return self.client_plugin().create_generic_container(
            name=given['name'], secret_refs=refs)
