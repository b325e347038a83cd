"""Queries on watch rules: claims by engines, states, and history."""
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from heat.common import watch_words
from heat.db import models
from heat.db import query
from heat.db import session

_RULE = models.WATCH_RULE
_HISTORY = models.WATCH_HISTORY
_STACK = models.STACK


@session.writes
def watch_rule_create(conn: sa.Connection, values: Mapping[str, Any]) -> str:
    return query.insert_named(conn, _RULE, values)


@session.reads
def watch_rule_get(conn: sa.Connection, rule_id: str) -> query.Row | None:
    return query.first(conn, sa.select(_RULE).where(_RULE.c.id == rule_id))


@session.reads
def watch_rule_get_all(conn: sa.Connection, tenant: str, limit: int,
                       marker: str | None = None, prefix: str | None = None,
                       filters: Mapping[str, Any] | None = None
                       ) -> list[query.Row]:
    """Return rules of a project by name.

    :param marker: the name after which they begin
    :param prefix: how their names begin
    :param filters: columns and the values, or lists of values, they have
    """
    statement = sa.select(_RULE).where(
        _RULE.c.tenant == tenant, *query.exact_filters(_RULE, filters))
    if marker is not None:
        statement = statement.where(_RULE.c.name > marker)
    if prefix is not None:
        statement = statement.where(
            _RULE.c.name.startswith(prefix, autoescape=True))
    return query.all_rows(conn, statement.order_by(_RULE.c.name)
                          .limit(limit))


@session.writes
def watch_rule_update(conn: sa.Connection, rule_id: str,
                      values: Mapping[str, Any],
                      expected: Mapping[str, Any] | None = None) -> bool:
    """Write values if the rule is as expected: compare and swap."""
    return conn.execute(_RULE.update().where(
        _RULE.c.id == rule_id, *query.exact_filters(_RULE, expected)),
        dict(values)).rowcount > 0


@session.writes
def watch_rule_delete(conn: sa.Connection, rule_id: str) -> bool:
    """Delete a rule and its history."""
    return _delete(conn, [rule_id]) > 0


def _delete(conn: sa.Connection, ids: Sequence[str]) -> int:
    # Locked first: an engine that evaluates them adds to their history.
    conn.execute(_RULE.update().where(_RULE.c.id.in_(ids)),
                 {'claim': None, 'due_at': None})
    conn.execute(_HISTORY.delete().where(_HISTORY.c.rule_id.in_(ids)))
    return conn.execute(_RULE.delete().where(_RULE.c.id.in_(ids))).rowcount


def delete_all_of_stacks(conn: sa.Connection, stack_ids: Sequence[str]
                         ) -> None:
    """Delete the rules of stacks."""
    ids = query.scalars(conn, sa.select(_RULE.c.id).where(
        _RULE.c.stack_id.in_(stack_ids)))
    if ids:
        _delete(conn, ids)


# -- claims -------------------------------------------------------------------

def _is_due(now: int, *, pending: bool) -> list[sa.ColumnElement[bool]]:
    return [_RULE.c.due_at <= now,
            _RULE.c.pending != '' if pending else _RULE.c.pending == '']


@session.writes
def watch_rule_claim(conn: sa.Connection, claim: str, now: int, until: int,
                     limit: int, *, pending: bool) -> list[query.Row]:
    """Claim rules that are due and return them.

    :param claim: names the engine and the turn; no two are alike
    :param until: when others may claim them, unless they are released
    :param pending: those that have actions to carry out; else those that
        have none and are to be evaluated
    """
    due = _is_due(now, pending=pending)
    ids = query.scalars(conn, sa.select(_RULE.c.id).where(*due).order_by(
        _RULE.c.due_at, _RULE.c.id).limit(limit))
    if not ids or not conn.execute(
            _RULE.update().where(_RULE.c.id.in_(sorted(ids)), *due),
            {'claim': claim, 'due_at': until}).rowcount:
        return []
    return query.all_rows(conn, sa.select(_RULE).where(
        _RULE.c.claim == claim))


@session.writes
def watch_rule_extend(conn: sa.Connection, claim: str, until: int) -> None:
    """Move the end of a claim."""
    conn.execute(_RULE.update().where(_RULE.c.claim == claim),
                 {'due_at': until})


@session.writes
def watch_rule_finish(conn: sa.Connection, claim: str, now: int,
                      changes: Mapping[str, Mapping[str, Any]],
                      history: Sequence[Mapping[str, Any]],
                      repeating: Sequence[str] = ()) -> None:
    """Write new states with their history, and release a claim.

    What another engine has claimed meanwhile, or a user has changed, stays
    as it is.

    :param changes: by state: `ids` of rules that take it, the `acting` of
        these that have actions for it, and the `reason`
    :param repeating: those that keep their state, and act again
    """
    changed: list[str] = []
    for state, change in changes.items():
        ids, acting = change['ids'], change['acting']
        done = conn.execute(_RULE.update().where(
            _RULE.c.claim == claim, _RULE.c.id.in_(ids)).ordered_values(
                # First: MySQL takes values that were set before.
                (_RULE.c.pending, sa.case(
                    (_RULE.c.id.in_(acting), _RULE.c.state + f':{state}'),
                    else_='')),
                (_RULE.c.state, state), (_RULE.c.state_at, now),
                (_RULE.c.state_reason, change['reason'])))
        if done.rowcount == len(ids):
            changed += ids
        else:
            changed += query.scalars(conn, sa.select(_RULE.c.id).where(
                _RULE.c.claim == claim, _RULE.c.id.in_(ids)))
    known = frozenset(changed)
    query.insert_rows(conn, _HISTORY, [
        {**entry, 'happened_at': now} for entry in history
        if entry['rule_id'] in known])
    if repeating:
        conn.execute(_RULE.update().where(
            _RULE.c.claim == claim, _RULE.c.id.in_(repeating)).values(
                pending=_RULE.c.state + ':' + _RULE.c.state))
    conn.execute(_RULE.update().where(_RULE.c.claim == claim).values(
        claim=None, due_at=sa.case((_RULE.c.pending != '', now),
                                   else_=_next(now))))


def _next(now: int) -> sa.ColumnElement[int]:
    """Return when a rule is due next: when a period of it has ended."""
    interval = sa.case((_RULE.c.period < watch_words.INTERVAL_MAX,
                        _RULE.c.period), else_=watch_words.INTERVAL_MAX)
    moment = sa.literal(now, sa.BigInteger)
    return moment - moment % interval + interval


@session.writes
def watch_rule_delivered(conn: sa.Connection, rule_id: str, claim: str,
                         values: Mapping[str, Any],
                         history: Sequence[Mapping[str, Any]]) -> bool:
    """Release a claim after actions of a rule, with their history.

    :param history: entries with the time at which they happened
    """
    if not conn.execute(_RULE.update().where(
            _RULE.c.id == rule_id, _RULE.c.claim == claim),
            {**values, 'claim': None}).rowcount:
        return False
    query.insert_rows(conn, _HISTORY, history)
    return True


# -- history ------------------------------------------------------------------

@session.writes
def watch_history_add(conn: sa.Connection, values: Mapping[str, Any]) -> None:
    query.insert_rows(conn, _HISTORY, [values])


@session.reads
def watch_history_get_all(conn: sa.Connection, tenant: str, limit: int,
                          filters: Mapping[str, Any],
                          marker: int | None = None) -> list[query.Row]:
    """Return the history of the rules of a project, the latest first.

    :param filters: `name` of the rule, `kind`, `since`, `until`, and
        `ascending`: each may be absent
    :param marker: the id after which it begins
    """
    conditions = [_RULE.c.tenant == tenant]
    for column, name in ((_RULE.c.name, 'name'), (_HISTORY.c.kind, 'kind')):
        if filters.get(name) is not None:
            conditions.append(column == filters[name])
    if filters.get('since') is not None:
        conditions.append(_HISTORY.c.happened_at >= filters['since'])
    if filters.get('until') is not None:
        conditions.append(_HISTORY.c.happened_at <= filters['until'])
    ascending = bool(filters.get('ascending'))
    if marker is not None:
        conditions.append(_HISTORY.c.id > marker if ascending
                          else _HISTORY.c.id < marker)
    return query.all_rows(conn, sa.select(
        _HISTORY, _RULE.c.name.label('name')).join(
            _RULE, _RULE.c.id == _HISTORY.c.rule_id).where(
                *conditions).order_by(
                    _HISTORY.c.id if ascending else _HISTORY.c.id.desc())
        .limit(limit))


@session.writes
def watch_history_purge(conn: sa.Connection, before: int, limit: int) -> int:
    """Delete old entries; return how many."""
    return query.delete_some(conn, _HISTORY, _HISTORY.c.happened_at < before,
                             limit)


@session.writes
def watch_rule_purge(conn: sa.Connection, before: int, limit: int) -> int:
    """Delete rules whose stack is gone and that changed before a moment."""
    live: Collection[Any] = [_STACK.c.id == _RULE.c.stack_id,
                             _STACK.c.deleted_at.is_(None)]
    ids = query.scalars(conn, sa.select(_RULE.c.id).where(
        _RULE.c.state_at < before, ~sa.exists().where(*live)).limit(limit))
    return _delete(conn, ids) if ids else 0
