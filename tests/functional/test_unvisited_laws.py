"""An update has the same results with and without visits."""
import collections
import json

import hypothesis
from hypothesis import strategies
import pytest
import yaml

from heat.engine import nested_stack
from heat.engine.convergence import unvisited
from heat.engine.stacks import redaction
from heat.objects import stack as stack_objects
from tests.fakes import stacks

WORDS = strategies.sampled_from(['fixed', {'get_param': 'word'},
                                 {'get_param': 'other'}])
LEVELS = ['one.yaml', 'two.yaml', 'three.yaml']
PARAMETERS = {name: {'type': 'string', 'default': name}
              for name in ('word', 'other')}


@strategies.composite
def templates(draw, level):
    """Return a template that may use those of the levels below."""
    resources = {}
    for number in range(draw(strategies.integers(1, 3))):
        name = f'r{number}'
        kinds = ['Test::Thing', *LEVELS[level:level + 1] * 3]
        kind = draw(strategies.sampled_from(kinds))
        if kind == 'Test::Thing':
            resources[name] = {'type': kind, 'properties': {
                'value': draw(WORDS)}}
        else:
            resources[name] = {'type': kind, 'properties': {
                each: draw(WORDS) for each in PARAMETERS}}
        earlier = list(resources)[:-1]
        if earlier and draw(strategies.booleans()):
            other = draw(strategies.sampled_from(earlier))
            if draw(strategies.integers(0, 2)):
                resources[name]['depends_on'] = other
            else:
                attribute = ('output' if resources[other]['type'] ==
                             'Test::Thing' else 'said')
                resources[name]['properties'][
                    'value' if kind == 'Test::Thing' else 'word'] = {
                        'get_attr': [other, attribute]}
    last = list(resources)[-1]
    attribute = ('output' if resources[last]['type'] == 'Test::Thing'
                 else 'said')
    # A stack is visited if it refers to attributes of a thing.
    said = draw(strategies.sampled_from([
        {'get_param': 'word'}, {'get_param': 'other'},
        {'get_attr': [last, attribute]}]))
    return {'parameters': PARAMETERS, 'resources': resources,
            'outputs': {'said': {'value': said}}}


CHANGES = strategies.one_of(
    strategies.just(('nothing',)),
    strategies.tuples(strategies.just('word'),
                      strategies.sampled_from(['word', 'hello'])),
    strategies.tuples(strategies.just('sick'), strategies.integers(0, 20)),
    strategies.tuples(strategies.just('own'), strategies.integers(0, 20)),
    strategies.tuples(strategies.just('file'), strategies.integers(0, 2)),
    strategies.tuples(strategies.just('hidden'), strategies.booleans()),
    strategies.tuples(strategies.just('default'),
                      strategies.sampled_from(['other', 'hello'])),
    # The values are equal.
    strategies.tuples(strategies.just('number'),
                      strategies.sampled_from([1, True])))

#: How updates are made to visit more: all nested stacks, or all resources.
MORE = {'nested stacks': ('MOST', -1),
        'resources': ('find', lambda *_args: (frozenset(), {}))}


class Story:
    """A stack and a sequence of changes to it.

    Nested stacks are identified by the names of the resources above them.
    """

    def __init__(self, monkeypatch, root, files):
        self.engine = stacks.Engine(monkeypatch, convergence=True)
        # The changes are made to copies.
        self.root = {**root, 'parameters': {
            name: dict(each) for name, each in PARAMETERS.items()}}
        self.files = dict(files)
        self.params, self.env = {}, {}
        self.stack = self.engine.create(self._text(), files=self._texts())

    def _text(self):
        return yaml.safe_dump(self.root, sort_keys=False)

    def _texts(self):
        return {name: json.dumps({'heat_template_version': '2018-08-31',
                                  **data}) for name, data in
                self.files.items()}

    def _below(self, stack, path=''):
        found = {path: stack}
        for row in stack_objects.Stack.get_all_by_owner_id(
                self.engine.context, stack.id):
            child = nested_stack.load(self.engine.context, row.id)
            found |= self._below(child, f'{path}/{row.parent_resource_name}')
        return found

    def change(self, what, which=None):
        below = dict(sorted(self._below(self.stack).items()))
        if what == 'word':
            self.params = {'word': which}
        elif what == 'hidden':
            self.root['parameters']['word']['hidden'] = which
        elif what == 'default':
            self.env = {'parameter_defaults': {'other': which}}
        elif what == 'number':
            first, *others = self.root['resources'].items()
            name, definition = first
            [key, *_others] = definition['properties']
            self.root['resources'] = {
                name: {**definition, 'properties': {
                    **definition['properties'], key: which}}, **dict(others)}
        elif what == 'file':
            tmpl = self.files[LEVELS[which]]
            self.files[LEVELS[which]] = {**tmpl, 'resources': {
                **tmpl['resources'], 'more': {'type': 'Test::Thing'}}}
        elif what in ('sick', 'own'):
            path = list(below)[which % len(below)]
            child = below[path]
            if what == 'sick':
                child['r0'].state_set('CHECK', 'FAILED', 'sick')
            elif path:
                own = {name: part for name, part in child.t.t.items()
                       if name != 'heat_template_version'}
                self.engine.update(
                    child, yaml.safe_dump(own, sort_keys=False).replace(
                        'fixed', 'changed'),
                    files=self._texts(), params={'word': 'own'})
        self.engine.log.clear()
        self.stack = self.engine.update(
            self.stack, self._text(), files=self._texts(),
            params=self.params, env=self.env)

    def seen(self):
        """Return what users see of all stacks."""
        return {path: self._seen_of(stack)
                for path, stack in self._below(self.stack).items()}

    def _seen_of(self, stack):
        events = collections.Counter(
            each.replace(stack.name, 'stack')
            for each in self.engine.events(stack))
        return (stack.state, stack.status_reason, stack.t.t,
                stack.t.env.user_env_as_dict(), self.engine.rows(stack),
                events, self.engine.values(stack), sorted(stack.t.files),
                sorted(redaction.hidden_parameters(stack)))


@pytest.mark.parametrize('more', MORE)
@hypothesis.settings(max_examples=15, deadline=None, suppress_health_check=[
    hypothesis.HealthCheck.function_scoped_fixture,
    hypothesis.HealthCheck.too_slow])
@hypothesis.given(root=templates(0), files=strategies.fixed_dictionaries(
    {name: templates(level + 1) for level, name in enumerate(LEVELS)}),
    changes=strategies.lists(CHANGES, min_size=1, max_size=4))
def test_same_as_if_all_were_visited(more, root, files, changes):
    told = []
    for patches in ([], [MORE[more]]):
        with pytest.MonkeyPatch.context() as monkeypatch:
            for name, value in patches:
                monkeypatch.setattr(unvisited, name, value)
            story = Story(monkeypatch, root, files)
            steps = [(story.seen(), None)]
            for change in changes:
                story.change(*change)
                steps.append((story.seen(), sorted(story.engine.log)))
            told.append(steps)
    for (after, log), (expected, expected_log) in zip(*told, strict=True):
        assert after == expected
        assert log == expected_log
