"""Freeing a tree of stacks that nobody works on any more."""
from typing import Any

import sqlalchemy as sa

from heat.common import exception
from heat.db import models
from heat.db import query
from heat.db import session
from heat.db import stack

_STACK = models.STACK
_RESOURCE = models.RESOURCE
_DATA = models.RESOURCE_DATA

# The keys of resource data under which a breakpoint is set.
HOOK_KEYS = ('pre-create', 'pre-update', 'pre-delete',
             'post-create', 'post-update', 'post-delete')

_REASON = 'Reset by an operator'


def reset_stack_status(context: Any, stack_id: str) -> None:
    """Fail what is in progress in a stack and those below it.

    Claims, locks and breakpoints go, so that the next operation can begin.
    No engine may be working on the tree meanwhile.
    """
    if stack.stack_get(context, stack_id) is None:
        raise exception.NotFound(
            f'Stack with id {stack_id} could not be found.')
    below = stack.stack_get_all_by_root_owner_id(context, stack_id)
    _reset(context, [stack_id, *(row.id for row in below)])


@session.writes
def _reset(conn: sa.Connection, stack_ids: list[str]) -> None:
    for some in query.chunks(stack_ids):
        of_stacks = _RESOURCE.c.stack_id.in_(some)
        conn.execute(_DATA.delete().where(
            _DATA.c.key.in_(HOOK_KEYS),
            _DATA.c.resource_id.in_(
                sa.select(_RESOURCE.c.id).where(of_stacks))))
        conn.execute(
            _RESOURCE.update()
            .where(of_stacks, _RESOURCE.c.status == 'IN_PROGRESS')
            .values(status='FAILED', status_reason=_REASON))
        # Who still believes to hold a row must lose its next swap.
        conn.execute(
            _RESOURCE.update()
            .where(of_stacks, _RESOURCE.c.engine_id.is_not(None))
            .values(engine_id=None, atomic_key=sa.func.coalesce(
                _RESOURCE.c.atomic_key, 0) + 1))
        conn.execute(
            _STACK.update()
            .where(_STACK.c.id.in_(some), _STACK.c.status == 'IN_PROGRESS')
            .values(status='FAILED', status_reason=_REASON))
        conn.execute(models.STACK_LOCK.delete().where(
            models.STACK_LOCK.c.stack_id.in_(some)))
