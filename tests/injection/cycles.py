"""The life cycles into which faults are injected.

Each begins with a stack at rest, or with none, and has one request in it
that is disturbed.
"""
from collections.abc import Callable
import dataclasses

from heat.objects import snapshot as snapshot_objects
from tests.convergence.templates import group
from tests.convergence.templates import nest
from tests.convergence.templates import thing

NAME = 'disturbed'

CHAIN = {'a': thing('1', steps=1), 'b': thing('2', needs=['a'], steps=1)}
CHANGED = {'a': thing('3', steps=1), 'b': thing('2', needs=['a'], steps=1)}
REPLACED = {'a': thing('1', size=2, steps=1),
            'b': thing('2', needs=['a'], steps=1)}
FAILING = {'a': thing('3', steps=1),
           'b': thing('2', size=2, needs=['a'], fails=['create'])}
SIGNALLED = {'a': thing('1', kind='SignalledThing'), 'b': thing('2')}
TREE = {'a': thing('1'),
        'b': nest({'c': thing('1', steps=1, borrows=True),
                   'd': thing('2')}, needs=['a'])}
TREE_CHANGED = {'a': thing('1'),
                'b': nest({'c': thing('3', steps=1, borrows=True),
                           'e': thing('2')}, needs=['a'])}
LOCAL = {'a': thing('1', kind='LocalThing'),
         'b': thing('1', needs=['a'], kind='LocalThing'),
         'c': thing('1', needs=['b'], kind='LocalThing'),
         'd': thing('1', needs=['c'])}
LOCAL_CHANGED = {'a': thing('1', kind='LocalThing'),
                 'b': thing('2', needs=['a'], kind='LocalThing', size=2),
                 'c': thing('2', needs=['b'], kind='LocalThing'),
                 'd': thing('1', needs=['c'])}
GROUP = {'g': group(2, thing('1', steps=1))}
GROUP_GROWN = {'g': group(3, thing('1', steps=1))}


@dataclasses.dataclass(frozen=True, slots=True)
class Cycle:
    """A life cycle.

    :ivar before: the resources of the stack there is before; None if there
        is none
    :ivar goal: the resources it is to have in the end; None if none
    :ivar begin: makes the request: called with an episode
    :ivar state: what the stack comes to
    :ivar prepare: what is done before it, not disturbed
    :ivar again: makes the request with which a user mends what failed
    :ivar created: how many things come into being in it
    """

    before: dict | None
    goal: dict | None
    begin: Callable
    state: str
    created: int = 0
    prepare: Callable = lambda episode: None
    again: Callable | None = None


def create(goal):
    def request(episode):
        template, files = episode.plant.written(goal)
        return episode.ask('create_stack', NAME, template, {}, files, {})
    return request


def _update(goal, **options):
    def update(episode):
        template, files = episode.plant.written(goal)
        return episode.ask_of_stack('update_stack', template, {}, files,
                                    options)
    return update


def of_stack(method, *arguments):
    def request(episode):
        return episode.ask_of_stack(method, *arguments)
    return request


def _planned(goal):
    """Make a change set, which is not disturbed."""
    def prepare(episode):
        template, files = episode.plant.written(goal)
        found, error = episode.plant.ask(
            'create_change_set', episode.plant.identity(episode.stack_id),
            None, template, {}, files, {})
        assert error is None, error
        assert found['status'] == 'AVAILABLE', found
        episode.change_set_id = found['id']
    return prepare


def _execute(episode):
    return episode.ask(
        'execute_change_set', episode.change_set_id,
        episode.plant.identity(episode.stack_id))


def _snapshots(episode):
    return snapshot_objects.Snapshot.get_all_by_stack(
        episode.plant.context, episode.stack_id)


def _of_snapshot(method):
    def request(episode):
        return episode.ask_of_stack(method, episode.snapshot_id)
    return request


def _prepared(*requests):
    def prepare(episode):
        for request in requests:
            episode.undisturbed(request)
    return prepare


def _with_snapshot(*requests):
    def prepare(episode):
        episode.undisturbed(of_stack('stack_snapshot', 'snap'))
        [row] = _snapshots(episode)
        episode.snapshot_id = row.id
        _prepared(*requests)(episode)
    return prepare


CYCLES = {
    'create': Cycle(None, CHAIN, create(CHAIN), 'CREATE_COMPLETE', 2,
                    again=_update(CHAIN)),
    'update': Cycle(CHAIN, CHANGED, _update(CHANGED), 'UPDATE_COMPLETE'),
    'replace': Cycle(CHAIN, REPLACED, _update(REPLACED), 'UPDATE_COMPLETE',
                     1),
    'rollback': Cycle(CHAIN, CHAIN,
                      _update(FAILING, disable_rollback=False),
                      'ROLLBACK_COMPLETE', 1, again=_update(CHAIN)),
    'delete': Cycle(CHAIN, None, of_stack('delete_stack'),
                    'DELETE_COMPLETE'),
    'suspend': Cycle(CHAIN, CHAIN, of_stack('stack_suspend'),
                     'SUSPEND_COMPLETE'),
    'resume': Cycle(CHAIN, CHAIN, of_stack('stack_resume'),
                    'RESUME_COMPLETE',
                    prepare=_prepared(of_stack('stack_suspend'))),
    'check': Cycle(CHAIN, CHAIN, of_stack('stack_check'),
                   'CHECK_COMPLETE'),
    'snapshot': Cycle(CHAIN, CHAIN, of_stack('stack_snapshot', 'snap'),
                      'SNAPSHOT_COMPLETE'),
    'delete-snapshot': Cycle(CHAIN, CHAIN, _of_snapshot('delete_snapshot'),
                             'SNAPSHOT_COMPLETE', prepare=_with_snapshot()),
    'restore': Cycle(CHAIN, CHAIN, _of_snapshot('stack_restore'),
                     'RESTORE_COMPLETE',
                     prepare=_with_snapshot(_update(CHANGED))),
    'signal': Cycle(SIGNALLED, SIGNALLED,
                    of_stack('resource_signal', 'a', {'told': 'this'}),
                    'CREATE_COMPLETE'),
    'nested-create': Cycle(None, TREE, create(TREE), 'CREATE_COMPLETE', 3,
                           again=_update(TREE)),
    'nested-update': Cycle(TREE, TREE_CHANGED, _update(TREE_CHANGED),
                           'UPDATE_COMPLETE', 1),
    'nested-delete': Cycle(TREE, None, of_stack('delete_stack'),
                           'DELETE_COMPLETE'),
    'change-set': Cycle(TREE, TREE_CHANGED, _execute, 'UPDATE_COMPLETE', 1,
                        prepare=_planned(TREE_CHANGED),
                        again=_update(TREE_CHANGED)),
    'local-create': Cycle(None, LOCAL, create(LOCAL), 'CREATE_COMPLETE', 1,
                          again=_update(LOCAL)),
    'local-update': Cycle(LOCAL, LOCAL_CHANGED, _update(LOCAL_CHANGED),
                          'UPDATE_COMPLETE'),
    'local-delete': Cycle(LOCAL, None, of_stack('delete_stack'),
                          'DELETE_COMPLETE'),
    'group-create': Cycle(None, GROUP, create(GROUP), 'CREATE_COMPLETE', 2,
                          again=_update(GROUP)),
    'group-update': Cycle(GROUP, GROUP_GROWN, _update(GROUP_GROWN),
                          'UPDATE_COMPLETE', 1),
}
