"""Hand a stack of the legacy driver over to convergence."""
from collections.abc import Iterable
from typing import Any
import uuid

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import status
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import interface
from heat.engine.stacks import store as stack_store
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

_S = status.StackStatus


def to_convergence(context: heat_context.RequestContext, stack: interface.Stack
                   ) -> None:
    """Make a root stack and all below it stacks of convergence.

    All of them change in one transaction, or none does.

    :raises NotSupported: the stack is nested, has been handed over, or it
        or a stack below it is not COMPLETE.
    """
    rows = [stack_store.get_row(context, stack.id, show_deleted=False)]
    rows += stack_objects.Stack.get_all_by_root_owner_id(context, stack.id)
    _check(stack, rows)
    plans = [_plan(type(stack).load(context, stack=row)) for row in rows]

    def write() -> None:
        for stack_id, values, requirements in plans:
            expected = {'status': _S.COMPLETE, 'convergence': False}
            if not stack_objects.Stack.select_and_update(
                    context, stack_id, values, expected):
                raise exception.NotSupported(
                    feature=_('Converting a stack that is in use'))
            for row_id, columns in requirements.items():
                resource_objects.Resource.update_by_id(context, row_id,
                                                       columns)

    transaction.run(context, write)
    LOG.info('Stack %s (%s) belongs to convergence now', stack.name,
             stack.id)


def _check(stack: interface.Stack, rows: Iterable[Any]) -> None:
    if stack.owner_id is not None:
        raise exception.NotSupported(
            feature=_('Converting a nested stack without its root'))
    if stack_store.is_convergent(stack):
        raise exception.NotSupported(
            feature=_('Converting a stack that already uses convergence'))
    for row in rows:
        if row.status != _S.COMPLETE:
            raise exception.NotSupported(
                feature=_('Converting stack "%s", which is %s_%s,')
                % (row.name, row.action, row.status))


def _plan(stack: interface.Stack
          ) -> tuple[str, dict[str, Any], dict[int, dict[str, Any]]]:
    """Return (stack id, its columns, {row id: columns}) to be written."""
    resources = {res.id: res for res in stack.values()
                 if res.id is not None}
    graph = stack.get_dependencies(resources.values()).graph()
    requirements = {
        row_id: sorted(needed.id for needed in graph[res]
                       if needed.id is not None)
        if res in graph else []
        for row_id, res in resources.items()}
    values = {
        'convergence': True,
        'current_traversal': str(uuid.uuid4()),
        'current_deps': stack_graph.graph_to_deps(
            stack_graph.walk_graph(requirements)),
        'prev_raw_template_id': None,
    }
    return stack.id, values, {
        row_id: {'requires': needed, 'current_template_id': stack.t.id}
        for row_id, needed in requirements.items()}
