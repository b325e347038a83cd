"""The only writer of stack states.

A move is planned (and checked), written together with its event in one
transaction, and then published: memory follows, and observers hear of it.
"""
from collections.abc import Callable
import dataclasses
import datetime
from typing import Any

from oslo_log import log as logging

from heat.common import metrics
from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine import status as states
from heat.engine.notification import stack as notification
from heat.engine.stacks import events as stack_events
from heat.engine.stacks import exports as stack_exports
from heat.engine.stacks import interface
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import stack as stack_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

#: A TEXT column of MySQL holds 65535 bytes, a character takes up to four.
REASON_LIMIT = 16000
#: After these the time of the last update stays as it is.
_FIRST_ACTIONS = frozenset([states.StackStatus.CREATE,
                            states.StackStatus.ADOPT])


def start_reason(action: str) -> str:
    """Return the reason of a stack whose action has started."""
    return _('Stack %s started') % action


def completion_reason(action: str) -> str:
    """Return the reason of a stack whose action has completed."""
    return _('Stack %s completed successfully') % action


@dataclasses.dataclass(frozen=True, slots=True)
class StackTransition:
    """A change of state that has been found legal."""

    action: str
    status: str
    reason: str
    values: dict[str, Any]
    event: dict[str, Any]


def plan(stack: interface.Stack, action: str, status: str, reason: str,
         values: dict[str, Any] | None = None,
         after: StackTransition | None = None) -> StackTransition:
    """Return a legal move of a stack; raise IllegalMove when it is not.

    :param values: further columns of the row to write with it.
    :param after: another move, that is made before this one
    """
    before = after or stack
    states.check_stack_move(stack.name, (before.action, before.status),
                            (action, status))
    columns = dict(values or {})
    columns.update(action=action, status=status,
                   status_reason=(reason or '')[:REASON_LIMIT])
    if (status == states.StackStatus.IN_PROGRESS
            and action not in _FIRST_ACTIONS):
        columns.setdefault('updated_at', _time_of_update(stack))
    return StackTransition(action, status, columns['status_reason'], columns,
                stack_events.stack_values(stack, action, status, reason))


def _time_of_update(stack: interface.Stack) -> datetime.datetime:
    """Return the time of update of a stack whose action starts now.

    A nested stack and its resource share the time of an update that the
    parent stack has started. If a nested stack is acted upon directly, its
    time must differ: the next update of the parent then visits the nested
    stack. The difference is a second since MySQL stores whole seconds.
    """
    now, before = heat_timeutils.utcnow(), stack.updated_time
    if stack.owner_id is None or before is None:
        return now
    return max(now, before + datetime.timedelta(seconds=1))


def add_event(stack: interface.Stack, move: StackTransition) -> None:
    """Record what happens to the stack itself, inside a transaction.

    :raises ExportConflict: the stack is to be deleted, but exports a value
        that another one imports
    """
    if (move.action, move.status) == (states.StackStatus.DELETE,
                                      states.StackStatus.IN_PROGRESS):
        stack_exports.release(stack.context, stack.id)
    stack_events.add(stack.context, move.event)


def write(stack: interface.Stack, move: StackTransition,
          expected: dict[str, Any] | None = None) -> bool:
    """Write row and event; database effects only, may be run again.

    :param expected: column values the row must still have; False is
        returned, and nothing written, when it has not.
    """
    if expected is not None:
        done = stack_objects.Stack.select_and_update(
            stack.context, stack.id, move.values, expected)
    else:
        done = stack_objects.Stack.update_by_id(
            stack.context, stack.id, move.values)
    if done:
        add_event(stack, move)
    return bool(done)


def publish(stack: interface.Stack, move: StackTransition) -> None:
    """Take over in memory what has been written, and tell observers."""
    stack.action = move.action
    stack.status = move.status
    stack.status_reason = move.reason
    if 'updated_at' in move.values:
        stack.updated_time = move.values['updated_at']
    LOG.info('Stack %s (%s) is %s_%s', stack.name, stack.id, move.action,
             move.status)
    if stack.backup:
        # What keeps the replaced resources of an update is nobody's stack.
        return
    if move.status != states.StackStatus.IN_PROGRESS:
        metrics.STACK_ACTIONS.labels(move.action, move.status).inc()
    stack_events.dispatch(stack, move.event)
    notification.send(stack)


def transition(stack: interface.Stack, action: str, status: str, reason: str,
               *, expected: dict[str, Any] | None = None,
               store: Callable[[], dict[str, Any]] | None = None) -> bool:
    """Make a move at once; False when the row was not as expected.

    :param store: writes, in the same transaction, what belongs to the move,
        and returns further columns of the row; it may be run again
    """
    move = plan(stack, action, status, reason)

    def write_all() -> bool:
        if store is not None:
            move.values.update(store())
        return write(stack, move, expected)

    done = transaction.run(stack.context, write_all)
    if done:
        publish(stack, move)
    return done


def transition_task(stack: interface.Stack, action: str, status: str,
                    reason: str, *, values: dict[str, Any] | None = None,
                    expected: dict[str, Any] | None = None
                    ) -> scheduler.TaskGenerator[Any]:
    """A task to make a move with the writes of others."""
    move = plan(stack, action, status, reason, values)
    done = yield group_commit.Write(lambda: write(stack, move, expected))
    if done:
        publish(stack, move)
    return done


def transitions_task(stack: interface.Stack, *moves: StackTransition
                     ) -> scheduler.TaskGenerator[Any]:
    """A task to make moves as one: nobody sees the stack in between.

    Return false, and make none, when the stack has got another state.
    """
    def write_all() -> bool:
        first, *others = moves
        if not write(stack, first, {'action': stack.action,
                                    'status': stack.status}):
            return False
        for move in others:
            write(stack, move)
        return True

    done = yield group_commit.Write(write_all)
    if done:
        for move in moves:
            publish(stack, move)
    return done
