"""The checks of a template that need no cloud; all problems are found.

The steps are those by which a stack is validated, too; each notes what it
finds and leaves what comes after it usable.
"""
from collections.abc import Callable, Iterator, Mapping
import contextlib
import dataclasses
from typing import Any

from heat.common import exception
from heat.common import identifier
from heat.common import problem
from heat.common.i18n import _
from heat.engine import dependencies
from heat.engine import parameter_groups
from heat.engine import rsrc_defn
from heat.engine import stk_defn
from heat.engine import template as templates
from heat.engine.language import custom_constraint
from heat.engine.language import diagnostics
from heat.engine.language import suggest

Problem = diagnostics.Problem
Problems = diagnostics.Problems

_NOBODY = identifier.HeatIdentifier('project', 'stack', 'id')


def check(template: Any, *, files: Mapping[str, Any] | None = None,
          env: Any = None, find_class: Callable[..., Any] | None = None,
          with_values: bool = True, context: Any = None
          ) -> list[Problem]:
    """Return all that is wrong with a template, at most LIMIT problems.

    Nothing is raised for whatever the template holds, and no cloud is
    asked.

    :param template: a Template with its files and environment, or the
        parsed text of one.
    :param files: the files of a template given as parsed text.
    :param env: the environment of a template given as parsed text.
    :param find_class: a function (resource type, resource name, files) ->
        resource class, which raises EntityNotFound or
        StackValidationFailed for an unknown type: `Environment.get_class`,
        say. Without it types, properties and attributes go unchecked.
    :param with_values: every parameter needs a value or a default, and
        property values are checked.
    :param context: what custom constraints get to ask clouds with; None
        leaves out those that ask.
    """
    found = Problems()
    try:
        _check(found, template, files, env, find_class, with_values, context)
    except diagnostics.ABOUT_TEMPLATE as exc:
        found.note(exc)
    try:
        tolerates = tolerance_of(template)
    except diagnostics.ABOUT_TEMPLATE:
        # It is not even known which language it is.
        return list(found)
    return [dataclasses.replace(each, severity=problem.WARNING)
            if tolerates(each) else each for each in found]


def tolerance_of(template: Any) -> Callable[[Problem], bool]:
    """Return a function that says what is no reason to refuse a template.

    Heat creates stacks whose outputs, or conditions that nothing uses,
    refer to names that do not exist, and ignores further keys of outputs.
    Such an output has an error in place of a value.

    :param template: a Template or the parsed text of one.
    """
    raw = template.t if isinstance(template, templates.Template) else template
    cls = type(template) if raw is not template else (
        templates.get_template_class(raw))
    keys = getattr(cls, 'OUTPUT_KEYS', ())
    value = getattr(cls, 'OUTPUT_VALUE', None)

    def tolerates(found: Problem) -> bool:
        section, *rest = found.path or ('',)
        if section in ('outputs', 'Outputs'):
            return found.dangling or (
                len(rest) == 2 and rest[1] not in keys
                and value in raw[section][rest[0]])
        return (section in ('conditions', 'Conditions') and found.dangling
                and bool(rest) and not _is_used(raw, section, rest[0]))

    return tolerates


def _is_used(raw: Mapping[str, Any], section: str, condition: str) -> bool:
    """Return whether a template may use a condition: names it anywhere."""
    todo: list[Any] = [
        value for key, value in raw.items() if key != section]
    todo += [value for key, value in raw[section].items()
             if key != condition]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            if value == condition:
                return True
        elif isinstance(value, Mapping):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return False


def _check(found: Problems, template: Any, files: Any, env: Any,
           find_class: Any, with_values: bool, context: Any) -> None:
    if not isinstance(template, templates.Template):
        template = templates.get_template_class(template)(
            template, files=files, env=env)
    if context is None:
        context = custom_constraint.OFFLINE
    definition = stk_defn.StackDefinition(context, template, _NOBODY)
    usable = check_definition(found, definition, with_values=with_values,
                              context=context)
    check_references(found, definition, usable)
    for name in usable:
        if found.full:
            break
        resource_class = None
        with found.noting():
            if find_class is not None:
                resource_class = _class_of(definition, name, find_class)
        with found.noting():
            check_resource(found, definition, name, resource_class,
                           with_values=with_values, context=context)
    check_outputs(found, definition)
    # A parameter without a value is reported where it is declared.
    with found.noting(), contextlib.suppress(exception.UserParameterMissing):
        template.exported_names(definition)


def _class_of(definition: Any, name: str, find_class: Any) -> Any:
    template = definition.t
    resource_type = definition.resource_definition(name).resource_type
    path = [template.get_section_name('resources'), name, template.RES_TYPE]
    try:
        return find_class(resource_type, name, files=template.files)
    except exception.EntityNotFound as exc:
        names: Any = getattr(definition.env, 'type_names', tuple)()
        raise exception.StackValidationFailed(
            path=path, message=str(exc)
            + suggest.hint(resource_type, names)) from exc
    except exception.HeatException as exc:
        raise diagnostics.below(exc, *path) from exc
    except ValueError as exc:
        # A template that is not well-formed.
        raise exception.StackValidationFailed(
            path=path, message=str(exc)) from exc


def check_resource(found: Problems, definition: Any, name: str,
                   resource_class: Any = None, *, with_values: bool = True,
                   context: Any = None) -> None:
    """Check what a definition says of one resource.

    :param resource_class: what has the schemata of its type; None if that
        is not known.
    """
    resource = definition.resource_definition(name)
    inner = Problems()
    with inner.noting():
        resource.validate()
    if resource_class is not None and resource.external_id() is None and (
            not getattr(resource_class, 'takes_any_properties', False)):
        for values in (
                resource.update_policy(resource_class.update_policy_schema,
                                       context),
                resource.properties(resource_class.properties_schema,
                                    context)):
            try:
                values.validate(with_value=with_values)
            except exception.HeatException as exc:
                inner.note(exc, covered=2)
    if inner:
        found.note(rsrc_defn.invalid(definition.t, name, inner.error()),
                   covered=4)


def check_definition(found: Problems, definition: Any, *, with_values: bool,
                     context: Any = None) -> list[str]:
    """Check all of a template that is no matter of single resources.

    Return the names of the enabled resources whose definition is usable.

    :param definition: a StackDefinition.
    """
    template = definition.t
    with found.noting():
        template.validate()
    fault = getattr(definition.env, 'fault', None)
    if fault is not None:
        found.note(fault)
    with found.noting():
        _check_names(template)
    with found.noting():
        definition.parameters.validate(validate_value=with_values,
                                       context=context)
    with found.noting():
        parameter_groups.ParameterGroups(template).validate()
    if not with_values:
        with found.noting():
            template.conditions(definition)
        with found.noting():
            template.conditions(definition).lenient = True
    with found.noting():
        template.validate_condition_definitions(definition)
    with found.noting():
        template.validate_resource_definitions(definition)
    usable: list[str] = []
    with found.noting():
        usable = definition.check_resource_definitions(found)
    return usable


def _check_names(template: Any) -> None:
    parameters = template.section(template.PARAMETERS)
    both = [name for name in template.section(template.RESOURCES)
            if name in parameters]
    if both:
        raise exception.StackValidationFailed(
            path=[template.RESOURCES, both[0]],
            message=_('Duplicate names: %s. A resource may not be called '
                      'like a parameter.') % ', '.join(both))


def check_references(found: Problems, definition: Any,
                     usable: list[str]) -> None:
    """Check that resources refer to such as exist, and in no circle."""
    graph = dependencies.Dependencies()
    section = definition.t.get_section_name('resources')
    for name in usable:
        graph += (name, None)
        # A name that cannot be computed is told of where its call is checked.
        with found.noting(), contextlib.suppress(*diagnostics.WRONG_VALUES):
            for needed in needed_names(definition, name):
                graph += (name, needed)
        if found.full:
            return
    with found.noting():
        try:
            list(graph)
        except exception.CircularDependencyException as exc:
            exc.place([section, exc.kwargs['names'][0]])
            raise


def needed_names(definition: Any, name: str) -> Iterator[str]:
    """Yield the names of the resources that one needs.

    Raises InvalidTemplateReference for one that does not exist.
    """
    try:
        for needed in definition.resource_definition(name).dependencies(
                definition):
            yield needed.name
    except exception.InvalidTemplateReference as exc:
        if exc.path:
            exc.place(rsrc_defn.path_in_template(definition.t, name,
                                                 exc.path[2:]))
        raise


def check_outputs(found: Problems, definition: Any) -> None:
    """Check the functions in the outputs."""
    for name in definition.check_output_definitions(found):
        path = [definition.t.get_section_name('outputs'), name]
        try:
            definition.output_definition(name).validate()
        except exception.StackValidationFailed as exc:
            # The definition speaks of itself in the words of HOT.
            def place(steps: Any, path: Any = path) -> Any:
                below = list(steps)[2:]
                return [*path, *([definition.t.OUTPUT_VALUE, *below[1:]]
                                 if below else [])]

            error = diagnostics.moved(exc, place)
            error.__cause__ = exc
            found.note(error)
        except diagnostics.WRONG_VALUES as exc:
            found.note(exc, path)
        if found.full:
            return

