"""What a stack, and those nested in it, are protected from, as stored."""
from collections.abc import Mapping
import dataclasses
from typing import Any

from heat.db import api as db_api
from heat.objects import base


@dataclasses.dataclass(slots=True)
class StackProtection:
    """The protection of a stack; one without a row has the defaults.

    :ivar termination: whether the stack may not be deleted or abandoned
    :ivar policy: which resources updates may change, or None
    :ivar retained: paths of resources that a deletion leaves
    """

    stack_id: str
    termination: bool = False
    policy: Any = None
    retained: list[str] | None = None

    @classmethod
    def get(cls, context: Any, stack_id: str) -> 'StackProtection':
        """Return the protection of a stack."""
        row = db_api.stack_protection_get(context, stack_id)
        return cls(stack_id) if row is None else base.record(cls, row)

    @classmethod
    def get_protected_ids(cls, context: Any, tenant: str) -> list[str]:
        """Return the ids of a project's stacks that may not be deleted."""
        return db_api.stack_protection_get_terminal(context, tenant)

    @classmethod
    def set(cls, context: Any, stack_id: str, values: Mapping[str, Any]
            ) -> None:
        """Write some of the values of a stack."""
        db_api.stack_protection_set(context, stack_id, values)
