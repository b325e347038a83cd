"""Common base of the HOT and cfn languages.

They differ in the names of sections and keys, in their functions, and in
which keys they know; all of this is data of the sub-classes.
"""
import collections.abc
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
import threading
from typing import Any
import weakref

from heat.common import error_text
from heat.common import exception
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import conditions as condition_definitions
from heat.engine import environment
from heat.engine import function
from heat.engine import output
from heat.engine import rsrc_defn
from heat.engine import template
from heat.engine.language import diagnostics
from heat.engine.language import lazy_definitions
from heat.engine.language import suggest
from heat.engine.sandbox import result_size

_MAP = (dict, collections.abc.Mapping, function.Function)

#: Width of the column of names of resources.
_NAME_LIMIT = 255
# Arguments of a ResourceDefinition in which there are no functions.
_ALWAYS_RESOLVED = ('resource_type', 'depends', 'deletion_policy',
                    'update_replace_policy', 'description')


class CommonTemplate(template.Template):
    """A template with resources, outputs and perhaps conditions."""

    #: The accepted deletion policies and what they mean.
    deletion_policies = {policy: policy for policy
                         in rsrc_defn.ResourceDefinition.DELETION_POLICIES}
    #: Whether keys that are not known are errors.
    strict_keys = False

    # Constants of the sub-classes; a key that a version lacks is None.
    CONDITIONS: str | None = None
    RES_TYPE: str
    RES_PROPERTIES: str
    RES_METADATA: str
    RES_DEPENDS_ON: str
    RES_DELETION_POLICY: str
    RES_UPDATE_POLICY: str
    RES_DESCRIPTION: str
    RES_EXTERNAL_ID: str | None = None
    RES_CONDITION: str | None = None
    RES_UPDATE_REPLACE_POLICY: str | None = None
    OUTPUT_DESCRIPTION: str
    OUTPUT_VALUE: str
    OUTPUT_CONDITION: str | None = None
    _RESOURCE_KEYS: tuple[str, ...]
    OUTPUT_KEYS: tuple[str, ...]

    def __init__(self, template: Any, template_id: Any = None,
                 files: Any = None,
                 env: environment.Environment | None = None) -> None:
        super().__init__(template, template_id=template_id, files=files,
                         env=env)
        if self.CONDITIONS is not None:
            self.merge_sections.append(self.CONDITIONS)
        # NOTE: conditions depend on the parameters, so on the stack.
        self._conditions: weakref.WeakKeyDictionary[Any, Any] = (
            weakref.WeakKeyDictionary())
        self._conditions_lock = threading.Lock()

    def __getitem__(self, section: str) -> Any:
        """Return the contents of a section, {} if it is not there."""
        if section not in self.SECTIONS:
            raise KeyError(
                _('"%s" is not a valid template section') % section)
        if section in self.SECTIONS_NO_DIRECT_ACCESS:
            raise KeyError(
                _('Section "%s" cannot be accessed directly') % section)
        contents = self.t.get(section)
        if contents is None:
            return (_('No description') if section == self.DESCRIPTION
                    else {})
        return contents

    # -- Conditions

    def _get_condition_definitions(self) -> Mapping[str, Any]:
        if self.CONDITIONS is None:
            return {}
        return self.section(self.CONDITIONS)

    def conditions(self, stack: Any) -> condition_definitions.Conditions:
        """Return the conditions of the template for a stack."""
        if stack is None:
            return self._parse_conditions(None)
        with self._conditions_lock:
            parsed = self._conditions.get(stack)
            if parsed is None:
                try:
                    parsed = self._parse_conditions(stack)
                except exception.StackValidationFailed as exc:
                    # Whoever goes on after the error can.
                    self._conditions[stack] = exc.partial
                    raise
                self._conditions[stack] = parsed
        return parsed

    def _parse_conditions(self,
                          stack: Any) -> condition_definitions.Conditions:
        name = self.CONDITIONS or 'conditions'
        found = diagnostics.Problems()
        parsed = {}
        for key, value in self._get_condition_definitions().items():
            try:
                with request_budget.work():
                    request_budget.check()
                    parsed[key] = self.parse_condition(stack, value,
                                                       [name, key])
            except exception.StackValidationFailed as exc:
                found.note(exc)
                parsed[key] = exc.partial
            if found.full:
                break
        conditions = condition_definitions.Conditions(parsed, name)
        if found:
            raise found.error(conditions)
        return conditions

    def _is_enabled(self, stack: Any, key: str | None, snippet: Any,
                    path: list[Any]) -> bool:
        """Say whether the condition under key of a snippet holds."""
        if key is None or not isinstance(snippet, collections.abc.Mapping):
            return True
        if snippet.get(key) is None:
            return True
        where = [*path, key]
        condition = self.parse_condition(stack, snippet[key], where)
        if stack is None and not isinstance(condition, bool):
            # Without parameters nothing can be said against it.
            return True
        try:
            return self.conditions(stack).is_enabled(condition)
        except (ValueError, TypeError, KeyError) as exc:
            raise exception.StackValidationFailed(
                path=where, message=function.error_text(exc)) from exc

    # -- Resources

    def resource_definitions(self, stack: Any) -> Mapping[str, Any]:
        """Return the definitions of the enabled resources by name.

        Each is parsed when it is asked for.
        """
        resources = self.section(self.RESOURCES)
        stack_of = _weak(stack)

        def is_enabled(name: str) -> bool:
            return self._is_enabled(stack_of(), self.RES_CONDITION,
                                    resources[name], [self.RESOURCES, name])

        def parse(name: str) -> rsrc_defn.ResourceDefinition:
            return self._resource_definition(stack_of(), name,
                                             resources[name])

        return lazy_definitions.LazyDefinitions(resources, parse, is_enabled)

    def _resource_definition(self, stack: Any, name: str,
                             data: Any) -> rsrc_defn.ResourceDefinition:
        """Return the definition of a resource.

        Raises StackValidationFailed when something in it is wrong; its
        `partial` is then a definition of what is right, if there can be.
        """
        found = diagnostics.Problems()
        try:
            if not self._is_well_formed(name, data):
                self._check_resource(name, data)
        except exception.StackValidationFailed as exc:
            if not self._is_usable(name, data):
                raise
            found.note(exc)
        args = dict(self._rsrc_defn_args(stack, name, data, found))
        if found:
            self._replace_misspelt(data, args)
        definition = None
        if args['resource_type'] is not None:
            definition = rsrc_defn.ResourceDefinition(name, **args)
        if found:
            error = found.error()
            # What could be made of a part of it is no definition.
            error.partial = definition
            raise error
        if definition is None:
            # The type was computed, and is nothing.
            raise exception.StackValidationFailed(
                path=[self.RESOURCES, name], message=_(
                    'A resource must have a %s') % self.RES_TYPE)
        return definition

    def _is_usable(self, name: Any, data: Any) -> bool:
        return (isinstance(name, str)
                and isinstance(data, collections.abc.Mapping)
                and bool(data.get(self.RES_TYPE)))

    def _replace_misspelt(self, data: Mapping[str, Any],
                          args: dict[str, Any]) -> None:
        """Let nobody miss properties that stand under a misspelt key."""
        if self._has_misspelt(data, self.RES_PROPERTIES):
            args['properties'] = function.Faulty(
                None, self.RES_PROPERTIES, None)

    def _has_misspelt(self, data: Mapping[str, Any], wanted: str) -> bool:
        """Return whether a key is missing that stands there misspelt."""
        return self.strict_keys and wanted not in data and any(
            suggest.nearest(key, self._RESOURCE_KEYS) == wanted
            for key in data if key not in self._RESOURCE_KEYS)

    def validate_resource_definitions(self, stack: Any) -> None:
        """Check the form of all resources, also of disabled ones.

        Raises StackValidationFailed with the path of the first bad one.
        """
        with diagnostics.Problems() as found:
            check = getattr(stack, 'check_resource_definitions', None)
            if check is not None:
                # Parsed once, for what comes after.
                parsed = set(check(found))
            else:
                definitions = self.resource_definitions(stack)
                assert isinstance(definitions,
                                  lazy_definitions.LazyDefinitions)
                parsed = set(definitions.parse_all(found))
            self._check_resources(besides=parsed)

    def _check_resources(self, besides: Container[Any] = ()) -> None:
        with diagnostics.Problems() as found:
            for name, data in self.section(self.RESOURCES).items():
                if name in besides or self._is_well_formed(name, data):
                    continue
                with found.noting():
                    self._check_resource(name, data)
                if found.full:
                    break

    def _is_well_formed(self, name: Any, data: Any) -> bool:
        """Tell, quickly, whether there is nothing to say against a resource.
        """
        return (isinstance(name, str) and '/' not in name
                and len(name) <= _NAME_LIMIT and isinstance(data, dict)
                and isinstance(data.get(self.RES_TYPE), str)
                and data[self.RES_TYPE] != '' != name
                and (not self.strict_keys
                     or all(key in self._RESOURCE_KEYS for key in data)))

    def _check_resource(self, name: Any, data: Any) -> None:
        path = [self.RESOURCES, name]
        if not isinstance(name, str) or not name or '/' in name:
            raise exception.StackValidationFailed(
                path=path, message=_('A resource name must be a string that '
                                     'is not empty and has no "/" in it'))
        if len(name) > _NAME_LIMIT:
            raise exception.StackValidationFailed(path=path, message=_(
                '%(name)s has %(length)d characters, at most %(limit)d '
                'are allowed') % {'name': 'name', 'length': len(name),
                                  'limit': _NAME_LIMIT})
        with diagnostics.Problems() as found:
            with found.noting():
                self._check_keys(path, data, self._RESOURCE_KEYS)
            if isinstance(data, collections.abc.Mapping) and not (
                    data.get(self.RES_TYPE)
                    or self._has_misspelt(data, self.RES_TYPE)):
                found.note(exception.StackValidationFailed(
                    path=path, message=_('A resource must have a %s')
                    % self.RES_TYPE))

    def _check_keys(self, path: list[Any], data: Any,
                    allowed: tuple[str, ...]) -> None:
        """Check that a definition is a map with the keys it may have."""
        if not isinstance(data, (dict, collections.abc.Mapping)):
            raise exception.StackValidationFailed(
                path=path, message=_('A definition must be a map, but this '
                                     'is %s') % error_text.kind_of(data))
        if not self.strict_keys:
            return
        unknown = [key for key in data if key not in allowed]
        if not unknown:
            return
        with diagnostics.Problems() as found:
            for key in unknown:
                found.note(exception.StackValidationFailed(
                    path=[*path, key],
                    message=_('"%(key)s" is not a valid keyword here. There '
                              'may be: %(allowed)s.') % {
                                  'key': key, 'allowed': ', '.join(allowed)}
                    + suggest.hint(key, allowed)))
                if found.full:
                    break

    def validate_section(self, section: str, sub_section: str | None,
                         data: Any, allowed_keys: tuple[str, ...]) -> None:
        """Check the keys of all definitions of a section."""
        with diagnostics.Problems() as found:
            for name, definition in self.section(section).items():
                path = [section, name]
                with found.noting():
                    self._check_keys(path, definition, allowed_keys)
                    if sub_section is not None and (
                            sub_section not in definition):
                        raise exception.StackValidationFailed(
                            path=path,
                            message=_('"%s" is missing') % sub_section)
                if found.full:
                    break

    def _rsrc_defn_args(self, stack: Any, name: str, data: Mapping[str, Any],
                        found: diagnostics.Problems | None = None
                        ) -> Iterator[tuple[str, Any]]:
        """Yield the arguments of the ResourceDefinition of some data.

        :param found: notes what is wrong; without it, that is raised.
        """
        for argument, make in self._parts(stack, name, data):
            try:
                value = make()
            except (exception.StackValidationFailed,
                    diagnostics.DerivedError) as exc:
                if found is None:
                    raise
                found.note(exc)
                value = None
                if argument not in _ALWAYS_RESOLVED:
                    # What it should have said is not missing.
                    value = (exc.partial if isinstance(exc.partial, _MAP)
                             else function.Faulty(stack, argument, None))
            yield argument, value

    def _parts(self, stack: Any, name: str, data: Mapping[str, Any]
               ) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Yield what makes each argument of a ResourceDefinition."""
        def resolved(key: str) -> Any:
            value = data.get(key)
            if value is None:
                return None
            path = [self.RESOURCES, name, key]
            call = self.parse(stack, value, path)
            try:
                return function.resolve(call)
            except (ValueError, TypeError, KeyError) as exc:
                raise exception.StackValidationFailed(
                    path=path, message=function.error_text(exc)) from exc

        def field(key: str, types: tuple[type, ...], typename: str,
                  parse: Any = None) -> Callable[[], Any]:
            return lambda: self._parse_resource_field(
                key, types, typename, rsrc_name=name, rsrc_data=data,
                parse_func=parse or _bound(self.parse, stack))

        a_map, a_string = (_MAP, _('a map')), ((str,), _('a string'))
        yield 'resource_type', field(
            self.RES_TYPE, *a_string,
            parse=lambda value, path: resolved(self.RES_TYPE))
        yield 'properties', field(self.RES_PROPERTIES, *a_map)
        yield 'metadata', field(self.RES_METADATA, *a_map)
        yield 'depends', lambda: self._depends(stack, name, data)
        yield 'deletion_policy', lambda: self._deletion_policy(
            name, resolved(self.RES_DELETION_POLICY))
        replaced = self.RES_UPDATE_REPLACE_POLICY
        if replaced is not None:
            yield 'update_replace_policy', lambda: self._deletion_policy(
                name, resolved(replaced), replaced)
        yield 'update_policy', field(self.RES_UPDATE_POLICY, *a_map)
        yield 'description', field(self.RES_DESCRIPTION, *a_string,
                                   parse=_unparsed)
        if self.RES_CONDITION is not None:
            yield 'condition', lambda: self._condition(stack, name, data)
        if self.RES_EXTERNAL_ID is not None:
            yield 'external_id', lambda: self._external_id(stack, name, data)

    @classmethod
    def _parse_resource_field(cls, key: str, valid_types: tuple[type, ...],
                              typename: str, rsrc_name: str,
                              rsrc_data: Mapping[str, Any],
                              parse_func: Callable[[Any, Any], Any]) -> Any:
        """Return one parsed field of a resource, None if it is absent.

        Raises StackValidationFailed when it has a wrong type.
        """
        path = [cls.RESOURCES, rsrc_name, key]
        value = rsrc_data.get(key)
        value = None if value is None else parse_func(value, path)
        if value is None or isinstance(value, valid_types):
            return value
        raise exception.StackValidationFailed(
            path=path, message=_('The value must be %(wanted)s, but it is '
                                 '%(found)s') % {
                                     'wanted': typename,
                                     'found': error_text.kind_of(value)})

    def _depends(self, stack: Any, name: str,
                 data: Mapping[str, Any]) -> list[str] | None:
        """Return what depends_on names, without what is switched off.

        Whether the rest exists is seen when dependencies are followed: a
        stack may hold a resource and not, any more, what it depended on.
        """
        path = [self.RESOURCES, name, self.RES_DEPENDS_ON]
        depends = data.get(self.RES_DEPENDS_ON)
        if depends is None:
            return None
        if isinstance(depends, str):
            depends = [depends]
        if not (isinstance(depends, (list, tuple))
                and all(isinstance(item, str) for item in depends)):
            raise exception.StackValidationFailed(
                path=path, message=_('The value must be the name of a '
                                     'resource or a list of such names'))
        resources = self.section(self.RESOURCES)
        return [item for item in depends
                if self._may_be_enabled(stack, item, resources.get(item))]

    def _may_be_enabled(self, stack: Any, name: str, data: Any) -> bool:
        try:
            return self._is_enabled(stack, self.RES_CONDITION, data,
                                    [self.RESOURCES, name])
        except exception.StackValidationFailed:
            # The error is that of the resource with the condition.
            return True

    def _deletion_policy(self, name: str, policy: Any,
                         key: str | None = None) -> str | None:
        if policy is None:
            return None
        if isinstance(policy, str) and policy in self.deletion_policies:
            return self.deletion_policies[policy]
        raise exception.StackValidationFailed(
            path=[self.RESOURCES, name, key or self.RES_DELETION_POLICY],
            message=_('Invalid deletion policy "%(policy)s". It may be one '
                      'of: %(allowed)s.') % {
                          'policy': policy,
                          'allowed': ', '.join(self.deletion_policies)}
            + suggest.hint(policy, self.deletion_policies))

    def _condition(self, stack: Any, name: str,
                   data: Mapping[str, Any]) -> Any:
        key = self.RES_CONDITION
        assert key is not None
        return self._parse_resource_field(
            key, (str, bool, function.Function), _('a string or boolean'),
            name, data, _bound(self.parse_condition, stack))

    def _external_id(self, stack: Any, name: str,
                     data: Mapping[str, Any]) -> Any:
        key = self.RES_EXTERNAL_ID
        assert key is not None
        external_id = self._parse_resource_field(
            key, (str, function.Function), _('a string'), name, data,
            _bound(self.parse, stack))
        if external_id is not None and data.get(self.RES_DEPENDS_ON):
            raise exception.StackValidationFailed(
                path=[self.RESOURCES, name, self.RES_DEPENDS_ON],
                message=_('A resource with %s exists already, so it cannot '
                          'depend on others') % key)
        return external_id

    # -- Outputs

    def outputs(self, stack: Any) -> Mapping[str, Any]:
        """Return the output definitions by name.

        One whose condition does not hold has the value None.
        """
        raw = self.section(self.OUTPUTS)
        stack_of = _weak(stack)

        def parse(name: str) -> output.OutputDefinition:
            return self._output_definition(stack_of(), name, raw[name])

        return lazy_definitions.LazyDefinitions(raw, parse)

    def _output_definition(self, stack: Any, name: str,
                           data: Any) -> output.OutputDefinition:
        path = [self.OUTPUTS, name]
        self._check_output(name, data)
        parts: dict[str, Any] = {}
        with diagnostics.Problems() as found:
            for key in (self.OUTPUT_DESCRIPTION, self.OUTPUT_VALUE):
                try:
                    if key == self.OUTPUT_DESCRIPTION or self._is_enabled(
                            stack, self.OUTPUT_CONDITION, data, path):
                        parts[key] = self.parse(stack, data.get(key),
                                                [*path, key])
                except exception.StackValidationFailed as exc:
                    found.note(exc)
                    parts[key] = exc.partial
            definition = output.OutputDefinition(
                name, parts.get(self.OUTPUT_VALUE),
                parts.get(self.OUTPUT_DESCRIPTION))
            if found:
                raise found.error(definition)
        return definition

    def _check_output(self, name: Any, data: Any) -> None:
        path = [self.OUTPUTS, name]
        if isinstance(data, collections.abc.Mapping) and (
                self.OUTPUT_VALUE in data):
            # It can be used, whatever else it has.
            return
        self._check_keys(path, data, self.OUTPUT_KEYS)
        raise exception.StackValidationFailed(
            path=path,
            message=_('An output must have a %s') % self.OUTPUT_VALUE)

    def validate(self) -> None:
        with diagnostics.Problems() as found:
            with found.noting():
                super().validate()
            for section in filter(None, (self.PARAMETERS, self.CONDITIONS)):
                with found.noting():
                    self.section(section)
            with found.noting():
                self._check_resources()
            with found.noting():
                for name, data in self.section(self.OUTPUTS).items():
                    with found.noting():
                        self._check_keys([self.OUTPUTS, name], data,
                                         self.OUTPUT_KEYS)
                    if found.full:
                        break

    # -- Modification

    def _resource_from_hot(self, rendered: Mapping[str, Any]) -> Any:
        """Translate a rendered resource definition into this language."""
        return dict(rendered)

    def _output_from_hot(self, rendered: Mapping[str, Any]) -> Any:
        """Translate a rendered output definition into this language."""
        return dict(rendered)

    def add_resource(self, definition: Any, name: str | None = None) -> None:
        """Add or overwrite a resource, under its own or another name."""
        rendered = self._resource_from_hot(
            function.render(definition.render_hot()))
        self._replace_section(self.RESOURCES, {
            **self.section(self.RESOURCES),
            definition.name if name is None else name: rendered})

    def add_resources(self, definitions: Iterable[tuple[str, Any]]) -> None:
        """Add or overwrite resources, given as (name, definition).

        Many at once: one by one each addition would copy all of them.
        """
        self._replace_section(self.RESOURCES, {
            **self.section(self.RESOURCES),
            **{name: self._resource_from_hot(
                function.render(definition.render_hot()))
               for name, definition in definitions}})

    def add_output(self, definition: Any) -> None:
        """Add or overwrite an output."""
        rendered = self._output_from_hot(
            function.render(definition.render_hot()))
        request_budget.take(result_size.size_of(rendered))
        self._replace_section(self.OUTPUTS, {
            **self.section(self.OUTPUTS), definition.name: rendered})

    def _replace_section(self, name: str, contents: dict[str, Any]) -> None:
        super()._replace_section(name, contents)
        if name == self.CONDITIONS:
            with self._conditions_lock:
                self._conditions.clear()


def _weak(stack: Any) -> Callable[[], Any]:
    """Return a function giving the stack, without keeping it alive."""
    if stack is None:
        return lambda: None
    reference = weakref.ref(stack)

    def stack_of() -> Any:
        stack = reference()
        if stack is None:
            raise RuntimeError('The definitions have outlived their stack')
        return stack

    return stack_of


def _bound(parse: Callable[..., Any],
           stack: Any) -> Callable[[Any, Any], Any]:
    return lambda snippet, path: parse(stack, snippet, path)


def _unparsed(value: Any, path: Any) -> Any:
    return value
