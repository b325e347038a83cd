"""Stacks of servers with volumes and floating IPs that Heat has made."""
import contextlib

import pytest

from tests.functional import templates
from tests.functional.takeover import cloud
from tests.functional.takeover import world as world_module

_ALL = dict.fromkeys(cloud.NAMES, 'CREATE COMPLETE')
#: {name: options of the rows}
REST = {
    'rest': {'states': _ALL},
    'rest-legacy': {'states': _ALL, 'convergence': False},
    'suspended': {'states': dict.fromkeys(cloud.NAMES, 'SUSPEND COMPLETE'),
                  'action': 'SUSPEND'},
}


def _creating(number, is_made):
    """Return a stack in which a resource is being created."""
    return {
        'states': {name: (
            'CREATE COMPLETE' if index < number else '!CREATE IN_PROGRESS'
            if index == number else 'INIT COMPLETE')
            for index, name in enumerate(cloud.NAMES)},
        'made': cloud.NAMES[:number + is_made], 'status': 'IN_PROGRESS'}


def _updating(number):
    """Return a stack in which a resource is being updated."""
    return {
        'states': {name: (
            'UPDATE COMPLETE' if index < number else '!UPDATE IN_PROGRESS'
            if index == number else 'CREATE COMPLETE')
            for index, name in enumerate(cloud.NAMES)},
        'action': 'UPDATE', 'status': 'IN_PROGRESS'}


def _deleting(number, convergence):
    """Return a stack in which a resource is being deleted."""
    return {
        'states': {name: 'CREATE COMPLETE' if index < number
                   else '!DELETE IN_PROGRESS'
                   for index, name in enumerate(cloud.NAMES[:number + 1])},
        'made': cloud.NAMES[:number + 1], 'action': 'DELETE',
        'status': 'IN_PROGRESS', 'convergence': convergence}


_NUMBERS = dict(enumerate(cloud.NAMES))
BUSY = {
    **{f'create-{name}{"" if is_made else "-unmade"}': _creating(
        number, is_made) for number, name in _NUMBERS.items()
        for is_made in (True, False)},
    **{f'update-{name}': _updating(number)
       for number, name in _NUMBERS.items()},
    **{f'delete-{name}{"" if convergence else "-legacy"}': _deleting(
        number, convergence) for number, name in _NUMBERS.items()
        for convergence in (True, False)},
}


@contextlib.contextmanager
def _world(tmp_path_factory, cases):
    services = cloud.Cloud()
    with pytest.MonkeyPatch.context() as patch:
        services.use(patch)
        stacks = {}

        def write(database):
            stacks.update({name: cloud.Stack(
                database, services, name, **options)
                for name, options in cases.items()})
            services.forget()
            return {name: stack.rows for name, stack in stacks.items()}

        with world_module.serving(
                patch, tmp_path_factory.mktemp('heat'), write,
                cloud=services, stacks=stacks) as made:
            yield made


# A class each: one service has stopped before the other one starts. They share
# the configuration, so the first would work on the rows of the second.

@pytest.fixture(scope='class')
def resting(tmp_path_factory):
    """Return the service over stacks at rest."""
    with _world(tmp_path_factory, REST) as made:
        yield made


@pytest.fixture(scope='class')
def world(tmp_path_factory):
    """Return the service, which takes the operations over."""
    with _world(tmp_path_factory, BUSY) as made:
        yield made


# The order of the tests counts: what is compared comes before what changes.

class TestStacksAtRest:
    """Stacks that nothing was done with when Heat was stopped."""

    @pytest.mark.parametrize('name', REST)
    def test_stack_is_shown_as_before(self, resting, name):
        stack, rows = resting.stack(name), resting.stacks[name]
        assert not world_module.differing(
            stack.show(), world_module.expected_stack(rows.rows))
        for one in cloud.NAMES:
            shown = stack.resource(one)
            assert not world_module.differing(
                shown, world_module.expected_resource(rows.rows.rows[one]))
        shown = stack.resource('server')['attributes']
        assert shown['id'] == rows.ids['server']
        assert shown['os_collect_config'] == {}
        assert 'tags' not in stack.resource('port')['attributes']
        assert stack.resource('attachment')['attributes'] == {}
        assert resting.cloud.changes() == []

    @pytest.mark.parametrize('name', ['rest', 'rest-legacy'])
    def test_nothing_is_done_where_nothing_changes(self, resting, name):
        stack = resting.stack(name)
        before = stack.resources()
        stack.updated(templates.hot(cloud.template()))
        assert resting.cloud.changes() == []
        assert stack.resources() == before

    @pytest.mark.parametrize('name', ['rest', 'rest-legacy'])
    def test_things_are_changed_in_place(self, resting, name):
        stack, rows = resting.stack(name), resting.stacks[name]
        resting.cloud.forget()
        stack.updated(templates.hot(cloud.template(name='second')))
        for one in cloud.NAMES:
            assert stack.physical(one) == rows.ids[one]
        assert not {change for change in resting.cloud.changes()
                    if change[0] in ('create', 'delete')}
        assert resting.cloud.compute.things['server', rows.ids['server']][
            'name'] == 'second'

    @pytest.mark.parametrize('name', REST)
    def test_stack_is_deleted(self, resting, name):
        resting.stack(name).deleted()

    def test_nothing_is_left(self, resting):
        assert resting.left() == {}
        assert resting.cloud.left() == []


class TestBusyStacks:
    """Stacks with an operation in progress."""

    @pytest.mark.parametrize('name', BUSY)
    def test_operation_ends(self, world, name):
        stack, rows = world.stack(name), world.stacks[name]
        action = name.partition('-')[0].upper()
        if action == 'DELETE':
            stack.wait_deleted()
            return
        stack.wait(f'{action}_COMPLETE')
        if action == 'UPDATE':
            for one in cloud.NAMES:
                assert stack.physical(one) == rows.ids[one]
        else:
            for one, row in rows.rows.rows.items():
                if (row.action, row.status) == ('CREATE', 'COMPLETE'):
                    assert stack.physical(one) == row.physical

    @pytest.mark.parametrize('name', [
        name for name in BUSY if not name.startswith('delete')])
    def test_busy_stack_is_updated_and_deleted(self, world, name):
        stack = world.stack(name)
        stack.updated(templates.hot(cloud.template(name='third')))
        stack.deleted()

    def test_nothing_of_busy_stacks_is_left(self, world):
        assert world.left() == {}
        assert world.cloud.left() == []
