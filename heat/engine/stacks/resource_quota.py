"""The quotas of resources in a tree, and of stacks in a project.

Of a tree that grows by a thousand nested stacks the resources are counted
some dozen times, not a thousand times.
"""
import collections
import threading

from oslo_config import cfg

from heat.common import context as heat_context
from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine.stacks import interface
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import validation as stack_validation

#: Seconds for which a count holds: other engines add to the tree, too.
_HOLDS = 5
#: The part of the room left that may be taken before there is another count.
#: Four engines that count at the same moment stay within the limit.
_SHARE = 0.25
#: The number of trees that are remembered.
_TREES = 100


class _Room:
    """The resources that may be added to a tree before the next count."""

    __slots__ = ('limit', 'left', 'until')

    def __init__(self, limit: int, present: int) -> None:
        self.limit = limit
        self.left = int((limit - present) * _SHARE)
        self.until = timeutils.wallclock() + _HOLDS

    def take(self, limit: int, number: int) -> bool:
        """Return whether a number may be added, and count them."""
        if (self.limit != limit or self.left < number or
                self.until < timeutils.wallclock()):
            return False
        self.left -= number
        return True


_rooms: collections.OrderedDict[str, _Room] = collections.OrderedDict()
_counting = threading.Lock()


def take(context: heat_context.RequestContext, root_id: str, limit: int,
         number: int) -> None:
    """Add resources to a tree; raise RequestLimitExceeded without room.

    Not to be called in a transaction: one task counts, others wait for it.

    :param root_id: the id of the outermost stack, None if it is not stored
    :param limit: how many resources the tree may have
    :param number: how many are to be added
    """
    with _counting:
        room = _rooms.get(root_id)
        if room is not None and room.take(limit, number):
            return
        present = 0 if root_id is None else stack_store.total_resources(
            context, root_id)
        if present + number > limit:
            raise stack_store.limit_error(limit)
        if root_id is not None:
            _rooms[root_id] = _Room(limit, present + number)
            _rooms.move_to_end(root_id)
            if len(_rooms) > _TREES:
                _rooms.popitem(last=False)


def check_tree(stack: interface.Stack, current: interface.Stack | None = None
               ) -> None:
    """Raise RequestLimitExceeded when nested stacks make it too many.

    :param stack: a root stack that has been validated.
    :param current: the stack before the update: an update may leave a tree
        above the limit, but not add to it.
    """
    limit = cfg.CONF.max_resources_per_stack
    size = stack_validation.tree_size(stack)
    if limit == -1 or size <= limit:
        return
    if current is not None and size <= stack_store.total_resources(
            current.context, current.id):
        return
    raise exception.RequestLimitExceeded(message=_(
        'The stack and those nested in it have %(count)d resources, '
        'max_resources_per_stack allows %(limit)d.') % {
            'count': size, 'limit': limit})
