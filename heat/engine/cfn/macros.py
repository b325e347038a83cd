"""Macros of AWS, which run there only: templates that need them are refused.

See the AWS CloudFormation User Guide, "Fn::Transform" and "Transform section".
"""
from collections.abc import Iterator, Mapping
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine.cfn import intrinsics

CALL = 'Fn::Transform'
_NAME = 'Name'


def calls(data: Mapping[str, Any]) -> Iterator[tuple[list[Any], Any]]:
    """Yield (path, name) of the macros that parts of a template call."""
    for path, call in intrinsics.calls(data, CALL):
        yield path, call.get(_NAME) if isinstance(call, Mapping) else call


def unavailable(path: list[Any], name: Any, known: str | None = None
                ) -> exception.StackValidationFailed:
    """Return an error that says what to do about a macro.

    :param known: the macro that can be used in its place
    """
    text = _('The macro "%(name)s" runs at AWS only. Expand the template '
             'there, or replace the macro with its result.') % {'name': name}
    if known is not None:
        text += ' ' + _('The macro %s is available.') % known
    return exception.StackValidationFailed(path=path, message=text)
