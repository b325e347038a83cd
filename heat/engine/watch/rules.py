"""Watch rules as the resource types of alarms make and change them."""
from collections.abc import Mapping
import dataclasses
from typing import Any

from oslo_config import cfg

from heat.common import exception
from heat.common import timeutils
from heat.common import watch_words as words
from heat.common.i18n import _
from heat.objects import transaction
from heat.objects import watch_data
from heat.objects import watch_rule

State = words.State
Rule = watch_rule.WatchRule


@dataclasses.dataclass(frozen=True, slots=True)
class Definition:
    """What a rule compares, and what it does then.

    :ivar actions: by state: {'stack': identity, 'resource': name} of the
        resources that get a signal
    :ivar acts: whether actions are carried out
    """

    namespace: str
    metric: str
    statistic: str
    comparison: str
    threshold: float
    period: int
    evaluation_periods: int
    dimensions: dict[str, str] = dataclasses.field(default_factory=dict)
    unit: str | None = None
    description: str = ''
    actions: dict[str, list[dict[str, Any]]] = dataclasses.field(
        default_factory=dict)
    acts: bool = True


def is_enabled() -> bool:
    """Return whether engines evaluate rules here."""
    enabled: bool = cfg.CONF.cloudwatch.enabled
    return enabled


def now() -> int:
    """Return the time in whole seconds since 1970, alike in all engines."""
    return int(timeutils.epoch(timeutils.utcnow()))


def create(context: Any, tenant: str, stack_id: str, name: str,
           definition: Definition) -> str:
    """Store a rule, which is evaluated from now on; return its id."""
    moment = now()

    def write() -> str:
        rule_id = Rule.create(context, {
            **_columns(tenant, definition), 'tenant': tenant,
            'stack_id': stack_id, 'name': name, 'state': State.NODATA,
            'state_reason': _('The rule has not been evaluated.'),
            'state_at': moment, 'pending': '', 'due_at': moment})
        _note(context, rule_id, _('The alarm was created.'))
        return rule_id

    return transaction.run(context, write)


def _columns(tenant: str, definition: Definition) -> dict[str, Any]:
    return {
        'definition': dataclasses.asdict(definition),
        'metric_key': watch_data.metric_key(
            tenant, definition.namespace, definition.metric,
            definition.dimensions),
        'unit': definition.unit,
        'period': definition.period,
        'evaluation_periods': definition.evaluation_periods,
    }


def _note(context: Any, rule_id: str, summary: str) -> None:
    watch_rule.WatchHistory.add(context, {
        'rule_id': rule_id, 'happened_at': now(),
        'kind': words.Kind.CONFIGURATION, 'summary': summary})


def get(context: Any, rule_id: str | None) -> Rule:
    """Return a rule of the project; EntityNotFound if there is none."""
    found = Rule.get_by_id(context, rule_id) if rule_id else None
    if found is None:
        raise exception.EntityNotFound(entity='Alarm', name=rule_id)
    return found


def update(context: Any, rule_id: str, definition: Definition) -> None:
    """Give a rule another definition, which counts at once.

    An evaluation of the former one that has begun writes nothing.
    """
    rule = get(context, rule_id)
    values = {**_columns(rule.tenant, definition), 'claim': None}
    if rule.state != State.SUSPENDED:
        values['due_at'] = now()

    def write() -> None:
        Rule.update_by_id(context, rule_id, values)
        _note(context, rule_id, _('The alarm was updated.'))

    transaction.run(context, write)


def take_over(context: Any, rule_id: str | None, tenant: str, stack_id: str,
              name: str, definition: Definition) -> None:
    """Give a rule of an abandoned stack to the stack that adopts it.

    :raises EntityNotFound: the project has no such rule.
    """
    rule = get(context, rule_id)
    if rule.tenant != tenant:
        raise exception.EntityNotFound(entity='Alarm', name=rule_id)

    def write() -> None:
        Rule.update_by_id(context, rule.id, {
            **_columns(tenant, definition), 'stack_id': stack_id,
            'name': name, 'state': State.NODATA, 'pending': '',
            'claim': None, 'due_at': now()})
        _note(context, rule.id, _('The alarm was adopted by a stack.'))

    transaction.run(context, write)


def delete(context: Any, rule_id: str | None) -> None:
    """Delete a rule, which may be gone."""
    try:
        Rule.delete(context, get(context, rule_id).id)
    except exception.EntityNotFound:
        return


def suspend(context: Any, rule_id: str) -> None:
    """Evaluate a rule no more; actions that are pending are dropped."""
    _set_state(context, get(context, rule_id), State.SUSPENDED,
               _('The alarm is suspended.'), None)


def resume(context: Any, rule_id: str) -> None:
    """Evaluate a suspended rule again."""
    rule = get(context, rule_id)
    if rule.state == State.SUSPENDED:
        _set_state(context, rule, State.NODATA,
                   _('The alarm was resumed.'), now())


def _set_state(context: Any, rule: Rule, state: State, reason: str,
               due_at: int | None) -> None:
    moment = now()

    def write() -> None:
        Rule.update_by_id(context, rule.id, {
            'state': state, 'state_reason': reason, 'state_at': moment,
            'pending': '', 'due_at': due_at, 'claim': None})
        watch_rule.WatchHistory.add(context, state_entry(
            rule.id, rule.state, state, reason, at=moment))

    transaction.run(context, write)


def state_entry(rule_id: str, old: str, new: str, reason: str,
                data: Mapping[str, Any] | None = None,
                at: int | None = None) -> dict[str, Any]:
    """Return the entry in the history about another state.

    :param at: when it was; absent if the time is added later
    """
    entry = {'rule_id': rule_id, 'kind': words.Kind.STATE,
             'summary': f'{old} -> {new}: {reason}',
             'data': {'old': old, 'new': new, 'reason': reason,
                      **(data or {})}}
    return entry if at is None else {**entry, 'happened_at': at}
