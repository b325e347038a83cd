"""Whatever a tree of stacks is and becomes, its plan says what happens.

Each story is a series of random stacks: one is created, and each of the
others is planned, executed, and compared with the events and with what the
cloud was asked for. HEAT_PLAN_CASES sets the number of plans per driver: a
sample by default, and more in the functional part of tools/test.
"""
import collections
import contextlib
import itertools
import json
import os
import random

import hypothesis
from hypothesis import strategies as st
from oslo_config import cfg
import pytest
import sqlalchemy as sa

from heat.common import request_budget
from heat.db import models
from heat.db import session
from heat.engine import environment
from heat.engine.plans import tree as change_plan
from heat.engine.process import orphaned_work
from tests.convergence import fixtures
from tests.convergence import templates
from tests.injection import plant as plant_module

#: Plans of a story, and of all stories of a driver.
_PLANS = 8
CASES = int(os.environ.get('HEAT_PLAN_CASES', '16'))
#: Tests that share the stories of a driver, so that they run side by side.
_PARTS = min(8, -(-CASES // _PLANS))
_DEPTH = 2
NAMES = ('a', 'b', 'c')
WORDS = ('x', 'y')


class Dice:
    """Draws templates; one source of chance is cheaper than strategies."""

    def __init__(self, dice):
        self._dice = dice
        self._files = {}

    def stack(self):
        """Return (template, files)."""
        self._files = {}
        template = self._template(0, 'root')
        return template, self._files

    def _maybe(self, share):
        return self._dice.random() < share

    def _template(self, depth, path):
        found, stacks = {}, []
        for name in NAMES:
            if self._maybe(0.75):
                found[name] = self._thing(depth, found, stacks)
        if depth < _DEPTH and self._maybe(0.6):
            found['n'] = self._nest(depth, found, stacks, path)
            stacks.append('n')
        if self._maybe(0.2):
            found['g'] = self._group(depth, found, stacks)
        if stacks and self._maybe(0.4):
            found['z'] = self._thing(depth, found, stacks)
        template = {'heat_template_version': templates.VERSION,
                    'resources': found}
        if depth:
            template['parameters'] = {
                name: {'type': 'string', 'default': 'x'}
                for name in ('word', 'other')}
            template['outputs'] = {'told': {'value': self._told(found)}}
            self._add_condition(template)
        return template

    def _add_condition(self, template):
        if 'a' in template['resources'] and self._maybe(0.3):
            template['conditions'] = {'is_x': {'equals': [
                {'get_param': 'other'}, 'x']}}
            template['resources']['a']['condition'] = 'is_x'

    def _told(self, found):
        things = [name for name in found
                  if found[name]['type'] == 'Test::Thing' and name != 'a']
        if not things:
            return 'nothing'
        return {'get_attr': [self._dice.choice(things), 'value']}

    def _value(self, depth, found, stacks):
        sources = [*WORDS, *WORDS]
        sources += [{'get_attr': [name, 'value']} for name in found
                    if found[name]['type'] == 'Test::Thing' and name != 'a']
        if depth:
            sources += [{'get_param': 'word'}, {'get_param': 'other'}]
        sources += [{'get_attr': [name, 'told']} for name in stacks]
        return self._dice.choice(sources)

    def _thing(self, depth, found, stacks):
        given = {'value': self._value(depth, found, stacks)}
        if self._maybe(0.25):
            given['model'] = self._value(depth, found, stacks)
        if self._maybe(0.25):
            given['size'] = self._dice.choice([1, 2])
        others = [name for name in found if name != 'a']
        if others and self._maybe(0.3):
            given['uses'] = [{'get_resource': self._dice.choice(others)}]
        definition = {'type': 'Test::Thing', 'properties': given}
        if self._maybe(0.15):
            definition['deletion_policy'] = 'Retain'
        if self._maybe(0.1):
            definition['metadata'] = {'of': self._value(depth, found,
                                                        stacks)}
        return definition

    def _nest(self, depth, found, stacks, path):
        name = path + '-n.yaml'
        self._files[name] = json.dumps(self._template(depth + 1, path + '-n'))
        given = {key: self._value(depth, found, stacks)
                 for key in ('word', 'other') if self._maybe(0.7)}
        return {'type': name, 'properties': given}

    def _group(self, depth, found, stacks):
        return {'type': templates.GROUP, 'properties': {
            'count': self._dice.choice([0, 1, 2]), 'resource_def': {
                'type': 'Test::Thing', 'properties': {
                    'value': self._value(depth, found, stacks),
                    'size': self._dice.choice([1, 1, 1, 2])}}}}


class Story:
    """A stack of a world that goes through a series of change sets."""

    def __init__(self, plant, dice):
        self._plant, self._dice = plant, Dice(dice)
        # Moves leave the templates of a seed as they are.
        self._mover = random.Random(repr(dice.getstate()))
        self._chance = dice
        self._shelf = {}
        self._last = None
        self._retained = set()

    def play(self):
        """Create a stack, and execute plans."""
        template, files = self._dice.stack()
        self._id = self._ask('create_stack', 's', template, {}, files,
                             {})['stack_id']
        self._plant.run()
        self._require('CREATE_COMPLETE')
        self._note_retained(template, files)
        self._made = things_of(template, files)
        self._fill_shelf()
        for _number in range(_PLANS):
            self._change(*self._dice.stack())

    def _fill_shelf(self):
        """Create another stack, whose things the first may take over."""
        state = self._chance.getstate()
        self._shelf = {f't{number}': {
            'type': 'Test::Thing', 'properties': {
                'value': self._mover.choice(WORDS),
                'size': self._mover.choice([1, 1, 2])}}
            for number in range(_PLANS)}
        self._shelf_id = self._ask('create_stack', 'shelf', self._on_shelf(),
                                   {}, {}, {})['stack_id']
        self._plant.run()
        assert self._plant.state(self._shelf_id) == 'CREATE_COMPLETE'
        self._chance.setstate(state)

    def _on_shelf(self):
        return {'heat_template_version': templates.VERSION,
                'resources': dict(self._shelf)}

    def _require_shelf(self, taken):
        """Require that the other stack has lost what was taken, and no more.

        An update that says so has nothing to do.
        """
        for name in taken:
            del self._shelf[name]
        plant = self._plant
        assert {row.name for row in plant.rows(self._shelf_id)} == set(
            self._shelf)
        before = list(plant.cloud.log)
        self._ask('update_stack', plant.identity(self._shelf_id),
                  self._on_shelf(), {}, {}, {})
        plant.run()
        assert plant.cloud.log == before

    def _ask(self, *args):
        answer, error = self._plant.ask(*args)
        if error is not None:
            raise error
        return answer

    def _require(self, state):
        assert self._plant.state(self._id) == state, self._plant.reason(
            self._id)

    def _note_retained(self, template, files):
        """Remember names whose things may stay when they are to go."""
        for each in (template, *map(json.loads, files.values())):
            self._retained |= {
                name for name, resource in each['resources'].items()
                if resource.get('deletion_policy') == 'Retain'}

    def _change(self, template, files):
        plant = self._plant
        identity = plant.identity(self._id)
        before = self._writes()
        moves = self._moves(things_of(template, files))
        found = self._ask('create_change_set', identity, None, template, {},
                          files, {}, *[None] * 5, False, moves)
        assert self._writes() - before <= 2
        names = {thing_id: thing['name']
                 for thing_id, thing in plant.cloud.things.items()}
        first, plant.cloud.log[:] = self._last_event(), []
        assert {('moved_from_stack' in each, *each['moved_from']): '/'.join(
            each['path']) for each in found['changes']
            if 'moved_from' in each} == {
                (False, *each['from'].split('/')) if isinstance(
                    each['from'], str) else (True, each['from']['resource']):
                each['to'] for each in moves}
        if found['status'] == 'NO_CHANGES':
            self._ask('update_stack', identity, template, {}, files, {})
        else:
            assert found['status'] == 'AVAILABLE', found['status_reason']
            self._ask('execute_change_set', found['id'], identity)
        plant.run()
        self._require('UPDATE_COMPLETE')
        check(found['changes'], self._happened(first),
              collections.Counter(entry[:2] for entry in plant.cloud.log),
              self._retained, names)
        self._note_retained(template, files)
        self._made = things_of(template, files)
        self._require_shelf([each['from']['resource'] for each in moves
                             if isinstance(each['from'], dict)])

    def _moves(self, wanted):
        """Draw moves of things that go to where there is none yet.

        Both stacks are there before and after.
        """
        stacks = {path[:-1] for path in self._made if path[:-1] in {
            each[:-1] for each in wanted}} | {()}
        gone, new = (
            [path for path in sorted(some) if path not in others and
             path[:-1] in stacks]
            for some, others in ((self._made, wanted), (wanted, self._made)))
        self._mover.shuffle(new)
        moves = [{'from': '/'.join(source), 'to': '/'.join(target)}
                 for source, target in zip(gone, new, strict=False)]
        for each in moves:
            if each['from'].rpartition('/')[2] in self._retained:
                self._retained.add(each['to'].rpartition('/')[2])
        return moves + [
            {'from': {'stack': self._mover.choice(['shelf', self._shelf_id]),
                      'resource': name}, 'to': '/'.join(target)}
            for name, target in zip(sorted(self._shelf), new[len(moves):],
                                    strict=False)
            if self._mover.random() < 0.5]

    @staticmethod
    def _writes():
        return session.counters()['commits']

    @staticmethod
    def _last_event():
        with session.reader() as connection:
            return connection.execute(
                sa.select(sa.func.max(models.EVENT.c.id))).scalar() or 0

    @staticmethod
    def _happened(first):
        """Return {path: {action: how often it was COMPLETE}}."""
        with session.reader() as connection:
            stacks = {row.id: row for row in connection.execute(
                sa.select(models.STACK))}
            events = connection.execute(sa.select(models.EVENT).where(
                models.EVENT.c.id > first,
                models.EVENT.c.resource_status == 'COMPLETE')).all()
        found = collections.defaultdict(collections.Counter)
        for event in events:
            stack = stacks[event.stack_id]
            if event.resource_name == stack.name:
                continue
            path = [event.resource_name]
            while stack.owner_id is not None:
                if not stack.backup:
                    path.insert(0, stack.parent_resource_name)
                stack = stacks[stack.owner_id]
            found[tuple(path)][event.resource_action] += 1
        return found


#: What events may say, by action and replacement of a plan.
_EVENTS = {
    ('create', 'never'): [('CREATE',)],
    ('update', 'never'): [('UPDATE',)],
    ('update', 'maybe'): [(), ('UPDATE',), ('CREATE', 'DELETE'),
                          ('CREATE', 'DELETE', 'UPDATE')],
    ('replace', 'always'): [('CREATE', 'DELETE')],
    ('delete', 'never'): [('DELETE',)],
    ('retain', 'never'): [('DELETE',), ()],
    ('keep', 'never'): [()],
    ('move', 'never'): [()],
}


def things_of(template, files, above=()):
    """Return the paths of things that no condition ever switches off."""
    found = set()
    for name, definition in template['resources'].items():
        if definition['type'] == 'Test::Thing' and (
                name != 'a' or not above):
            found.add((*above, name))
        elif definition['type'] in files:
            found |= things_of(json.loads(files[definition['type']]), files,
                               (*above, name))
    return found


def check(changes, happened, log, retained, names):
    """Compare what was planned with what events and the cloud say.

    :param names: the names of things in the cloud by id: those that they
        were made with
    """
    planned = collections.defaultdict(list)
    for change in changes:
        planned[tuple(change['path'])].append(change)
    open_paths = {tuple(change['path']) for change in changes
                  if change.get('contents')}
    for path, actions in happened.items():
        if any(path[:len(each)] == each and path != each
               for each in open_paths):
            continue
        assert path in planned, (path, actions)
        found = tuple(sorted(actions.elements()))
        wanted = allowed(planned[path])
        if path[-1] in retained:
            # What is replaced stays, too.
            wanted += [tuple(action for action in each if action != 'DELETE')
                       for each in wanted]
        if any(change['type'] != 'Test::Thing' and change['action'] == 'keep'
               for change in planned[path]):
            # The stack inside is updated, and nothing happens in it.
            wanted.append(('UPDATE',))
        assert found in wanted, (planned[path], found)
    for path, some in planned.items():
        assert path in happened or () in allowed(some) or any(
            path[:len(each)] == each and path != each
            for each in open_paths), some
    if open_paths:
        return
    # The plugin is asked for exactly what is planned.
    most = collections.Counter()
    least = collections.Counter()
    for change in changes:
        if change['type'] == 'Test::Thing':
            for action in ('create', 'update', 'delete'):
                some = [each.count(action.upper())
                        for each in allowed([change])]
                keys = {(action, name)
                        for name in names_of(change, action, names)}
                if len(keys) > 1 or change['action'] == 'retain' or (
                        action == 'delete' and
                        not retained.isdisjoint(
                            {change['path'][-1], *(key[1] for key in keys)})):
                    some.append(0)
                for key in keys:
                    most[key] += max(some)
                    least[key] += min(some)
    for key in {*log, *least}:
        assert least[key] <= log[key] <= most[key], (key, log, changes)


def names_of(change, action, names):
    """Return the names in the cloud of what an action may be about."""
    name = change['path'][-1]
    made = names.get(change['physical_resource_id'], name)
    if action == 'create':
        return {name}
    return {made, name} if action == 'update' and (
        change['replacement'] != 'never') else {made}


def allowed(changes):
    """Return what events may say of a resource, or of two of one path."""
    results = [()]
    for change in changes:
        some = list(_EVENTS[change['action'], change['replacement']])
        causes = change['causes']
        if change['action'] == 'update' and (
                change.get('contents') or any(
                    cause.get('known_after_apply') for cause in causes)):
            some.append(())
        if any(cause.get('property') == 'condition' for cause in causes):
            some += [(), ('DELETE',), ('CREATE', 'DELETE')]
        results = [tuple(sorted((*before, *each)))
                   for before in results for each in some]
    return results


@pytest.mark.parametrize('part', range(_PARTS))
@pytest.mark.parametrize('convergence', [True, False])
@hypothesis.settings(
    max_examples=-(-CASES // (_PLANS * _PARTS)), deadline=None,
    database=None, derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
    phases=[hypothesis.Phase.generate])
@hypothesis.given(seed=st.integers(0, 2 ** 32))
def test_plan_equals_what_happens(convergence, part, seed):
    play(seed * _PARTS + part, convergence=convergence)


@pytest.mark.parametrize(('seed', 'convergence'), [
    (841167405, True), (956, False), (1011, False), (20889, True),
    (18200280106, True)])
def test_stories_that_once_failed(seed, convergence):
    play(seed, convergence=convergence)


def play(seed, *, convergence):
    """Play the story of a seed."""
    fixtures.configure()
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        stack.callback(environment.set_global_env, None)
        dice = random.Random(seed)
        plant = plant_module.Plant(stack, patch, dice,
                                   convergence=convergence)
        Story(plant, dice).play()


# -- what the plan does not say does not happen -----------------------------

def _deep(definition, depth):
    """Return resources with a definition inside so many nested stacks."""
    resources = {'m': definition, 'k': templates.thing('same')}
    for _level in range(depth):
        resources = {'n': templates.nest(resources)}
    return resources


def _group(definition):
    return {'g': templates.group(2, definition)}


@pytest.fixture(params=[True, False], ids=['convergence', 'legacy'])
def plant(request, monkeypatch):
    """Return a world with both drivers, in which nothing fails."""
    fixtures.configure()
    with contextlib.ExitStack() as stack:
        stack.callback(environment.set_global_env, None)
        yield plant_module.Plant(stack, monkeypatch, random.Random(3),
                                 convergence=request.param)


class Tree:
    """A tree of stacks of which changes are planned and executed."""

    def __init__(self, plant, resources, name='s'):
        self.plant = plant
        template, files = plant.written(resources)
        self.id = self.ask('create_stack', name, template, {}, files,
                           {})['stack_id']
        plant.run()

    def ask(self, *args, **kwargs):
        answer, error = self.plant.ask(*args, **kwargs)
        if error is not None:
            raise error
        return answer

    def planned(self, resources):
        template, files = self.plant.written(resources)
        return self.ask('create_change_set', self.plant.identity(self.id),
                        None, template, {}, files, {})

    def execute(self, found, **options):
        """Execute a change set to its end; return the state."""
        self.plant.cloud.log.clear()
        self.ask('execute_change_set', found['id'],
                 self.plant.identity(self.id), **options)
        self.plant.run()
        return self.plant.state(self.id)

    def made_and_gone(self):
        return [entry[:2] for entry in self.plant.cloud.log
                if entry[0] in ('create', 'delete')]


def _actions(found):
    return {tuple(change['path']): (change['action'], change['replacement'])
            for change in found['changes']}


@pytest.mark.parametrize('inside', [
    lambda thing: _deep(thing, 0), lambda thing: _deep(thing, 1),
    lambda thing: _deep(thing, 3), _group], ids=['0', '1', '3', 'group'])
def test_late_replacement_fails_at_every_depth(plant, inside):
    """The plan says never, and the plugin then asks for a replacement."""
    tree = Tree(plant, inside(templates.thing('1')))
    found = tree.planned(inside(templates.thing('1', replaces_late='now')))
    assert not {'replace', 'create', 'delete'} & {
        action for action, _replacement in _actions(found).values()}
    assert {replacement for _action, replacement in
            _actions(found).values()} == {'never'}
    before = set(plant.cloud.things)
    assert tree.execute(found) == 'UPDATE_FAILED'
    assert 'does not plan to replace' in plant.reason(tree.id)
    assert tree.made_and_gone() == []
    assert set(plant.cloud.things) == before


def test_late_replacement_is_made_unless_strict(plant):
    tree = Tree(plant, _deep(templates.thing('1'), 2))
    found = tree.planned(_deep(templates.thing('1', replaces_late='now'), 2))
    assert tree.execute(found, strict=False) == 'UPDATE_COMPLETE'
    assert sorted(tree.made_and_gone()) == [('create', 'm'), ('delete', 'm')]


@pytest.mark.parametrize('depth', [0, 2])
def test_resource_that_fails_after_the_plan_is_not_replaced(plant, depth):
    """What a user marks as unhealthy leaves the base as it is."""
    tree = Tree(plant, _deep(templates.thing('1'), depth))
    found = tree.planned({**_deep(templates.thing('1'), depth),
                          'new': templates.thing()})
    [row] = [row for row in plant.rows_of_tree(tree.id) if row.name == 'm']
    tree.ask('resource_mark_unhealthy', plant.identity(row.stack_id), 'm',
             True, resource_status_reason='I say so')
    assert tree.execute(found) == 'UPDATE_FAILED'
    assert 'does not plan to replace' in plant.reason(tree.id)
    assert ('create', 'm') not in tree.made_and_gone()
    assert ('delete', 'm') not in tree.made_and_gone()


# -- planning in the background ---------------------------------------------

@pytest.fixture
def beside(plant):
    """Have every change set planned in the background."""
    cfg.CONF.set_override('change_set_immediate_resources', 0)
    yield plant
    cfg.CONF.clear_override('change_set_immediate_resources')


def _shown(tree, found):
    return tree.ask('show_change_set', found['id'],
                    tree.plant.identity(tree.id))


def _planned_beside(plant, tree, found):
    plant.run(lambda: _shown(tree, found)['status'] != 'CREATE_IN_PROGRESS')
    return _shown(tree, found)


BEFORE, AFTER = _deep(templates.thing('1'), 2), _deep(
    templates.thing('1', size=2), 2)


def test_plan_in_the_background_is_the_same(plant):
    tree = Tree(plant, BEFORE)
    expected = tree.planned(AFTER)
    cfg.CONF.set_override('change_set_immediate_resources', 0)
    try:
        found = tree.planned(AFTER)
    finally:
        cfg.CONF.clear_override('change_set_immediate_resources')
    assert (found['status'], found['changes']) == ('CREATE_IN_PROGRESS', [])
    assert found['progress'] == {'planned': 0, 'total': 4}
    _answer, error = plant.ask('execute_change_set', found['id'],
                               plant.identity(tree.id))
    assert 'CREATE_IN_PROGRESS' in str(error)
    found = _planned_beside(plant, tree, found)
    assert found['progress'] == {'planned': 4, 'total': 4}
    assert (found['status'], found['changes']) == ('AVAILABLE',
                                                   expected['changes'])
    assert tree.execute(found) == 'UPDATE_COMPLETE'


def test_planning_is_taken_over_from_a_dead_engine(beside):
    tree = Tree(beside, BEFORE)
    found = tree.planned(AFTER)
    for engine in list(beside.engines):
        beside.crash(engine)
    found = _planned_beside(beside, tree, found)
    assert (found['status'], found['status_reason']) == ('AVAILABLE', '')
    assert tree.execute(found) == 'UPDATE_COMPLETE'


def test_planning_that_ends_engines_fails(beside):
    tree = Tree(beside, BEFORE)
    found = tree.planned(AFTER)
    for _attempt in range(orphaned_work.ATTEMPTS):
        for engine in list(beside.engines):
            beside.crash(engine)
        [engine] = beside.engines
        beside.enter(engine)
        for _look in range(3):
            # It takes more than one for an engine to be dead.
            engine.planner.run_once()
    found = _shown(tree, found)
    assert found['status'] == 'FAILED'
    assert '3 engines stopped' in found['status_reason']


def test_planned_creation_of_a_dead_engine_fails(beside):
    tree = Tree(beside, {})
    template, files = beside.written(AFTER)
    found = tree.ask('create_change_set', None, 'new', template, {}, files,
                     {})
    for engine in list(beside.engines):
        beside.crash(engine)
    beside.run(lambda: tree.ask('show_change_set', found['id'])['status'] !=
               'CREATE_IN_PROGRESS')
    found = tree.ask('show_change_set', found['id'])
    assert found['status'] == 'FAILED'
    assert 'Create the change set again' in found['status_reason']


def test_error_of_planning_is_its_reason(beside, monkeypatch):
    def fail(*_args):
        raise ValueError('no luck')

    tree = Tree(beside, BEFORE)
    found = tree.planned(AFTER)
    monkeypatch.setattr(change_plan, '_judged', fail)
    found = _planned_beside(beside, tree, found)
    assert (found['status'], found['status_reason']) == ('FAILED', 'no luck')


def test_planning_beyond_the_budget_of_a_request_goes_on_beside(plant):
    """Of a wide stack; each resource then has a budget of its own."""
    resources = {'t%d' % number: templates.thing('x', needs=['t0'] * bool(
        number)) for number in range(12)}
    tree = Tree(plant, resources)
    resources['t0'] = templates.thing('y')
    plan, count = change_plan._Level._decided, itertools.count()

    def decided(*args):
        if next(count) == 6:
            raise request_budget.Exceeded('too long')
        return plan(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change_plan._Level, '_decided', decided)
        found = tree.planned(resources)
    assert found['status'] == 'CREATE_IN_PROGRESS'
    found = _planned_beside(plant, tree, found)
    assert found['counts']['update'] == 1


# -- what a plan costs ------------------------------------------------------

def _statements(plant, size):
    """Return the statements of a plan with one change among resources."""
    resources = {'t%d' % number: templates.thing('x', needs=['t0'] * bool(
        number)) for number in range(size)}
    tree = Tree(plant, resources, 'wide-%d' % size)
    resources['t1'] = templates.thing('y', needs=['t0'])
    seen = []

    def note(_conn, _cursor, statement, *_more):
        seen.append(statement)

    engine = session.get_engine()
    sa.event.listen(engine, 'before_cursor_execute', note)
    try:
        found = tree.planned(resources)
    finally:
        sa.event.remove(engine, 'before_cursor_execute', note)
    assert found['counts']['update'] == 1
    return seen


def test_plan_takes_as_many_statements_for_any_number_of_resources(plant):
    """And it writes nothing but its own rows."""
    few, many = (_statements(plant, size) for size in (10, 60))
    assert len(few) == len(many) == 24, many
    for statement in many:
        assert statement.startswith(('SELECT', 'PRAGMA', 'BEGIN')) or (
            'change_set' in statement), statement
