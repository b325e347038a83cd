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
#: An object that exists before the stack, and its definition after import.
FOUND, IMPORTED = thing('1'), thing('5', kind='ShownThing', steps=1)
WITH_IMPORT = {'a': IMPORTED, 'b': thing('2', needs=['a'], steps=1),
               'c': nest({'d': thing('1', steps=1, borrows=True)},
                         needs=['a'])}
NESTED_IMPORT = {'b': nest({'c': IMPORTED, 'd': thing('2')}),
                 'e': thing('2', needs=['b'], steps=1)}
BEFORE_IMPORT = {'b': nest({'d': thing('1')}), 'e': thing('2')}
MOVES = [{'from': 'a', 'to': 'x'}, {'from': 'b/d', 'to': 'd'},
         {'from': 'e', 'to': 'b/e'}]
UNMOVED = {**TREE, 'e': thing('4')}
MOVED = {'x': thing('3', steps=1),
         'b': nest({'c': thing('1', steps=1, borrows=True),
                    'e': thing('5', steps=1)}, needs=['x']),
         'd': thing('2'), 'f': thing('1', needs=['d'])}
#: A stack that gives what moves into another one, and that one.
GIVING = {'a': thing('1', needs=['s']), 's': thing('7'), 'k': thing('8'),
          'p': thing('1'), 'n': nest({'q': thing('1')})}
GIVEN = {'s': thing('7'), 'k': thing('8')}
OUT_OF_ANOTHER = [
    {'from': {'stack': 'giver', 'resource': source}, 'to': target}
    for source, target in {'a': 'x', 'p': 'b/p', 'n': 'm'}.items()]
RECEIVING = {'o': thing('1'), 'b': nest({'c': thing('1', borrows=True)},
                                        needs=['o'])}
RECEIVED = {'o': thing('1'), 'x': thing('3', needs=['o'], steps=1),
            'b': nest({'c': thing('1', borrows=True),
                       'p': thing('1')}, needs=['o']),
            'm': nest({'q': thing('5', steps=1, borrows=True)},
                      needs=['x']),
            'f': thing('1', needs=['x'])}
SHOWN = {'a': thing('1', kind='ShownThing'),
         'b': nest({'c': thing('1', kind='ShownThing', borrows=True)},
                   needs=['a'])}
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
    :ivar renamed: {name of a thing before: name of its resource after}
    :ivar leaves_templates: whether a template may outlive a failure: a purge
        removes those that nothing refers to, a day later. One describes the
        stack without its moves and imports, and a row may still refer to it
        when the operation fails.
    :ivar is_aside: whether engines work on something beside the stack, which
        stays as it is
    """

    before: dict | None
    goal: dict | None
    begin: Callable
    state: str
    created: int = 0
    prepare: Callable = lambda episode: None
    again: Callable | None = None
    renamed: dict = dataclasses.field(default_factory=dict)
    leaves_templates: bool = False
    is_aside: bool = False


def create(goal, name=NAME):
    def request(episode):
        template, files = episode.plant.written(goal)
        return episode.ask('create_stack', name, template, {}, files, {})
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


def _planned(goal, **options):
    """Make a change set, which is not disturbed."""
    def prepare(episode):
        plant, stack_id = episode.plant, episode.stack_id
        template, files = plant.written(goal)
        found, error = plant.ask(
            'create_change_set', stack_id and plant.identity(stack_id),
            None if stack_id else NAME, template, {}, files, {}, **options)
        assert error is None, error
        assert found['status'] == 'AVAILABLE', found
        episode.change_set_id = found['id']
    return prepare


def _with_import(goal, path):
    """Make a thing outside of stacks, and a change set that imports it."""
    name = path.rpartition('/')[2]

    def prepare(episode):
        cloud = episode.plant.cloud
        thing_id = cloud.create(name, 1, {**FOUND['properties']})
        cloud.step(thing_id)
        episode.imported = {name: thing_id}
        _planned(goal, imports=[{'resource': path, 'id': thing_id}])(episode)
    return prepare


def _with_giver(before, after):
    """Make another stack, which gives resources.

    :param before: its resources, and those that it has in the end
    """
    def prepare(episode):
        receiver_id = episode.stack_id
        episode.undisturbed(create(before, 'giver'))
        episode.others = {episode.stack_id: after}
        episode.stack_id = receiver_id
    return prepare


def _one_by_one(*preparations):
    def prepare(episode):
        for each in preparations:
            each(episode)
    return prepare


def _plans_in_background(episode):
    episode.plant.configure('change_set_immediate_resources', 0)


def _plan(goal, moves):
    """Have engines plan a change set in the background."""
    def request(episode):
        template, files = episode.plant.written(goal)
        return episode.ask(
            'create_change_set', episode.plant.identity(episode.stack_id),
            None, template, {}, files, {}, moves=moves)
    return request


def _execute(episode):
    return episode.ask(
        'execute_change_set', episode.change_set_id,
        episode.plant.identity(episode.stack_id))


def _execute_new(episode):
    return episode.ask('execute_change_set', episode.change_set_id)


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
    'import-create': Cycle(
        None, WITH_IMPORT, _execute_new, 'CREATE_COMPLETE', 2,
        prepare=_with_import(WITH_IMPORT, 'a'), again=_update(WITH_IMPORT)),
    'import': Cycle(
        BEFORE_IMPORT, NESTED_IMPORT, _execute, 'UPDATE_COMPLETE',
        prepare=_with_import(NESTED_IMPORT, 'b/c'),
        again=_update(NESTED_IMPORT), leaves_templates=True),
    'move': Cycle(
        UNMOVED, MOVED, _execute, 'UPDATE_COMPLETE', 1,
        prepare=_planned(MOVED, moves=MOVES), again=_update(MOVED),
        renamed={'a': 'x'}, leaves_templates=True),
    'move-between': Cycle(
        RECEIVING, RECEIVED, _execute, 'UPDATE_COMPLETE', 1,
        prepare=_one_by_one(_with_giver(GIVING, GIVEN),
                            _planned(RECEIVED, moves=OUT_OF_ANOTHER)),
        again=_update(RECEIVED), renamed={'a': 'x'}, leaves_templates=True),
    'plan': Cycle(UNMOVED, UNMOVED, _plan(MOVED, MOVES), 'CREATE_COMPLETE',
                  prepare=_plans_in_background, is_aside=True),
    'plan-between': Cycle(
        RECEIVING, RECEIVING, _plan(RECEIVED, OUT_OF_ANOTHER),
        'CREATE_COMPLETE', prepare=_one_by_one(
            _with_giver(GIVING, GIVING), _plans_in_background),
        is_aside=True),
    'drift': Cycle(SHOWN, SHOWN, of_stack('update_stack_drift', 3600),
                   'CREATE_COMPLETE', is_aside=True),
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

#: Those in which engines are killed, too.
DEADLY = ('import-create', 'import', 'move', 'move-between', 'plan',
          'plan-between', 'drift')
