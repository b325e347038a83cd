"""The attributes of a stack that its row keeps, each declared once.

What is read from a row, written to one, or taken over by another stack of
the same row derives from StackFields.
"""
from collections.abc import Mapping
import dataclasses
import datetime
import typing
from typing import Annotated, Any, Protocol

from heat.objects import stack as stack_objects

_UNSET: Any = None


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """The column of an attribute.

    :ivar name: its name in the table, if that is not the attribute's
    :ivar option: the argument of Stack, if it is not named as the attribute
    :ivar null: the value of the attribute where the column is NULL
    :ivar written: whether a stack that is stored writes it
    """

    name: str | None = None
    option: str | None = None
    null: Any = None
    written: bool = True


class StackFields(Protocol):
    """The attributes that Stack takes as arguments, with their defaults.

    The annotated ones are columns; the others last as long as the object.
    """

    id: Annotated[Any, Column(option='stack_id', written=False)] = None
    # These and the time of its creation are set when a stack is stored.
    action: Annotated[str, Column()] = _UNSET
    status: Annotated[str, Column()] = _UNSET
    status_reason: Annotated[str, Column()] = ''
    timeout_mins: Annotated[int | None, Column('timeout')] = None
    disable_rollback: Annotated[bool, Column()] = True
    parent_resource_name: Annotated[
        str | None, Column(option='parent_resource')] = None
    owner_id: Annotated[str | None, Column()] = None
    stack_user_project_id: Annotated[str | None, Column()] = None
    created_time: Annotated[
        datetime.datetime, Column('created_at', written=False)] = _UNSET
    updated_time: Annotated[
        datetime.datetime | None, Column('updated_at')] = None
    deleted_time: Annotated[
        datetime.datetime | None,
        Column('deleted_at', written=False)] = None
    user_creds_id: Annotated[int | None, Column()] = None
    tenant_id: Annotated[str | None, Column('tenant')] = None
    username: Annotated[str | None, Column()] = None
    nested_depth: Annotated[int, Column(null=0)] = 0
    convergence: Annotated[bool, Column(null=False)] = False
    current_traversal: Annotated[str | None, Column()] = None
    prev_raw_template_id: Annotated[int | None, Column()] = None
    current_deps: Annotated[dict[str, Any] | None, Column()] = None
    backup: Annotated[bool, Column(null=False)] = False

    adopt_stack_data: dict[str, Any] | None = None
    use_stored_context: bool = False
    strict_validate: bool = True
    cache_data: dict[str, Any] | None = None
    converge: bool = False
    refresh_cred: bool = False


def _declared() -> dict[str, Column | None]:
    """Return {attribute: its column}; None for what no row keeps."""
    hints = typing.get_type_hints(StackFields, include_extras=True)
    return {name: next((one for one in getattr(hint, '__metadata__', ())
                        if isinstance(one, Column)), None)
            for name, hint in hints.items()}


_DECLARED = _declared()
_COLUMNS = {name: column for name, column in _DECLARED.items()
            if column is not None}

_OPTIONS = {name: (column.option if column else None) or name
            for name, column in _DECLARED.items()}
_ATTRIBUTES = {option: name for name, option in _OPTIONS.items()}
_DEFAULTS = {name: getattr(StackFields, name) for name in _DECLARED}


def of_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all attributes, given the arguments of Stack.

    :raises TypeError: there is no such argument.
    """
    unknown = options.keys() - _ATTRIBUTES.keys()
    if unknown:
        raise TypeError(f'A stack has no option {sorted(unknown)[0]!r}.')
    return {**_DEFAULTS, **{_ATTRIBUTES[option]: value
                            for option, value in options.items()}}


def of_row(row: stack_objects.Stack) -> dict[str, Any]:
    """Return the arguments of Stack that a row holds, but for the tags."""
    options = {}
    for name, column in _COLUMNS.items():
        value = getattr(row, column.name or name)
        options[_OPTIONS[name]] = column.null if value is None else value
    return options


def of_stack(stack: StackFields) -> dict[str, Any]:
    """Return the arguments for another Stack object of the same row."""
    return {_OPTIONS[name]: getattr(stack, name) for name in _COLUMNS}


def columns(stack: StackFields) -> dict[str, Any]:
    """Return the columns that storing a stack writes.

    Its name and its template are not among them.
    """
    return {column.name or name: getattr(stack, name)
            for name, column in _COLUMNS.items() if column.written}
