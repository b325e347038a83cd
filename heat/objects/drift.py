"""Detections of drift as stored."""
from collections.abc import Mapping
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import drift_words
from heat.common import timeutils
from heat.db import api as db_api
from heat.objects import base

Status = drift_words.Status

#: Number of detections of a stack that are kept, whatever their age.
KEPT = 20


@dataclasses.dataclass(slots=True)
class DriftDetection:
    """A comparison of the stacks of a tree with what really exists.

    :ivar running: the id of the stack until it has ended
    :ivar creator: the name of the user who asked for it, or the id; None if
        it was due
    :ivar engine_id: the engine that carries it out
    :ivar attempts: how often another engine has taken that over
    :ivar examined: the number of resources that have been compared
    :ivar total: the number of resources, as far as the stacks are known
    :ivar drift: IN_SYNC or DRIFTED; None before it is known
    :ivar counts: {finding: number of resources}
    :ivar resources: what was found of each; hidden values are masked
    """

    id: str
    tenant: str
    stack_id: str
    status: str
    running: str | None = None
    creator: str | None = None
    creator_id: str | None = None
    engine_id: str | None = None
    attempts: int | None = None
    examined: int | None = None
    total: int | None = None
    status_reason: str | None = None
    drift: str | None = None
    counts: Any = None
    resources: Any = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    finished_at: datetime.datetime | None = None

    @classmethod
    def begin(cls, context: Any, values: Mapping[str, Any],
              unless_since: datetime.datetime | None = None
              ) -> 'DriftDetection | None':
        """Store a detection that runs; None if one of the stack does.

        :param unless_since: None as well if another one was begun at or
            after this moment
        """
        stored = {**values, 'id': str(uuid.uuid4()),
                  'created_at': timeutils.utcnow(),
                  'status': Status.IN_PROGRESS,
                  'running': values['stack_id'], 'examined': 0}
        if not db_api.drift_create(context, stored, unless_since):
            return None
        return cls(**stored)

    @classmethod
    def get_by_id(cls, context: Any, detection_id: str
                  ) -> 'DriftDetection | None':
        """Return a detection that the context's project may see."""
        row = db_api.drift_get(context, detection_id)
        if row is None or (not context.is_admin and
                           row.tenant != context.project_id):
            return None
        return base.record(cls, row)

    @classmethod
    def latest(cls, context: Any, stack_id: str) -> 'DriftDetection | None':
        """Return the detection of a stack that was begun last."""
        row = db_api.drift_get_latest(context, stack_id)
        return None if row is None else base.record(cls, row)

    @classmethod
    def previous(cls, context: Any, stack_id: str, before: str
                 ) -> 'DriftDetection | None':
        """Return the last one of a stack that was completed, in brief.

        :param before: the id of one that does not count
        """
        row = db_api.drift_get_previous(context, stack_id, Status.COMPLETE,
                                        before)
        return None if row is None else base.record(cls, row)

    @classmethod
    def in_progress(cls, context: Any) -> list['DriftDetection']:
        """Return those of all projects that run, in brief."""
        return [base.record(cls, row)
                for row in db_api.drift_get_running(context)]

    @classmethod
    def swap(cls, context: Any, detection_id: str, values: Mapping[str, Any],
             engine_id: str | None) -> bool:
        """Write values if the engine still carries the detection out."""
        return db_api.drift_update(context, detection_id,
                                   base.with_reason(values), engine_id)

    @classmethod
    def due(cls, context: Any, status: str, seconds: float, limit: int
            ) -> list[tuple[str, datetime.datetime]]:
        """Return root stacks that were not looked at for long.

        Stacks with a schedule of their own are not among them.

        :param status: that of stacks that do not change at the moment
        :return: [(id, the moment since which none has been begun)]
        """
        before = timeutils.utcnow() - datetime.timedelta(seconds=seconds)
        return [(stack_id, before) for stack_id in db_api.drift_get_due(
            context, status, before, limit)]

    @classmethod
    def forget(cls, context: Any, tenant: str, stack_id: str, seconds: int
               ) -> None:
        """Delete what is older in a project, and what a stack has too much.
        """
        db_api.drift_delete_older(
            context, tenant,
            timeutils.utcnow() - datetime.timedelta(seconds=seconds))
        db_api.drift_delete_beyond(context, stack_id, KEPT)


class DriftSchedule:
    """How often stacks are compared that have a pause of their own."""

    @staticmethod
    def get(context: Any, stack_id: str) -> int | None:
        """Return the pause of a stack in seconds.

        0 stands for never; None if the stack has none of its own.
        """
        return db_api.drift_schedule_get(context, stack_id)

    @staticmethod
    def set(context: Any, stack_id: str, pause: int | None) -> None:
        """Give a stack a pause, or take it away (None)."""
        db_api.drift_schedule_set(context, stack_id, pause)

    @staticmethod
    def due(context: Any, status: str, limit: int
            ) -> list[tuple[str, datetime.datetime]]:
        """Return root stacks whose own pause has passed.

        :param status: that of stacks that do not change at the moment
        :return: [(id, the moment since which none has been begun)]
        """
        return db_api.drift_schedule_get_due(context, status,
                                             timeutils.utcnow(), limit)
