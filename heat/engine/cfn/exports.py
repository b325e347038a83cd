"""Exports of outputs, and the function that reads those of other stacks.

See the AWS CloudFormation User Guide, "Outputs section" and
"Fn::ImportValue".
"""
from collections.abc import Iterator, Mapping
import re
from typing import Any

from heat.common import exception
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import function
from heat.engine.cfn import intrinsics
from heat.engine.language import diagnostics

IMPORT = 'Fn::ImportValue'
EXPORT = 'Export'
NAME = 'Name'
#: How many values a template may import, and how many it may export.
MAX_NAMES = 200

_IF = 'Fn::If'
_GOOD_NAME = re.compile(r'[A-Za-z0-9:-]{1,255}\Z')


class ImportValue(function.Function):
    """A value that an output of another stack exports.

    {"Fn::ImportValue": <name of the export>}
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not isinstance(args, (str, function.Function)):
            raise ValueError(_('The argument of "%s" must be the name of an '
                               'export') % fn_name)

    def validate(self) -> None:
        super().validate()
        if any(True for _each in function.dependencies(self.args)):
            raise ValueError(_('The name of an export in "%s" cannot depend '
                               'on a resource') % self.fn_name)
        try:
            self.result()
        except exception.UserParameterMissing as exc:
            if 'reason' in exc.kwargs:
                raise

    def name(self) -> str:
        """Return the name of the export."""
        return intrinsics.text_of(function.resolve(self.args), self.fn_name)

    def result(self) -> Any:
        name = self.name()
        return None if self.stack is None else self.stack.import_value(name)


def has_any(tmpl: Any) -> bool:
    """Return whether a template exports or imports values."""
    return any(EXPORT in data for data in _outputs(tmpl).values()
               if isinstance(data, Mapping)) or any(
        _has_calls(tmpl.t.get(section))
        for section in (tmpl.RESOURCES, tmpl.OUTPUTS))


def _outputs(tmpl: Any) -> Mapping[str, Any]:
    outputs = tmpl.t.get(tmpl.OUTPUTS)
    return outputs if isinstance(outputs, Mapping) else {}


def _has_calls(snippet: Any) -> bool:
    return next(intrinsics.calls(snippet, IMPORT), None) is not None


def imported(tmpl: Any, stack: Any) -> frozenset[str]:
    """Return the names of the exports that a stack imports.

    Resources and outputs that a condition switches off import nothing.

    :raises StackValidationFailed: a name is malformed
    """
    parts = [([tmpl.RESOURCES, name], tmpl.t[tmpl.RESOURCES][name])
             for name in stack.enabled_rsrc_names()
             if _has_calls(tmpl.t[tmpl.RESOURCES][name])]
    parts += [([tmpl.OUTPUTS, name], data)
              for name, data in _outputs(tmpl).items()
              if _has_calls(data) and tmpl.has_output(stack, name)]
    names = set()
    with request_budget.work():
        for path, data in parts:
            for call, where in _calls(tmpl, stack, data, path):
                parsed = tmpl.parse(stack, call, where)
                names.add(_resolved(parsed.name, where))
    return frozenset(_few(names, [tmpl.RESOURCES]))


def _calls(tmpl: Any, stack: Any, snippet: Any, path: list[Any]
           ) -> Iterator[tuple[Any, list[Any]]]:
    """Yield (call, path) of the imports in a snippet that are made."""
    if isinstance(snippet, list):
        for index, item in enumerate(snippet):
            yield from _calls(tmpl, stack, item, [*path, index])
    if not isinstance(snippet, Mapping):
        return
    if IMPORT in snippet and len(snippet) == 1:
        yield snippet, path
        return
    for key, value in snippet.items():
        if key == _IF and len(snippet) == 1 and isinstance(value, list) and (
                len(value) == 3):
            holds = _holds(tmpl, stack, value[0], [*path, key, 0])
            value = value[1] if holds else value[2]
        yield from _calls(tmpl, stack, value, [*path, key])


def _holds(tmpl: Any, stack: Any, condition: Any, path: list[Any]) -> bool:
    return bool(_resolved(lambda: tmpl.conditions(stack).is_enabled(
        tmpl.parse_condition(stack, condition, path)), path))


def exported(tmpl: Any, stack: Any) -> dict[str, str]:
    """Return the names of the outputs by the names of their exports.

    :raises StackValidationFailed: an export is malformed
    """
    names: dict[str, str] = {}
    with diagnostics.Problems() as found:
        for output_name, data in _outputs(tmpl).items():
            if not isinstance(data, Mapping) or data.get(EXPORT) is None:
                continue
            path = [tmpl.OUTPUTS, output_name, EXPORT]
            with found.noting():
                if not tmpl.has_output(stack, output_name):
                    continue
                name = _export_name(tmpl, stack, data[EXPORT], path)
                if name in names:
                    raise exception.StackValidationFailed(
                        path=path, message=_(
                            'The output "%(other)s" has the export name '
                            '"%(name)s" already.') % {
                                'other': names[name], 'name': name})
                names[name] = output_name
            if found.full:
                break
    _few(names, [tmpl.OUTPUTS])
    return names


def _export_name(tmpl: Any, stack: Any, data: Any, path: list[Any]) -> str:
    if not isinstance(data, Mapping) or set(data) != {NAME}:
        raise exception.StackValidationFailed(
            path=path, message=_('An export must be a map with the key '
                                 '"%s" alone') % NAME)
    where = [*path, NAME]
    parsed = tmpl.parse(stack, data[NAME], where)
    if any(True for _each in function.dependencies(parsed)):
        raise exception.StackValidationFailed(
            path=where, message=_('The name of an export cannot depend on a '
                                  'resource'))
    name = _resolved(lambda: intrinsics.text_of(
        function.resolve(parsed), EXPORT), where)
    if not _GOOD_NAME.match(name):
        raise exception.StackValidationFailed(
            path=where, message=_('The name of an export must have 1 to 255 '
                                  'letters, digits, colons and hyphens'))
    return str(name)


def _resolved(compute: Any, path: list[Any]) -> Any:
    try:
        return compute()
    except exception.UserParameterMissing:
        raise
    except (exception.HeatException, ValueError, TypeError,
            KeyError) as exc:
        raise exception.StackValidationFailed(
            path=path, message=function.error_text(exc)) from exc


def _few(names: Any, path: list[Any]) -> Any:
    if len(names) > MAX_NAMES:
        raise exception.StackValidationFailed(
            path=path, message=_('A template may export %(most)d values and '
                                 'import %(most)d, but these are %(number)d')
            % {'most': MAX_NAMES, 'number': len(names)})
    return names
