"""The stacks of a tree by path, before and after."""
import pytest

from heat.common import change_set_errors
from heat.engine.plans import places
from heat.engine.plans import requested
from heat.engine.stacks import store as stack_store
from tests.fakes import stacks

INNER = """
heat_template_version: 2018-08-31
parameters:
  word: {type: string, default: x}
resources:
  i: {type: Test::Thing, properties: {value: {get_param: word}}}
"""
TEXT = """
resources:
  a: {type: Test::Thing}
  n: {type: inner.yaml}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture
def trees(engine):
    """Return a function that gives (the stack, its tree and a goal)."""
    current = engine.create(TEXT, files={'inner.yaml': INNER})
    kept = []

    def make(text=TEXT):
        wanted = stack_store.wanted_stack(current, engine.template(
            text, None, {'inner.yaml': INNER}))
        kept.append(wanted)
        return current, places.Tree(current, wanted)

    return make


def move(source, target):
    [found] = requested.moves_of([{'from': source, 'to': target}])
    return found


def test_stacks_are_found_by_path(trees):
    current, tree = trees()
    some = move('n/i', 'b')
    assert tree.stack_at(some, ()) is current
    child = tree.stack_at(some, ('n',))
    assert child.id == current['n'].resource_id
    assert tree.stack_of(('n',)) is child
    assert tree.nested_stacks() == [(('n',), child)]


@pytest.mark.parametrize('path', [('a',), ('x',), ('n', 'i')])
def test_where_there_is_no_stack(trees, path):
    _current, tree = trees()
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        tree.stack_at(move('a', 'b'), path)
    assert '/'.join(path) in str(raised.value)


def test_what_can_move(trees):
    current, tree = trees("""
resources:
  b: {type: Test::Thing}
  n: {type: inner.yaml}
""")
    assert tree.require(move('a', 'b')) is current['a']
    assert tree.require(move('n/i', 'b')).name == 'i'
    assert not tree.is_done(move('a', 'b'))
    assert tree.is_done(move('z', 'b'))
    assert tree.is_done(move('a', 'n'))
    assert tree.is_done(move('a', 'c'))
    assert tree.is_done(move('z/a', 'b'))
    assert tree.is_done(move('a', 'b/c'))
    assert tree.is_done(move('a', 'z/c'))


def test_what_is_to_be_in_a_new_stack_is_not_done(trees):
    _current, tree = trees("""
resources:
  new: {type: inner.yaml}
""")
    assert not tree.is_done(move('a', 'new/i'))
    assert not tree.is_imported(requested.Import(('new', 'i'), 'x'))
    assert tree.is_imported(requested.Import(('new', 'k'), 'x'))
    assert tree.is_imported(requested.Import(('n', 'i'), 'x'))


@pytest.mark.parametrize(('source', 'target', 'text'), [
    ('z', 'b', 'no such resource'),
    ('a', 'n', 'of that name already'),
    ('a', 'c', 'no resource of that name'),
    ('n', 'b', 'the type is inner.yaml'),
    ('a', 'b/c', 'resource "b" has no nested stack'),
])
def test_what_cannot(trees, source, target, text):
    _current, tree = trees("""
resources:
  b: {type: Test::Thing}
  n: {type: inner.yaml}
""")
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        tree.require(move(source, target))
    assert text in str(raised.value)


def test_a_goal_without_the_stack(trees):
    _current, tree = trees("""
resources:
  b: {type: Test::Thing}
""")
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        tree.require(move('a', 'n/b'))
    assert 'does not determine' in str(raised.value)


def test_desired_definition_has_the_types_of_the_goal(trees):
    current, tree = trees()
    goal = tree._goals[()]
    definition = places.desired(goal['n'])
    assert definition.origin_files is goal.t.files
    assert definition.origin_env is goal.t.env
    assert current.defn.resource_definition('n').origin_files is None
