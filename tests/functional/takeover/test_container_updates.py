"""Containers and buckets of Swift that Heat was updating."""
import dataclasses

import pytest

from tests.fakes import swift as fake_swift
from tests.functional import templates
from tests.functional.takeover import test_containers as containers
from tests.functional.takeover import world as world_module


@dataclasses.dataclass(frozen=True)
class Case:
    """The state in which Heat left one of the two resources.

    Another page replaces them, other metadata do not.

    :ivar one: the resource in hand
    :ivar is_replaced: whether it was being replaced
    :ivar is_there: whether the service had been asked for the new one
    :ivar is_known: whether the row of the new one tells its name
    :ivar is_cleaning: whether the old one was being deleted
    :ivar is_old_there: whether the old one is still there
    """

    one: str
    convergence: bool = True
    is_replaced: bool = True
    is_there: bool = True
    is_known: bool = True
    is_cleaning: bool = False
    is_old_there: bool = True


_FORMS = {
    'unasked': {'is_there': False, 'is_known': False},
    'unknown': {'is_known': False},
    'asked': {},
    'cleaning': {'is_cleaning': True},
    'cleaned': {'is_cleaning': True, 'is_old_there': False},
    'in-place': {'is_replaced': False},
}
CASES = {
    f'{one}-{form}{"" if convergence else "-legacy"}': Case(
        one, convergence, **options)
    for one in containers.NAMES for form, options in _FORMS.items()
    for convergence in (True, False)}


def resources(case, *, is_second=True):
    """Return the resources of a stack, before or after the update."""
    if case.is_replaced:
        return containers.resources(
            'other.html' if is_second else 'index.html')
    return {name: {**one, 'metadata': {'of': 'second' if is_second
                                       else 'first'}}
            for name, one in containers.resources().items()}


class Stack:
    """The rows of a stack, and its containers in Swift."""

    def __init__(self, database, swift, name, case):
        self.swift, self.case = swift, case
        self.before = database.template(resources(case, is_second=False))
        self.rows = database.stack(
            name, database.template(resources(case)), before=self.before,
            action='UPDATE', status='IN_PROGRESS',
            convergence=case.convergence)
        self.first = {}
        for one in containers.NAMES:
            add = self._resting if one != case.one else (
                self._replaced if case.is_replaced else self._changing)
            self.first[one] = add(one)
        if not case.convergence:
            self.rows.lock()
            return
        self._graph()

    def _row(self, one, stack=None, *, is_second=False, **options):
        return (stack or self.rows).resource(
            one, template_id=None if is_second else self.before,
            properties=resources(self.case, is_second=is_second)[one][
                'properties'], **options)

    def _put(self, name, index='index.html'):
        self.swift.request(name, 'PUT', headers={
            'X-Container-Meta-Web-Index': index})

    def _resting(self, one):
        row = self._row(one, metadata=resources(
            self.case, is_second=False)[one].get('metadata'))
        self._put(row.physical)
        return row

    def _changing(self, one):
        row = self._row(one, action='UPDATE', status='IN_PROGRESS',
                        claimed=self.case.convergence, metadata=resources(
                            self.case)[one]['metadata'])
        self._put(row.physical)
        return row

    def _replaced(self, one):
        """Store the old one and the new one, the row of which comes last."""
        case, database = self.case, self.rows.database
        of_old = None if case.convergence else self.rows.backup(self.before)
        old = self._row(one, of_old, **({
            'action': 'DELETE', 'status': 'IN_PROGRESS',
            'claimed': case.convergence} if case.is_cleaning else {}))
        if case.is_old_there:
            self._put(old.physical)
            if one == 'container':
                self.swift.upload_object(old.physical, 'o', 'data')
        new = self._row(
            one, is_second=True, action='CREATE',
            status='COMPLETE' if case.is_cleaning else 'IN_PROGRESS',
            claimed=case.convergence and not case.is_cleaning,
            replaces=old.id if case.convergence else None,
            **({} if case.is_known else {'physical': None}))
        if case.is_there:
            self._put(new.physical_name, 'other.html')
        if case.convergence:
            database.update('resource', old.id, replaced_by=new.id)
        self.new = new
        return old

    def _graph(self):
        rows, done = self.first, []
        if self.case.is_cleaning:
            # The graph is that of before, and knows the old one.
            self.rows.rows[self.case.one] = self.first[self.case.one]
            done = [rows[self.case.one].update]
        self.rows.graph(*((row.clean, row.update) for row in rows.values()),
                        going=True, done=done)
        if self.case.is_replaced:
            self.rows.rows[self.case.one] = self.new


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service."""
    with pytest.MonkeyPatch.context() as patch:
        swift, _zaqar = fake_swift.use(patch)
        stacks = {}

        def write(database):
            stacks.update({name: Stack(database, swift, name, case)
                           for name, case in CASES.items()})
            return {name: stack.rows for name, stack in stacks.items()}

        with world_module.serving(
                patch, tmp_path_factory.mktemp('heat'), write,
                swift=swift, stacks=stacks) as made:
            yield made


def _of(swift, name):
    """Return the containers of a stack."""
    return {one for one in swift.containers.copy()
            if one.startswith((f'{name}-container-', f'{name}-bucket-'))}


def _require(world, name, index):
    """Require that a stack has just its two containers, for a page."""
    stack = world.stack(name)
    found = {stack.physical(one) for one in containers.NAMES}
    assert _of(world.swift, name) == found
    assert {world.swift.headers[one]['X-Container-Meta-Web-Index']
            for one in found} == {index}


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', CASES)
def test_operation_ends(world, name):
    case, stack = CASES[name], world.stack(name)
    if not case.convergence:
        stack.wait('UPDATE_FAILED')
        return
    stack.wait('UPDATE_COMPLETE')
    _require(world, name, 'other.html' if case.is_replaced else
             'index.html')
    if case.is_cleaning or not case.is_replaced:
        # What was there is not made again.
        assert stack.physical(case.one) == world.rows[name].rows[
            case.one].physical


@pytest.mark.parametrize('name', CASES)
def test_update_that_was_stopped_is_asked_for_again(world, name):
    case, stack = CASES[name], world.stack(name)
    before = stack.resources()
    stack.updated(templates.hot(resources(case)))
    if case.convergence:
        assert stack.resources() == before
    elif case.is_cleaning:
        assert stack.physical(case.one) == before[case.one][
            'physical_resource_id']
    _require(world, name, 'other.html' if case.is_replaced else
             'index.html')


@pytest.mark.parametrize('name', CASES)
def test_stack_is_updated(world, name):
    world.stack(name).updated(templates.hot(
        containers.resources('third.html')))
    _require(world, name, 'third.html')


@pytest.mark.parametrize('name', CASES)
def test_stack_is_deleted(world, name):
    world.stack(name).deleted()
    assert not _of(world.swift, name)


def test_nothing_is_left(world):
    assert world.left() == {}
    assert world.swift.containers == {}
