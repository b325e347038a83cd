"""One disturbed life cycle, from its beginning to the end of the stack."""
import collections
import contextlib
import random
import traceback
import uuid

import pytest
import sqlalchemy as sa

from heat.db import models
from heat.db import session
from heat.engine import environment
from tests.convergence import checks
from tests.convergence import fixtures
from tests.convergence import templates
from tests.injection import cycles
from tests.injection import plant as plant_module

#: Virtual seconds after the end of a fault in which all comes to an end.
PATIENCE = 60
#: Steps after which an episode has no end.
_STEPS = 5000
#: How often a user makes a request that was refused.
_REQUESTS = 4


class Wedged(AssertionError):
    """Something does not come to its end."""


class Episode:
    """A stack that goes through a life cycle while something fails."""

    def __init__(self, plant, cycle, fault):
        self.plant, self.cycle, self.fault = plant, cycle, fault
        self.stack_id = self.snapshot_id = self.change_set_id = None
        self.counts = None
        self.errors = []

    # -- requests -----------------------------------------------------------

    def ask(self, method, *arguments):
        """Make a request; return the error it is answered with."""
        answer, error = self.plant.ask(method, *arguments)
        if isinstance(answer, dict) and 'stack_id' in answer:
            self.stack_id = answer['stack_id']
        if error is not None:
            self.errors.append(error)
        return error

    def ask_of_stack(self, method, *arguments):
        """Make a request that is about the stack."""
        return self.ask(method, self.plant.identity(self.stack_id),
                        *arguments)

    def undisturbed(self, request):
        """Make a request and have it carried out; all goes well."""
        error = request(self)
        if error is not None:
            raise error
        self.plant.run()

    # -- the parts of an episode --------------------------------------------

    def play(self):
        """Let all of it happen; return whether the fault was reached."""
        cycle, injector = self.cycle, self.plant.injector
        if cycle.before is not None:
            self.undisturbed(cycles.create(cycle.before))
        cycle.prepare(self)
        self.plant.cloud.log.clear()
        self._first_event = self._last_event()
        injector.begin(self.fault)
        self._disturbed()
        self.counts = injector.counts
        if self.fault is not None and not injector.fired:
            return False
        injector.begin(None)
        self.check_outcome()
        self._mend()
        self._end()
        return True

    def _disturbed(self):
        """Make the request, again if it was refused, to its end."""
        began = self.plant.clock.now
        for _request in range(_REQUESTS):
            before = self._state()
            error = self.cycle.begin(self)
            self.settle(began)
            if self.stack_id is None:
                self.stack_id = self.plant.by_name(cycles.NAME)
            if error is None or self._state() != before:
                return
        raise Wedged('It cannot even be begun') from error

    def settle(self, began):
        """Let all come to its end, in due time after the fault."""
        plant, injector = self.plant, self.plant.injector
        for _step in range(_STEPS):
            over = injector.ended is None or injector.is_over()
            if over and plant.is_at_rest() and self._is_tidy():
                return
            if over and plant.clock.now > PATIENCE + (
                    began if injector.ended is None else injector.ended):
                break
            if plant.is_at_rest():
                plant.wait_armed()
            else:
                plant.step()
        if plant.is_at_rest():
            self._check_tidy()
        raise Wedged('No end: ' + plant.describe())

    def _is_tidy(self):
        try:
            self._check_tidy()
        except AssertionError:
            return False
        return True

    def _check_tidy(self):
        checks.nothing_astray(self.plant, keeps_backup=(
            not self.plant.convergence and self.stack_id is not None and
            self.plant.state(self.stack_id).endswith('FAILED')))
        assert {row.status for row in self._rows(models.SNAPSHOT)} <= {
            'COMPLETE', 'FAILED'}

    def _state(self):
        if self.stack_id is None:
            return None
        return (self.plant.state(self.stack_id), self._last_event(),
                len(self._rows(models.SNAPSHOT)))

    def _mend(self):
        """Have the user mend what failed."""
        if not self.plant.state(self.stack_id).endswith('FAILED'):
            return
        began, again = self.plant.clock.now, (
            self.cycle.again or self.cycle.begin)
        error = again(self)
        if error is not None:
            raise Wedged('It cannot be mended') from error
        self.settle(began)
        state = self.plant.state(self.stack_id)
        assert state.endswith('COMPLETE'), (
            state, self.plant.reason(self.stack_id))
        self._check_goal()

    def _end(self):
        """Delete the stack; nothing may be left."""
        if self.plant.state(self.stack_id) != 'DELETE_COMPLETE':
            self.undisturbed(cycles.of_stack('delete_stack'))
        plant = self.plant
        checks.stack_is_gone(plant, self.stack_id)
        assert not plant.keystone.trusts
        for table in (models.USER_CREDS, models.SNAPSHOT,
                      models.RESOURCE_DATA, models.RESOURCE_SNAPSHOT):
            left = self._rows(table)
            assert not left, (table.name, left)

    # -- what must hold -----------------------------------------------------

    def check_outcome(self):
        """Check what the disturbed request has come to."""
        plant, cycle, fault = self.plant, self.cycle, self.fault
        # One that was taken back may still be stored.
        assert len(plant.keystone.trusts) <= len(self._rows(
            models.USER_CREDS)), plant.keystone.trusts
        state = plant.state(self.stack_id)
        # The engine of a legacy stack is to end an operation that it
        # cannot begin, or cannot hold on to.
        may_fail = fault is not None and (
            fault.kind.is_defect or fault.lasts and not plant.convergence)
        assert state == cycle.state or may_fail, (
            state, plant.reason(self.stack_id))
        self._check_events()
        self._check_change_set()
        made = sum(entry[0] == 'create' for entry in plant.cloud.log)
        if not may_fail:
            assert made == cycle.created, plant.cloud.log
        if state == cycle.state and not state.startswith('DELETE'):
            self._check_goal()

    def _check_change_set(self):
        """It is EXECUTED if its operation has begun, and only then."""
        for row in self._rows(models.CHANGE_SET):
            began = self.plant.state(self.stack_id).startswith('UPDATE')
            assert row.status == ('EXECUTED' if began else 'AVAILABLE')

    def _check_goal(self):
        plant, goal = self.plant, self.cycle.goal
        if goal is None:
            return
        if self.plant.convergence and not self.plant.state(
                self.stack_id).startswith(('SUSPEND', 'RESUME', 'CHECK',
                                           'SNAPSHOT')):
            checks.stack_is(plant, self.stack_id, goal)
            return
        assert plant.values() == templates.wanted(goal)
        known = {row.physical_resource_id
                 for row in plant.rows_of_tree(self.stack_id)}
        assert set(plant.cloud.things) <= known

    def _check_events(self):
        """Check that what users see has been told once, and in order."""
        told = collections.defaultdict(list)
        for row in self._rows(models.EVENT):
            if row.id > self._first_event:
                told[row.stack_id, row.resource_name,
                     row.physical_resource_id and ''].append(
                         (row.resource_action, row.resource_status))
        for key, states in told.items():
            twice = [one for one, other in zip(states, states[1:],
                                               strict=False)
                     if one == other]
            assert not twice, (key, states)

    def _last_event(self):
        with session.reader() as connection:
            return connection.execute(
                sa.select(sa.func.max(models.EVENT.c.id))).scalar() or 0

    @staticmethod
    def _rows(table):
        with session.reader() as connection:
            return connection.execute(
                sa.select(table).order_by(table.c.id)).all()


#: Read what configuration there is, once in a process.
prepare = fixtures.configure


def play(name, fault=None, *, convergence=True, seed=0, engines=2):
    """Play an episode; return None, or (was the fault reached, counts).

    :raises AssertionError: of what must hold something does not
    """
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        _make_repeatable(stack, patch, seed)
        stack.callback(environment.set_global_env, None)
        plant = plant_module.Plant(
            stack, patch, random.Random(seed), convergence=convergence,
            engines=engines, shares_commits=seed % 2 == 1)
        episode = Episode(plant, cycles.CYCLES[name], fault)
        return episode.play(), episode.counts


def _make_repeatable(stack, patch, seed):
    """Draw by the seed what is drawn outside of the plant.

    By their ids stacks are sorted, so these count, too.
    """
    stack.callback(random.setstate, random.getstate())
    random.seed(seed)
    dice = random.Random(seed)
    patch.setattr(uuid, 'uuid4', lambda: uuid.UUID(
        int=dice.getrandbits(128), version=4))


def try_to_play(*args, **kwargs):
    """Play an episode; return (reached, counts, text of what is wrong)."""
    try:
        return *play(*args, **kwargs), None
    except Exception:  # noqa: BLE001
        return True, None, traceback.format_exc()


