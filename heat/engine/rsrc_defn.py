"""One resource as a template defines it, with its functions unresolved."""
import collections.abc
from collections.abc import Iterator, Mapping
import re
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import function
from heat.engine import properties as rsrc_properties
from heat.engine.language import diagnostics
from heat.engine.language import suggest

#: The parts a definition validates under; templates translate the names.
SECTIONS = (
    PROPERTIES, METADATA, DELETION_POLICY, UPDATE_POLICY,
    DEPENDS_ON, DESCRIPTION, EXTERNAL_ID, CONDITION,
) = (
    'Properties', 'Metadata', 'DeletionPolicy', 'UpdatePolicy',
    'DependsOn', 'Description', 'ExternalId', 'Condition',
)
#: What is done with a resource that another one has replaced.
UPDATE_REPLACE_POLICY = 'UpdateReplacePolicy'
#: Arguments of a ResourceDefinition that are maps if they are functions.
_MAPS = ('properties', 'update_policy')

_BEFORE_CAPITAL = re.compile('(?<=.)(?=[A-Z])')


def path_in_template(template: Any, name: str, path: Any) -> list[Any]:
    """Return a path below a resource as one from the top of the template.
    """
    section = template.get_section_name('resources')
    path = list(path)
    if path and path[0] in SECTIONS and section.islower():
        # HOT writes deletion_policy where cfn has DeletionPolicy.
        path[0] = _BEFORE_CAPITAL.sub('_', path[0]).lower()
    return [section, name, *path]


def invalid(template: Any, name: str, exc: exception.HeatException
            ) -> exception.StackValidationFailed:
    """Return an error below a resource as one of the template.

    Where a map stands that is wrong there, and looks like the call of a
    function that does not exist, the message says so.
    """
    def explain(path: Any) -> str:
        # Below section, resource and the part of the definition.
        return _call_hint(template, path, 3)

    return diagnostics.moved(
        exc, lambda path: path_in_template(template, name, path),
        explain=explain)


def _call_hint(template: Any, path: Any, start: int) -> str:
    snippet: Any = template.t
    for depth, step in enumerate((*path, None)):
        hint = '' if depth <= start else template.function_hint(snippet)
        if hint:
            return hint
        try:
            snippet = snippet[step]
        except (KeyError, IndexError, TypeError):
            break
    return ''


class ResourceDefinition:
    """The definition of a resource, whatever language it was written in.

    A definition does not change. Two definitions are equal if they say the
    same; the description says nothing about the resource.
    """

    DELETION_POLICIES = (
        DELETE, RETAIN, SNAPSHOT,
    ) = (
        'Delete', 'Retain', 'Snapshot',
    )

    #: The environment that says what the type is, if it is not the stack's:
    #: a resource that exists is what it was made as.
    origin_env: Any = None
    #: The files of that template: types may be templates among them.
    origin_files: Any = None

    #: None where one definition describes all members of a group.
    name: Any

    def __init__(self, name: str | None, resource_type: str,
                 properties: Any = None, metadata: Any = None,
                 depends: Any = None, deletion_policy: Any = None,
                 update_policy: Any = None, description: str | None = None,
                 external_id: Any = None, condition: Any = None,
                 *, update_replace_policy: Any = None) -> None:
        self.name = name
        self.resource_type = resource_type
        self.description = description or ''
        self._properties = properties
        self._metadata = metadata
        self._depends = depends
        self._deletion_policy = deletion_policy
        self._update_policy = update_policy
        self._external_id = external_id
        self._condition = condition
        self._update_replace_policy = update_replace_policy
        self._frozen = False
        self._rendering: dict[str, Any] | None = None
        self._required: frozenset[str] | None = None
        self._attributes: set[tuple[str, Any]] | None = None
        self._check_kinds()

    def note_origin(self, tmpl: Any) -> None:
        """Look types up in a template other than that of the stack."""
        self.origin_env, self.origin_files = tmpl.env, tmpl.files

    def _check_kinds(self) -> None:
        for value, section in ((self._properties, PROPERTIES),
                               (self._metadata, METADATA),
                               (self._update_policy, UPDATE_POLICY)):
            if value is not None and not isinstance(
                    value, (dict, collections.abc.Mapping,
                            function.Function)):
                raise TypeError(_('%(section)s of %(name)s must be a map') %
                                {'section': section, 'name': self.name})
        if isinstance(self._depends, str):
            self._depends = [self._depends]

    # What the template says: functions are not resolved, and nothing is
    # completed by the schemas of the type.

    @property
    def written_properties(self) -> Any:
        """The properties as written, None without the section."""
        return self._properties

    @property
    def written_metadata(self) -> Any:
        """The metadata as written, None without the section."""
        return self._metadata

    @property
    def written_update_policy(self) -> Any:
        """The update policy as written, None without the section."""
        return self._update_policy

    def _arguments(self) -> dict[str, Any]:
        return {
            'properties': self._properties,
            'metadata': self._metadata,
            'depends': self._depends,
            'deletion_policy': self._deletion_policy,
            'update_policy': self._update_policy,
            'description': self.description,
            'external_id': self._external_id,
            'condition': self._condition,
            'update_replace_policy': self._update_replace_policy,
        }

    def freeze(self, **overrides: Any) -> 'ResourceDefinition':
        """Return a copy without functions: their values stand in place.

        Keyword arguments of the constructor replace parts, as they are.
        """
        arguments = {
            key: overrides[key] if key in overrides
            else function.resolve(value)
            for key, value in self._arguments().items()}
        frozen = type(self)(
            overrides.get('name', self.name),
            overrides.get('resource_type', self.resource_type), **arguments)
        return frozen.as_frozen()

    def freeze_known(self, **overrides: Any) -> 'ResourceDefinition':
        """Return a frozen copy without the parts that cannot be computed.

        It describes a stored resource: such parts have never been applied.
        """
        for key, value in self._arguments().items():
            if key not in overrides:
                with diagnostics.tolerated():
                    overrides[key] = (
                        self._map_of(key, value)
                        if key in _MAPS and isinstance(
                            value, function.Function)
                        else function.resolve(value))
                overrides.setdefault(key, None)
        return self.freeze(**overrides)

    def as_frozen(self) -> 'ResourceDefinition':
        """Mark this as having no functions; return it."""
        self._frozen = True
        return self

    def reparse(self, stack: Any, template: Any) -> 'ResourceDefinition':
        """Return the same definition within another stack definition."""
        if self._frozen:
            return self
        arguments = self._arguments()
        for key, value in arguments.items():
            if key == 'condition':
                arguments[key] = template.parse_condition(
                    stack, function.render(value))
            elif key not in ('depends', 'description'):
                arguments[key] = template.parse(stack,
                                                function.render(value))
        return type(self)(self.name, self.resource_type, **arguments)

    def validate(self) -> None:
        """Check the functions; raise StackValidationFailed with the path."""
        for value, section in ((self._properties, PROPERTIES),
                               (self._metadata, METADATA),
                               (self._deletion_policy, DELETION_POLICY),
                               (self._update_replace_policy,
                                UPDATE_REPLACE_POLICY),
                               (self._update_policy, UPDATE_POLICY),
                               (self._external_id, EXTERNAL_ID),
                               (self._condition, CONDITION)):
            function.validate(value, section)

    # -- What it needs

    def dep_attrs(self, resource_name: str, load_all: bool = False
                  ) -> set[Any]:
        """Return the attributes of another resource it refers to.

        Only properties and metadata are read while the resource lives.
        """
        if load_all:
            return {attr for name, attr in self.all_dep_attrs()
                    if name == resource_name}
        found = set(function.dep_attrs(self._properties, resource_name))
        found.update(function.dep_attrs(self._metadata, resource_name))
        return found

    def all_dep_attrs(self) -> set[tuple[str, Any]]:
        """Return (resource name, attribute) for all it refers to."""
        if self._attributes is None:
            self._attributes = set(function.all_dep_attrs(self._properties))
            self._attributes.update(function.all_dep_attrs(self._metadata))
        return self._attributes

    def required_resource_names(self) -> frozenset[str]:
        """Return the names of the resources that must be there before it.

        An explicit dependency on a resource that is switched off counts
        too; dependencies() leaves it out.
        """
        if self._required is None:
            names = set(self._depends or ())
            names.update(
                required.name for required in self._referenced()
                if getattr(required, 'strict_dependency', True))
            self._required = frozenset(names)
        return self._required

    @property
    def requires(self) -> frozenset[str]:
        """The names of the resources that must be there before it."""
        return self.required_resource_names()

    def _referenced(self) -> Iterator[Any]:
        for value, section in ((self._properties, PROPERTIES),
                               (self._metadata, METADATA)):
            if value is None:
                continue
            path = ['resources', self.name, section]
            try:
                yield from function.dependencies(value, '.'.join(path))
            except exception.InvalidTemplateReference as exc:
                exc.place(path + exc.steps_below(path))
                raise

    def dependencies(self, stack: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the resources of the stack that must be there before it.

        Each comes once, the explicit ones first. An explicit one that a
        condition switches off is left out; one that does not exist raises
        InvalidTemplateReference, but for a stack that keeps only part of
        the resources of another one.
        """
        seen = set()
        for name in self._depends or ():
            if name in seen:
                continue
            seen.add(name)
            if name in stack:
                yield stack[name]
            elif not (getattr(stack, 'backup', False) or
                      name in _defined_names(stack)):
                path = ['resources', self.name, DEPENDS_ON]
                raise exception.InvalidTemplateReference(
                    resource=name, key='.'.join(path), path=path,
                    hint=suggest.hint_with_names(
                        name, _defined_names(stack)))
        for required in self._referenced():
            name = required.name
            if name in seen or name not in stack:
                continue
            seen.add(name)
            resource = stack[name]
            if getattr(resource, 'strict_dependency', True):
                yield resource

    # -- What it says

    def properties(self, schema: Mapping[str, Any], context: Any = None
                   ) -> rsrc_properties.Properties:
        """Return the properties, to be read by this schema."""
        return rsrc_properties.Properties(
            schema, self._map_of(PROPERTIES, self._properties),
            function.resolve, context=context, section=PROPERTIES,
            rsrc_description=self.description)

    def deletion_policy(self) -> str:
        """Return the deletion policy; an external resource is retained."""
        if self._external_id is not None:
            return self.RETAIN
        return function.resolve(self._deletion_policy) or self.DELETE

    def update_replace_policy(self) -> str:
        """Return the policy for a resource that has been replaced.

        It is the deletion policy unless the definition has one of its own.
        """
        own: str | None = function.resolve(self._update_replace_policy)
        if own is None or self._external_id is not None:
            return self.deletion_policy()
        return own

    def update_policy(self, schema: Mapping[str, Any], context: Any = None
                      ) -> rsrc_properties.Properties:
        """Return the update policy, to be read by this schema."""
        return rsrc_properties.Properties(
            schema, self._map_of(UPDATE_POLICY, self._update_policy),
            function.resolve, context=context, section=UPDATE_POLICY)

    def _map_of(self, section: str, values: Any) -> Mapping[str, Any]:
        """Return the map that a section is, or that its function makes."""
        if isinstance(values, function.Function):
            values = function.resolve(values) or {}
            if not isinstance(values, collections.abc.Mapping):
                raise TypeError(_('%(section)s of %(name)s must be a map') % {
                    'section': section, 'name': self.name})
        return values or {}

    def metadata(self) -> Any:
        """Return the resolved metadata."""
        return function.resolve(self._metadata) or {}

    def external_id(self) -> Any:
        """Return the id of the resource this stands for, None for none."""
        return function.resolve(self._external_id)

    def condition(self) -> Any:
        """Return the name of the condition, a boolean, or None."""
        return function.resolve(self._condition)

    def render_hot(self) -> dict[str, Any]:
        """Return the definition as plain data of a HOT template."""
        if self._rendering is None:
            self._rendering = dict(self._rendered_parts())
        return dict(self._rendering)

    def _rendered_parts(self) -> Iterator[tuple[str, Any]]:
        yield 'type', self.resource_type
        if self.description:
            yield 'description', self.description
        for key, value in (('properties', self._properties),
                           ('metadata', self._metadata),
                           ('depends_on', self._depends),
                           ('deletion_policy', self._deletion_policy),
                           ('update_replace_policy',
                            self._update_replace_policy),
                           ('update_policy', self._update_policy),
                           ('external_id', self._external_id),
                           ('condition', self._condition)):
            if value is not None:
                yield key, function.render(value)

    # -- Equality

    def _statement(self) -> tuple[Any, ...]:
        """Return all that matters, with functions unresolved."""
        return (self.resource_type, self._properties or {},
                self._metadata or {}, self._update_policy or {},
                sorted(self._depends or ()),
                self._deletion_policy or self.DELETE, self._external_id,
                self._condition, self._update_replace_policy)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ResourceDefinition):
            return NotImplemented
        if self is other:
            return True
        mine, others = self._statement(), other._statement()
        if self._frozen is not other._frozen:
            # One of them holds values where the other has functions.
            return bool(_resolved(mine) == _resolved(others))
        return mine == others

    def __hash__(self) -> int:
        return hash(self.resource_type)

    def __repr__(self) -> str:
        return 'ResourceDefinition(%s: %s)' % (self.name,
                                               self.resource_type)

    class Diff:
        """The differences between two definitions of a resource."""

        def __init__(self, old_defn: 'ResourceDefinition',
                     new_defn: 'ResourceDefinition') -> None:
            if not (isinstance(old_defn, ResourceDefinition) and
                    isinstance(new_defn, ResourceDefinition)):
                raise TypeError(_('Only definitions can be compared.'))
            self.old_defn = old_defn
            self.new_defn = new_defn

        def properties_changed(self) -> bool:
            """Return whether a property has another value."""
            return _differ(self.old_defn.written_properties,
                           self.new_defn.written_properties)

        def metadata_changed(self) -> bool:
            """Return whether the metadata have other values."""
            return _differ(self.old_defn.written_metadata,
                           self.new_defn.written_metadata)

        def update_policy_changed(self) -> bool:
            """Return whether the update policy has other values."""
            return _differ(self.old_defn.written_update_policy,
                           self.new_defn.written_update_policy)

        def __bool__(self) -> bool:
            return (self.properties_changed() or self.metadata_changed() or
                    self.update_policy_changed())

    def __sub__(self, previous: 'ResourceDefinition'
                ) -> 'ResourceDefinition.Diff':
        if not isinstance(previous, ResourceDefinition):
            return NotImplemented
        return self.Diff(previous, self)


def _resolved(statement: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(function.resolve(part) for part in statement)


def _differ(old: Any, new: Any) -> bool:
    return bool(function.resolve(old or {}) != function.resolve(new or {}))


def _defined_names(stack: Any) -> Any:
    """Return the names of all resources, those switched off included."""
    template = stack.t
    return template.t.get(template.RESOURCES) or {}
