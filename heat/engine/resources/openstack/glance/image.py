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

    The service has to offer the import method web-download.
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
            _('The name of the image. If there is none, one is made up.')),
        'id': properties.string(
            _('The id of the image. If there is none, Glance makes one up.')),
        'visibility': properties.string(
            _('Who sees the image: everybody (public), the project '
              '(private), everybody who knows its id (community), or its '
              'members (shared). By default only administrators may make '
              'an image public.'),
            default='private',
            constraints=[constraints.AllowedValues([
                             'public', 'private', 'community', 'shared'])],
            update_allowed=True),
        'protected': properties.boolean(
            _('Whether the image cannot be deleted.'),
            default=False,
            update_allowed=True),
        'min_disk': properties.integer(
            _('How many gigabytes the disk of a server has to have.'),
            default=0,
            constraints=[constraints.Range(min=0)]),
        'min_ram': properties.integer(
            _('How many megabytes of memory a server has to have.'),
            default=0,
            constraints=[constraints.Range(min=0)]),
        'location': properties.string(
            _('The URL that Glance downloads the image from.'),
            required=True),
        'disk_format': properties.string(
            _('The format of the disk.'),
            required=True,
            constraints=[constraints.AllowedValues([
                             'ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk',
                             'raw', 'qcow2', 'vdi', 'iso', 'ploop'])]),
        'container_format': properties.string(
            _('The format of what contains the disk; bare if nothing does.'),
            required=True,
            constraints=[constraints.AllowedValues([
                             'ami', 'ari', 'aki', 'bare', 'ovf', 'ova',
                             'docker'])]),
        'tags': properties.list(
            _('The tags of the image.'),
            update_allowed=True),
        'architecture': properties.string(
            _('The architecture of the processors that the image is for.'),
            update_allowed=True),
        'kernel_id': properties.string(
            _('The id of the image of the kernel, for an image of the '
              'format ami.'),
            constraints=[constraints.AllowedPattern(_IMAGE_ID)],
            update_allowed=True),
        'ramdisk_id': properties.string(
            _('The id of the image of the first file system, for an image '
              'of the format ami.'),
            constraints=[constraints.AllowedPattern(_IMAGE_ID)],
            update_allowed=True),
        'os_distro': properties.string(
            _('The name of the distribution, in lower case.'),
            update_allowed=True),
        'os_version': properties.string(
            _('The version of the distribution.'),
            update_allowed=True),
        'owner': properties.string(
            _('The project that owns the image.'),
            update_allowed=True),
        'extra_properties': properties.map(
            _('Properties of the image that have no name here.'),
            default={},
            update_allowed=True,
            support_status=support.SupportStatus(version='17.0.0')),
        'members': properties.list(
            _('The projects that an image of the visibility shared is for, '
              'by id.'),
            schema=properties.string(),
            update_allowed=True,
            support_status=support.SupportStatus(version='16.0.0')),
        'active': properties.boolean(
            _('Whether servers can be made from the image.'),
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
