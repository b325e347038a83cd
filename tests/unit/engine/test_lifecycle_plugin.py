"""Plugins that see the beginning and the end of an operation."""

from heat.engine import environment
from heat.engine import lifecycle_plugin
from tests.fakes import stacks

CHAIN = stacks.CHAIN


class Plugin(lifecycle_plugin.LifecyclePlugin):
    calls = []
    ordinal = 100
    refuse = False

    def do_pre_op(self, cnxt, stack, current_stack=None, action=None):
        self.calls.append((type(self).__name__, 'pre', action))
        if self.refuse:
            raise ValueError('I object')

    def do_post_op(self, cnxt, stack, current_stack=None, action=None,
                   is_stack_failure=False):
        self.calls.append((type(self).__name__, 'post', action,
                           is_stack_failure))

    def get_ordinal(self):
        return self.ordinal


class Early(Plugin):
    ordinal = 1


class Objector(Plugin):
    ordinal = 200
    refuse = True


def register(*classes):
    Plugin.calls.clear()
    for cls in classes:
        environment.global_env().register_stack_lifecycle_plugin(
            cls.__name__, cls)


def test_lifecycle_plugins_see_both_ends(engine):
    register(Plugin, Early)
    engine.create('resources: {}')
    assert Plugin.calls == [
        ('Early', 'pre', 'CREATE'), ('Plugin', 'pre', 'CREATE'),
        ('Plugin', 'post', 'CREATE', False),
        ('Early', 'post', 'CREATE', False)]


def test_objecting_plugin_fails_the_action(engine):
    register(Plugin, Objector)
    stack = engine.create(CHAIN)
    assert stack.state == ('CREATE', 'FAILED')
    assert stack.status_reason == 'I object'
    assert engine.log == []
    assert ('Plugin', 'post', 'CREATE', True) in Plugin.calls
