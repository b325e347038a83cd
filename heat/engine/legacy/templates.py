"""The rows of templates that an update under a lock reads and writes."""
from typing import Any

from heat.common import context as heat_context
from heat.engine import template
from heat.engine.stacks import interface
from heat.engine.stacks import template_store


class UpdateTemplates:
    """The rows of the templates before, during and after an update.

    :param stack: the stack as it is
    :param new_stack: the stack as it is to be
    """

    def __init__(self, working: template.Template, stack: interface.Stack,
                 new_stack: interface.Stack) -> None:
        self.working = working
        self.old_id = new_stack.rollback_template_id or stack.t.id
        self.obsolete = {stack.prev_raw_template_id,
                         stack.t.id} - {None, self.old_id}
        self._written: Any = None

    def write(self, context: heat_context.RequestContext) -> Any:
        """Write the working template; return the id of its row.

        Database effects only, may be run again.
        """
        self._written = template_store.write(context, self.working)
        return self._written[0]

    def mark_stored(self) -> None:
        """Take over what has been written, once that is committed."""
        template_store.mark_stored(self.working, self._written)

    def all(self, new_stack: interface.Stack) -> set[Any]:
        """Return the ids of those that may be of no use afterwards."""
        return (self.obsolete | {self.working.id, new_stack.t.id,
                                 self.old_id}) - {None}
