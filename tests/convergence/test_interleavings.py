"""Whatever happens in whichever order, a stack gets where it shall."""
from hypothesis import strategies as st
import pytest

from tests.convergence import fixtures
from tests.convergence import stories
from tests.convergence.templates import thing


@st.composite
def templates(draw, failing=True, local='def'):
    """Draw a template of up to six things that use each other.

    :param local: the names of those that are only in the database
    """
    names = draw(st.permutations('abcdef'))[:draw(st.integers(0, 6))]
    fails = [[]]
    if failing:
        fails += [[], [], [], ['create'], ['update'], ['check']]
    resources = {}
    for place, name in enumerate(names):
        needs = [other for other in names[:place] if draw(st.booleans())]
        more = {}
        if draw(st.integers(0, 7)) == 7:
            more['replaces_late'] = draw(st.sampled_from('xy'))
        if name in local:
            more['kind'] = 'LocalThing'
        elif name in 'ab':
            more['kind'] = 'SharingThing'
        resources[name] = thing(
            draw(st.sampled_from('12')), draw(st.integers(1, 2)), needs,
            steps=draw(st.integers(0, 3)), fails=draw(st.sampled_from(fails)),
            **more)
    return resources


@pytest.mark.parametrize('part', range(stories.PARTS))
def test_stack_reaches_its_goal(request, part):
    stories.try_all(request, part, templates(), templates(failing=False))


@pytest.mark.parametrize('part', range(stories.PARTS))
def test_stack_of_local_things_reaches_its_goal(request, part):
    """What can be recorded together is, most of the time."""
    stories.try_all(request, part, templates(local='abcdf'),
                    templates(failing=False, local='abcdf'), share=4,
                    most_steps=20)


def test_template_that_a_failed_update_left_to_one_row_goes_with_the_row():
    """The next operation does not know of the row, nor of the template."""
    fixtures.configure()

    def thing(kind, **more):
        return {'type': f'Test::{kind}', 'properties': {
            'value': '1', 'size': 1, 'steps': 0, 'uses': [], 'fails': [],
            **more}}

    other = thing('Thing', replaces_late='y')
    stories.play(
        seed=0, begins='create', rollback=False, last={}, engines=1,
        max_inflight=2, nested_at_once=8, shares_commits=False,
        loses_messages=False,
        first={'a': thing('SharingThing', fails=['create']),
               'b': thing('SharingThing', replaces_late='x')},
        happenings=[
            (7, ('update', {'b': thing('SharingThing'), 'c': other}, False)),
            (9, ('update', {'b': thing('SharingThing', fails=['create']),
                            'c': other}, False))])
