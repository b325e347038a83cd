"""Tags of stacks, for those who know them as records of their own."""
from collections.abc import Sequence
from typing import Any

from heat.db import api as db_api


class StackTagList:
    """The tags of one stack."""

    @staticmethod
    def get(context: Any, stack_id: str) -> list[str]:
        """Return the tags of a stack."""
        return db_api.stack_tags_get(context, [stack_id]).get(stack_id, [])

    @staticmethod
    def set(context: Any, stack_id: str, tags: Sequence[str]) -> None:
        """Replace the tags of a stack."""
        db_api.stack_tags_set(context, stack_id, tags)

    @staticmethod
    def delete(context: Any, stack_id: str) -> None:
        """Remove all tags of a stack."""
        db_api.stack_tags_set(context, stack_id, [])
