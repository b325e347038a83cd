"""The parameter groups of a template: hints for user interfaces."""
import collections.abc
import functools
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine.language import diagnostics
from heat.engine.language import suggest

PARAMETER_GROUPS = 'parameter_groups'

GROUP_KEYS = (
    DESCRIPTION, LABEL, PARAMETERS,
) = (
    'description', 'label', 'parameters',
)


def _is_list(value: Any) -> bool:
    return (isinstance(value, collections.abc.Sequence) and
            not isinstance(value, str))


def _refuse(path: list[Any], message: str) -> None:
    raise exception.StackValidationFailed(
        error=_('Parameter Groups error'), path=path, message=message)


class ParameterGroups:
    """The groups that a template lays its parameters out in."""

    def __init__(self, tmpl: Any) -> None:
        self.tmpl = tmpl
        self.parameter_groups = (
            tmpl.t.get(PARAMETER_GROUPS)
            if PARAMETER_GROUPS in tmpl.SECTIONS else None)

    @functools.cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters that the template declares."""
        declared: dict[str, Any] = self.tmpl.parameters(None, {})
        return declared

    def validate(self) -> None:
        """Check that every group lists parameters that exist, each once.

        Raise StackValidationFailed with the path.
        """
        if self.parameter_groups is None:
            return
        if not _is_list(self.parameter_groups):
            _refuse([PARAMETER_GROUPS],
                    _('The parameter groups must be a list.'))
        seen: set[str] = set()
        with diagnostics.Problems() as found:
            for index, group in enumerate(self.parameter_groups):
                with found.noting():
                    self._validate_group(group, [PARAMETER_GROUPS, index],
                                         seen)
                if found.full:
                    break

    def _validate_group(self, group: Any, path: list[Any], seen: set[str]
                        ) -> None:
        if not isinstance(group, collections.abc.Mapping):
            _refuse(path, _('A parameter group must be a map.'))
        names = group.get(PARAMETERS)
        if names is None:
            _refuse(path, _('A parameter group must have a list of '
                            'parameters.'))
        path = path + [PARAMETERS]
        if not _is_list(names):
            _refuse(path, _('The parameters of a group must be a list.'))
        with diagnostics.Problems() as found:
            for index, name in enumerate(names):
                with found.noting():
                    self._validate_name(name, path + [index], seen)
                if found.full:
                    break

    def _validate_name(self, name: Any, here: list[Any], seen: set[str]
                       ) -> None:
        if not isinstance(name, str):
            _refuse(here, _('A parameter is listed by its name, not by %r.')
                    % (name,))
        if name in seen:
            _refuse(here, _('The parameter %s is listed more than once.')
                    % name)
        if name not in self.parameters:
            _refuse(here, _('The parameter %(name)s is not defined.%(hint)s')
                    % {'name': name,
                       'hint': suggest.hint(name, self.parameters)})
        seen.add(name)
