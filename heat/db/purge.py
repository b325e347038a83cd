"""Removing for good what has been marked as deleted long enough."""
import datetime
from typing import Any

import sqlalchemy as sa

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.db import change_set
from heat.db import drift
from heat.db import event
from heat.db import models
from heat.db import query
from heat.db import raw_template
from heat.db import resource
from heat.db import session
from heat.db import snapshot
from heat.db import user_creds
from heat.db import watch_rule

_STACK = models.STACK
_TEMPLATE = models.RAW_TEMPLATE
_RESOURCE = models.RESOURCE

#: How many events or resources a transaction deletes at most: others wait for
#: its locks, and replicas for the whole of it.
_ROWS = 1000
#: How many templates are looked at together.
_LOOK = 1000

#: Templates younger than this may belong to what is just being stored.
_TEMPLATE_AGE = datetime.timedelta(days=1)

_SECONDS = {'days': 86400, 'hours': 3600, 'minutes': 60, 'seconds': 1}


def purge_deleted(context: Any, age: int | str, granularity: str = 'days',
                  project_id: str | None = None, batch_size: int = 20
                  ) -> int:
    """Remove the stacks deleted at least an age ago, some at a time.

    Templates go, too, that an engine which died in the middle of an update
    has left behind, after a day at least. They belong to no project.
    Transactions are small: the events and resources of a batch go in several,
    the stacks in the last one. Return how many stacks went.
    """
    before = _moment(age, granularity)
    purged = 0
    while True:
        rows = _deleted(context, before, project_id, batch_size)
        if not rows:
            break
        _purge(context, rows)
        purged += len(rows)
    if project_id is None:
        before_that = min(before, timeutils.utcnow() - _TEMPLATE_AGE)
        _purge_templates(context, before_that, batch_size)
    _purge_services(context, before)
    return purged


def _moment(age: int | str, granularity: str) -> datetime.datetime:
    try:
        number = int(age)
    except ValueError as error:
        raise exception.Error(_('The age must be a whole number.')) from error
    if number < 0:
        raise exception.Error(_('The age must not be negative.'))
    if granularity not in _SECONDS:
        raise exception.Error(
            _('The granularity must be one of days, hours, minutes and '
              'seconds.'))
    try:
        return timeutils.utcnow() - datetime.timedelta(
            seconds=number * _SECONDS[granularity])
    except OverflowError as error:
        raise exception.Error(
            _('The age reaches back before the calendar begins.')) from error


@session.reads
def _deleted(conn: sa.Connection, before: datetime.datetime,
             project_id: str | None, batch_size: int) -> list[query.Row]:
    statement = sa.select(
        _STACK.c.id, _STACK.c.raw_template_id, _STACK.c.prev_raw_template_id,
        _STACK.c.user_creds_id).where(_STACK.c.deleted_at < before)
    if project_id:
        statement = statement.where(_STACK.c.tenant == project_id)
    return query.all_rows(
        conn, statement.order_by(_STACK.c.deleted_at).limit(batch_size))


def _purge(context: Any, rows: list[query.Row]) -> None:
    ids = [row.id for row in rows]
    # Events first: properties that both refer to go with the resources.
    for purge_some in (_purge_events, _purge_resources):
        while purge_some(context, ids) == _ROWS:
            pass
    _purge_stacks(context, rows)


@session.writes
def _purge_events(conn: sa.Connection, stack_ids: list[str]) -> int:
    return event.delete_some_of_stacks(conn, stack_ids, _ROWS)


@session.writes
def _purge_resources(conn: sa.Connection, stack_ids: list[str]) -> int:
    templates = resource.delete_some_of_stacks(conn, stack_ids, _ROWS)
    _delete_unused_templates(conn, sorted(
        {template for template in templates if template is not None}))
    return len(templates)


@session.writes
def _purge_stacks(conn: sa.Connection, rows: list[query.Row]) -> None:
    """Remove stacks that have neither events nor resources any more."""
    ids = [row.id for row in rows]
    templates = {template_id for row in rows
                 for template_id in (row.raw_template_id,
                                     row.prev_raw_template_id)
                 if template_id is not None}
    for table in (models.STACK_LOCK, models.STACK_TAG, models.SYNC_POINT,
                  models.STACK_EXPORT, models.STACK_IMPORT,
                  models.STACK_PROTECTION, models.DRIFT_SCHEDULE):
        conn.execute(table.delete().where(table.c.stack_id.in_(ids)))
    snapshot.delete_all_of_stacks(conn, ids)
    change_set.delete_all_of_stacks(conn, ids)
    drift.delete_all_of_stacks(conn, ids)
    watch_rule.delete_all_of_stacks(conn, ids)
    conn.execute(_STACK.delete().where(_STACK.c.id.in_(ids)))
    _delete_unused_templates(conn, sorted(templates))
    user_creds.delete_unused(
        conn, sorted({row.user_creds_id for row in rows
                      if row.user_creds_id is not None}))


def _is_unused() -> sa.ColumnElement[bool]:
    """Return the condition that nothing refers to a template."""
    return sa.and_(
        ~sa.exists().where(_STACK.c.raw_template_id == _TEMPLATE.c.id),
        ~sa.exists().where(_STACK.c.prev_raw_template_id == _TEMPLATE.c.id),
        ~sa.exists().where(_RESOURCE.c.current_template_id == _TEMPLATE.c.id))


def _delete_unused_templates(conn: sa.Connection, ids: list[int]) -> None:
    for some in query.chunks(ids):
        files = query.scalars(conn, sa.select(_TEMPLATE.c.files_id).where(
            _TEMPLATE.c.id.in_(some), _TEMPLATE.c.files_id.is_not(None)))
        conn.execute(_TEMPLATE.delete().where(
            _TEMPLATE.c.id.in_(some), _is_unused()))
        raw_template.delete_unused_files(conn, files)


def _purge_templates(context: Any, before: datetime.datetime,
                     batch_size: int) -> None:
    """Remove the templates that nothing refers to.

    They are looked for in parts of the table, and outside of the transactions
    that remove them: few of a million may be unused.
    """
    last: int | None = 0
    while last is not None:
        ids, last = _unused_templates(context, before, last)
        for some in query.chunks(ids, batch_size):
            _purge_some_templates(context, some)


@session.reads
def _unused_templates(conn: sa.Connection, before: datetime.datetime,
                      last: int) -> tuple[list[int], int | None]:
    """Return unused templates of a part, and its highest id.

    :param last: the highest id of the part before
    """
    part = sa.select(_TEMPLATE.c.id).where(_TEMPLATE.c.id > last).order_by(
        _TEMPLATE.c.id).limit(_LOOK).subquery()
    end = conn.execute(sa.select(sa.func.max(part.c.id))).scalar()
    if end is None:
        return [], None
    return query.scalars(conn, sa.select(_TEMPLATE.c.id).where(
        _TEMPLATE.c.id > last, _TEMPLATE.c.id <= end,
        _TEMPLATE.c.created_at < before, _is_unused())), end


@session.writes
def _purge_some_templates(conn: sa.Connection, ids: list[int]) -> None:
    _delete_unused_templates(conn, ids)


@session.writes
def _purge_services(conn: sa.Connection, before: datetime.datetime) -> None:
    service = models.SERVICE
    conn.execute(service.delete().where(service.c.deleted_at < before))
