"""Whatever happens in whichever order, a stack gets where it shall.

The scenarios are drawn by hypothesis, the interleavings from a seed that is
part of them. HEAT_TEST_EXAMPLES sets how many scenarios are tried; without
it there are few, and always the same.
"""
import os
import random

import hypothesis
from hypothesis import strategies as st
import pytest

from tests.convergence import checks
from tests.convergence import world as simulation

_EXAMPLES = int(os.environ.get('HEAT_TEST_EXAMPLES', 0))

few_or_many = hypothesis.settings(
    max_examples=_EXAMPLES or 60, derandomize=not _EXAMPLES, deadline=None,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck))


@st.composite
def templates(draw, failing=True):
    """Draw a template of up to five things that use each other."""
    names = draw(st.permutations('abcde'))[:draw(st.integers(0, 5))]
    fails = [[]]
    if failing:
        fails += [[], [], [], ['create'], ['update'], ['check']]
    resources = {}
    for place, name in enumerate(names):
        needs = [other for other in names[:place] if draw(st.booleans())]
        more = {}
        if draw(st.integers(0, 7)) == 7:
            more['replaces_late'] = draw(st.sampled_from('xy'))
        resources[name] = simulation.thing(
            draw(st.sampled_from('12')), draw(st.integers(1, 2)), needs,
            steps=draw(st.integers(0, 3)), fails=draw(st.sampled_from(fails)),
            **more)
    return resources


events = st.lists(st.tuples(st.integers(0, 80), st.one_of(
    st.tuples(st.just('update'), templates(), st.booleans()),
    st.tuples(st.just('delete')),
    st.tuples(st.just('cancel'), st.booleans()),
    st.tuples(st.just('act'), st.sampled_from(
        ['check', 'suspend', 'resume'])),
    st.tuples(st.just('crash'), st.integers(0, 9)),
    st.tuples(st.just('join')),
    st.tuples(st.just('settle')),
)), max_size=6)


class Story:
    """A stack in a world in which things happen to it."""

    def __init__(self, world):
        self.world = world
        self.stack_id = None

    def create(self, resources, rollback):
        self.stack_id = self.world.create(resources,
                                          disable_rollback=not rollback)

    def update(self, resources, rollback):
        if self._action() not in ('SUSPEND', 'DELETE'):
            self.world.update(self.stack_id, resources,
                              disable_rollback=not rollback)

    def delete(self):
        self.world.act(self.stack_id, 'delete')

    def cancel(self, with_rollback):
        if self.world.state(self.stack_id) == 'UPDATE_IN_PROGRESS':
            self.world.act(self.stack_id, 'cancel', with_rollback)

    def act(self, verb):
        if self._action() != 'DELETE':
            self.world.act(self.stack_id, verb)

    def crash(self, number):
        engines = self.world.engines
        self.world.crash(engines[number % len(engines)])

    def join(self):
        self.world.add_engine()

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
        if state == 'DELETE_COMPLETE':
            checks.stack_is_gone(self.world, self.stack_id)
        elif state in ('CREATE_COMPLETE', 'UPDATE_COMPLETE',
                       'ROLLBACK_COMPLETE'):
            stack = self.world.load(self.stack_id)
            checks.stack_is(self.world, self.stack_id,
                            stack.t.t.get('resources') or {})

    def end(self, resources):
        """Bring the stack to a last state, then delete it."""
        self.world.run()
        self.check()
        if self._action() == 'SUSPEND':
            self.world.act(self.stack_id, 'resume')
            self.world.run()
        if self._action() != 'DELETE':
            assert self.world.update(self.stack_id, resources)
            self.world.run()
            assert self.world.state(self.stack_id) == 'UPDATE_COMPLETE', (
                self.world.reason(self.stack_id))
            self.check()
        self.world.act(self.stack_id, 'delete')
        self.world.run()
        assert self.world.state(self.stack_id) == 'DELETE_COMPLETE'
        self.check()


def play(monkeypatch, seed, first, rollback, happenings, last, **options):
    """Let a story happen."""
    loses_messages = options.pop('loses_messages', False)
    world = simulation.World(monkeypatch, random.Random(seed), **options)
    world.loses_messages = loses_messages
    story = Story(world)
    story.create(first, rollback)
    for steps, (what, *arguments) in happenings:
        world.run_steps(steps)
        getattr(story, what)(*arguments)
    story.end(last)


@few_or_many
@hypothesis.given(
    seed=st.integers(0, 10 ** 6), first=templates(), rollback=st.booleans(),
    happenings=events, last=templates(failing=False),
    engines=st.integers(1, 3), max_inflight=st.integers(1, 3),
    loses_messages=st.booleans())
def test_stack_reaches_its_goal(seed, first, rollback, happenings, last,
                                **options):
    with pytest.MonkeyPatch.context() as monkeypatch:
        play(monkeypatch, seed, first, rollback, happenings, last, **options)
