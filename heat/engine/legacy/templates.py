"""The rows of templates that an update under a lock reads and writes."""
from typing import Any

from heat.common import context as heat_context
from heat.engine import template
from heat.engine.stacks import interface
from heat.engine.stacks import template_store


class UpdateTemplates:
    """The rows of the templates before, during and after an update."""

    def __init__(self, working: template.Template, old_id: Any,
                 obsolete_id: Any) -> None:
        self.working = working
        self.old_id = old_id
        self.obsolete = {obsolete_id} - {None}
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
