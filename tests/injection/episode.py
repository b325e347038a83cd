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
        #: {name of a resource: ID of the object that it imports}.
        self.imported = {}
        #: {id: resources in the end} of the other root stacks.
        self.others = {}
        self.counts = None
        self.errors = []

    # -- requests -----------------------------------------------------------

    def ask(self, method, *arguments, **options):
        """Make a request; return the error it is answered with."""
        answer, error = self.plant.ask(method, *arguments, **options)
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
        self.plant.leaves_templates = (self._is_deadly() or
                                       cycle.leaves_templates)
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
            self.settle(began, expects_work=error is None)
            if self.stack_id is None:
                self.stack_id = self.plant.by_name(cycles.NAME)
            if error is None or (self._state() != before and
                                 not self._is_executable()):
                return
            self._delete_what_is_left()
        raise Wedged('It cannot even be begun') from error

    def _delete_what_is_left(self):
        """Have the user delete what a refused creation could not take back.
        """
        if self.stack_id is not None and (
                self.plant.state(self.stack_id) == 'DELETE_FAILED'):
            self.undisturbed(cycles.of_stack('delete_stack'))
            self.stack_id = None

    def _is_executable(self):
        """Return whether the change set of the request can be executed."""
        return self.change_set_id is not None and any(
            row.status == 'AVAILABLE'
            for row in self._rows(models.CHANGE_SET))

    def settle(self, began, *, expects_work=False):
        """Let all come to its end, in due time after the fault.

        :param expects_work: whether what was asked for is to be done
        """
        plant, injector = self.plant, self.plant.injector
        for _step in range(_STEPS):
            over = injector.ended is None or injector.is_over()
            if over and plant.is_at_rest() and self._is_tidy() and (
                    not expects_work or self._has_worked()):
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
            raise Wedged('What was asked for is not done')
        raise Wedged('No end: ' + plant.describe())

    def _has_worked(self):
        """Return whether what engines do beside the stack has been done."""
        return not self.cycle.is_aside or any(
            self._rows(table) for table in plant_module.ASIDE)

    def _is_deadly(self):
        return self.fault is not None and self.fault.kills

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
        """Delete the stacks; nothing may be left."""
        plant = self.plant
        if plant.state(self.stack_id) != 'DELETE_COMPLETE':
            self.undisturbed(cycles.of_stack('delete_stack'))
        gone = [self.stack_id]
        for stack_id, resources in self.others.items():
            # It has kept what did not leave it, and nothing else.
            assert plant.values() == templates.wanted(resources)
            self.stack_id = stack_id
            self.undisturbed(cycles.of_stack('delete_stack'))
            gone.append(stack_id)
        for stack_id in gone:
            checks.stack_is_gone(plant, stack_id)
        assert self._is_deadly() or not plant.keystone.trusts
        for table in (models.USER_CREDS, models.SNAPSHOT,
                      models.RESOURCE_DATA, models.RESOURCE_SNAPSHOT):
            left = self._rows(table)
            assert not left, (table.name, left)

    # -- what must hold -----------------------------------------------------

    def check_outcome(self):
        """Check what the disturbed request has come to."""
        plant, cycle, fault = self.plant, self.cycle, self.fault
        # One that was taken back may still be stored; one that the dead had
        # just been given is not.
        assert self._is_deadly() or len(plant.keystone.trusts) <= len(
            self._rows(models.USER_CREDS)), plant.keystone.trusts
        state = plant.state(self.stack_id)
        # The engine of a legacy stack is to end an operation that it
        # cannot begin, or cannot hold on to.
        may_fail = fault is not None and (
            fault.kind.is_defect or not plant.convergence and (
                fault.lasts or fault.kills))
        assert state == cycle.state or may_fail, (
            state, plant.reason(self.stack_id))
        self._check_events()
        self._check_change_set()
        self._check_aside(may_fail)
        made = sum(entry[0] == 'create' for entry in plant.cloud.log)
        if not may_fail:
            assert made == cycle.created, plant.cloud.log
        if state == cycle.state and not state.startswith('DELETE'):
            self._check_goal()

    def _check_change_set(self):
        """It is EXECUTED if its operation has begun, and only then."""
        if self.cycle.is_aside:
            return
        for row in self._rows(models.CHANGE_SET):
            began = self.plant.state(self.stack_id).startswith(
                self.cycle.state.partition('_')[0])
            assert row.status == ('EXECUTED' if began else 'AVAILABLE')

    def _check_aside(self, may_fail):
        """Check what was done beside the stack: well, and once."""
        if not self.cycle.is_aside:
            return
        plans, detections = (self._rows(table)
                             for table in plant_module.ASIDE)
        for row in plans:
            assert row.status == 'AVAILABLE' or (
                may_fail and row.status == 'FAILED' and row.status_reason), (
                    row.status, row.status_reason)
        # A user who is refused asks again, and may have two plans.
        assert len(detections) <= 1
        for row in detections:
            assert (row.status, row.drift) == (
                'DETECTION_COMPLETE', 'IN_SYNC') or (
                    may_fail and row.status == 'DETECTION_FAILED' and
                    row.status_reason), (row.status, row.status_reason)

    def _check_goal(self):
        plant, goal = self.plant, self.cycle.goal
        if goal is None:
            return
        rows = plant.rows_of_tree(self.stack_id)
        for thing in plant.cloud.things.values():
            # The cloud calls a thing what its resource was called first.
            thing['name'] = self.cycle.renamed.get(thing['name'],
                                                   thing['name'])
        for name, thing_id in self.imported.items():
            assert [row.physical_resource_id for row in rows
                    if row.name == name] == [thing_id]
        if self.plant.convergence and not self.plant.state(
                self.stack_id).startswith(('SUSPEND', 'RESUME', 'CHECK',
                                           'SNAPSHOT')):
            checks.stack_is(plant, self.stack_id, goal, self.others)
            return
        assert plant.values() == templates.all_wanted(
            [goal, *self.others.values()])
        known = set()
        for stack_id, resources in {self.stack_id: goal,
                                    **self.others}.items():
            rows = plant.rows_of_tree(stack_id)
            known |= {row.physical_resource_id for row in rows}
            assert {row.name for row in rows} >= set(resources)
        assert set(plant.cloud.things) <= known
        for stack_id, resources in self.others.items():
            assert plant.resources(stack_id) == resources
            assert {row.name for row in plant.rows(stack_id)} == set(
                resources)

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
                     if one == other and not (
                         # The engine that resumes the action starts it again.
                         self._is_deadly() and one[1] == 'IN_PROGRESS')]
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


