"""Rendezvous rows of traversals as stored."""
from collections.abc import Iterable, Mapping
import dataclasses
import datetime
from typing import Any

from heat.db import api as db_api
from heat.objects import base

# (entity id, is_update); the id is that of a resource row, or of the stack.
Key = tuple[int | str, bool]


@dataclasses.dataclass(slots=True)
class SyncPoint:
    """Where a node of a traversal waits for its predecessors.

    ``pending`` is None in rows of engines that merge ``input_data``.
    """

    entity_id: str
    traversal_id: str
    is_update: bool
    atomic_key: int
    stack_id: str
    input_data: Any = None
    extra_data: Any = None
    pending: int | None = None
    done: bool = False
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @property
    def key(self) -> tuple[str, bool]:
        """Return what tells this row from others of the traversal."""
        return self.entity_id, self.is_update

    @classmethod
    def create_many(cls, context: Any, values: Iterable[Mapping[str, Any]]
                    ) -> None:
        """Store rows with few statements.

        Needed are entity_id, traversal_id, is_update, stack_id.
        """
        db_api.sync_point_create_many(context, [
            {'atomic_key': 0, 'input_data': {}, 'extra_data': None,
             'pending': None, 'done': False,
             **one, 'entity_id': str(one['entity_id'])} for one in values])

    @classmethod
    def get_by_key(cls, context: Any, entity_id: int | str,
                   traversal_id: str, is_update: bool
                   ) -> 'SyncPoint | None':
        """Return a row, or None."""
        return next(iter(cls.get_all_by_key(
            context, [traversal_id], [(entity_id, is_update)])), None)

    @classmethod
    def get_all_by_key(cls, context: Any, traversal_ids: Iterable[str],
                       keys: Iterable[Key]) -> list['SyncPoint']:
        """Return rows of traversals, of which all have different nodes."""
        return [base.record(cls, row) for row in
                db_api.sync_point_get_all_by_key(
                    context, list(traversal_ids), _texts(keys))]

    @classmethod
    def ready_of_many(cls, context: Any, traversal_ids: Iterable[str]
                      ) -> list[tuple[str, tuple[str, bool]]]:
        """Return (traversal, key) of nodes that are ready and not done."""
        return db_api.sync_point_ready_of_many(context, list(traversal_ids))

    @classmethod
    def get_all_by_traversal(cls, context: Any, traversal_id: str
                             ) -> list['SyncPoint']:
        """Return all rows of a traversal."""
        return [base.record(cls, row) for row in
                db_api.sync_point_get_all_by_traversal(
                    context, traversal_id)]

    @classmethod
    def delete_all_of_stacks(cls, context: Any, stack_ids: Iterable[str]
                             ) -> int:
        """Delete all rows of stacks; return how many there were."""
        return db_api.sync_point_delete_all_of_stacks(context,
                                                      list(stack_ids))

    @classmethod
    def finish(cls, context: Any, traversal_ids: Iterable[str],
               keys: Iterable[Key]) -> int:
        """Mark nodes as done; return how many of them were not before.

        Of several traversals all must have different nodes.
        """
        return db_api.sync_point_finish(context, list(traversal_ids),
                                        _texts(keys))

    @classmethod
    def release(cls, context: Any, traversal_ids: Iterable[str],
                keys: Iterable[Key]) -> None:
        """Count down one predecessor of each node, of any traversals.

        Of several traversals all must have different nodes.
        """
        db_api.sync_point_release(context, list(traversal_ids), _texts(keys))

    @classmethod
    def finish_one(cls, context: Any, traversal_id: str, key: Key,
                   waiting: Iterable[Key]) -> bool:
        """Mark a node as done and count it off from those that wait for it.

        Return whether it was not done before; else nothing is changed.
        """
        [mine] = _texts([key])
        return db_api.sync_point_finish_one(context, traversal_id, mine,
                                        _texts(waiting))

    @classmethod
    def satisfy(cls, context: Any, traversal_id: str,
                counts: Mapping[Key, int]) -> list[tuple[str, bool]]:
        """Count down the predecessors of nodes.

        Return the keys of those that now wait for nobody and are not done.
        """
        return db_api.sync_point_satisfy(
            context, traversal_id,
            {(str(entity_id), bool(is_update)): number
             for (entity_id, is_update), number in counts.items()})

    @classmethod
    def count_open(cls, context: Any, traversal_id: str) -> int:
        """Count the nodes not done, the stack's own row excepted."""
        return db_api.sync_point_count_open(context, traversal_id)

    @classmethod
    def ready(cls, context: Any, traversal_id: str,
              limit: int | None = None, among: Iterable[Key] | None = None
              ) -> list[tuple[str, bool]]:
        """Return keys of nodes that wait for nobody and are not done."""
        return db_api.sync_point_ready(
            context, traversal_id, limit,
            None if among is None else _texts(among))

    @classmethod
    def update_input_data(cls, context: Any, entity_id: int | str,
                          traversal_id: str, is_update: bool,
                          atomic_key: int, input_data: Any,
                          extra_data: Any = None) -> bool:
        """Replace what predecessors sent: compare and swap."""
        values = {'input_data': input_data}
        if extra_data is not None:
            values['extra_data'] = extra_data
        return db_api.sync_point_update_input_data(
            context, (str(entity_id), is_update), traversal_id, atomic_key,
            values)

    @classmethod
    def update_many(cls, context: Any, traversal_id: str,
                    keys: Iterable[Key], values: Mapping[str, Any]) -> int:
        """Write the same values to rows of a traversal."""
        return db_api.sync_point_update_many(context, traversal_id,
                                             _texts(keys), values)


def _texts(keys: Iterable[Key]) -> list[tuple[str, bool]]:
    return [(str(entity_id), bool(is_update))
            for entity_id, is_update in keys]
