"""Reading events in the order of their rows."""
from heat.common import id_ranges
from heat.engine.history import feed
from heat.objects import stack

BEYOND = id_ranges.beyond


def names(page):
    return [each.resource_name for each in page.events]


def test_position_of_what_is_new(context, make_stack, make_event):
    assert feed.newest(context).unseen == BEYOND(0)
    root = make_stack('s')
    for row in (3, 4, 7):
        make_event(root, id=row)
    assert feed.newest(context).unseen == ((5, 6), *BEYOND(7))
    assert feed.newest(context).events == []


def test_what_is_new_and_what_comes_late(context, make_stack, make_event):
    root = make_stack('s')
    make_event(root, 'a', id=3)
    make_event(root, 'b', id=6)
    page = feed.since(context, 2, (), ['mine'], 10)
    assert names(page) == ['a', 'b']
    assert page.unseen == ((4, 5), *BEYOND(6))
    make_event(root, 'late', id=5)
    make_event(root, 'new', id=7)
    page = feed.since(context, 6, ((4, 5),), ['mine'], 10)
    assert names(page) == ['late', 'new']
    assert page.unseen == ((4, 4), *BEYOND(7))
    page = feed.since(context, 7, ((4, 4),), ['mine'], 10)
    assert (names(page), page.unseen) == ([], ((4, 4), *BEYOND(7)))


def test_pages(context, make_stack, make_event):
    root = make_stack('s')
    for row in range(1, 6):
        make_event(root, str(row), id=row)
    page = feed.since(context, 0, (), ['mine'], 2)
    assert (names(page), page.unseen) == (['1', '2'], BEYOND(2))
    assert page.reached == 2
    assert feed.since(context, 3, (), ['mine'], 3).reached is None
    page = feed.between(context, ((2, 5),), 3, 'mine', root)
    assert (names(page), page.reached) == (['2', '3', '4'], 4)
    page = feed.between(context, ((5, 5),), 3, 'mine', root)
    assert (names(page), page.reached) == (['5'], None)
    assert feed.between(context, (), 3, 'mine', root).events == []


def test_projects_are_apart(context, make_stack, make_event):
    mine, theirs = make_stack('s'), make_stack('t', 'theirs')
    make_event(theirs, 'x')
    make_event(mine, 'a')
    make_event(theirs, 'y')
    page = feed.since(context, 0, (), ['mine'], 10)
    # The rows of others are no holes.
    assert (names(page), page.unseen) == (['a'], BEYOND(3))
    assert [each.id for each in page.places] == [mine]
    assert names(feed.since(context, 0, (), [], 10)) == []
    assert names(feed.since(context, 0, (), ['mine', 'theirs'], 10)) == [
        'x', 'a', 'y']
    ranges = ((1, 9),)
    assert names(feed.between(context, ranges, 10, 'mine', None)) == ['a']
    assert names(feed.between(context, ranges, 10, 'mine', theirs)) == []


def test_tree_with_what_is_deleted(context, make_stack, make_event):
    root = make_stack('s')
    inner = make_stack('s-n', owner_id=root, parent_resource_name='n')
    deepest = make_stack('s-n-m', owner_id=inner, parent_resource_name='m')
    other = make_stack('other')
    for each in (root, other, inner, deepest):
        make_event(each, each)
    stack.Stack.delete(context, inner)
    ranges = ((1, 9),)
    page = feed.between(context, ranges, 10, 'mine', root)
    assert names(page) == [root, inner, deepest]
    places = {each.id: each for each in page.places}
    assert places[deepest].owner_id == inner
    assert places[deepest].parent_resource_name == 'm'
    page = feed.between(context, ranges, 10, 'mine', deepest)
    assert names(page) == [deepest]
    # What is above is named, too.
    assert {each.id for each in page.places} == {root, inner, deepest}
