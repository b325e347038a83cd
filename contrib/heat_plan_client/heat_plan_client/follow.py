"""Follow an operation of a stack by its events until it ends."""
import time
from typing import Any, TextIO

from heatclient.common import event_utils
from heatclient.common import utils

#: Seconds between two looks, and how often the stack must look at rest
#: before an operation counts as ended that showed no event of its end.
INTERVAL = 2
_LOOKS = 3


def last_event(client: Any, stack: Any, depth: int) -> str | None:
    """Return the id of the latest event of a stack, or None."""
    found = event_utils.get_events(
        client, _identifier(stack), {'sort_dir': 'desc'},
        nested_depth=depth, limit=1)
    return found[0].id if found else None


def follow(client: Any, stack: Any, marker: str | None, out: TextIO,
           depth: int) -> Any:
    """Print events until the operation has ended; return the stack.

    A rollback belongs to the operation that it follows.

    :param marker: the id of the latest event before the operation
    """
    context = utils.EventLogContext()
    ended, at_rest = False, 0
    while True:
        # Asked before the events: none is missed that led to this state.
        found = client.stacks.get(_identifier(stack), resolve_outputs=False)
        events = event_utils.get_events(
            client, _identifier(stack), {'sort_dir': 'asc'},
            nested_depth=depth, marker=marker)
        if events:
            marker = events[-1].id
            out.write(utils.event_log_formatter(events, context) + '\n')
            out.flush()
        ended = ended or any(_is_end(each, stack) for each in events)
        if found.stack_status.endswith('_IN_PROGRESS'):
            at_rest = 0
        else:
            at_rest += 1
            if at_rest >= (1 if _is_final(found, ended) else _LOOKS):
                return found
        time.sleep(INTERVAL)


def _identifier(stack: Any) -> str:
    return f'{stack.stack_name}/{stack.id}'


def _is_end(event: Any, stack: Any) -> bool:
    """Return whether an event is the end of an operation of the stack."""
    return (getattr(event, 'physical_resource_id', '') == stack.id and
            event.resource_status.endswith(('_COMPLETE', '_FAILED')))


def _is_final(stack: Any, ended: bool) -> bool:
    """Return whether nothing can follow the state of a stack."""
    failed = stack.stack_status in ('CREATE_FAILED', 'UPDATE_FAILED')
    return ended and not (failed and not stack.disable_rollback)
