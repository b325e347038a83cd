"""Plugins that are told before and after each action on a stack."""
import weakref

from oslo_log import log as logging

from heat.engine import environment

LOG = logging.getLogger(__name__)

# By global environment, which is filled once at start-up.
_instances: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


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


def plugins():
    """Return an instance of each registered plugin, in their order."""
    env = environment.global_env()
    known = _instances.get(env)
    if known is None:
        made = [(plugin_class(), name) for name, plugin_class
                in env.get_stack_lifecycle_plugins()]
        made.sort(key=lambda item: (item[0].get_ordinal(), item[1]))
        known = _instances[env] = tuple(plugin for plugin, _name in made)
    return known


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
