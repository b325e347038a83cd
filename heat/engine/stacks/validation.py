"""Everything that is checked before a stack may be created or updated."""
from collections.abc import Callable, Collection, Iterable
import contextlib
import re
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import template
from heat.engine.clients import lookahead
from heat.engine.language import diagnostics
from heat.engine.language import template_checks
from heat.engine.language import type_lookup
from heat.engine.stacks import exports as stack_exports
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import interface
from heat.engine.stacks import redaction

LOG = logging.getLogger(__name__)

#: What ends the validation, for it is no matter of the template.
_NO_FAULT = (exception.Forbidden, exception.RequestLimitExceeded,
             exception.StackResourceLimitExceeded,
             exception.NotAuthenticated, exception.AuthorizationFailure)

_NAME = re.compile(r'[a-zA-Z][a-zA-Z0-9_.-]{0,254}\Z')


def check_name(name: str) -> None:
    """Raise StackValidationFailed unless this is a good stack name."""
    if not isinstance(name, str) or not _NAME.match(name):
        raise exception.StackValidationFailed(message=_(
            'Invalid stack name "%s": it must start with a letter from A to '
            'Z, contain only such letters, digits, "_", "-" and ".", and '
            'have at most 255 characters.') % name)


def check_number_of_resources(tmpl: template.Template) -> None:
    """Raise RequestLimitExceeded when one template has too many."""
    limit = cfg.CONF.max_resources_per_stack
    resources = tmpl.section(tmpl.RESOURCES)
    if limit != -1 and len(resources) > limit:
        raise exception.RequestLimitExceeded(
            message=_('The template has %(count)d resources, the limit '
                      '(max_resources_per_stack) is %(limit)d.') % {
                'count': len(resources), 'limit': limit})


def tree_size(stack: interface.Stack) -> int:
    """Return how many resources a validated stack and those in it have."""
    inside: Iterable[int] = (getattr(res, 'validated_size', 0)
                             for res in stack.resources.values())
    return len(stack.t.section(stack.t.RESOURCES)) + sum(inside)


def validate(stack: interface.Stack,
             ignorable_errors: Collection[str] | None = None,
             validate_res_tmpl_only: bool = False) -> None:
    """Raise an error when the stack cannot be created as it is.

    It is the first one that was found, and tells of all the others.

    :param ignorable_errors: error codes that do not count.
    :param validate_res_tmpl_only: leave out what needs a cloud.
    """
    try:
        _validate(stack, ignorable_errors or (), validate_res_tmpl_only)
    except exception.HeatException as error:
        with contextlib.suppress(Exception):
            # Parameters may be what is wrong.
            redaction.hide(error, redaction.secrets_of(stack))
        raise


def _validate(stack: interface.Stack, ignorable_errors: Collection[str],
              validate_res_tmpl_only: bool) -> None:
    with diagnostics.Problems(
            tolerates=template_checks.tolerance_of(stack.t)) as found, (
            lookahead.LookAhead(stack.context)) as ahead:
        if stack.strict_validate and not validate_res_tmpl_only:
            ahead.parameters(stack.parameters.params.values())
        usable = template_checks.check_definition(
            found, stack.defn, with_values=stack.strict_validate,
            context=stack.context)
        resources = _make_resources(stack, usable, found)
        _check_others(stack, usable, resources, found)
        if stack.allow_type is not None:
            _check_types(resources, stack.allow_type)
        if not validate_res_tmpl_only:
            ahead.resources(resources)
        for res in _in_order(stack, resources, found):
            _validate_resource(res, ignorable_errors,
                               validate_res_tmpl_only, found)
            if found.full:
                break
        template_checks.check_outputs(found, stack.defn)
        stack_exports.check(stack, found)
    if found.tolerated:
        shown = found.tolerated[:diagnostics.LIMIT]
        LOG.warning('The template of stack "%s" is accepted, but: %s%s',
                    stack.name, redaction.struck_out(
                        '; '.join(map(str, shown)),
                        redaction.secrets_of(stack)),
                    '; ...' if len(shown) < len(found.tolerated) else '')


def _check_types(resources: Iterable[Any], allow: Callable[[str], object]
                 ) -> None:
    """Raise Forbidden for a type that the user may not use."""
    names = set().union(*map(type_lookup.policy_names, resources))
    for name in sorted(names):
        allow(name)


def check_types(stack: interface.Stack, allow: Callable[[str], object]
                ) -> None:
    """Raise Forbidden if a stack has a type that the user may not use.

    :param allow: raises Forbidden for the name of such a type
    """
    _check_types(stack.resources.values(), allow)


def _make_resources(stack: interface.Stack, names: Iterable[str],
                    found: diagnostics.Problems) -> list[interface.Resource]:
    """Return the resources that can be made.

    An unknown type is noted with its place.
    """
    section = stack.t.get_section_name('resources')
    made = []
    for name in names:
        try:
            made.append(stack.resources[name])
        except diagnostics.DerivedError:
            stack.resources.give_up(name)
        except exception.StackValidationFailed as error:
            stack.resources.give_up(name)
            if section in error.path:
                found.note(error)
            else:
                path = [section, name] + ([] if error.path else ['type'])
                found.note(diagnostics.below(error, *path))
        except diagnostics.WRONG_VALUES as error:
            # A function that stands for a whole section raises any error.
            stack.resources.give_up(name)
            found.note(error, [section, name])
        if found.full:
            break
    return made


def _check_others(stack: interface.Stack, names: Collection[str],
                  resources: Collection[interface.Resource],
                  found: diagnostics.Problems) -> None:
    """Check what can be known of resources whose type is unknown."""
    if len(resources) == len(names):
        return
    made = {res.name for res in resources}
    for name in names:
        if name not in made and not found.full:
            with found.noting():
                list(template_checks.needed_names(stack.defn, name))
            with found.noting():
                template_checks.check_resource(found, stack.defn, name)


def _in_order(stack: interface.Stack, resources: list[interface.Resource],
              found: diagnostics.Problems) -> list[interface.Resource]:
    """Return the resources, each after those it requires."""
    try:
        if not found:
            return list(stack.dependencies)
    except (*diagnostics.ABOUT_TEMPLATE, *diagnostics.WRONG_VALUES) as error:
        # The text of the error may contain hidden values.
        LOG.debug('Dependencies of %s are wrong: %s', stack.name,
                  type(error).__name__)
    section = stack.t.get_section_name('resources')
    graph = stack_graph.definition_dependencies(
        resources, noting=lambda res: found.noting(
            [section, res.name], wrong_values=True))
    try:
        return [res for res in graph if res in resources]
    except exception.CircularDependencyException as error:
        names = error.kwargs.get('names') or ['']
        error.place([section, names[0]])
        found.note(error)
    return resources


def _validate_resource(res: interface.Resource,
                       ignorable_errors: Collection[str], template_only: bool,
                       found: diagnostics.Problems) -> None:
    path = [res.stack.t.get_section_name('resources'), res.name]
    try:
        result = _result_of(res, template_only)
    except _NO_FAULT as error:
        if not error.path:
            error.place(path)
        raise
    except exception.HeatException as error:
        if error.error_code and error.error_code in ignorable_errors:
            LOG.debug('Ignored for %s: %s', res.name, error)
            return
        found.note(error, path, covered=4)
        return
    except AssertionError:
        raise
    except Exception as error:
        LOG.debug('Resource %s is invalid', res.name, exc_info=True)
        if not diagnostics.is_consequence(error):
            found.note(exception.StackValidationFailed(
                error=_kind(error), path=path,
                message=exception.text_of(error)))
        return
    if result:
        found.note(exception.StackValidationFailed(path=path,
                                                   message=result))


def _result_of(res: interface.Resource, template_only: bool) -> Any:
    """Return what the checks of a resource say, None if all is well."""
    if not template_only and res.external_id is None:
        return res.validate()
    result = res.validate_template()
    if not template_only and not result:
        # The properties of what exists already do not have to be right.
        res.validate_external()
    return result


def _kind(error: BaseException) -> str | None:
    """Return the class name of an error whose text may say little."""
    return None if isinstance(error, ValueError) else (
        exception.type_name(error))
