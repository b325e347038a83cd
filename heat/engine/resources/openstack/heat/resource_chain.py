"""OS::Heat::ResourceChain: resources of several types, alike otherwise."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import rsrc_defn
from heat.engine import support
from heat.engine.resources import stack_resource
from heat.scaling import template as scl_template
from heat.scaling import values


class ResourceChain(stack_resource.StackResource):
    """A group with one resource of each type in a list.

    All members get the same properties. They are created one after the
    other in the order of the list, or concurrently if ``concurrent`` is
    true. Members are numbered from 0.

    An attribute of the members is available as a list with one value
    for each member under the name of the attribute, for a single member
    as ``resource.<number>.<attribute>``, and as a map with
    ``attributes.<attribute>``.
    """

    support_status = support.SupportStatus(version='6.0.0')
    handlers_only_begin = True

    PROPERTIES = (
        RESOURCES, CONCURRENT, RESOURCE_PROPERTIES,
    ) = (
        'resources', 'concurrent', 'resource_properties',
    )

    ATTRIBUTES = (
        REFS, ATTR_ATTRIBUTES,
    ) = (
        'refs', 'attributes',
    )

    properties_schema = {
        RESOURCES: properties.Schema(
            properties.Schema.LIST,
            _('Resource types of the members, in the order of their '
              'creation.'),
            required=True,
            update_allowed=True),
        CONCURRENT: properties.Schema(
            properties.Schema.BOOLEAN,
            _('Whether the members are created concurrently.'),
            default=False),
        RESOURCE_PROPERTIES: properties.Schema(
            properties.Schema.MAP,
            _('Properties that each member gets.')),
    }

    attributes_schema = {
        REFS: attributes.Schema(
            _('List of the reference IDs of the members.'),
            type=attributes.Schema.LIST),
        ATTR_ATTRIBUTES: attributes.Schema(
            _('Values of the attribute that the path names, by the index of '
              'the member.'),
            type=attributes.Schema.MAP),
    }

    # -- the nested template ------------------------------------------------

    def _names(self):
        return [str(number) for number
                in range(len(self.properties[self.RESOURCES]))]

    def child_template(self):
        """Return the template of all members."""
        tmpl = scl_template.make_template(self._definitions())
        for defn in self._nested_output_defns(
                self._names(), lambda path: {'get_attr': path},
                lambda name: {'get_resource': name}):
            tmpl.add_output(defn)
        return tmpl

    def child_params(self):
        """Return the parameters: there are none."""
        return {}

    def _definitions(self):
        previous = None
        for name, type_name in zip(
                self._names(), self.properties[self.RESOURCES],
                strict=True):
            if not isinstance(type_name, str):
                raise exception.StackValidationFailed(message=_(
                    'Item %(name)s of "%(property)s" is not the name of a '
                    'resource type.')
                    % {'name': name, 'property': self.RESOURCES})
            yield name, rsrc_defn.ResourceDefinition(
                name, type_name, self.properties[self.RESOURCE_PROPERTIES],
                depends=previous)
            if not self.properties[self.CONCURRENT]:
                previous = [name]

    def _nested_output_defns(self, resource_names, get_attr_fn, get_res_fn):
        """Yield the outputs for the attributes that somebody refers to."""
        def value_of(key, path):
            if key in self.base_attributes_schema:
                return None
            if key == self.REFS:
                return [get_res_fn(name) for name in resource_names]
            if key == self.ATTR_ATTRIBUTES:
                return {name: get_attr_fn([name, *path])
                        for name in resource_names} if path else None
            if key.startswith(values.MEMBER_PREFIX):
                return values.of_one(key, path, resource_names, get_attr_fn,
                                     get_res_fn)
            return [get_attr_fn([name, key, *path])
                    for name in resource_names]

        attrs = {self.REFS if values.split(attr)[0] == self.REFS else attr
                 for attr in self.referenced_attrs()}
        yield from values.outputs(attrs, value_of)

    # -- handlers -----------------------------------------------------------

    def handle_create(self):
        """Begin to create the members."""
        return self.create_with_template(self.child_template(),
                                         self.child_params())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to update the members."""
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        return self.update_with_template(self.child_template(),
                                         self.child_params())

    # -- values -------------------------------------------------------------

    def get_attribute(self, key, *path):
        """Return an attribute of the chain or of its members."""
        if key in self.base_attributes_schema:
            return super().get_attribute(key, *path)
        if key == self.ATTR_ATTRIBUTES and not path:
            raise exception.InvalidTemplateAttribute(resource=self.name,
                                                     key=key)
        if key == self.REFS:
            return attributes.select_from_attribute(
                self._stored_or_live(key), path)
        return self._stored_or_live(key, *path)

    def _stored_or_live(self, key, *path):
        """Return what is kept with the chain, or found out and kept."""
        if self.resource_id is None:
            return None
        name = values.output_name(key, *path)
        if name in self.attributes.cached_attrs:
            return self.attributes.cached_attrs[name]
        try:
            value = self.get_output(name)
        except exception.NotFound:
            # Nothing referred to it when the nested stack was made.
            value = values.live(self, self._names(), key, *path)
        if value is not None:
            self.attributes.set_cached_attr(name, value)
        return value

    def _resolve_attribute(self, name):
        # The others are made only where a template refers to them.
        return self._stored_or_live(name) if name == self.REFS else None


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'OS::Heat::ResourceChain': ResourceChain,
    }
