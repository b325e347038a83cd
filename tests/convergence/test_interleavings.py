"""Whatever happens in whichever order, a stack gets where it shall."""
from hypothesis import strategies as st
import pytest

from tests.convergence import stories
from tests.convergence.templates import thing


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
        if name in 'ab':
            more['kind'] = 'SharingThing'
        resources[name] = thing(
            draw(st.sampled_from('12')), draw(st.integers(1, 2)), needs,
            steps=draw(st.integers(0, 3)), fails=draw(st.sampled_from(fails)),
            **more)
    return resources


@pytest.mark.parametrize('part', range(stories.PARTS))
def test_stack_reaches_its_goal(request, part):
    stories.try_all(request, part, templates(), templates(failing=False))
