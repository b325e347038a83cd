"""Locks by which one engine works on a stack alone."""
from typing import Any

from heat.db import api as db_api


class StackLock:
    """The lock of a stack: at most one engine holds it."""

    @staticmethod
    def create(context: Any, stack_id: str, engine_id: str) -> str | None:
        """Take the lock; None if taken, else the engine that holds it."""
        return db_api.stack_lock_create(context, stack_id, engine_id)

    @classmethod
    def get_engine_id(cls, context: Any, stack_id: str) -> str | None:
        """Return the engine that holds the lock, if any."""
        return db_api.stack_lock_get_engine_id(context, stack_id)

    @staticmethod
    def get_all(context: Any) -> dict[str, str]:
        """Return the engine of each lock, by the id of the stack."""
        return db_api.stack_lock_get_all(context)

    @staticmethod
    def steal(context: Any, stack_id: str, old_engine_id: str,
              new_engine_id: str) -> str | bool | None:
        """Take the lock from an engine that is gone.

        Return None if it was taken over, True if it was released
        meanwhile, else the engine that holds it now.
        """
        return db_api.stack_lock_steal(context, stack_id, old_engine_id,
                                       new_engine_id)

    @staticmethod
    def hold(context: Any, stack_id: str, engine_id: str) -> bool:
        """Keep the lock to the end of the transaction; False if not ours.
        """
        return db_api.stack_lock_hold(context, stack_id, engine_id)

    @staticmethod
    def release(context: Any, stack_id: str, engine_id: str) -> bool:
        """Give the lock back; False if this engine did not hold it."""
        return db_api.stack_lock_release(context, stack_id, engine_id)
