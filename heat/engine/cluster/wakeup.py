"""Wake-ups of tasks that wait for an event, in all engines.

Who waits in this process is woken at once. If nobody does, other engines
are told by a message, which is a hint like all messages: a waiting task looks
for itself now and then.
"""
import threading
import typing
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import current_engine
from heat.engine.cluster import interface as cluster_interface
from heat.engine.cluster import peers
from heat.objects import transaction

LOG = logging.getLogger(__name__)

#: Seconds for which keys are collected, to go out in one message.
COLLECTING = 0.1
#: Most keys in a message.
KEYS_PER_MESSAGE = 500


class WakeupNotifier:
    """Announces events to this process and to other engines.

    :param engine_context: stack_driver.EngineContext
    """

    def __init__(self, engine_context: cluster_interface.EngineContext
                 ) -> None:
        self._engine = engine_context
        self._peers = peers.Peers(engine_context.engine_id)
        self._lock = threading.Lock()
        self._keys: dict[Any, bool] = {}

    def announce(self, key: tuple[Any, ...], *, far: bool = True,
                 many: bool = False) -> None:
        """Wake who waits for the key.

        :param far: whether somebody may wait for it in another engine
        :param many: whether several may, in different engines
        """
        was_heard = self._engine.pool.wake(key) and not many
        if was_heard or not far or self._engine.worker_client is None:
            return
        with self._lock:
            is_first = not self._keys
            self._keys[tuple(key)] = True
        if is_first:
            try:
                self._engine.pool.spawn(self._publish_task(), 'announce')
            except RuntimeError:
                # We are about to stop, and so is whoever waits here.
                self._publish()

    def _publish_task(self) -> Any:
        """A task to publish to other engines what has come together."""
        yield COLLECTING
        self._publish()

    def _publish(self) -> None:
        with self._lock:
            keys, self._keys = list(self._keys), {}
        context = heat_context.get_admin_context()
        try:
            if not self._peers.are_alive(context):
                return
        except transaction.Unavailable:
            LOG.debug('Nobody knows which engines there are')
        for start in range(0, len(keys), KEYS_PER_MESSAGE):
            self._engine.worker_client.wake(
                context, [list(key) for key in
                          keys[start:start + KEYS_PER_MESSAGE]])


def announce(key: tuple[Any, ...], *, far: bool = True, many: bool = False
             ) -> None:
    """Wake who waits for the key: a tuple of texts and numbers."""
    engine = current_engine.get()
    if engine is not None:
        engine.announce(key, far=far, many=many)


class Wakeup(tuple[Any, ...]):
    """A key with what has come about; equal to the plain key.

    Others than this process are told no more than the key.
    """

    content: typing.Any = None


def stack_ended(stack: cluster_interface.Stack,
                traversal_id: str | None = None, *, far: bool = True) -> None:
    """Wake who waits for the end of an operation of a stack.

    For a stack at the top only who began it waits, in the same engine. Who
    began the traversal need not look at the stack any more.

    :param far: whether somebody in another engine may wait for it
    """
    key = Wakeup(('stack', stack.id))
    if traversal_id is not None:
        key.content = traversal_id, (stack.action, stack.status,
                                     stack.status_reason, stack.updated_time)
    announce(key, far=far and stack.owner_id is not None)
