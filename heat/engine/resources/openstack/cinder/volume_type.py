"""Types of volumes of Cinder."""

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.clients import sdk
from heat.engine.resources import sdk_resource


class CinderVolumeType(sdk_resource.SDKResource):
    """A volume type of Cinder.

    The type selects the storage back end and its capabilities. By
    default only administrators may create it.
    """

    type_name = 'OS::Cinder::VolumeType'
    support_status = support.SupportStatus(version='2015.1')
    default_client_name = 'cinder'
    entity = 'volume_types'
    noun = 'type'

    METADATA, IS_PUBLIC, PROJECTS = 'metadata', 'is_public', 'projects'

    properties_schema = {
        'name': properties.string(
            _('Name of the volume type.'),
            required=True,
            update_allowed=True),
        'metadata': properties.map(
            _('Extra specs that select and configure the storage back end.'),
            update_allowed=True),
        'is_public': properties.boolean(
            _('Whether the volume type is available to all projects.'),
            default=True,
            update_allowed=True,
            support_status=support.SupportStatus(version='5.0.0')),
        'description': properties.string(
            _('Description of the volume type.'),
            update_allowed=True,
            support_status=support.SupportStatus(version='5.0.0')),
        'projects': properties.list(
            _('Projects with access to a volume type that is not public, by '
              'name or ID.'),
            default=[],
            schema=properties.string(
                constraints=[constraints.CustomConstraint('keystone.project')]),
            update_allowed=True,
            support_status=support.SupportStatus(version='5.0.0')),
    }

    omit = (METADATA, PROJECTS)

    def validate(self):
        """Check that only a type that is not public names projects."""
        problem = super().validate()
        if self.properties[self.PROJECTS] and self.properties[
                self.IS_PUBLIC]:
            raise exception.StackValidationFailed(message=_(
                'Can not specify property "%(projects)s" if the volume type '
                'is public: "%(public)s" has to be false') % {
                    'projects': self.PROJECTS, 'public': self.IS_PUBLIC})
        return problem

    def prepare_create(self, body):
        """Say the extra specs at once."""
        if self.properties[self.METADATA]:
            body['extra_specs'] = self.properties[self.METADATA]
        return body

    def _create(self):
        created = super()._create()
        self._give(self._project_ids(self.properties[self.PROJECTS]))
        return created

    def _update(self, prop_diff):
        client = self.sdk()
        changed = self._body(prop_diff)
        if changed:
            # openstacksdk knows is_public by the name that it has in
            # answers, which is not the one that changes it.
            sdk.exceptions.raise_from_response(client.put(
                '/types/%s' % self.resource_id,
                json={'volume_type': changed}))
        if self.METADATA in prop_diff:
            before = self.properties[self.METADATA] or {}
            after = prop_diff[self.METADATA] or {}
            removed = sorted(set(before) - set(after))
            if removed:
                client.delete_type_extra_specs(self.resource_id, removed)
            if after:
                client.update_type_extra_specs(self.resource_id, **after)
        if self.PROJECTS in prop_diff:
            before = self._project_ids(self.properties[self.PROJECTS])
            after = self._project_ids(prop_diff[self.PROJECTS])
            for project_id in sorted(before - after):
                with self.client_plugin().ignore_not_found:
                    client.remove_type_access(self.resource_id, project_id)
            self._give(after - before)

    def _give(self, project_ids):
        for project_id in sorted(project_ids):
            self.sdk().add_type_access(self.resource_id, project_id)

    def _project_ids(self, projects):
        plugin = self.client_plugin('keystone')
        return {plugin.get_project_id(project) for project in projects or []}

    def parse_live(self, live):
        """Say the extra specs as the property does."""
        return {**live, self.METADATA: live.get('extra_specs'),
                self.IS_PUBLIC: live.get('is_public', live.get(
                    'os-volume-type-access:is_public'))}
