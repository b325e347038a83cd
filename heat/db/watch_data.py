"""Queries on metrics and the data that are pushed to them."""
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from oslo_db import exception as db_exception
import sqlalchemy as sa

from heat.common import exception
from heat.common.i18n import _
from heat.db import models
from heat.db import query
from heat.db import session

_RULE = models.WATCH_RULE
_METRIC = models.WATCH_METRIC
_DATA = models.WATCH_DATA

#: Seconds in which it is not noted again that a metric is in use.
_SEEN_EVERY = 60
_ATTEMPTS = 3


def watch_data_put(context: Any, tenant: str, now: int,
                   metrics: Mapping[str, Mapping[str, Any]],
                   points: Sequence[Mapping[str, Any]],
                   limits: tuple[int, int]) -> None:
    """Store data in one transaction, and the metrics that are new.

    :param metrics: `namespace`, `name` and `dimensions` by key
    :param points: each with the `metric_key`, and the columns of a datum
    :param limits: most metrics and most data of a project
    :raises RequestLimitExceeded: the project has no room for them
    """
    for attempt in range(_ATTEMPTS):
        try:
            _put(context, tenant, now, metrics, points, limits)
        except db_exception.DBDuplicateEntry:
            # Another request has added one of the metrics.
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


@session.writes
def _put(conn: sa.Connection, tenant: str, now: int,
         metrics: Mapping[str, Mapping[str, Any]],
         points: Sequence[Mapping[str, Any]], limits: tuple[int, int]
         ) -> None:
    metrics_max, data_max = limits
    found = _found(conn, metrics)
    missing = sorted(metrics.keys() - found.keys())
    if missing:
        _require_room(conn, sa.select(_METRIC.c.id).where(
            _METRIC.c.tenant == tenant), len(missing), metrics_max,
            _('metrics'))
        query.insert_rows(conn, _METRIC, [
            {**metrics[key], 'metric_key': key, 'tenant': tenant,
             'seen_at': now} for key in missing])
        found = _found(conn, metrics)
    stale = sorted(row.id for row in found.values()
                   if row.seen_at <= now - _SEEN_EVERY)
    if stale:
        conn.execute(_METRIC.update().where(_METRIC.c.id.in_(stale)),
                     {'seen_at': now})
    _require_room(conn, sa.select(_DATA.c.id).join(
        _METRIC, _METRIC.c.id == _DATA.c.metric_id).where(
            _METRIC.c.tenant == tenant), len(points), data_max,
        _('data points'))
    query.insert_rows(conn, _DATA, [
        {'metric_id': found[point['metric_key']].id,
         **{name: value for name, value in point.items()
            if name != 'metric_key'}} for point in points])


def _found(conn: sa.Connection, keys: Iterable[str]) -> dict[str, query.Row]:
    return {row.metric_key: row for row in query.all_rows(conn, sa.select(
        _METRIC.c.id, _METRIC.c.metric_key, _METRIC.c.seen_at).where(
            _METRIC.c.metric_key.in_(sorted(keys))))}


def _require_room(conn: sa.Connection, stored: sa.Select[Any], number: int,
                  limit: int, name: str) -> None:
    if query.count(conn, stored.limit(limit + 1)) + number > limit:
        raise exception.RequestLimitExceeded(message=_(
            'the project may keep %(limit)d %(name)s at most')
            % {'limit': limit, 'name': name})


@session.reads
def watch_metric_get_all(conn: sa.Connection, tenant: str, limit: int,
                         filters: Mapping[str, Any] | None = None,
                         since: int | None = None) -> list[query.Row]:
    """Return metrics of a project by key.

    :param filters: columns and the values they have
    :param since: only those that were in use since then
    """
    statement = sa.select(_METRIC).where(
        _METRIC.c.tenant == tenant, *query.exact_filters(_METRIC, filters))
    if since is not None:
        statement = statement.where(_METRIC.c.seen_at >= since)
    return query.all_rows(conn, statement.order_by(_METRIC.c.metric_key)
                          .limit(limit))


def _sums() -> list[sa.ColumnElement[Any]]:
    return [_DATA.c.samples, _DATA.c.total, _DATA.c.least, _DATA.c.greatest]


def _grouped(data: sa.Subquery, *keys: str) -> sa.Select[Any]:
    """Return the statistics of data that have keys in common."""
    columns = [data.c[key] for key in keys]
    return sa.select(
        *columns, sa.func.sum(data.c.samples).label('samples'),
        sa.func.sum(data.c.total).label('total'),
        sa.func.min(data.c.least).label('least'),
        sa.func.max(data.c.greatest).label('greatest')).group_by(*columns)


def _quotient(number: Any, divisor: Any) -> sa.ColumnElement[int]:
    """Divide integers and drop the remainder, exactly on every database.

    MySQL would round the quotient to four digits first.
    """
    quotient: sa.ColumnElement[int] = (number - number % divisor) // divisor
    return quotient


@session.reads
def watch_data_of_claim(conn: sa.Connection, claim: str, now: int
                        ) -> list[query.Row]:
    """Return the statistics of the periods of all rules of a claim.

    Period 0 of a rule is the one that ended last. One more than the rule
    asks for is among them.
    """
    moment = sa.literal(now, sa.BigInteger)
    end = moment - moment % _RULE.c.period
    age = end - 1 - _DATA.c.measured_at
    data = sa.select(
        _RULE.c.id.label('rule_id'),
        _quotient(age, _RULE.c.period).label('place'), *_sums()).join_from(
            _RULE, _METRIC, _METRIC.c.metric_key == _RULE.c.metric_key).join(
                _DATA, _DATA.c.metric_id == _METRIC.c.id).where(
                    _RULE.c.claim == claim,
                    _DATA.c.measured_at < end,
                    _DATA.c.measured_at >= end - _RULE.c.period * (
                        _RULE.c.evaluation_periods + 1),
                    sa.or_(_RULE.c.unit.is_(None),
                           _RULE.c.unit == _DATA.c.unit)).subquery()
    return query.all_rows(conn, _grouped(data, 'rule_id', 'place'))


@session.reads
def watch_data_statistics(conn: sa.Connection, metric_key: str, start: int,
                          end: int, period: int, unit: str | None = None
                          ) -> list[query.Row]:
    """Return the statistics of a metric, by period and unit.

    Period 0 is the one that begins at the start.
    """
    age = _DATA.c.measured_at - start
    statement = sa.select(
        _quotient(age, sa.literal(period, sa.BigInteger)).label('place'),
        _DATA.c.unit, *_sums()).join(
            _METRIC, _METRIC.c.id == _DATA.c.metric_id).where(
                _METRIC.c.metric_key == metric_key,
                _DATA.c.measured_at >= start, _DATA.c.measured_at < end)
    if unit is not None:
        statement = statement.where(_DATA.c.unit == unit)
    data = statement.subquery()
    return query.all_rows(conn, _grouped(data, 'place', 'unit')
                          .order_by(data.c.place, data.c.unit))


@session.reads
def watch_data_longest_window(conn: sa.Connection) -> int:
    """Return for how many seconds back some rule needs data."""
    longest = conn.execute(sa.select(sa.func.max(
        _RULE.c.period * (_RULE.c.evaluation_periods + 2)))).scalar()
    return int(longest or 0)


@session.writes
def watch_data_purge(conn: sa.Connection, before: int, limit: int) -> int:
    """Delete old data; return how many."""
    return query.delete_some(conn, _DATA, _DATA.c.measured_at < before, limit)


@session.writes
def watch_metric_purge(conn: sa.Connection, before: int, limit: int) -> int:
    """Delete metrics that have no data and were not in use lately."""
    old = [_METRIC.c.seen_at < before,
           ~sa.exists().where(_DATA.c.metric_id == _METRIC.c.id)]
    ids = query.scalars(conn, sa.select(_METRIC.c.id).where(*old)
                        .limit(limit))
    return conn.execute(_METRIC.delete().where(
        _METRIC.c.id.in_(ids), _METRIC.c.seen_at < before)
        ).rowcount if ids else 0
