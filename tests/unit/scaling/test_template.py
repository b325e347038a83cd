import itertools

from heat.engine import rsrc_defn
from heat.scaling import template


def definition(value, name=None):
    return rsrc_defn.ResourceDefinition(name, 'Test::Thing',
                                        {'value': value})


OLD, NEW = definition('old'), definition('new')


def members(old_names, total, new):
    numbers = itertools.count()
    return [(name, defn.render_hot()['properties']['value'])
            for name, defn in template.member_definitions(
                [(name, OLD) for name in old_names], NEW, total, new,
                lambda: 'n%d' % next(numbers))]


def test_same_size_changes_as_many_as_allowed():
    assert members('abc', 3, 0) == [('a', 'old'), ('b', 'old'),
                                    ('c', 'old')]
    assert members('abc', 3, 2) == [('a', 'new'), ('b', 'new'),
                                    ('c', 'old')]


def test_shrinking_drops_the_first():
    assert members('abc', 2, 0) == [('b', 'old'), ('c', 'old')]
    assert members('abc', 0, 0) == []


def test_growing_counts_against_what_may_be_new():
    assert members('ab', 4, 2) == [('a', 'old'), ('b', 'old'),
                                   ('n0', 'new'), ('n1', 'new')]
    assert members('ab', 4, 3) == [('a', 'new'), ('b', 'old'),
                                   ('n0', 'new'), ('n1', 'new')]


def test_unchanged_members_do_not_count():
    result = template.member_definitions(
        [('a', NEW), ('b', OLD)], NEW, 2, 1, None)
    assert [defn for _name, defn in result] == [NEW, NEW]


def test_customise_sees_the_name():
    result = dict(template.member_definitions(
        [('a', OLD)], NEW, 2, 2, lambda: 'b',
        lambda name, defn: definition(name)))
    assert result == {'a': definition('a'), 'b': definition('b')}


def test_template_of_definitions():
    tmpl = template.make_template([('a', NEW)])
    assert tmpl.t == {
        'heat_template_version': '2015-04-30',
        'resources': {'a': {'type': 'Test::Thing',
                            'properties': {'value': 'new'}}}}
