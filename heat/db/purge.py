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

#: Templates younger than this may belong to what is just being stored.
_TEMPLATE_AGE = datetime.timedelta(days=1)

_SECONDS = {'days': 86400, 'hours': 3600, 'minutes': 60, 'seconds': 1}


def purge_deleted(context: Any, age: int | str, granularity: str = 'days',
                  project_id: str | None = None, batch_size: int = 20
                  ) -> int:
    """Remove the stacks deleted at least an age ago, some at a time.

    Templates go, too, that an engine which died in the middle of an update
    has left behind, after a day at least. They belong to no project. Each
    batch is a transaction of its own; return how many stacks went.
    """
    before = _moment(age, granularity)
    purged = 0
    while True:
        number = _purge_batch(context, before, project_id, batch_size)
        if not number:
            break
        purged += number
    if project_id is None:
        before_that = min(before, timeutils.utcnow() - _TEMPLATE_AGE)
        last: int | None = 0
        while last is not None:
            last = _purge_templates(context, before_that, last, batch_size)
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


@session.writes
def _purge_batch(conn: sa.Connection, before: datetime.datetime,
                 project_id: str | None, batch_size: int) -> int:
    statement = sa.select(
        _STACK.c.id, _STACK.c.raw_template_id, _STACK.c.prev_raw_template_id,
        _STACK.c.user_creds_id).where(_STACK.c.deleted_at < before)
    if project_id:
        statement = statement.where(_STACK.c.tenant == project_id)
    rows = conn.execute(
        statement.order_by(_STACK.c.deleted_at).limit(batch_size)).all()
    if rows:
        _purge(conn, rows)
    return len(rows)


def _purge(conn: sa.Connection, rows: list[Any] | Any) -> None:
    ids = [row.id for row in rows]
    templates = {template_id for row in rows
                 for template_id in (row.raw_template_id,
                                     row.prev_raw_template_id)
                 if template_id is not None}
    templates.update(query.scalars(
        conn, sa.select(_RESOURCE.c.current_template_id).where(
            _RESOURCE.c.stack_id.in_(ids),
            _RESOURCE.c.current_template_id.is_not(None)).distinct()))
    for table in (models.STACK_LOCK, models.STACK_TAG, models.SYNC_POINT,
                  models.STACK_EXPORT, models.STACK_IMPORT,
                  models.STACK_PROTECTION, models.DRIFT_SCHEDULE):
        conn.execute(table.delete().where(table.c.stack_id.in_(ids)))
    # Events first: properties that both refer to go with the resources.
    event.delete_all_of_stacks(conn, ids)
    resource.delete_all_of_stacks(conn, ids)
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


@session.writes
def _purge_templates(conn: sa.Connection, before: datetime.datetime,
                     last: int, batch_size: int) -> int | None:
    """Remove some templates that nothing refers to.

    :param last: the highest id of the batch before
    Return the highest id of this batch, None if there are no more.
    """
    ids = query.scalars(conn, sa.select(_TEMPLATE.c.id).where(
        _TEMPLATE.c.id > last, _TEMPLATE.c.created_at < before,
        _is_unused()).order_by(_TEMPLATE.c.id).limit(batch_size))
    _delete_unused_templates(conn, ids)
    return ids[-1] if ids else None


@session.writes
def _purge_services(conn: sa.Connection, before: datetime.datetime) -> None:
    service = models.SERVICE
    conn.execute(service.delete().where(service.c.deleted_at < before))
