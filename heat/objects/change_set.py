"""Change sets as stored."""
from collections.abc import Mapping
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import change_words
from heat.common import timeutils
from heat.db import api as db_api
from heat.objects import base

Status = change_words.Status


@dataclasses.dataclass(slots=True)
class ChangeSet:
    """A request to create or update a stack, and its plan.

    :ivar creator: the name of the user who made it, or the id
    :ivar creator_id: the id; None of those from before it was stored
    :ivar engine_id: the engine that plans it
    :ivar attempts: how often another engine has taken that over
    :ivar planned: the number of resources that have been planned
    :ivar total: the number of resources that there will be
    :ivar action: CREATE or UPDATE
    :ivar base: {stack id: stamp} of the tree that it was computed from
    :ivar definition: the request, as create_stack or update_stack takes it
    :ivar changes: the plan and its warrant; hidden values are masked
    """

    id: str
    tenant: str
    action: str
    status: str
    stack_id: str | None = None
    stack_name: str | None = None
    name: str | None = None
    description: str | None = None
    creator: str | None = None
    creator_id: str | None = None
    engine_id: str | None = None
    attempts: int | None = None
    planned: int | None = None
    total: int | None = None
    status_reason: str | None = None
    base: Any = None
    definition: Any = None
    changes: Any = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]) -> 'ChangeSet':
        """Store a change set of the context's project."""
        stored = base.with_reason(values)
        stored.setdefault('id', str(uuid.uuid4()))
        stored.setdefault('created_at', timeutils.utcnow())
        stored.setdefault('tenant', context.project_id)
        db_api.change_set_create(context, stored)
        return cls(**stored)

    @classmethod
    def get_by_id(cls, context: Any, change_set_id: str
                  ) -> 'ChangeSet | None':
        """Return a change set that the context's project may see."""
        row = db_api.change_set_get(context, change_set_id)
        if row is None or (not context.is_admin and
                           row.tenant != context.project_id):
            return None
        return base.record(cls, row)

    @classmethod
    def get_all(cls, context: Any, tenant: str, stack_id: str | None,
                limit: int) -> list['ChangeSet']:
        """Return the latest change sets, without documents.

        :param stack_id: those of one stack; None for the whole project
        """
        return [base.record(cls, row) for row in db_api.change_set_get_all(
            context, tenant, stack_id, limit)]

    @classmethod
    def swap(cls, context: Any, change_set_id: str, status: str,
             values: Mapping[str, Any], engine_id: str | None = None
             ) -> bool:
        """Write values if the status is still this one.

        :param engine_id: the engine that must still plan it, if given
        """
        return db_api.change_set_update(
            context, change_set_id, base.with_reason(values), status,
            engine_id)

    @classmethod
    def in_progress(cls, context: Any) -> list['ChangeSet']:
        """Return those that are being planned, without documents."""
        return [base.record(cls, row)
                for row in db_api.change_set_get_in_progress(
                    context, Status.CREATE_IN_PROGRESS)]

    @classmethod
    def delete(cls, context: Any, change_set_id: str) -> bool:
        """Delete a change set; False if it is gone."""
        return db_api.change_set_delete(context, change_set_id)

    @classmethod
    def delete_older(cls, context: Any, seconds: int) -> int:
        """Delete those of the project that are older; return how many."""
        return db_api.change_set_delete_older(
            context, context.project_id,
            timeutils.utcnow() - datetime.timedelta(seconds=seconds))
