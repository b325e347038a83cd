"""Whatever a stack is and becomes, the plan says what then happens.

HEAT_PLAN_CASES sets the number of cases for each driver.
"""
import itertools
import json
import os

import hypothesis
from hypothesis import strategies as st
import pytest

from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot

CASES = int(os.environ.get('HEAT_PLAN_CASES', '6'))
NAMES = ('a', 'b', 'c')
INNER = ('k', 'l')
WORDS = st.sampled_from(['x', 'y'])
NUMBERS = itertools.count()

#: What the plugin is asked for, by action and replacement of a plan.
LOGGED = {
    ('create', 'never'): {('CREATE',)},
    ('update', 'never'): {('UPDATE',)},
    ('update', 'maybe'): {(), ('UPDATE',), ('CREATE', 'DELETE')},
    ('replace', 'always'): {('CREATE', 'DELETE')},
    ('delete', 'never'): {('DELETE',)},
    ('retain', 'never'): {()},
    ('keep', 'never'): {()},
}


@st.composite
def things(draw, names, extra=()):
    """Return resources; each may take a value of one before it."""
    found = {}
    for name in draw(st.lists(st.sampled_from(names), unique=True,
                              min_size=1).map(sorted)):
        values = st.one_of(WORDS, st.sampled_from(
            [attr(other, 'value') for other in sorted(found)] + list(extra)
            or ['x']))
        properties = {'value': draw(values)}
        if draw(st.booleans()):
            properties['fixed'] = draw(values)
        if draw(st.integers(0, 3)) == 0:
            properties['deletion_policy'] = 'Retain'
        found[name] = templates.thing(**properties)
    return found


@st.composite
def stacks(draw):
    """Return (template, files) of a stack that may have one inside."""
    resources = draw(things(NAMES))
    files = {}
    if draw(st.booleans()):
        inner = draw(things(INNER, [templates.param('word')]))
        word = draw(st.one_of(WORDS, st.sampled_from(
            [attr(name, 'value') for name in resources])))
        resources['n'] = {'type': 'inner.yaml', 'properties': {'word': word}}
        files['inner.yaml'] = json.dumps(hot(
            inner, parameters={'word': {'type': 'string'}}))
    return hot(resources), files


# Engines draw random numbers at any time, also while cases are made.
@pytest.mark.filterwarnings(
    'ignore::hypothesis.errors.HypothesisDeprecationWarning')
@hypothesis.settings(
    max_examples=CASES, deadline=None, database=None, derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
    phases=[hypothesis.Phase.generate])
@hypothesis.given(before=stacks(), after=stacks())
def test_plan_equals_what_happens(driver, api, thing, before, after):
    stack = api.created('r%d' % next(NUMBERS), before[0], files=before[1])
    found = stack.request('POST', 'change_sets', {
        'template': after[0], 'files': after[1]},
        expect=201).json['change_set']
    thing.log[api.project].clear()
    if found['status'] == 'NO_CHANGES':
        stack.updated(after[0], files=after[1])
    else:
        assert found['status'] == 'AVAILABLE', found['status_reason']
        stack.request('POST', 'change_sets/%s/execute' % found['id'],
                      expect=202)
        stack.wait('UPDATE_COMPLETE')
    planned = {}
    for change in found['changes']:
        if change['type'] == 'Test::Thing':
            planned.setdefault(change['path'][-1], []).append(change)
    happened = {}
    for action, name in thing.log[api.project]:
        happened.setdefault(name, []).append(action)
    assert happened.keys() <= planned.keys()
    kept = retained(*before)
    for name, changes in planned.items():
        found = tuple(sorted(happened.get(name, ())))
        wanted = allowed(changes)
        if name in kept:
            # What is replaced stays as well.
            wanted = {tuple(action for action in each if action != 'DELETE')
                      for each in wanted}
        assert found in wanted, (name, changes)
    stack.deleted()


def allowed(changes):
    """Return what may be logged of the changes of a resource, in order."""
    if len(changes) > 1:
        # One stack inside takes the place of another.
        return {tuple(sorted(action for change in changes
                             for action in logged(change)))}
    [change] = changes
    found = LOGGED[change['action'], change['replacement']]
    if change['action'] == 'update' and any(
            cause['known_after_apply'] for cause in change['causes']):
        found = found | {()}
    return found


def retained(template, files):
    """Return the names of what is never deleted."""
    found = dict(template['resources'])
    for text in files.values():
        found.update(json.loads(text)['resources'])
    return {name for name, each in found.items()
            if each.get('deletion_policy') == 'Retain'}


def logged(change):
    [actions] = LOGGED[change['action'], change['replacement']]
    return actions
