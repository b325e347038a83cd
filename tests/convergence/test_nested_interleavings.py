"""Whatever happens in whichever order, a tree of stacks gets where it shall.

Stacks are nested two deep, as groups and as templates that are types.
"""
from hypothesis import strategies as st
import pytest

from tests.convergence import stories
from tests.convergence.templates import group
from tests.convergence.templates import nest
from tests.convergence.templates import thing
from tests.convergence.templates import told_by

#: Of so many stories that are asked for one is of nested stacks.
SHARE = 8


@st.composite
def templates(draw, failing=True, depth=2):
    """Draw a template whose resources may have stacks inside."""
    names = draw(st.permutations('abcd')) if depth == 2 else 'ab'
    names = names[:draw(st.integers(0 if depth == 2 else 1, len(names)))]
    kinds = ['thing', 'nest', 'group', 'group of nests'] if depth == 2 else [
        'thing', 'thing', 'nest', 'group'] if depth else ['thing']
    resources, tellers = {}, []
    for place, name in enumerate(names):
        needs = [other for other in names[:place] if draw(st.booleans())]
        kind = draw(st.sampled_from(kinds))
        if kind == 'thing':
            resources[name] = draw(things(failing, depth, needs, tellers))
        elif kind == 'nest':
            resources[name] = draw(nests(failing, depth, needs))
            tellers.append(name)
        else:
            make = things(failing, depth, needs) if kind == 'group' else (
                nests(failing, depth, needs))
            resources[name] = group(
                draw(st.integers(0, 2)), draw(make),
                draw(st.sampled_from(['%index%', '%number%'])))
    return resources


@st.composite
def things(draw, failing, depth, needs=(), tellers=()):
    """Draw a thing, which may have its value from a nested stack."""
    fails = [[]]
    if failing:
        fails += [[], [], [], [], ['create'], ['update'], ['check']]
    values = ['1', '2', *map(told_by, tellers)]
    return thing(draw(st.sampled_from(values)), draw(st.integers(1, 2)),
                 needs, steps=draw(st.integers(0, 3)),
                 fails=draw(st.sampled_from(fails)),
                 borrows=depth < 2 and draw(st.booleans()))


def nests(failing, depth, needs):
    """Draw a nested stack."""
    return st.builds(nest, templates(failing, depth - 1), st.just(needs),
                     st.booleans() if depth < 2 else st.just(False))


@pytest.mark.parametrize('part', range(stories.PARTS))
def test_tree_reaches_its_goal(request, part):
    stories.try_all(request, part, templates(), templates(failing=False),
                    share=SHARE, most_steps=160)
