"""Let a new stack begin without resources, so that it can import some.

Imports describe a stack as it is anew. One that does not exist is stored
without resources first; the operation that creates it leads from there to
its goal, as an update does.
"""
from typing import Any
import uuid

from heat.common import exception
from heat.common.i18n import _
from heat.engine import template as templatem
from heat.engine.plans import moves
from heat.engine.plans import requested
from heat.engine.stacks import store as stack_store
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects


def imports_of(goal: Any, asked: list[requested.Import]
               ) -> list[requested.Import]:
    """Return the imports of a request for a new stack.

    :param goal: the stack to be created, whose environment may have some
    :param asked: those that the request names itself
    :raises NotSupported: the stack is to be adopted as well.
    """
    found = moves.all_imports(asked, goal)
    if found and goal.adopt_stack_data:
        raise exception.NotSupported(feature=_(
            'Importing resources into a stack that is adopted'))
    return found


def beginning_of(goal: Any) -> Any:
    """Return the stack that a goal begins as: it has no resources."""
    return stack_store.wanted_stack(
        goal, templatem.Template.create_empty_template(from_template=goal.t))


def planned_beginning_of(goal: Any) -> Any:
    """Return the same for a plan: nothing of it is stored."""
    stack = beginning_of(goal)
    stack.assign_id(str(uuid.uuid4()))
    stack.rows.use(())
    return stack


def interrupted(context: Any, stack_id: str | None) -> Any:
    """Return the row of a stack that was stored and did not begin.

    None if it is gone, or has begun. Engines create any stack that nobody
    begins; this one is without resources then.

    :param stack_id: the id under which it was stored, None if it was not
    """
    if stack_id is None:
        return None
    row = stack_objects.Stack.get_by_id(context, stack_id)
    if row is None or row.action != 'CREATE' or (
            resource_objects.Resource.get_summaries(context, stack_id)):
        return None
    return row
