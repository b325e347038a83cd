"""Take-over of a resource of any type in any state, and what must follow."""
import contextlib
import copy
import dataclasses

import pytest

from tests.fakes import heat_rows
from tests.functional import templates
from tests.functional.takeover import clouds
from tests.functional.takeover import kinds
from tests.functional.takeover import world as world_module


@dataclasses.dataclass(frozen=True)
class Case:
    """The state in which Heat left the only resource of a stack.

    :ivar is_there: whether the cloud resource exists
    :ivar is_known: whether the row has its id
    :ivar is_asked: whether the service received the update or deletion
    """

    action: str = 'CREATE'
    status: str = 'COMPLETE'
    convergence: bool = True
    is_there: bool = True
    is_known: bool = True
    is_asked: bool = False

    @property
    def is_going(self):
        """Whether Heat was stopped during the operation."""
        return self.status == 'IN_PROGRESS'


_GOING = 'IN_PROGRESS'
CASES = {
    'rest': Case(),
    'updated': Case('UPDATE'),
    'suspended': Case('SUSPEND'),
    'failed-create': Case(status='FAILED'),
    'failed-update': Case('UPDATE', 'FAILED'),
    'failed-delete': Case('DELETE', 'FAILED'),
    'create': Case(status=_GOING, is_asked=True),
    'create-unasked': Case(status=_GOING, is_there=False, is_known=False),
    'create-unknown': Case(status=_GOING, is_known=False),
    'update': Case('UPDATE', _GOING, is_asked=True),
    'update-unasked': Case('UPDATE', _GOING),
    'delete': Case('DELETE', _GOING, is_asked=True),
    'delete-unasked': Case('DELETE', _GOING),
    'delete-gone': Case('DELETE', _GOING, is_there=False),
}
CASES.update({f'{name}-legacy': dataclasses.replace(
    CASES[name], convergence=False) for name in (
        'rest', 'failed-create', 'create', 'create-unknown', 'update',
        'delete')})


def _of(suits):
    """Let a test have only the stacks of cases that a function is true of.
    """
    def marked(test):
        test.suits = suits
        return test
    return marked


def possible(family):
    """Return {name of a stack: (kind, case)}."""
    return {
        f'{kind_name}-{name}': (kind, case)
        for kind_name, kind in family.items()
        for name, case in CASES.items()
        if (kind.after or case.action != 'UPDATE') and
        # Only the engine that was stopped knew which roles it had given.
        (kind.form or case.convergence or case.action != 'UPDATE') and
        (kind.is_found or case.is_known or not case.is_there)}


def _remains(case):
    """Return whether there is a stack once all operations have ended."""
    return case.action != 'DELETE' or not case.is_going


def _is_well(case):
    """Return whether the operations of a stack end well."""
    return _remains(case) and case.status != 'FAILED' and (
        case.convergence or not case.is_going)


class Stack:
    """The rows of a stack, and its thing.

    :ivar rows: the rows
    :ivar first, second: its resources, before and after the update
    """

    def __init__(self, database, services, name, kind, case):
        self.kind, self.case, self.services = kind, case, services
        self.word = f'{name}-own'
        self.first = self._resources(kind.before)
        self.second = self._resources({**kind.before, **kind.after})
        self.is_second = case.action == 'UPDATE' and (
            case.status != 'FAILED')
        whole = database.template(self.resources)
        before = None
        if self.is_second and case.is_going:
            before = database.template(self.first)
        elif case.action == 'DELETE' and case.convergence:
            before, whole = whole, database.template(
                {'heat_template_version': heat_rows.VERSION})
        self.rows = database.stack(
            name, whole, before=before, action=case.action,
            status=case.status, convergence=case.convergence)
        self.row = self._row(before)
        if case.convergence:
            self._graph()
        elif case.is_going:
            self.rows.lock()
        self._furnish()

    def _resources(self, properties):
        return {'it': {'type': self.kind.type, 'properties': kinds.own(
            properties, self.word)}}

    @property
    def resources(self):
        """The resources that the stack has when all is well."""
        return self.second if self.is_second else self.first

    @property
    def other(self):
        """The resources that it is updated to."""
        return self.first if self.is_second else self.second

    def _row(self, before):
        case, kind = self.case, self.kind
        its_id = heat_rows.new_id()
        reached = self.second if self.is_second and (
            not case.is_going) else self.first
        row = self.rows.resource(
            'it', action=case.action, status=case.status,
            claimed=case.convergence and case.is_going,
            physical={'id': its_id, None: None}.get(kind.form, '')
            if case.is_known else None,
            template_id=before, properties=reached['it']['properties'],
            data=dict(kind.data),
            secret=kind.secret)
        self.thing = {'queue': row.physical_name, None: self.word}.get(
            kind.form, its_id)
        return row

    def _graph(self):
        row, case = self.row, self.case
        if case.action == 'DELETE':
            edges = [(row.clean, None)]
        else:
            edges = [(row.update, None)]
            if case.action == 'UPDATE':
                edges.append((row.clean, row.update))
        self.rows.graph(*edges, going=case.is_going)

    def _furnish(self):
        """Create the cloud resource in the fake service."""
        kind, case, shelf = self.kind, self.case, self.kind.shelf
        if kind.needs:
            kind.needs[0].put(self.services, self.word, {'name': self.word},
                              ('ACTIVE',))
        if not case.is_there:
            return
        shelf.put(self.services, self.thing, {
            'name': self.row.physical_name, **self.values(False)},
            kind.states['create'] if case.action == 'CREATE' and
            case.is_asked else kind.rest)
        if case.action == 'UPDATE' and (
                case.is_asked or not case.is_going and self.is_second):
            shelf.change(self.services, self.thing, self.values(True),
                         kind.states['update'] if case.is_going
                         else kind.rest)
        elif case.action == 'DELETE' and case.is_asked:
            if 'delete' in kind.states:
                shelf.remove(self.services, self.thing,
                             kind.states['delete'])

    def values(self, is_second):
        """Return the values that the service shows."""
        return kinds.own({**self.kind.live, **(
            self.kind.changed if is_second else {})}, self.word)


@contextlib.contextmanager
def taken_over(directory, family):
    """Serve during the context; all stacks are taken over at once."""
    services, stacks = clouds.Clouds(), {}
    with pytest.MonkeyPatch.context() as patch:
        services.use(patch)

        def write(database):
            stacks.update({name: Stack(database, services, name, *each)
                           for name, each in possible(family).items()})
            return {name: stack.rows for name, stack in stacks.items()}

        made = world_module.World(patch, directory, write)
        made.stacks, made.cloud = stacks, services
        made.furniture = _everything(services, family) - {
            (repr(stack.kind.shelf), stack.thing)
            for stack in stacks.values()}
        made.start()
        yield made
        made.stop()


class Family:
    """The tests of the types KINDS, each in all cases."""

    KINDS: dict

    # The order of the tests counts: what is compared comes before what
    # changes.

    @_of(lambda case: case.is_going)
    def test_operation_ends(self, world, name):
        stack, seen = world.stack(name), world.stacks[name]
        case = seen.case
        if case.action == 'DELETE':
            stack.wait_deleted()
            return
        stack.wait(f'{case.action}_'
                   f'{"COMPLETE" if case.convergence else "FAILED"}')
        if case.action == 'UPDATE':
            assert stack.physical('it') == (seen.row.physical or '')
            if case.convergence:
                _require(world, seen, is_second=True)

    def test_nothing_is_there_twice_or_lost(self, world):
        kept = {(repr(stack.kind.shelf), _thing(world, name))
                for name, stack in world.stacks.items()
                if _remains(stack.case) and (
                    stack.case.convergence or not stack.case.is_going)}
        there = _everything(world.cloud, self.KINDS) - world.furniture
        assert kept <= there
        # What a legacy operation left is deleted with the stack.
        assert {each for each in there - kept
                if each not in {
                    (repr(stack.kind.shelf), stack.thing)
                    for stack in world.stacks.values()
                    if not stack.case.convergence}} == set()

    @_of(lambda case: not case.is_going)
    def test_stack_is_shown_as_before(self, world, name):
        stack, seen = world.stack(name), world.stacks[name]
        assert not world_module.differing(
            stack.show(), world_module.expected_stack(seen.rows))
        shown = stack.resource('it')
        assert not world_module.differing(
            shown, world_module.expected_resource(seen.row))

    @_of(lambda case: _is_well(case) and case.action != 'SUSPEND')
    def test_nothing_is_done_where_nothing_changes(self, world, name):
        stack, seen = world.stack(name), world.stacks[name]
        before = stack.resources()
        done = len(world.cloud.changes()), _state(world.cloud, seen)
        stack.updated(templates.hot(seen.resources))
        assert (len(world.cloud.changes()),
                _state(world.cloud, seen)) == done
        assert stack.resources() == before

    @_of(lambda case: case.action == 'SUSPEND')
    def test_suspended_stack_is_resumed(self, world, name):
        stack, seen = world.stack(name), world.stacks[name]
        stack.act('resume')
        stack.wait('RESUME_COMPLETE')
        assert stack.physical('it') == (seen.row.physical or '')

    @_of(lambda case: case.action != 'DELETE')
    def test_stack_is_updated(self, world, name):
        stack, seen = world.stack(name), world.stacks[name]
        before = stack.physical('it')
        stack.updated(templates.hot(seen.other))
        if seen.kind.after and _is_well(seen.case):
            assert stack.physical('it') == before
            _require(world, seen, is_second=not seen.is_second)

    @_of(lambda case: _remains(case))
    def test_stack_is_deleted(self, world, name):
        world.stack(name).deleted()

    def test_nothing_is_left(self, world):
        assert world.left() == {}
        assert _everything(world.cloud, self.KINDS) == world.furniture


def _everything(services, family):
    """Return (shelf, id) of all things of the types of a family."""
    shelves = {repr(kind.shelf): kind.shelf for kind in family.values()}
    return {(name, its_id) for name, shelf in shelves.items()
            for its_id in list(shelf.all(services))}


def _thing(world, name):
    """Return the id of the cloud resource of a stack."""
    seen = world.stacks[name]
    if seen.kind.form is None:
        return seen.word
    physical = world.stack(name).physical('it')
    known = seen.kind.shelf.all(world.cloud)
    if physical in known:
        return physical
    return next((its_id for its_id, thing in known.items()
                 if thing.get('name') == physical), physical)


def _require(world, seen, *, is_second):
    """Require that the service shows the expected values."""
    found = seen.kind.shelf.values(
        world.cloud, _thing(world, seen.rows.name))
    wanted = kinds.own(seen.kind.changed if is_second else {
        key: seen.kind.live.get(key, False) for key in seen.kind.changed
        if key in seen.kind.live or key == 'is_other'}, seen.word)
    assert {key: found[key] for key in wanted} == wanted


def _state(services, seen):
    """Return a copy of the things of a stack's type."""
    return copy.deepcopy({
        its_id: dict(thing) for its_id, thing in
        seen.kind.shelf.all(services).items()})
