"""A stack as template functions see it: definitions and stored facts.

Nothing here asks a resource or a database; what is known of the resources
was put in as node data.
"""
import collections
from collections.abc import Callable, Iterable, KeysView, Mapping
from typing import Any

from heat.common import exception
from heat.engine import attributes
from heat.engine import node_data
from heat.engine import rsrc_defn
from heat.engine import status
from heat.engine.language import custom_constraint
from heat.engine.language import diagnostics
from heat.engine.language import type_lookup

#: The name of the zone that every cloud has.
_ZONE = 'nova'


class StackDefinition:
    """A template with parameters, and what is known of its resources.

    resource_data maps the name of a resource to its NodeData. parent_info
    stands for the resource in the parent stack.
    """

    def __init__(self, context: Any, template: Any, stack_identifier: Any,
                 resource_data: Mapping[str, Any] | None = None,
                 parent_info: Any = None) -> None:
        self._context = context
        self._template = template
        self._resource_data: dict[str, Any] = dict(resource_data or {})
        self._parent_info = parent_info
        self._zones: list[str] | None = None
        self._resource_defns: Mapping[str, Any] | None = None
        self._output_defns: Mapping[str, Any] | None = None
        self._classes: dict[str, Any] = {}
        self._names_by_type: dict[str, list[str]] | None = None
        self._imported: dict[str, Any] = {}
        self._tenant = getattr(stack_identifier, 'tenant', None)
        self.parameters = template.parameters(
            stack_identifier, template.env.params,
            template.env.param_defaults)
        self.parameters.inherit(template.env.inherited)

    @property
    def context(self) -> Any:
        """The context the stack is looked at in."""
        return self._context

    def clone_with_new_template(self, new_template: Any,
                                stack_identifier: Any,
                                clear_resource_data: bool = False
                                ) -> 'StackDefinition':
        """Return the definition of the same stack by another template.

        What is known of the resources stays unless told otherwise.
        """
        return type(self)(self._context, new_template, stack_identifier,
                          {} if clear_resource_data
                          else self._resource_data, self._parent_info)

    @property
    def t(self) -> Any:
        """The template."""
        return self._template

    @property
    def env(self) -> Any:
        """The environment."""
        return self._template.env

    @property
    def parent_resource(self) -> Any:
        """The resource of the parent stack, None for a root stack."""
        return self._parent_info

    def _resources(self) -> Mapping[str, Any]:
        if self._resource_defns is None:
            self._resource_defns = self._template.resource_definitions(self)
        return self._resource_defns

    def _outputs(self) -> Mapping[str, Any]:
        if self._output_defns is None:
            self._output_defns = self._template.outputs(self)
        return self._output_defns

    def all_rsrc_names(self) -> KeysView[str]:
        """Return the names of all resources, those switched off included.
        """
        return (self._template.t.get(self._template.RESOURCES) or {}).keys()

    def enabled_rsrc_names(self) -> KeysView[str]:
        """Return the names of the resources that no condition switches off.
        """
        return self._resources().keys()

    def check_resource_definitions(self, found: Any) -> list[str]:
        """Parse all definitions, note what is wrong (in Problems).

        Return the names of those that can be used nevertheless.
        """
        definitions = self._resources()
        parse_all = getattr(definitions, 'parse_all', None)
        return list(definitions) if parse_all is None else parse_all(found)

    def check_output_definitions(self, found: Any) -> list[str]:
        """Do the same for the outputs."""
        definitions = self._outputs()
        parse_all = getattr(definitions, 'parse_all', None)
        return list(definitions) if parse_all is None else parse_all(found)

    def all_resource_types(self) -> set[str]:
        """Return the types of the enabled resources."""
        return {definition.resource_type
                for definition in self._resources().values()}

    def rsrc_names_of_type(self, resource_type: str) -> list[str]:
        """Return the names of the enabled resources of a type.

        The template may have them under another name of the type, which the
        environment maps to it. What cannot be read is left out.
        """
        if self._names_by_type is None:
            self._names_by_type = collections.defaultdict(list)
            for name in self.enabled_rsrc_names():
                for each in self._types_of(name):
                    self._names_by_type[each].append(name)
        return self._names_by_type.get(resource_type, [])

    def _types_of(self, resource_name: str) -> set[str]:
        try:
            written = self.resource_definition(resource_name).resource_type
        except diagnostics.ABOUT_TEMPLATE:
            return set()
        return type_lookup.types_of(self.env, written, resource_name)

    def resource_definition(self, resource_name: str
                            ) -> rsrc_defn.ResourceDefinition:
        """Return the definition of an enabled resource; KeyError if none.
        """
        return self._resources()[resource_name]

    def enabled_output_names(self) -> KeysView[str]:
        """Return the names of the outputs."""
        return self._outputs().keys()

    def output_definition(self, output_name: str) -> Any:
        """Return the definition of an output; KeyError if there is none."""
        return self._outputs()[output_name]

    def get_availability_zones(self) -> list[str]:
        """Return the names of the compute service's availability zones.

        Where there is no cloud to ask it is the one that clouds have.
        """
        if self._context in (None, custom_constraint.OFFLINE):
            return [_ZONE]
        if self._zones is None:
            compute = self._context.clients.sdk('nova')
            self._zones = [_ZONE] if compute is None else [
                zone.name for zone in compute.availability_zones()]
        return self._zones

    def import_value(self, name: str) -> Any:
        """Return the value of an export of the project.

        It is None where there is nobody to ask.

        :raises ExportConflict: there is none of the name
        """
        if self._context in (None, custom_constraint.OFFLINE):
            return None
        if name not in self._imported:
            self._imported[name] = self._template.imported_value(
                self._context, self._tenant, name)
        return self._imported[name]

    def __contains__(self, resource_name: object) -> bool:
        return resource_name in self._resources()

    def knows(self, resource_name: str) -> bool:
        """Return whether functions see what a resource has become."""
        return resource_name in self._resource_data

    def __getitem__(self, resource_name: str) -> 'ResourceProxy':
        definition = self.resource_definition(resource_name)
        return ResourceProxy(resource_name, definition,
                             self._resource_data.get(resource_name),
                             find_class=self._class_of)

    def _class_of(self, definition: rsrc_defn.ResourceDefinition) -> Any:
        """Return the resource class of a definition, None if unknown."""
        name = definition.name
        if name not in self._classes:
            try:
                self._classes[name] = self.env.get_class(
                    definition.resource_type, name,
                    files=self._template.files)
            except (exception.HeatException, ValueError):
                # An unknown type is reported where the resource is
                # validated.
                self._classes[name] = None
        return self._classes[name]

    # -- Changes

    def update_resource_data(self, name: str,
                             data: node_data.NodeData | None) -> None:
        """Record what is known of a resource now; None for nothing."""
        if data is None:
            self._resource_data.pop(name, None)
        else:
            self._resource_data[name] = data
        # Outputs keep the value they once had.
        self._output_defns = None

    def add_resource(self, definition: rsrc_defn.ResourceDefinition) -> None:
        """Add a resource to the template."""
        self._template.add_resource(definition)
        self._forget_names()

    def remove_resource(self, name: str) -> None:
        """Remove a resource from the template."""
        self._template.remove_resource(name)
        self._forget_names()
        self._resource_data.pop(name, None)

    def _forget_names(self) -> None:
        self._resource_defns = None
        self._output_defns = None
        self._classes = {}
        self._names_by_type = None

    def __repr__(self) -> str:
        return '<StackDefinition of %d resources>' % len(self._resources())


class ResourceProxy(status.ResourceStatus):
    """A resource as template functions see it, made from its NodeData.

    Without any it has not been created yet.
    """

    __slots__ = ('name', '_definition', '_resource_data', '_find_class')

    def __init__(self, name: str, definition: rsrc_defn.ResourceDefinition,
                 resource_data: node_data.NodeData | None, *,
                 find_class: Callable[[Any], Any] | None = None) -> None:
        self.name = name
        self._definition = definition
        self._resource_data = resource_data
        self._find_class = find_class

    @property
    def t(self) -> rsrc_defn.ResourceDefinition:
        """The definition."""
        return self._definition

    @property
    def action(self) -> str:
        """The current or last action."""
        if self._resource_data is None:
            return self.INIT
        return self._resource_data.action

    @property
    def status(self) -> str:
        """The status of that action."""
        if self._resource_data is None:
            return self.COMPLETE
        return self._resource_data.status

    @property
    def state(self) -> tuple[str, str]:
        """Action and status."""
        return self.action, self.status

    @property
    def external_id(self) -> Any:
        """The id of the thing it stands for, None for none."""
        return self._definition.external_id()

    @property
    def strict_dependency(self) -> bool:
        """Return whether what refers to the resource must wait for it."""
        return getattr(self._class(), 'strict_dependency', True)

    @property
    def attributes_schema(self) -> 'AttributeNames | None':
        """The names of the attributes; None if any name may be one."""
        names = _declared_attributes(self._class())
        if names is not None and self._resource_data is not None:
            names.update(self._resource_data.attribute_names())
        return names

    def _class(self) -> Any:
        if self._find_class is None:
            return None
        return self._find_class(self._definition)

    def FnGetRefId(self) -> Any:
        """Return what get_resource gives; the name before creation."""
        if self._resource_data is None:
            return self.name
        return self._resource_data.reference_id()

    def FnGetAtt(self, attr: str, *path: Any) -> Any:
        """Return the value at path in an attribute, None if there is none.

        An attribute that the type does not have raises
        InvalidTemplateAttribute.
        """
        data = self._resource_data
        if data is not None:
            if path and data.has_attribute((attr, *path)):
                return data.attribute((attr, *path))
            if data.has_attribute(attr):
                value = data.attribute(attr)
                return attributes.select_from_attribute(value, path)
        known = self.attributes_schema
        if known is not None and attr not in known:
            raise exception.InvalidTemplateAttribute(resource=self.name,
                                                     key=attr)
        return None

    def FnGetAtts(self) -> dict[str, Any]:
        """Return the values of all attributes except `show`."""
        if self._resource_data is None:
            return {}
        return {name: value
                for name, value in self._resource_data.attributes().items()
                if name not in attributes.BASE_ATTRIBUTES}

    def __repr__(self) -> str:
        return '<ResourceProxy %s %s_%s>' % (self.name, *self.state)


class AttributeNames(set[str]):
    """The names of attributes, and of all that begin with a prefix."""

    def __init__(self, names: Iterable[str], prefixes: tuple[str, ...] = ()
                 ) -> None:
        super().__init__(names)
        self._prefixes = prefixes

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (
            isinstance(name, str) and name.startswith(self._prefixes))


def _declared_attributes(resource_class: Any) -> AttributeNames | None:
    """Return the attribute names a class declares; None if any may do.

    A class with a get_attribute() of its own takes any name, unless it
    says in undeclared_attributes how names that it does not declare begin.
    """
    if resource_class is None:
        return None
    owner = next((cls for cls in resource_class.__mro__
                  if 'get_attribute' in vars(cls)), None)
    prefixes: Any = ()
    if owner is None or 'base_attributes_schema' not in vars(owner):
        prefixes = getattr(resource_class, 'undeclared_attributes', None)
        if prefixes is None:
            return None
    return AttributeNames({*resource_class.attributes_schema,
                           *resource_class.base_attributes_schema},
                          prefixes)


def update_resource_data(stack_definition: StackDefinition,
                         resource_name: str,
                         resource_data: node_data.NodeData | None) -> None:
    """Record what is known of a resource now; None for nothing."""
    stack_definition.update_resource_data(resource_name, resource_data)


def add_resource(stack_definition: StackDefinition,
                 resource_definition: rsrc_defn.ResourceDefinition) -> None:
    """Add a resource to the template of a definition."""
    stack_definition.add_resource(resource_definition)


def remove_resource(stack_definition: StackDefinition, resource_name: str
                    ) -> None:
    """Remove a resource from the template of a definition."""
    stack_definition.remove_resource(resource_name)
