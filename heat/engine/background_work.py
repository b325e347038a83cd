"""Work of a resource beside its actions, such as scaling.

A plugin notes it in the metadata of the resource, so that another engine
takes it up when the engine that began it has died. Several engines may take
up the same work; the resource ensures that one of them finishes it.
"""
from oslo_log import log as logging

from heat.engine import stack as stack_module
from heat.engine.drivers import select as stack_driver
from heat.objects import resource as resource_objects

LOG = logging.getLogger(__name__)

#: What metadata have while something goes on beside the actions.
NOTE = 'scaling_began'


def engine_id():
    """Return the id of this engine, to be noted; None outside an engine."""
    return stack_driver.engine_id()


def is_attended(context, began_it):
    """Return whether the engine is there that has begun something.

    :param began_it: its id; of an engine that nobody noted nothing is known
    """
    return began_it is None or stack_driver.engine_is_there(context, began_it)


def unattended(context):
    """Return (stack id, name) of resources with work to resume.

    It looks at the metadata of all resources, so it is to be called when
    an engine has gone, not more often.
    """
    return resource_objects.Resource.with_metadata_key(context, NOTE)


def take_up(context, stack_id, name):
    """Resume the work that a resource says is not finished."""
    stack = stack_module.Stack.load(context, stack_id, use_stored_context=True)
    resource = stack[name] if name in stack else None
    go_on = getattr(resource, 'watch_again', None)
    if go_on is not None:
        LOG.info('Watching %s of stack %s again', name, stack_id)
        go_on()
