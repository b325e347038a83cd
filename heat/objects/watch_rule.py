"""Watch rules as stored: what alarms watch, their state, their history."""
from collections.abc import Mapping, Sequence
import dataclasses
from typing import Any

from heat.db import api as db_api
from heat.objects import base


@dataclasses.dataclass(slots=True)
class WatchRule:
    """An alarm of a stack.

    :ivar definition: what is compared with what, and the actions by state
    :ivar metric_key: the metric that is watched, as metric_key() names it
    :ivar pending: OLD:NEW of the changes of state, in order and separated by
        blanks, of which the actions have not been carried out
    :ivar due_at: when an engine may claim the rule; None while suspended.
        Times are seconds since 1970
    """

    id: str
    tenant: str
    stack_id: str
    name: str
    metric_key: str
    period: int
    evaluation_periods: int
    state: str
    state_at: int
    definition: dict[str, Any] = dataclasses.field(default_factory=dict)
    unit: str | None = None
    state_reason: str | None = None
    pending: str = ''
    due_at: int | None = None
    claim: str | None = None
    created_at: Any = None
    updated_at: Any = None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> str:
        """Store a rule and return its id."""
        return db_api.watch_rule_create(context, values)

    @classmethod
    def get_by_id(cls, context: Any, rule_id: str) -> 'WatchRule | None':
        """Return a rule that the context's project may see."""
        row = db_api.watch_rule_get(context, rule_id)
        if row is None or (not context.is_admin and
                           row.tenant != context.project_id):
            return None
        return base.record(cls, row)

    @classmethod
    def get_all(cls, context: Any, tenant: str, limit: int,
                marker: str | None = None, prefix: str | None = None,
                filters: Mapping[str, Any] | None = None
                ) -> list['WatchRule']:
        """Return rules of a project by name, those after the marker."""
        return [base.record(cls, row) for row in db_api.watch_rule_get_all(
            context, tenant, limit, marker, prefix, filters)]

    @staticmethod
    def update_by_id(context: Any, rule_id: str, values: Mapping[str, Any],
                     expected: Mapping[str, Any] | None = None) -> bool:
        """Write values if the rule is as expected; False if it is not."""
        return db_api.watch_rule_update(context, rule_id, values, expected)

    @staticmethod
    def delete(context: Any, rule_id: str) -> bool:
        """Delete a rule with its history; False if it is gone."""
        return db_api.watch_rule_delete(context, rule_id)

    @classmethod
    def claim_due(cls, context: Any, claim: str, now: int, until: int,
                  limit: int, *, pending: bool) -> list['WatchRule']:
        """Claim rules until a moment, and return those that were free.

        :param claim: a text that no other claim has
        :param pending: those that have actions to carry out; else those that
            are to be evaluated
        """
        return [base.record(cls, row) for row in db_api.watch_rule_claim(
            context, claim, now, until, limit, pending=pending)]

    @staticmethod
    def extend(context: Any, claim: str, until: int) -> None:
        """Keep what a claim holds until a later moment."""
        db_api.watch_rule_extend(context, claim, until)

    @staticmethod
    def finish(context: Any, claim: str, now: int,
               changes: Mapping[str, Mapping[str, Any]],
               history: Sequence[Mapping[str, Any]],
               repeating: Sequence[str] = ()) -> None:
        """Write new states and their history, and release a claim.

        :param changes: by state: the `ids` that take it, those of them that
            are `acting`, and the `reason`
        :param repeating: those that keep their state, and act again
        """
        db_api.watch_rule_finish(context, claim, now, changes, history,
                                 repeating)

    @staticmethod
    def delivered(context: Any, rule_id: str, claim: str,
                  values: Mapping[str, Any],
                  history: Sequence[Mapping[str, Any]]) -> bool:
        """Release a rule after its actions; False if the claim was lost."""
        return db_api.watch_rule_delivered(context, rule_id, claim, values,
                                           history)

    @staticmethod
    def purge(context: Any, before: int, limit: int) -> int:
        """Delete rules of stacks that are gone; return how many."""
        return db_api.watch_rule_purge(context, before, limit)


@dataclasses.dataclass(slots=True)
class WatchHistory:
    """What has happened to a rule, and when."""

    id: int
    rule_id: str
    name: str
    happened_at: int
    kind: str
    summary: str | None = None
    data: Any = None

    @staticmethod
    def add(context: Any, values: Mapping[str, Any]) -> None:
        """Store an entry."""
        db_api.watch_history_add(context, values)

    @classmethod
    def get_all(cls, context: Any, tenant: str, limit: int,
                filters: Mapping[str, Any], marker: int | None = None
                ) -> list['WatchHistory']:
        """Return entries of a project, the latest first."""
        return [base.record(cls, row)
                for row in db_api.watch_history_get_all(
                    context, tenant, limit, filters, marker)]

    @staticmethod
    def purge(context: Any, before: int, limit: int) -> int:
        """Delete old entries; return how many."""
        return db_api.watch_history_purge(context, before, limit)
