"""Evaluate the rules that are due, and delete old data.

Engines claim rules that are due, so each rule is evaluated by one at a
time. A claim ends by itself, and others take over what an engine that died
had claimed. The number of statements of a turn does not depend on that of
the rules: a turn has a limit.
"""
from collections.abc import Iterable, Sequence
import random
from typing import Any
import uuid

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import watch_words as words
from heat.engine.tasks import periodic
from heat.engine.watch import evaluation
from heat.engine.watch import rules as watch_rules
from heat.objects import watch_data
from heat.objects import watch_rule

LOG = logging.getLogger(__name__)

#: Most rules that are evaluated together.
BATCH = 1000
#: Seconds after which what an engine has claimed goes to others.
LEASE = 60
#: Rows that are purged in one transaction, and transactions of a turn.
_PURGED_TOGETHER, _PURGES = 2000, 50
_JITTER = 0.2

Rule = watch_rule.WatchRule


class Evaluator(periodic.Periodic):
    """Evaluates rules that are due, from a thread of its own."""

    name = 'heat-watch-evaluator'
    failure = 'Evaluating alarms failed'

    def __init__(self, engine_id: str) -> None:
        super().__init__()
        self._engine_id = engine_id

    def start(self) -> None:
        """Begin, if alarms are evaluated here."""
        if watch_rules.is_enabled():
            super().start()

    def interval(self) -> float:
        """Return the seconds between two looks at what is due."""
        longest: float = cfg.CONF.cloudwatch.evaluation_interval
        return longest * random.uniform(1 - _JITTER, 1)

    def run_once(self) -> int:
        """Evaluate what is due; return how many rules that were."""
        context, number = heat_context.get_admin_context(), 0
        while not self._stopping.is_set():
            evaluated = evaluate(context, self._engine_id)
            number += evaluated
            if evaluated < BATCH:
                break
        return number


def evaluate(context: Any, engine_id: str) -> int:
    """Evaluate up to BATCH rules that are due; return how many."""
    claim, now = str(uuid.uuid4()), watch_rules.now()
    claimed = Rule.claim_due(context, claim, now, now + LEASE, BATCH,
                             pending=False)
    if not claimed:
        return 0
    LOG.debug('Engine %s evaluates %d alarms', engine_id, len(claimed))
    found: dict[str | None, list[Any]] = {}
    for row in watch_data.WatchData.of_claim(context, claim, now):
        found.setdefault(row.rule_id, []).append(row)
    changes, history, repeating = _outcome(claimed, found, now)
    Rule.finish(context, claim, now, changes, history, repeating)
    return len(claimed)


def _outcome(claimed: Iterable[Rule], found: dict[str | None, list[Any]],
             now: int) -> tuple[dict[str, dict[str, Any]],
                                list[dict[str, Any]], list[str]]:
    """Return the changes of states, their history, and which act again."""
    changes: dict[str, dict[str, Any]] = {}
    history, repeating = [], []
    for rule in claimed:
        verdict = evaluation.judge(rule.definition, rule.evaluation_periods,
                                   rule.state, found.get(rule.id, ()))
        if verdict.state == rule.state:
            if _acts_again(rule, now):
                repeating.append(rule.id)
            continue
        reason = evaluation.REASONS[verdict.state]
        change = changes.setdefault(
            verdict.state, {'ids': [], 'acting': [], 'reason': reason})
        change['ids'].append(rule.id)
        if _acts(rule, verdict.state):
            change['acting'].append(rule.id)
        history.append(watch_rules.state_entry(
            rule.id, rule.state, verdict.state, reason,
            {'values': list(verdict.values),
             'threshold': rule.definition['threshold']}))
    return changes, history, repeating


def _acts(rule: Rule, state: str) -> bool:
    """Return whether a rule has actions for a state."""
    return bool(rule.definition['acts'] and
                rule.definition['actions'].get(state))


def _acts_again(rule: Rule, now: int) -> bool:
    """Return whether an alarm that lasts acts in this period, too.

    A group that was scaling, or had just been scaled, has not reacted.
    """
    interval = min(rule.period, words.INTERVAL_MAX)
    begun = now - now % interval
    return (rule.state == words.State.ALARM and
            begun % rule.period < interval and
            _acts(rule, words.State.ALARM))


class Upkeep(periodic.Periodic):
    """Deletes data, history and rules that nobody needs any more."""

    name = 'heat-watch-upkeep'
    failure = 'Deleting old data of alarms failed'

    def start(self) -> None:
        """Begin, if alarms are evaluated here."""
        if watch_rules.is_enabled():
            super().start()

    def interval(self) -> float:
        """Return the seconds between two looks."""
        longest: float = cfg.CONF.cloudwatch.purge_interval
        return longest * random.uniform(1 - _JITTER, 1)

    def run_once(self) -> None:
        """Delete what is older than the retention, and than rules need."""
        context, now = heat_context.get_admin_context(), watch_rules.now()
        before = now - cfg.CONF.cloudwatch.retention
        needed = now - watch_data.WatchData.longest_window(context)
        steps: Sequence[tuple[Any, int]] = (
            (watch_data.WatchData.purge, min(before, needed)),
            (watch_data.WatchMetric.purge, min(before, needed)),
            (watch_rule.WatchHistory.purge, before),
            (watch_rule.WatchRule.purge, before))
        for purge, moment in steps:
            for _number in range(_PURGES):
                if purge(context, moment, _PURGED_TOGETHER
                         ) < _PURGED_TOGETHER or self._stopping.is_set():
                    break
