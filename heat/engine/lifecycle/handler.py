"""Call the handlers of a plugin, with the properties each is to see.

Records nothing; that is resource_action's.
"""
from collections.abc import Callable, Iterator
import contextlib
import dataclasses
import typing
from typing import Any, TypeVar

from oslo_log import log as logging

from heat.common import exception
from heat.common import timeutils
from heat.engine import function
from heat.engine import rsrc_defn
from heat.engine import status
from heat.engine.lifecycle import fence as stack_fence
from heat.engine.stacks import interface
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: Seconds between two looks at an action that is not complete.
POLL_INTERVAL = 1

#: Who polls a service may let pass this part of the time waited so far, but
#: no more than so many seconds: a long wait is some dozen requests.
_PATIENCE, _MOST_PATIENCE = 0.1, 10
#: Handlers that are followed by one wait, not by one step after another.
_WAITING = frozenset(['create', 'delete'])

_DELETE, _SNAPSHOT = 'Delete', 'Snapshot'


_Method = TypeVar('_Method', bound=Callable[..., Any])


class PollDelay(Exception):
    """Raised by a check to leave out the next period - 1 polls."""

    def __init__(self, period: int) -> None:
        if period < 1:
            raise ValueError('The period of polls is at least 1')
        self.period = period
        super().__init__(period)


@dataclasses.dataclass(frozen=True, slots=True)
class Spent:
    """For how many seconds an attempt acted, and then polled."""

    acting: float
    polling: float


@dataclasses.dataclass(frozen=True, slots=True)
class Begun:
    """An action whose handler has been called, perhaps by a dead engine."""

    cookie: typing.Any


class Call:
    """A handler with its arguments, and the check that follows it.

    begin() calls the handler, and poll() looks whether it is complete.
    close() cancels what is neither complete nor failed.

    :ivar cookie: what the handler returned: the check is given it
    """

    def __init__(self, resource: interface.Resource, handler: str, *args: Any,
                 check: str | None = None, **kwargs: Any) -> None:
        self.cookie = None
        self.handler = handler
        self._resource = resource
        self._name = check or handler
        self._handler = _method(resource, 'handle_' + handler)
        self._check: Callable[..., Any] | None = None
        self._args = args
        self._kwargs = kwargs
        self._is_open = False
        self._looks, self._began = 0, 0.0
        self._called: float | None = None

    def exists(self) -> bool:
        """Return whether the plugin has the handler."""
        return self._handler is not None

    def begin(self, begun: Begun | None = None) -> None:
        """Call the handler, unless that was done before.

        :param begun: a Begun, when the handler was called before
        """
        if begun is None:
            self._called = self._began = timeutils.wallclock()
        if self._handler is None:
            return
        try:
            self.cookie = (begun.cookie if begun is not None else _guarded(
                self._handler, *self._args, **self._kwargs))
        finally:
            self._began = timeutils.wallclock()
        self._check = _method(self._resource,
                              'check_%s_complete' % self._name)
        self._is_open = self._check is not None

    def spent(self) -> Spent | None:
        """Return how long it has taken until now.

        None if the handler was not called here: a dead engine did that.
        Without a check nothing is polled: all of it is the handler's.
        """
        if self._called is None:
            return None
        now = timeutils.wallclock()
        polls_from = self._began if self._check is not None else now
        return Spent(polls_from - self._called, now - polls_from)

    def poll(self, timeout: scheduler.Timeout | None = None
             ) -> scheduler.Signal:
        """Look whether it is complete: None, or what to yield before the next.

        The first look comes right after the handler.

        :param timeout: a scheduler.Timeout to raise when it expires
        """
        if not self._is_open or self._check is None:
            return None
        if timeout is not None and timeout.expired():
            raise timeout
        polls = 1
        try:
            if _guarded(self._check, self.cookie):
                self._is_open = False
                return None
        except PollDelay as delay:
            polls = delay.period
        except Exception:
            self._is_open = False
            raise
        return self._wait(polls, timeout)

    def _wait(self, polls: int, timeout: scheduler.Timeout | None
              ) -> scheduler.Signal:
        """Return what to yield before the next look."""
        key = self._wake_key()
        within = key and self._wake_within(self.cookie)
        # Who is told of the end need not look so often.
        self._looks = self._looks + 1 if within else 0
        now = timeutils.wallclock()
        pause = max(polls * POLL_INTERVAL, self._patience(now - self._began))
        if getattr(self._resource, 'looks_together', False):
            pause = _to_tick(now, pause)
        if within:
            slow = POLL_INTERVAL * 2 ** min(self._looks, 10)
            pause = min(max(pause, slow), within)
        if timeout is not None:
            pause = min(pause, timeout.remaining())
        return pause if key is None else task_pool.WaitFor(key, pause)

    def leave(self) -> None:
        """Leave what was begun to another engine, which has the resource now.

        To cancel it would stop the nested stack, or the deployment, that the
        other engine waits for.
        """
        self._is_open = False

    def close(self) -> None:
        """Have the plugin cancel what was begun and is not complete."""
        if self._is_open:
            self._is_open = False
            self._cancel(self.cookie)

    def task(self) -> scheduler.TaskGenerator[None]:
        """A task to call the handler and poll until it is complete."""
        try:
            self.begin()
            while (pause := self.poll()) is not None:
                yield pause
        finally:
            self.close()

    def _patience(self, waited: float) -> float:
        """Return the least seconds to the next look, which costs requests.

        A resource that asks a service how far it is has patient = True.
        """
        if self._name in _WAITING and getattr(self._resource, 'patient',
                                              False):
            return min(waited * _PATIENCE, _MOST_PATIENCE)
        return 0

    def _wake_key(self) -> object:
        """Return the key of the event that ends the wait, or None.

        A resource whose end somebody announces has a method wake_key().
        """
        wake_key = _method(self._resource, 'wake_key')
        return wake_key() if wake_key is not None else None

    def _wake_within(self, cookie: Any) -> float | None:
        """Return in how many seconds to look at the latest, or None.

        That is for the plugin to say, in a method wake_within(): it knows
        what happens by itself.
        """
        within = _method(self._resource, 'wake_within')
        return within(cookie) if within is not None else None

    def _cancel(self, cookie: Any) -> None:
        cancel = _method(self._resource, 'handle_%s_cancel' % self._name)
        if cancel is not None and not stack_fence.is_lost():
            try:
                cancel(cookie)
            except Exception:
                LOG.exception('Cancelling %s of resource "%s" failed',
                              self._name, self._resource.name)


def _to_tick(now: float, pause: float) -> float:
    """Return a pause that ends on a multiple of the polling interval.

    It differs from the given pause by at most half an interval.
    """
    beyond = (now + pause) % POLL_INTERVAL
    if beyond > POLL_INTERVAL / 2:
        return pause - beyond + POLL_INTERVAL
    return pause - beyond


def _method(resource: interface.Resource, name: str
            ) -> Callable[..., Any] | None:
    method = getattr(resource, name, None)
    return method if callable(method) else None


def _guarded(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a plugin; a stray StopIteration would end our own task."""
    try:
        return method(*args, **kwargs)
    except StopIteration as error:
        raise RuntimeError('%s raised StopIteration'
                           % method.__name__) from error


def pass_on(resource: Any, woken: Any) -> None:
    """Let a plugin have what came with the event that it waited for."""
    content = getattr(woken, 'content', None)
    if content is not None:
        resource.hear(*content)


def call_for(resource: interface.Resource, action: str, *,
             state: tuple[str, str] | None = None,
             new_defn: rsrc_defn.ResourceDefinition | None = None,
             tmpl_diff: Any = None, prop_diff: dict[str, Any] | None = None,
             adopt_data: dict[str, Any] | None = None, undo: bool = False
             ) -> Call:
    """Return the Call that carries out an action.

    :param state: (action, status) before, for a delete with snapshot
    :param undo: a DELETE that removes what a failed create left
    """
    if action == _R.UPDATE:
        return Call(resource, 'update', new_defn, tmpl_diff, prop_diff)
    if action == _R.ADOPT:
        return Call(resource, 'adopt', resource_data=adopt_data)
    if action == _R.DELETE and not undo:
        if resource.abandon_in_progress:
            return Call(resource, 'abandon')
        policy = deletion_policy(resource)
        if (resource.external_id is not None or
                policy not in (_DELETE, _SNAPSHOT)):
            return Call(resource, 'nothing_to_retain')
        if policy == _SNAPSHOT:
            return Call(resource, 'snapshot_delete', state, check='delete')
    return Call(resource, action.lower())


def deletion_policy(resource: interface.Resource) -> Any:
    """Return the policy by which a resource is deleted.

    One that has been replaced may have a policy for that.
    """
    if resource.replaced_by is not None or resource.stack.backup:
        return resource.t.update_replace_policy()
    return resource.t.deletion_policy()


def optional_hook(method: _Method) -> _Method:
    """Mark a method that is there for plugins to override."""
    marked: Any = method
    marked.optional_hook = True
    return method


def is_overridden(resource: interface.Resource, name: str) -> bool:
    """Return whether a plugin does something in a method of that kind."""
    return not hasattr(getattr(type(resource), name), 'optional_hook')


def call_replacement_hook(resource: interface.Resource, name: str,
                          timeout: scheduler.Timeout | None = None,
                          **kwargs: Any) -> scheduler.TaskGenerator[None]:
    """A task to have prepare_for_replace() or restore_prev_rsrc() done.

    A plugin that would have to wait in it has a method such as
    check_prepare_for_replace_complete() besides, which is given what it
    returned, looks once, and tells whether that is complete.
    """
    cookie = _guarded(getattr(resource, name), **kwargs)
    check = _method(resource, 'check_%s_complete' % name)
    while check is not None and not _guarded(check, cookie):
        if timeout is not None and timeout.expired():
            raise timeout
        yield POLL_INTERVAL


def can_find(resource: interface.Resource) -> bool:
    """Return whether a plugin can look what an interrupted create has made."""
    return _method(resource, 'find_created') is not None


def find_created(resource: interface.Resource) -> Begun | None:
    """Return a Begun for what an interrupted create has made, or None.

    The plugin looks for it by its name, or by what else it knows; the check
    is given the physical id it finds.
    """
    plugin: Any = resource
    found = _guarded(plugin.find_created)
    if found is None:
        return None
    if found != resource.resource_id:
        resource.resource_id_set(found)
    return Begun(found)


def _frozen_for_delete(resource: interface.Resource
                       ) -> rsrc_defn.ResourceDefinition:
    """Return the definition with the properties that are known.

    Properties of a resource that was never created may have no values; the
    resource must be deletable nevertheless.
    """
    known = resource.row_state.properties
    if known is None:
        known = {}
        for name, value in (resource.properties.data or {}).items():
            with contextlib.suppress(Exception):
                known[name] = function.resolve(value)
    return resource.t.freeze_known(properties=known, metadata={})


@contextlib.contextmanager
def frozen_properties(resource: interface.Resource,
                      definition: rsrc_defn.ResourceDefinition | None = None
                      ) -> Iterator[Any]:
    """Let resource.properties be the stored values for a while."""
    live = resource.properties
    frozen = (definition or resource.frozen_definition()).properties(
        resource.properties_schema, resource.context)
    # What a value names may be gone, which must not stop a delete.
    resource.translate_properties(frozen, ignore_resolve_error=True)
    resource.properties = frozen
    try:
        yield frozen
    finally:
        if resource.properties is frozen:
            resource.properties = live


@contextlib.contextmanager
def properties_for(resource: interface.Resource, action: str, *,
                   first_try: bool = True) -> Iterator[Any]:
    """Let resource.properties be what the handler of an action may see."""
    if action == _R.CREATE:
        resource.reparse()
        if first_try:
            resource.properties.validate()
        yield
    elif action == _R.ADOPT:
        yield
    elif action == _R.DELETE:
        with frozen_properties(resource, _frozen_for_delete(resource)):
            yield
    else:
        with resource.frozen_properties():
            yield


def is_retryable(resource: interface.Resource, action: str,
                 error: BaseException | None) -> bool:
    """Return whether the same action may succeed when tried again."""
    if action == _R.CREATE and isinstance(error, exception.ResourceInError):
        return True
    if action == _R.DELETE and isinstance(
            error, exception.PhysicalResourceExists):
        return True
    if action not in (_R.CREATE, _R.DELETE):
        return False
    plugin = resource.client_plugin()
    return plugin is not None and bool(plugin.is_conflict(error))
