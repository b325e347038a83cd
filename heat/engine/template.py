"""Common base of the template languages.

A template is a value: raw data, files and an environment. What it means for
a stack is asked for with a StackDefinition and computed piece by piece.
"""
import abc
import collections.abc
from collections.abc import Iterable, Iterator, Mapping
import importlib
import threading
from typing import Any

from stevedore import extension

from heat.common import current_engine
from heat.common import error_text
from heat.common import exception
from heat.common import template_advice
from heat.common import template_format
from heat.common.i18n import _
from heat.engine import conditions as condition_definitions
from heat.engine import environment
from heat.engine import function
from heat.engine import template_files
from heat.engine.language import declared_parameters
from heat.engine.language import diagnostics
from heat.engine.language import suggest

#: The keys that may state the version of a template.
VERSION_KEYS = (
    'heat_template_version', 'HeatTemplateFormatVersion',
    'AWSTemplateFormatVersion',
)

#: How deep a snippet may be nested, calls counted like maps.
MAX_DEPTH = 200

NAMESPACE = 'heat.templates'
_HOT = 'heat.engine.hot.template:HOTemplate'
_CFN = 'heat.engine.cfn.template:'

#: The languages we bring along, for a checkout that is not installed.
BUILT_IN = {
    'heat_template_version.2013-05-23': _HOT + '20130523',
    'heat_template_version.2014-10-16': _HOT + '20141016',
    'heat_template_version.2015-04-30': _HOT + '20150430',
    'heat_template_version.2015-10-15': _HOT + '20151015',
    'heat_template_version.2016-04-08': _HOT + '20160408',
    'heat_template_version.2016-10-14': _HOT + '20161014',
    'heat_template_version.newton': _HOT + '20161014',
    'heat_template_version.2017-02-24': _HOT + '20170224',
    'heat_template_version.ocata': _HOT + '20170224',
    'heat_template_version.2017-09-01': _HOT + '20170901',
    'heat_template_version.pike': _HOT + '20170901',
    'heat_template_version.2018-03-02': _HOT + '20180302',
    'heat_template_version.queens': _HOT + '20180302',
    'heat_template_version.2018-08-31': _HOT + '20180831',
    'heat_template_version.rocky': _HOT + '20180831',
    'heat_template_version.2021-04-16': _HOT + '20210416',
    'heat_template_version.wallaby': _HOT + '20210416',
    'HeatTemplateFormatVersion.2012-12-12': _CFN + 'HeatTemplate',
    'AWSTemplateFormatVersion.2010-09-09': _CFN + 'CfnTemplate',
}

_classes: dict[tuple[str, str], type['Template']] = {}
_classes_lock = threading.Lock()


class TemplatePluginNotRegistered(exception.HeatException):
    msg_fmt = _('The template language %(name)s could not be loaded: '
                '%(error)s')


def _load_failed(manager: Any, entry_point: Any,
                 error: BaseException) -> None:
    raise TemplatePluginNotRegistered(
        name=entry_point.name, error=error) from error


def _import_class(location: str) -> type['Template']:
    module, _colon, name = location.partition(':')
    cls: type[Template] = getattr(importlib.import_module(module), name)
    return cls


def template_classes() -> dict[tuple[str, str], type['Template']]:
    """Return the template class of each (version key, version value).

    Aliases of versions are included.
    """
    with _classes_lock:
        if not _classes:
            found = {name: _import_class(location)
                     for name, location in BUILT_IN.items()}
            plugins: Any = extension.ExtensionManager(
                namespace=NAMESPACE, invoke_on_load=False,
                on_load_failure_callback=_load_failed)
            found.update((ext.name, ext.plugin) for ext in plugins)
            _classes.update((_split_name(name), cls)
                            for name, cls in found.items())
    return dict(_classes)


def _split_name(name: str) -> tuple[str, str]:
    key, _dot, value = name.partition('.')
    return key, value


def is_removed(implementation: Any) -> bool:
    """Return whether a function is one that a version no longer has."""
    return bool(getattr(implementation, 'is_removed', False))


def versions_with(function_name: str) -> list[str]:
    """Return the versions in which a function exists, without aliases."""
    versions: dict[type[Template], str] = {}
    for (_key, version), cls in template_classes().items():
        known = {**cls.functions, **cls.condition_functions}
        if function_name in known and not is_removed(known[function_name]):
            # Dates come before the names of releases.
            versions[cls] = min(version, versions.get(cls, version))
    return sorted(versions.values())


def get_version(template_data: Mapping[str, Any]) -> tuple[str, str]:
    """Return (version key, version value) of raw template data.

    Raises InvalidTemplateVersion if there is not exactly one.
    """
    known = {key for key, _value in template_classes()}
    keys = [key for key in (*VERSION_KEYS, *sorted(known - {*VERSION_KEYS}))
            if key in template_data]
    if not keys:
        raise exception.InvalidTemplateVersion(
            explanation=_('a template states its version in one of: '
                          '%(known)s. %(advice)s') % {
                'known': ', '.join(VERSION_KEYS),
                'advice': template_advice.missing_version(template_data)})
    if len(keys) > 1:
        raise exception.InvalidTemplateVersion(
            path=[keys[1]],
            explanation=_('it is ambiguous, there is more than one of: %s')
            % ', '.join(keys))
    value = template_data[keys[0]]
    if not isinstance(value, str):
        raise exception.InvalidTemplateVersion(
            path=[keys[0]],
            explanation=_('the value of %s must be a string') % keys[0])
    return keys[0], value


def get_template_class(template_data: Any) -> type['Template']:
    """Return the class for raw template data by the version it states.

    Raises InvalidTemplateVersion when there is none.
    """
    if not isinstance(template_data, collections.abc.Mapping):
        raise exception.InvalidTemplateVersion(
            explanation=_('a template must be a map'))
    version = get_version(template_data)
    classes = template_classes()
    if version in classes:
        return classes[version]
    values = sorted(value for key, value in classes if key == version[0])
    raise exception.InvalidTemplateVersion(
        path=[version[0]],
        explanation=_('"%(key)s: %(value)s" is not known. %(key)s should be '
                      'one of: %(known)s') % {
                          'key': version[0], 'value': version[1],
                          'known': ', '.join(values)})


def make(data: Any, template_id: Any = None, files: Any = None,
         env: environment.Environment | None = None) -> 'Template':
    """Return a template, of the class for the version in the data."""
    return get_template_class(data)(data, template_id, files, env)


class Template(collections.abc.Mapping[str, Any]):
    """A template with its files and environment.

    Template(data) makes an object of the class for the version in the data.
    The data is never changed: a method that modifies the template gives it
    a new copy of what it changes. A frozen template, one that is shared,
    cannot be modified.
    """

    #: The functions by name, and those allowed in conditions.
    functions: dict[str, Any] = {}
    condition_functions: dict[str, Any] = {}

    # Constants of the sub-classes.
    SECTIONS: tuple[str, ...]
    SECTIONS_NO_DIRECT_ACCESS: frozenset[str]
    DESCRIPTION: str
    MAPPINGS: str
    PARAMETERS: str
    RESOURCES: str
    OUTPUTS: str

    def __new__(cls, template: Any, *args: Any, **kwargs: Any) -> 'Template':
        if cls is Template:
            cls = get_template_class(template)
        return super().__new__(cls)

    def __init__(self, template: dict[str, Any],
                 template_id: Any = None, files: Any = None,
                 env: environment.Environment | None = None) -> None:
        self.id = template_id
        self.t = template
        self.files = files
        self.env = environment.Environment({}) if env is None else env
        self.maps = self[self.MAPPINGS]
        self.version = get_version(template)
        #: The sections that merge_snippets() brings together.
        self.merge_sections = [self.PARAMETERS]
        self._parser_condition_functions = {
            **dict.fromkeys(self.functions, function.Invalid),
            **self.condition_functions}
        self._frozen = False

    @property
    def files(self) -> template_files.TemplateFiles:
        """The files that came with the template, by name."""
        return self._template_files

    @files.setter
    def files(self, files: Any) -> None:
        self._template_files = template_files.TemplateFiles(files)

    @classmethod
    def load(cls, context: Any, template_id: Any,
             t: Any = None) -> 'Template':
        """Return the stored template with this id; t is its row if known."""
        loaded: Template = current_engine.require().templates.load(
            context, template_id, t)
        return loaded

    def store(self, context: Any) -> Any:
        """Write the template to the database and return its id."""
        self.id = current_engine.require().templates.store(context, self)
        return self.id

    # -- Values of other stacks

    def shares_values(self) -> bool:
        """Return whether the template exports or imports values."""
        return False

    def exported_names(self, stack: Any) -> dict[str, str]:
        """Return the names of outputs by the names of their exports."""
        return {}

    def imported_names(self, stack: Any) -> frozenset[str]:
        """Return the names of the exports that a stack imports."""
        return frozenset()

    @staticmethod
    def imported_value(context: Any, tenant: str | None, name: str) -> Any:
        """Return the value of an export of a project.

        :raises ExportConflict: there is none of the name
        """
        return current_engine.require().templates.exported_value(
            context, tenant, name)

    @property
    def source(self) -> Any:
        """The data to store and to show; `t` is what they stand for."""
        return self.t

    # -- Sections

    def __iter__(self) -> Iterator[str]:
        return (section for section in self.SECTIONS
                if section not in self.SECTIONS_NO_DIRECT_ACCESS)

    def __len__(self) -> int:
        return sum(1 for _section in self)

    @abc.abstractmethod
    def get_section_name(self, section: str) -> str:
        """Translate the cfn name of a section to that of this language."""

    def section(self, name: str) -> dict[str, Any]:
        """Return the raw contents of a section that is a map.

        An absent or null section is an empty map.
        """
        contents = self.t.get(name)
        if contents is None:
            return {}
        if not isinstance(contents, collections.abc.Mapping):
            raise exception.StackValidationFailed(
                path=[name], message=_('The section must be a map, but it is '
                                       '%s') % error_text.kind_of(contents))
        return contents  # type: ignore[return-value]

    # -- What the template means

    @abc.abstractmethod
    def param_schemata(self, param_defaults: Mapping[str, Any] | None = None,
                       ) -> dict[str, Any]:
        """Return the Schema of each parameter.

        Values of param_defaults stand in for the defaults of the template.
        """

    @abc.abstractmethod
    def parameters(self, stack_identifier: Any, user_params: Any,
                   param_defaults: Any = None) -> Any:
        """Return the Parameters of a stack made from the template."""

    @abc.abstractmethod
    def resource_definitions(self, stack: Any) -> Mapping[str, Any]:
        """Return the definitions of the enabled resources by name."""

    @abc.abstractmethod
    def outputs(self, stack: Any) -> Mapping[str, Any]:
        """Return the output definitions by name."""

    def conditions(self, stack: Any) -> condition_definitions.Conditions:
        """Return the conditions of the template for a stack."""
        return condition_definitions.Conditions({})

    def all_param_schemata(self, files: Mapping[str, Any]
                           ) -> Mapping[str, Any]:
        """Return the schemata of this template and of those in the files.

        Where templates share a parameter name, this template's counts. Those
        of files are made when they are asked for: a request may have ten
        thousand. One that is wrong is None.
        """
        declared: dict[str, Template] = {}
        for name, text in (files or {}).items():
            if not str(name).endswith(environment.TEMPLATE_SUFFIXES):
                continue
            try:
                data = template_format.parse(text)
                inner = get_template_class(data)(data)
                declared.update(dict.fromkeys(
                    inner.section(inner.PARAMETERS), inner))
            except (exception.HeatException, ValueError, TypeError):
                # A file that is no template (a snippet for get_file, say)
                # has no parameters. If it is used as one, that use fails.
                continue
        return declared_parameters.schemata(self.param_schemata(), declared)

    def parse(self, stack: Any, snippet: Any, path: Any = '') -> Any:
        """Return a snippet with the function calls in it made objects."""
        return parse(self.functions, stack, snippet, path, self)

    def parse_condition(self, stack: Any, snippet: Any,
                        path: Any = '') -> Any:
        """Parse a snippet in which only condition functions may occur."""
        return parse(self._parser_condition_functions, stack, snippet, path,
                     self)

    # -- Checks

    def validate(self) -> None:
        """Check what can be checked without parameters or resources.

        Raises InvalidTemplateSection or StackValidationFailed.
        """
        found = diagnostics.Problems()
        for key in self.t:
            if key not in self.SECTIONS and not found.full:
                found.note(self._unknown_section(key))
        found.raise_first_or_all()

    def _unknown_section(self, key: Any) -> exception.InvalidTemplateSection:
        known = [name for name in self.SECTIONS if not name.startswith('__')]
        return exception.InvalidTemplateSection(path=[key], section=_(
            '%(key)s. This version of the language has: %(known)s.') % {
                'key': key, 'known': ', '.join(known)}
            + suggest.hint(key, known))

    def function_hint(self, snippet: Any) -> str:
        """Return what may help who meant a snippet to be a function call.

        A map with one key that is no function is just a map.
        """
        if not isinstance(snippet, collections.abc.Mapping) or (
                len(snippet) != 1):
            return ''
        [name] = snippet
        known = {**self.functions, **self.condition_functions}
        if not isinstance(name, str) or name in known:
            return ''
        versions = versions_with(name)
        if versions:
            return _(' The function "%(name)s" is not part of this version '
                     'of the language, only of: %(versions)s.') % {
                         'name': name, 'versions': ', '.join(versions)}
        hint = suggest.hint(name, [key for key, value in known.items()
                                   if not is_removed(value)])
        return hint and _(' There is no function "%s".') % name + hint

    def validate_condition_definitions(self, stack: Any) -> None:
        """Check all conditions, also those that nothing uses."""
        with diagnostics.Problems() as found:
            try:
                conditions = self.conditions(stack)
            except exception.StackValidationFailed as exc:
                found.note(exc)
                if not isinstance(exc.partial,
                                  condition_definitions.Conditions):
                    return
                conditions = exc.partial
            with found.noting():
                conditions.validate()

    def validate_resource_definitions(self, stack: Any) -> None:
        """Check the form of all resource definitions.

        Raises StackValidationFailed with the path of the first bad one.
        """
        # Each is parsed, and checked by that, when it is read.
        dict(self.resource_definitions(stack))

    # -- Modification

    def freeze(self) -> 'Template':
        """Forbid modification from now on, and return the template."""
        self._frozen = True
        return self

    def copy(self, env: environment.Environment | None = None) -> 'Template':
        """Return a copy that may be modified and has not been stored."""
        return type(self)(self.source, files=self.files,
                          env=self.env if env is None else env)

    def _replace_section(self, name: str, contents: dict[str, Any]) -> None:
        if self._frozen:
            raise RuntimeError('A shared template cannot be modified; '
                               'modify a copy() of it')
        # The raw data may be shared, so it is exchanged, not changed.
        self.t = {**self.t, name: contents}

    @abc.abstractmethod
    def add_resource(self, definition: Any, name: str | None = None) -> None:
        """Add or overwrite a resource, under its own or another name."""

    def add_resources(self, definitions: Iterable[tuple[str, Any]]) -> None:
        """Add or overwrite resources, given as (name, definition)."""
        for name, definition in definitions:
            self.add_resource(definition, name)

    def add_output(self, definition: Any) -> None:
        """Add or overwrite an output."""
        raise NotImplementedError

    def remove_resource(self, name: str) -> None:
        """Remove a resource; a missing one is no error."""
        resources = {key: value for key, value
                     in self.section(self.RESOURCES).items() if key != name}
        self._replace_section(self.RESOURCES, resources)

    def remove_all_resources(self) -> None:
        """Remove all resources."""
        if self.RESOURCES in self.t:
            self._replace_section(self.RESOURCES, {})

    def merge_snippets(self, other: 'Template') -> None:
        """Add the parameters and conditions of another template.

        Afterwards resources of both templates can live in this one.
        """
        for name in self.merge_sections:
            if other.t.get(name):
                self._replace_section(name, {**self.section(name),
                                             **other.section(name)})

    @classmethod
    def create_empty_template(
            cls, version: tuple[str, str] = ('heat_template_version',
                                             '2015-04-30'),
            from_template: 'Template | None' = None) -> 'Template':
        """Return a template without resources and outputs.

        With from_template it keeps that template's version, parameters,
        conditions, files and environment; otherwise it has just a version.
        """
        if from_template is None:
            data = {version[0]: version[1]}
            return get_template_class(data)(data)
        kept = {key: value for key, value in from_template.t.items()
                if key not in (from_template.RESOURCES,
                               from_template.OUTPUTS)}
        return type(from_template)(kept, files=from_template.files,
                                   env=from_template.env)


def parse(functions: Mapping[str, Any], stack: Any, snippet: Any,
          path: Any = '', template: Template | None = None) -> Any:
    """Return a snippet with the function calls in it made objects.

    A call is a map with one entry whose key is the name of a function.
    Raises StackValidationFailed with the path of a call that is not right;
    its `partial` is the snippet with what is right in it parsed.
    """
    parser = _Parser(functions, stack, template)
    parsed = parser.parse(snippet, _path_tuple(path))
    if parser.found is not None:
        raise parser.found.error(parsed)
    return parsed


def _path_tuple(path: Any) -> tuple[Any, ...]:
    if not path:
        return ()
    return (path,) if isinstance(path, str) else tuple(path)


class _Parser:
    """The parser of one snippet."""

    def __init__(self, functions: Mapping[str, Any], stack: Any,
                 template: Template | None) -> None:
        self.functions = functions
        self.stack = stack
        self.template = template
        self.found: diagnostics.Problems | None = None

    def parse(self, snippet: Any, path: tuple[Any, ...]) -> Any:
        if function.is_scalar(snippet):
            return snippet
        if len(path) > MAX_DEPTH:
            raise exception.StackValidationFailed(
                path=path[:5], message=_('nested deeper than %d levels')
                % MAX_DEPTH)
        if type(snippet) is not list and function.is_map(snippet):
            if len(snippet) == 1:
                [(name, args)] = snippet.items()
                implementation = self.functions.get(name)
                if implementation is not None:
                    return self.call(implementation, name, args,
                                     (*path, name))
            # Most values are scalars; to ask here saves a call for each.
            return {key: value if function.is_scalar(value)
                    else self.parse(value, (*path, key))
                    for key, value in snippet.items()}
        if isinstance(snippet, (list, collections.abc.Sequence)):
            return [item if function.is_scalar(item)
                    else self.parse(item, (*path, index))
                    for index, item in enumerate(snippet)]
        return snippet

    def call(self, implementation: Any, name: str, args: Any,
             path: tuple[Any, ...]) -> Any:
        # Much quicker than issubclass(), for which abstract classes search.
        is_macro = function.Macro in getattr(implementation, '__mro__', ())
        if not is_macro:
            args = self.parse(args, path)
        try:
            if is_macro:
                return implementation(self.stack, name, args,
                                      _ParseBelow(self, path), self.template)
            return implementation(self.stack, name, args)
        except diagnostics.DerivedError:
            pass
        except (ValueError, TypeError, KeyError) as exc:
            if self.found is None:
                self.found = diagnostics.Problems()
            if self.found.full:
                # Enough are known; the call is wrong all the same.
                self.found.left_out += 1
            else:
                self.found.note(exc, path)
        return function.Faulty(self.stack, name, None if is_macro else args)


class _ParseBelow:
    """The parser that a macro calls for what it wants parsed."""

    def __init__(self, parser: _Parser, path: tuple[Any, ...]) -> None:
        self._parser = parser
        self.path = path

    def __call__(self, snippet: Any, path: Any = '') -> Any:
        return self._parser.parse(snippet, self.path + _path_tuple(path))
