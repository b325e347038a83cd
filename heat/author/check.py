"""Everything that is wrong with templates on disk, with its place."""
from collections.abc import Iterable, Iterator, Mapping, Sequence
import dataclasses
import functools
import gc
from typing import Any

from heat.author import lint as template_lint
from heat.author import sources as template_sources
from heat.common import environment_format
from heat.common import error_text
from heat.common import exception
from heat.common import problem
from heat.common import text_places
from heat.common.i18n import _
from heat.engine import environment
from heat.engine import properties
from heat.engine import support
from heat.engine import template
from heat.engine.language import suggest
from heat.engine.language import template_checks

_UNKNOWN_TYPE = 'unknown-resource-type'
_UNDECLARED = 'UnknownUserParameter'
_NOT_ASSIGNED = ' not assigned'


class UsageError(Exception):
    """The request makes no sense, or its files cannot be read."""


def load_types() -> None:
    """Make the resource types of this installation known, offline.

    Unlike at the start of a service no clients are made.
    """
    env = _installed()
    fetch_no_templates(env)
    environment.set_global_env(env)


def fetch_no_templates(env: environment.Environment) -> None:
    """Have an environment make resource types of templates at hand only."""
    from heat.engine.resources import template_resource
    env.register_template_resource_factory(
        template_resource.generate_class_from_template,
        template_resource.TemplateResource, _not_fetched)


def types() -> dict[str, Any]:
    """Return {name: class} of the types that load_types() has loaded."""
    classes: dict[str, Any] = _installed().registered_classes()
    return classes


@functools.lru_cache(maxsize=1)
def _installed() -> environment.Environment:
    # Of what importing makes nothing is garbage; looking takes a while.
    collecting = gc.isenabled()
    gc.disable()
    try:
        from heat.engine import resources
        env = environment.Environment({}, user_env=False)
        resources.load(env)
    finally:
        if collecting:
            gc.enable()
    return env


def _not_fetched(location: str, user_resource: bool) -> str:
    raise exception.EntityNotFound(entity='Resource Type', name=location)


class Checker:
    """Checks templates with the same environments and parameters."""

    def __init__(self, environments: Sequence[str] = (),
                 parameters: Mapping[str, Any] | None = None) -> None:
        self._environments = environments
        self._parameters = dict(parameters or {})
        self._with_values = bool(environments or parameters)
        self._texts: dict[str, str] = {}
        # The environment that gives a parameter its value.
        self._given: dict[str, str] = {}

    def check(self, path: str) -> list[problem.Problem]:
        """Return all problems of a template and of the files it names.

        Each names its file. Raises template_sources.Unreadable if the
        template itself or an environment cannot be read.
        """
        self._texts = {path: template_sources.read_text(path)}
        sources = template_sources.Sources()
        found = list(self._check(path, sources))
        self._texts.update(sources.files)
        found += sources.problems
        return sorted(set(self._placed(found, path)), key=_order)

    def _check(self, path: str, sources: template_sources.Sources,
               ) -> Iterator[problem.Problem]:
        try:
            data = sources.template(path, self._texts[path])
        except ValueError as exc:
            yield _syntax(exc, path)
            return
        self._given.clear()
        try:
            env = self._environment(sources)
        except _BadEnvironment as exc:
            yield from exc.problems
            return
        yield from self._of_template(path, data, sources, env,
                                     with_values=self._with_values)
        for nested, nested_data in list(sources.nested.items()):
            self._texts.setdefault(nested, sources.files[nested])
            inner = environment.Environment(
                {environment_format.RESOURCE_REGISTRY:
                 env.registry.as_dict()})
            yield from self._of_template(nested, nested_data, sources,
                                         inner, with_values=False)

    def _environment(self, sources: template_sources.Sources,
                     ) -> environment.Environment:
        merged = environment.Environment({})
        for path in self._environments:
            text = template_sources.read_text(path)
            self._texts[path] = text
            try:
                data = sources.environment(path, text)
                merged.load(_as_environment(data))
            except exception.HeatException as exc:
                raise _BadEnvironment(
                    dataclasses.replace(each, file=path)
                    for each in problem.of(exc)) from exc
            except ValueError as exc:
                raise _BadEnvironment([_syntax(exc, path)]) from exc
            values = data.get(environment_format.PARAMETERS) or {}
            self._given.update(dict.fromkeys(values, path))
        merged.params.update(self._parameters)
        return merged

    def _of_template(self, path: str, data: dict[str, Any],
                     sources: template_sources.Sources,
                     env: environment.Environment, *, with_values: bool,
                     ) -> Iterator[problem.Problem]:
        try:
            language: Any = template.get_template_class(data)(
                data, files=sources.files, env=env)
        except exception.HeatException as exc:
            for each in problem.of(exc):
                yield dataclasses.replace(each, file=path)
            return

        unknown = list(self._unknown_types(language, env))
        # What is said of these places elsewhere is said better.
        told = {each.path for each in unknown} | {
            each.path for each in sources.problems if each.file == path}
        for each in template_checks.check(language, find_class=env.get_class):
            if each.path not in told and not (
                    _only_offline(language, env, each)
                    or not with_values and _lacks_value(language, each)):
                yield self._of_environment(each, path)
        places = text_places.Places(self._texts[path])
        for each in (*unknown, *template_lint.warnings(language, places)):
            yield dataclasses.replace(each, file=path)

    def _of_environment(self, found: problem.Problem,
                        path: str) -> problem.Problem:
        """Return a problem with the file that it is about.

        A parameter that no template declares stands in an environment.
        """
        if found.error == _UNDECLARED and found.path:
            given_by = self._given.get(found.path[-1])
            if given_by is not None:
                return dataclasses.replace(
                    found, file=given_by,
                    path=(environment_format.PARAMETERS, found.path[-1]))
        return dataclasses.replace(found, file=found.file or path)

    def _unknown_types(self, language: Any, env: environment.Environment,
                       ) -> Iterator[problem.Problem]:
        """Yield a warning for each type that this installation lacks."""
        resources = language.t.get(language.RESOURCES)
        if not isinstance(resources, Mapping):
            return
        for name, definition in resources.items():
            kind = definition.get(language.RES_TYPE) if isinstance(
                definition, Mapping) else None
            if not isinstance(kind, str) or not kind:
                continue
            reason = _why_unknown(kind, str(name), language, env)
            if reason:
                yield problem.Problem(
                    (language.RESOURCES, name, language.RES_TYPE), reason,
                    error=_UNKNOWN_TYPE, severity=problem.WARNING)

    def _placed(self, found: Iterable[problem.Problem],
                path: str) -> Iterator[problem.Problem]:
        """Yield problems with the line and column of their path."""
        places: dict[str, text_places.Places] = {}
        for each in found:
            name = each.file or path
            if name in self._texts:
                if name not in places:
                    places[name] = text_places.Places(self._texts[name])
                each = _with_place(each, places[name])
            yield dataclasses.replace(each, file=name)


def _with_place(found: problem.Problem,
                places: text_places.Places) -> problem.Problem:
    spot = (places.find(found.path) if found.line is None
            else (found.line, found.column or 1))
    if spot is None:
        return found
    end = places.end(*spot)
    return dataclasses.replace(found, line=spot[0], column=spot[1],
                               end_line=end[0], end_column=end[1])


def _why_unknown(kind: str, name: str, language: Any,
                 env: environment.Environment) -> str | None:
    """Return why nothing is known of a resource type, None if it is."""
    try:
        info = env.get_resource_info(kind, name)
    except exception.HeatException:
        return _('this installation has no resource type "%s", so the '
                 'resource is checked only in part.') % kind + suggest.hint(
                     kind, env.registry.type_names())
    location = getattr(info, 'template_name', '')
    if '://' in location and location not in language.files:
        return _('the template %s is not fetched, so the resource is '
                 'checked only in part.') % location
    return None


def _lacks_value(language: Any, found: problem.Problem) -> bool:
    """Return whether a problem is only that a parameter has no value."""
    return (found.error == 'UserParameterMissing'
            and found.path[:1] == (language.PARAMETERS,))


def _only_offline(language: Any, env: environment.Environment,
                  found: problem.Problem) -> bool:
    """Return whether the service may well fill in a missing property.

    A type that translates properties takes their values from properties of
    older names. A template takes values from defaults in environments.
    """
    if _NOT_ASSIGNED not in found.message or len(found.path) < 2:
        return False
    definition = language.section(language.RESOURCES).get(found.path[1])
    try:
        resource_class = env.get_class(
            definition[language.RES_TYPE], found.path[1],
            files=language.files)
    except (exception.HeatException, TypeError, KeyError, ValueError):
        return False
    if getattr(resource_class, 'is_template', False):
        return True
    given = definition.get(language.RES_PROPERTIES)
    return isinstance(given, Mapping) and any(
        _is_outdated(resource_class.properties_schema.get(key))
        for key in given)


def _is_outdated(schema: Any) -> bool:
    """Return whether a property is known under another name by now."""
    current = properties.Schema.from_legacy(schema) if schema else None
    return current is not None and current.support_status.status in (
        support.DEPRECATED, support.HIDDEN, support.UNSUPPORTED)


class _BadEnvironment(Exception):
    """An environment is not one."""

    def __init__(self, problems: Iterable[problem.Problem]) -> None:
        super().__init__()
        self.problems = list(problems)


def _as_environment(data: dict[str, Any]) -> dict[str, Any]:
    return {environment_format.PARAMETERS: {}, **data}


def _syntax(exc: ValueError, path: str) -> problem.Problem:
    return problem.Problem((), str(exc), error='syntax', file=path,
                           line=getattr(exc, 'line', None),
                           column=getattr(exc, 'column', None))


def _order(each: problem.Problem) -> tuple[Any, ...]:
    return (each.file, each.line or 0, each.column or 0, each.severity,
            [str(step) for step in each.path], each.message)


def as_text(each: problem.Problem) -> str:
    """Return a problem in one line, as compilers write them."""
    place = ':'.join(str(part) for part in (
        each.file, each.line, each.column) if part is not None)
    where = error_text.path_text(each.path)
    return f'{place}: {each.severity}: {where + ": " if where else ""}' + (
        ' '.join(each.message.split()))


def as_data(each: problem.Problem) -> dict[str, Any]:
    """Return a problem as the JSON output shows it."""
    return {'file': each.file, 'line': each.line, 'column': each.column,
            'end_line': each.end_line, 'end_column': each.end_column,
            'severity': each.severity, 'path': list(each.path),
            'message': each.message, 'code': each.error}
