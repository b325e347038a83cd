"""Plugins that are told before and after each action on a stack."""
import functools

from oslo_log import log as logging
from stevedore import extension

LOG = logging.getLogger(__name__)

NAMESPACE = 'heat.stack_lifecycle_plugins'


class LifecyclePlugin:
    """Base class of plugins in the heat.stack_lifecycle_plugins group."""

    def do_pre_op(self, cnxt, stack, current_stack=None, action=None):
        """Be told that an action begins; an exception makes it fail."""

    def do_post_op(self, cnxt, stack, current_stack=None, action=None,
                   is_stack_failure=False):
        """Be told that an action ended; exceptions are logged."""

    def get_ordinal(self):
        """Return the place among the plugins; lower ones go first."""
        return 100


@functools.cache
def plugins():
    """Return an instance of each plugin, in their order."""
    found = extension.ExtensionManager(
        NAMESPACE, invoke_on_load=True,
        on_load_failure_callback=_report_failure)
    instances = [(ext.obj.get_ordinal(), ext.name, ext.obj) for ext in found]
    return tuple(obj for _place, _name, obj in sorted(
        instances, key=lambda item: item[:2]))


def _report_failure(_manager, entry_point, error):
    LOG.error('Lifecycle plugin %s could not be loaded: %s',
              entry_point.name, error)


def do_pre_ops(cnxt, stack, current_stack=None, action=None):
    """Tell the plugins that an action begins.

    When one of them fails, those before it are told that it is over.
    """
    done = []
    try:
        for plugin in plugins():
            plugin.do_pre_op(cnxt, stack, current_stack, action)
            done.append(plugin)
    except Exception:
        _tell(done, cnxt, stack, current_stack, action, True)
        raise


def do_post_ops(cnxt, stack, current_stack=None, action=None,
                is_stack_failure=False):
    """Tell the plugins, last one first, that an action ended."""
    _tell(plugins(), cnxt, stack, current_stack, action, is_stack_failure)


def _tell(those, cnxt, stack, current_stack, action, is_stack_failure):
    for plugin in reversed(those):
        try:
            plugin.do_post_op(cnxt, stack, current_stack, action,
                              is_stack_failure)
        except Exception:
            LOG.exception('Lifecycle plugin %s failed',
                          type(plugin).__name__)
