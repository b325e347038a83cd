"""Stories of stacks to which things happen, whatever the interleaving.

The stories are drawn by hypothesis, the interleavings from a seed that is
part of them. Which ones are tried is always the same; ``--runs N`` tries so
many, and ``--story-seed`` others. Of a story that goes wrong the shortest
one that still does is shown.
"""
import copy
import math
import random

import hypothesis
from hypothesis import strategies as st
import pytest

from heat.engine.stacks import snapshots
from heat.objects import snapshot as snapshot_objects
from tests.convergence import checks
from tests.convergence import fixtures
from tests.convergence import templates
from tests.convergence import world as simulation

#: So many tests share the stories, so that they can run side by side.
PARTS = 8

#: The stack whose things are adopted.
BEFORE = 'before'


@st.composite
def happenings(draw, goals, most_steps):
    """Draw what happens, each some steps after what was before.

    :param goals: draws the templates of updates
    """
    # What leaves the stack as it is, or ends the story, is less likely.
    often = [
        st.tuples(st.just('update'), goals, st.booleans()),
        st.tuples(st.just('crash'), st.integers(0, 9)),
        st.tuples(st.just('die')),
        st.tuples(st.just('cancel'), st.booleans()),
        st.tuples(st.just('act'), st.sampled_from(
            ['check', 'suspend', 'resume'])),
    ]
    seldom = [
        st.tuples(st.just('delete')),
        st.tuples(st.just('snapshot')),
        st.tuples(st.just('delete_snapshot'), st.integers(0, 9)),
        st.tuples(st.just('restore'), st.integers(0, 9)),
        st.tuples(st.just('abandon')),
        st.tuples(st.just('join')),
        st.tuples(st.just('pass_time'), st.booleans()),
        st.tuples(st.just('settle')),
    ]
    event = st.tuples(st.integers(0, most_steps), st.one_of(
        *often, *often, *seldom))
    # A list would be short most of the time.
    return [draw(event) for _number in range(draw(st.integers(0, 9)))]


class Story:
    """A stack in a world in which things happen to it."""

    def __init__(self, world):
        self.world = world
        self.stack_id = None
        #: Once it is abandoned: the most things that ever get deleted.
        self.kept = None

    def create(self, resources, rollback):
        self.stack_id = self.world.create(resources,
                                          disable_rollback=not rollback)

    def adopt(self, resources, rollback):
        """Begin with what another stack has left behind.

        If something else is asked for before it is adopted, nobody knows
        of it any more.
        """
        resources = copy.deepcopy(resources)
        data, _ids = self._made_before(resources, BEFORE, [])
        self.stack_id = self.world.create(
            resources, disable_rollback=not rollback,
            adopt_stack_data={'resources': data})
        self.world.cloud.is_lost = self._is_unadopted

    def _made_before(self, resources, path, given):
        """Make the things of a stack; return data to adopt them, and ids.

        :param given: the ids of what the stack's things may use
        """
        data, ids = {}, {}
        for name, resource in resources.items():
            used = self._used(resource, ids, given)
            inside = templates.inside_of(resource)
            if templates.is_local(resource):
                resource['properties']['fails'] = []
                data[name] = {'resource_id': f'{path}-{name}'}
                continue
            if inside is None:
                ids[name] = self._thing_made_before(
                    name, resource, templates.value_of(resource, resources),
                    used, f'{path}-{name}')
                data[name] = {'resource_id': ids[name]}
                continue
            parts, inner = self._made_before(inside, f'{path}-{name}', used)
            data[name] = {'resources': parts}
            # What uses a stack uses all of it, as far as we know.
            ids[name] = next(iter(inner.values()), None)
        return data, ids

    @staticmethod
    def _used(resource, ids, given):
        borrowed = given if templates.borrows(resource) else []
        return [*filter(None, map(ids.get, templates.needs_of(resource))),
                *borrowed]

    def _thing_made_before(self, name, resource, value, used, owner):
        cloud, given = self.world.cloud, resource['properties']
        given['fails'] = []
        thing_id = cloud.create(name, 0, {
            'value': value, 'size': given['size'], 'uses': used}, owner)
        cloud.step(thing_id)
        return thing_id

    def update(self, resources, rollback):
        if self._action() not in ('SUSPEND', 'DELETE'):
            self.world.update(self.stack_id, resources,
                              disable_rollback=not rollback)

    def delete(self):
        if self.kept is not None and not self._is_busy():
            # That came to no good end, and was not asked for again.
            self.kept = math.inf
        self.world.act(self.stack_id, 'delete')

    def abandon(self):
        if self._action() != 'DELETE':
            held = sum(row.engine_id is not None
                       for row in self.world.rows_of_tree(self.stack_id))
            self.world.act(self.stack_id, 'abandon')
            self.kept = self._deletions() + held

    def _deletions(self):
        return sum(entry[0] == 'delete' for entry in self.world.cloud.log)

    def cancel(self, with_rollback):
        if self.world.state(self.stack_id) == 'UPDATE_IN_PROGRESS':
            self.world.act(self.stack_id, 'cancel', with_rollback)

    def act(self, verb):
        if self._action() != 'DELETE':
            self.world.act(self.stack_id, verb)

    def snapshot(self):
        if self._action() != 'DELETE' and not self._is_busy():
            stack = self.world.load(self.stack_id)
            row = snapshots.create_row(self.world.context, stack, 'snap')
            if not self.world.act(self.stack_id, 'snapshot', row):
                snapshot_objects.Snapshot.delete(self.world.context, row.id)

    def delete_snapshot(self, number):
        ended = [row for row in self._snapshots()
                 if row.status != 'IN_PROGRESS']
        if ended:
            self.world.act(self.stack_id, 'delete_snapshot',
                           ended[number % len(ended)])

    def restore(self, number):
        complete = [row for row in self._snapshots()
                    if row.status == 'COMPLETE']
        if complete and self._action() not in ('SUSPEND', 'DELETE'):
            row = complete[number % len(complete)]
            self.world.act(self.stack_id, 'restore', row,
                           snapshots.restored_stack(
                               self.world.load(self.stack_id), row))

    def _snapshots(self):
        return snapshot_objects.Snapshot.get_all_by_stack(
            self.world.context, self.stack_id)

    def _is_busy(self):
        return self.world.state(self.stack_id).endswith('IN_PROGRESS')

    def die(self):
        self.world.deadly = True

    def crash(self, number):
        engines = self.world.engines
        self.world.crash(engines[number % len(engines)])

    def join(self):
        self.world.add_engine()

    def pass_time(self, at_work):
        """Let more time pass than an operation may take.

        :param at_work: whether the engines have been there
        """
        self.world.clock.advance(2 * 3600)
        if at_work:
            self.world.beat()

    def settle(self):
        self.world.run()
        self.check()

    def _action(self):
        return self.world.state(self.stack_id).rpartition('_')[0].partition(
            '_')[0]

    def check(self):
        """Check a world at rest."""
        state = self.world.state(self.stack_id)
        assert not self.world.cloud.violations
        self.forget_unadopted()
        assert {row.status for row in self._snapshots()} <= {'COMPLETE',
                                                             'FAILED'}
        if state == 'DELETE_COMPLETE':
            if self.kept is not None:
                assert self._deletions() <= self.kept
                self.world.cloud.things.clear()
            checks.stack_is_gone(self.world, self.stack_id)
            assert not self._snapshots()
        elif state in ('CREATE_COMPLETE', 'UPDATE_COMPLETE',
                       'ROLLBACK_COMPLETE', 'RESTORE_COMPLETE',
                       'ADOPT_COMPLETE'):
            checks.stack_is(self.world, self.stack_id,
                            self.world.resources(self.stack_id))
        elif state in ('SUSPEND_COMPLETE', 'RESUME_COMPLETE',
                       'CHECK_COMPLETE'):
            checks.nothing_astray(self.world)
            checks.nested_are_in(self.world, self.stack_id, self._action())
        else:
            checks.nothing_astray(self.world)

    def _is_unadopted(self, thing_id):
        """Tell whether the stack has never heard of something."""
        return (self.world.cloud.things[thing_id]['owner'].startswith(
                    BEFORE + '-') and
                thing_id not in {row.physical_resource_id for row in
                                 self.world.rows_of_tree(self.stack_id)})

    def forget_unadopted(self):
        things = self.world.cloud.things
        for thing_id in [*filter(self.world.cloud.is_lost, things)]:
            del things[thing_id]

    def end(self, resources):
        """Bring the stack to a last state, then delete it."""
        self.world.run()
        self.check()
        self.world.deadly = False
        if self._action() == 'SUSPEND':
            self.world.act(self.stack_id, 'resume')
            self.world.run()
        if self._action() != 'DELETE':
            assert self.world.update(self.stack_id, resources)
            self.world.run()
            assert self.world.state(self.stack_id) == 'UPDATE_COMPLETE', (
                self.world.reason(self.stack_id))
            self.check()
        self.delete()
        self.world.run()
        assert self.world.state(self.stack_id) == 'DELETE_COMPLETE'
        self.check()


def play(seed, begins, first, rollback, happenings, last, *, engines,
         max_inflight, nested_at_once, shares_commits, loses_messages):
    """Let a story happen."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        world = simulation.World(
            monkeypatch, random.Random(seed), engines=engines,
            max_inflight=max_inflight, nested_at_once=nested_at_once,
            shares_commits=shares_commits)
        world.loses_messages = loses_messages
        story = Story(world)
        getattr(story, begins)(first, rollback)
        for steps, (what, *arguments) in happenings:
            world.run_steps(steps)
            getattr(story, what)(*arguments)
        story.end(last)


def try_all(request, part, goals, good_goals, *, share=1, most_steps=80):
    """Try the stories of a part.

    :param goals: draws the templates of create and updates
    :param good_goals: draws the last one, of which nothing fails
    :param share: one for each so many stories that are asked for
    :param most_steps: between two things that happen
    """
    fixtures.configure()
    option = request.config.getoption
    settings = hypothesis.settings(
        max_examples=max(option('--runs') // PARTS // share, 1),
        deadline=None, database=None, report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink])
    stories = hypothesis.given(
        seed=st.integers(0, 10 ** 6),
        begins=st.sampled_from(['create', 'create', 'create', 'adopt']),
        first=goals, rollback=st.booleans(),
        happenings=happenings(goals, most_steps),
        last=good_goals,
        engines=st.integers(1, 3), max_inflight=st.integers(1, 3),
        nested_at_once=st.sampled_from([8, 2, 1]),
        shares_commits=st.booleans(), loses_messages=st.booleans())
    hypothesis.seed(option('--story-seed') * PARTS + part)(
        settings(stories(play)))()
