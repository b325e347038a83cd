"""Secrets that stored stacks inherit from the stacks above them."""
from heat.common import exception
from heat.engine.stacks import interface
from heat.engine.stacks import redaction
from heat.engine.stacks import store as stack_store


def know_inherited(stack: interface.Stack) -> None:
    """Have a nested stack hide what derives from hidden values above it.

    New stacks are stored with what they inherit. Those that were stored
    before that was noted, by us or by another service, have it found out
    from the stacks above.
    """
    if stack.owner_id is None or stack.parameters.inherited is not None:
        return
    try:
        parent = stack_store.load(stack.context, stack.owner_id)
    except exception.EntityNotFound:
        return
    know_inherited(parent)
    stack.parameters.inherit(redaction.inherited_from(
        parent, stack.parent_resource_name, stack.t))
