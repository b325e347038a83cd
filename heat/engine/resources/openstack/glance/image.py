"""Images of Glance."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource

_IMAGE_ID = (r'^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-'
             r'([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$')

#: Where Glance says which stores a download did not get into.
_FAILED_IMPORT = 'os_glance_failed_import'


class GlanceWebImage(sdk_resource.SDKResource):
    """An image that Glance downloads from a URL.

    Glance must support the import method web-download.
    """

    type_name = 'OS::Glance::WebImage'
    support_status = support.SupportStatus(version='12.0.0')
    default_client_name = 'glance'
    entity = 'images'
    noun = 'image'

    LOCATION, TAGS, MEMBERS, ACTIVE, EXTRA_PROPERTIES = (
        'location', 'tags', 'members', 'active', 'extra_properties')

    properties_schema = {
        'name': properties.string(
            _('Name of the image. If omitted, a name is generated.')),
        'id': properties.string(
            _('ID of the image. If omitted, Glance generates one.')),
        'visibility': properties.string(
            _('Visibility of the image: all projects (public), its own '
              'project (private), any project that knows its ID (community), '
              'or its members (shared). By default only administrators may '
              'create public images.'),
            default='private',
            constraints=[constraints.AllowedValues([
                             'public', 'private', 'community', 'shared'])],
            update_allowed=True),
        'protected': properties.boolean(
            _('Whether the image is protected from deletion.'),
            default=False,
            update_allowed=True),
        'min_disk': properties.integer(
            _('Minimum disk size in gigabytes that a server needs to boot the '
              'image.'),
            default=0,
            constraints=[constraints.Range(min=0)]),
        'min_ram': properties.integer(
            _('Minimum amount of memory in megabytes that a server needs to '
              'boot the image.'),
            default=0,
            constraints=[constraints.Range(min=0)]),
        'location': properties.string(
            _('URL from which Glance downloads the image.'),
            required=True),
        'disk_format': properties.string(
            _('Disk format of the image.'),
            required=True,
            constraints=[constraints.AllowedValues([
                             'ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk',
                             'raw', 'qcow2', 'vdi', 'iso', 'ploop'])]),
        'container_format': properties.string(
            _('Container format of the image. Use bare for an image without a '
              'container.'),
            required=True,
            constraints=[constraints.AllowedValues([
                             'ami', 'ari', 'aki', 'bare', 'ovf', 'ova',
                             'docker'])]),
        'tags': properties.list(
            _('Tags of the image.'),
            update_allowed=True),
        'architecture': properties.string(
            _('CPU architecture that the image requires.'),
            update_allowed=True),
        'kernel_id': properties.string(
            _('ID of the kernel image, for an image in the ami format.'),
            constraints=[constraints.AllowedPattern(_IMAGE_ID)],
            update_allowed=True),
        'ramdisk_id': properties.string(
            _('ID of the RAM disk image, for an image in the ami format.'),
            constraints=[constraints.AllowedPattern(_IMAGE_ID)],
            update_allowed=True),
        'os_distro': properties.string(
            _('Name of the operating system distribution, in lower case.'),
            update_allowed=True),
        'os_version': properties.string(
            _('Version of the operating system distribution.'),
            update_allowed=True),
        'owner': properties.string(
            _('ID of the project that owns the image.'),
            update_allowed=True),
        'extra_properties': properties.map(
            _('Additional properties of the image.'),
            default={},
            update_allowed=True,
            support_status=support.SupportStatus(version='17.0.0')),
        'members': properties.list(
            _('IDs of the member projects of an image with shared '
              'visibility.'),
            schema=properties.string(),
            update_allowed=True,
            support_status=support.SupportStatus(version='16.0.0')),
        'active': properties.boolean(
            _('Whether the image is active. An inactive image cannot be '
              'downloaded or booted.'),
            default=True,
            update_allowed=True,
            support_status=support.SupportStatus(version='16.0.0')),
    }

    omit = (LOCATION, TAGS, MEMBERS, ACTIVE, EXTRA_PROPERTIES)
    ready = sdk_resource.WaitFor(
        ready=frozenset(['active', 'deactivated']),
        pending=frozenset(['queued', 'saving', 'importing', 'uploading']),
        failed=frozenset(['killed', 'deleted', 'pending_delete']))

    def validate(self):
        """Check the formats, and that members can see the image."""
        problem = super().validate()
        props = self.properties
        special = ('ami', 'ari', 'aki')
        formats = {props['disk_format'], props['container_format']}
        if formats & set(special) and len(formats) > 1:
            raise exception.StackValidationFailed(message=_(
                'Invalid mix of disk and container formats. When setting a '
                'disk or container format to one of %s, the container and '
                'disk formats must match.') % ', '.join(special))
        if props[self.MEMBERS] and props['visibility'] != 'shared':
            raise exception.ResourcePropertyValueDependency(
                prop1=self.MEMBERS, prop2='visibility', value='shared')
        return problem

    def _create(self):
        body = {**(self.properties[self.EXTRA_PROPERTIES] or {}),
                **self._body(self._given())}
        if self.properties[self.TAGS]:
            body[self.TAGS] = self.properties[self.TAGS]
        self.resource_id_set(self.client_plugin().create_image(body))
        self.sdk().import_image(
            self.sdk().get_image(self.resource_id),
            method='web-download', uri=self.properties[self.LOCATION])
        for project_id in self.properties[self.MEMBERS] or []:
            self.sdk().add_member(self.resource_id, member=project_id)

    def _show_resource(self):
        """Return all that Glance knows of the image, side by side."""
        live = super()._show_resource()
        # openstacksdk puts what it has no word for into a map of its own.
        return {**(live.pop('properties', None) or {}), **live}

    def check_create_complete(self, taken):
        """Return whether the image is downloaded; switch it off if wanted."""
        live = self._show_resource()
        if live.get(_FAILED_IMPORT):
            raise exception.ResourceInError(
                resource_status=live.get('status'), status_reason=_(
                    'Glance could not download the image from %s')
                % self.properties[self.LOCATION])
        if not self.ready.reached(live, self.name):
            return False
        if not self.properties[self.ACTIVE]:
            self.sdk().deactivate_image(self.resource_id)
        return True

    def _update(self, prop_diff):
        changed = self._body(prop_diff)
        if self.EXTRA_PROPERTIES in prop_diff:
            extra = prop_diff[self.EXTRA_PROPERTIES] or {}
            changed.update(dict.fromkeys(
                self.properties[self.EXTRA_PROPERTIES] or {}))
            changed.update(extra)
        if changed:
            self.client_plugin().change_image(self.resource_id, changed)
        self._change_list(self.TAGS, prop_diff, self.sdk().add_tag,
                          self.sdk().remove_tag)
        self._change_list(
            self.MEMBERS, prop_diff,
            lambda image, each: self.sdk().add_member(image, member=each),
            lambda image, each: self.sdk().remove_member(
                each, image, ignore_missing=False))
        if self.ACTIVE in prop_diff:
            switch = (self.sdk().reactivate_image if prop_diff[self.ACTIVE]
                      else self.sdk().deactivate_image)
            switch(self.resource_id)

    def _change_list(self, name, prop_diff, add, remove):
        if name not in prop_diff:
            return
        before = set(self.properties[name] or [])
        after = set(prop_diff[name] or [])
        for each in sorted(before - after):
            with self.client_plugin().ignore_not_found:
                remove(self.resource_id, each)
        for each in sorted(after - before):
            add(self.resource_id, each)
