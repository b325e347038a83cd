"""Carry out the actions of alarms: signals to resources.

The state of a rule and the actions that are due for it are written in one
transaction. An action is struck off after the resource has handled its
signal, so it is repeated when an engine dies in between: it is carried out
once at least.
"""
from concurrent import futures
import random
from typing import Any
import uuid

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common import watch_words as words
from heat.engine.tasks import periodic
from heat.engine.watch import evaluation
from heat.engine.watch import rules as watch_rules
from heat.objects import watch_rule
from heat.rpc import client as rpc_client

LOG = logging.getLogger(__name__)

#: Signals that an engine waits for at the same time.
_TOGETHER = 8
#: Seconds after which others take over, and in which that is postponed.
_LEASE, _RENEWAL = 60, 20
#: Seconds after which an action is repeated, and after which it is dropped.
_RETRY_AFTER, _GIVE_UP_AFTER = 10, 3600
_JITTER = 0.2

#: Errors after which the signal may still be handled, or can be later on.
_PASSING = ('ServiceUnavailable', 'MessagingTimeout',
            'MessageDeliveryFailure', 'Unavailable')

Rule = watch_rule.WatchRule


class Delivery(periodic.Periodic):
    """Sends signals, from threads of its own.

    What takes long here keeps no rule from being evaluated.
    """

    name = 'heat-watch-delivery'
    failure = 'Carrying out actions of alarms failed'

    def __init__(self) -> None:
        super().__init__()
        self._threads: futures.ThreadPoolExecutor | None = None
        #: The claims that actions in progress hold their rules by.
        self._waiting: dict[futures.Future[None], str] = {}

    def start(self) -> None:
        """Begin, if alarms are evaluated here."""
        if watch_rules.is_enabled():
            self._threads = futures.ThreadPoolExecutor(
                _TOGETHER, thread_name_prefix='heat-watch-signal')
            super().start()

    def stop(self) -> None:
        """Take no more actions up."""
        super().stop()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def interval(self) -> float:
        """Return the seconds between two looks at what is pending."""
        longest: float = cfg.CONF.cloudwatch.evaluation_interval
        return longest * random.uniform(1 - _JITTER, 1)

    def run_once(self) -> None:
        """Begin with what is pending, as far as threads are free.

        An action that takes long holds one thread, and no other rule.
        """
        context = heat_context.get_admin_context()
        while not self._stopping.is_set():
            self._keep_claims(context)
            free = _TOGETHER - len(self._waiting)
            begun = self._begin(context, free) if free else 0
            if begun < free or not self._waiting:
                return
            futures.wait(self._waiting, timeout=_RENEWAL,
                         return_when=futures.FIRST_COMPLETED)

    def _keep_claims(self, context: Any) -> None:
        """Extend the claims of actions that go on; forget the others."""
        for future in list(self._waiting):
            if not future.done():
                continue
            del self._waiting[future]
            error = future.exception()
            if error is not None:
                LOG.warning(self.failure, exc_info=error)
        until = watch_rules.now() + _LEASE
        for claim in set(self._waiting.values()):
            Rule.extend(context, claim, until)

    def _begin(self, context: Any, limit: int) -> int:
        """Take up rules, a limited number; return how many there were."""
        claim, now = str(uuid.uuid4()), watch_rules.now()
        claimed = Rule.claim_due(context, claim, now, now + _LEASE, limit,
                                 pending=True)
        for rule in claimed:
            if self._threads is None:
                deliver(context, rule)
            else:
                self._waiting[self._threads.submit(
                    deliver, context, rule)] = claim
        return len(claimed)


def deliver(context: Any, rule: Rule) -> None:
    """Carry out the actions of the first state of a rule that has some."""
    first, _blank, rest = rule.pending.partition(' ')
    old, _colon, new = first.partition(':')
    targets = (rule.definition['actions'].get(new, ())
               if rule.definition['acts'] else ())
    failures, passing = [], False
    for target in targets:
        error = _signal(context, rule, target, old, new)
        if error is not None:
            failures.append(f'{target["resource"]}: {error}')
            passing = passing or error.split(':')[0] in _PASSING
    now = watch_rules.now()
    if passing and now - rule.state_at < _GIVE_UP_AFTER:
        Rule.delivered(context, rule.id, rule.claim or '',
                       {'due_at': now + _RETRY_AFTER}, [])
        return
    Rule.delivered(context, rule.id, rule.claim or '', {
        'pending': rest, 'due_at': now if rest else _next(rule, now),
    }, _history(rule, old, new, targets, failures, now))


def _next(rule: Rule, now: int) -> int:
    """Return when the next period of a rule ends."""
    interval = min(rule.period, words.INTERVAL_MAX)
    return now - now % interval + interval


def _signal(context: Any, rule: Rule, target: dict[str, Any], old: str,
            new: str) -> str | None:
    """Send a signal and wait until it is handled; return what went wrong."""
    try:
        rpc_client.EngineClient().resource_signal(
            context, target['stack'], target['resource'],
            _details(rule, old, new), sync_call=True)
    except Exception as error:  # noqa: BLE001 (the next ones may do better)
        name = exception.type_name(error)
        LOG.warning('Alarm %s cannot signal %s: %s', rule.name,
                    target['resource'], name)
        if isinstance(error, exception.HeatException):
            return f'{name}: {exception.text_of(error)}'
        return name
    return None


def _details(rule: Rule, old: str, new: str) -> Any:
    """Return what the resource is told.

    Scaling policies act upon the details of an alarm only if its state is
    "alarm"; the actions for other states are meant all the same.
    """
    reason = rule.state_reason or evaluation.REASONS.get(
        words.State(new), '')
    if new == words.State.ALARM:
        return {'alarm': rule.name, 'previous': old.lower(),
                'current': new.lower(), 'reason': reason}
    return f'alarm {rule.name}: {old} -> {new} ({reason})'


def _history(rule: Rule, old: str, new: str, targets: Any,
             failures: list[str], now: int) -> list[dict[str, Any]]:
    """Return an entry about actions: of a new state, or that failed."""
    if not targets or (old == new and not failures):
        return []
    names = ', '.join(target['resource'] for target in targets)
    return [{
        'rule_id': rule.id, 'happened_at': now, 'kind': words.Kind.ACTION,
        'summary': (f'Signals to {names} failed' if failures
                    else f'Signals were sent to {names}'),
        'data': {'state': new, 'failures': failures[:words.ACTIONS_MAX]}}]
