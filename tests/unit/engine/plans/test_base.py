"""Whether a tree of stacks is as it was planned for."""
from heat.engine.plans import base

STAMP = [1, 't', None, 'UPDATE', 'COMPLETE']
BASE = {'a': ['root', STAMP], 'b': ['inner', STAMP]}


def test_same_tree_has_not_changed():
    assert base.changed_since(BASE, dict(BASE)) == ''


def test_difference_names_stacks_and_what_is_different():
    now = {'a': ['root', [2, 'u', None, 'UPDATE', 'COMPLETE']],
           'c': ['other', STAMP]}
    assert base.changed_since(BASE, now) == (
        'stack root has changed (template, traversal); stack inner is gone; '
        'stack other is new')


def test_stack_that_begins_is_left_out(monkeypatch):
    now = {'a': ['root', [2, 'u', None, 'UPDATE', 'IN_PROGRESS']],
           'b': ['inner', [2, *STAMP[1:]]]}
    monkeypatch.setattr(base, 'of_tree', lambda _context, _id: now)
    assert base.others_changed(None, 'a', BASE, ()) == (
        'stack inner has changed (template)')


def test_other_trees_are_compared_as_well(monkeypatch):
    trees = {'a': BASE, 'z': {'z': ['giver', STAMP]}}
    monkeypatch.setattr(base, 'of_tree', lambda _context, id_: trees[id_])
    before = base.of_trees(None, 'a', ['z'])
    assert before == {**BASE, 'z': ['giver', STAMP]}
    assert base.others_changed(None, 'a', before, ['z']) == ''
    trees['z'] = {'z': ['giver', [*STAMP[:1], 'u', *STAMP[2:]]]}
    assert base.others_changed(None, 'a', before, ['z']) == (
        'stack giver has changed (traversal)')
