"""Stacks with resources of a type whose plugin is not installed any more."""
import pytest

from heat.engine import environment
from tests.functional import templates
from tests.functional.templates import hot

REASON = ('The type Test::Thing of resource "%s" is not known to this '
          'engine.')
NONE = {'resource_registry': {'Test::Thing': 'OS::Heat::None'}}


class Plugin:
    """The plugin of things, which can be taken away."""

    def __init__(self):
        self._registry = environment.global_env().registry
        self._class = self._registry.get_class('Test::Thing')

    def remove(self):
        """Have engines that do not know the type."""
        self._registry.load({'Test::Thing': None})

    def install(self):
        """Have engines that know it."""
        self._registry.register_class('Test::Thing', self._class)


@pytest.fixture
def plugin(api):
    """Return the plugin; it is there again after the test."""
    one = Plugin()
    yield one
    one.install()


def failed(stack, state='DELETE_FAILED'):
    """Wait for a failure of a stack; return the reason."""
    stack.wait(state)
    return stack.show()['stack_status_reason']


def test_delete_tells_what_is_missing(driver, api, thing, plugin):
    stack = api.created('d', hot({
        'a': templates.thing(), 'r': {'type': 'OS::Heat::RandomString',
                                      'depends_on': 'a'}}))
    made = stack.physical('a')
    plugin.remove()
    # What is known of it can be seen.
    shown = stack.resource('a')
    assert shown['resource_type'] == 'Test::Thing'
    assert shown['physical_resource_id'] == made
    stack.delete()
    reason = failed(stack)
    assert reason.startswith('Resource DELETE failed: Error: '
                             'resources.a: ' + REASON % 'a'), reason
    assert 'plugin' in reason
    assert 'OS::Heat::None' in reason
    # The others are gone, and of this one its own events tell as well.
    assert stack.states() == {'a': 'DELETE_FAILED'}
    assert stack.events('a')[-1] == 'a DELETE_FAILED'
    assert made in thing.things
    plugin.install()
    stack.deleted()
    assert made not in thing.things


def test_what_is_inside_tells_where_it_is(driver, api, plugin):
    stack = api.created('d', hot({'g': {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': 1, 'resource_def': templates.thing()}}}))
    plugin.remove()
    stack.delete()
    reason = failed(stack)
    assert 'resources.g.resources[0]: ' + REASON % '0' in reason


def test_it_can_be_left_behind(driver, api, thing, plugin):
    stack = api.created('d', hot({'a': templates.thing()}))
    made = stack.physical('a')
    plugin.remove()
    stack.updated(hot({'a': templates.thing()}), environment=NONE)
    stack.deleted()
    assert made in thing.things
    del thing.things[made]


def test_retained_ones_need_no_plugin(driver, api, thing, plugin):
    stack = api.created('d', hot({
        'a': templates.thing(deletion_policy='retain')}))
    made = stack.physical('a')
    plugin.remove()
    stack.deleted()
    assert made in thing.things
    del thing.things[made]


def test_new_ones_are_refused(driver, api, plugin):
    stack = api.created('d', hot())
    plugin.remove()
    answer = api.create('n', hot({'a': templates.thing()}), expect=400)
    assert 'The Resource Type (Test::Thing) could not be found' in (
        answer.message)
    stack.update(hot({'a': templates.thing()}), expect=400)


def test_updates_that_keep_them_are_refused(driver, api, plugin):
    stack = api.created('d', hot({'a': templates.thing()}))
    plugin.remove()
    answer = stack.update(hot({'a': templates.thing(value='other')}),
                          expect=400)
    assert answer.error == 'StackValidationFailed'
    assert 'resources.a: The Resource Type (Test::Thing)' in answer.message
    assert stack.state == 'CREATE_COMPLETE'
    plugin.install()
    stack.deleted()


def test_other_actions_tell_it_too(driver, api, plugin):
    stack = api.created('d', hot({'a': templates.thing()}))
    plugin.remove()
    stack.act('suspend')
    assert REASON % 'a' in failed(stack, 'SUSPEND_FAILED')
