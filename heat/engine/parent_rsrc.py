"""The parent resource, as far as a nested stack knows it."""
import weakref

from heat.common import current_engine
from heat.objects import resource as resource_objects


class ParentResourceProxy:
    """The resource in the parent stack, read when it is asked for.

    There is none (the constructor returns None) for a root stack.
    """

    def __new__(cls, context, parent_resource_name, parent_stack_id):
        if parent_resource_name is None:
            return None
        return super().__new__(cls)

    def __init__(self, context, parent_resource_name, parent_stack_id):
        self._context = context
        self.name = parent_resource_name
        self._stack_id = parent_stack_id
        self._stackref = None
        self._stack = None

    def _parent(self):
        stack = self._stackref() if self._stackref is not None else None
        if stack is None:
            if self._stack is None:
                self._stack = current_engine.require().load_stack(
                    self._context, self._stack_id)
            stack = self._stack
        return stack

    def use_stack(self, stack):
        """Look at this parent stack instead of loading one."""
        self._stackref = weakref.ref(stack)

    def metadata_get(self):
        """Return the metadata of the resource."""
        stack = self._stackref() if self._stackref is not None else None
        if stack is not None:
            return stack[self.name].metadata_get()
        row = resource_objects.Resource.get_by_name_and_stack(
            self._context, self.name, self._stack_id)
        return row.rsrc_metadata if row is not None else {}

    @property
    def t(self):
        """The definition of the resource."""
        return self._parent().defn.resource_definition(self.name)


def use_parent_stack(parent_proxy, stack):
    """Make a proxy look at a parent that is at hand; return the proxy."""
    if parent_proxy is not None:
        parent_proxy.use_stack(stack)
    return parent_proxy
