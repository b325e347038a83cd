"""Where the values of properties come from, and how they differ."""
import pytest

from heat.engine.plans import causes

RESOURCES = {'a', 'b'}


@pytest.mark.parametrize(('snippet', 'expected'), [
    ({'get_param': 'p'}, [('parameter', 'p')]),
    ({'get_param': ['p', 'key']}, [('parameter', 'p')]),
    ({'get_attr': ['a', 'ip', 0]}, [('attribute', 'a.ip')]),
    ({'get_resource': 'a'}, [('resource', 'a')]),
    ({'Ref': 'a'}, [('resource', 'a')]),
    ({'Ref': 'p'}, [('parameter', 'p')]),
    ({'Fn::GetAtt': 'a.ip'}, [('attribute', 'a.ip')]),
    ({'Fn::Sub': '${a.ip} ${ b } ${p} ${!no} ${ !no }'}, [
        ('attribute', 'a.ip'), ('resource', 'b'), ('parameter', 'p')]),
    ({'get_file': 'f'}, [('file', 'f')]),
    ([{'x': {'get_param': 'p'}}], [('parameter', 'p')]),
    ('text', []),
])
def test_sources(snippet, expected):
    assert list(causes.sources(snippet, RESOURCES)) == expected


def test_attributes_of_what_changes_are_unsure_and_references_are_not():
    unsure = causes.Unsure(references={'b'}, attributes={'a'},
                                  parameters=frozenset({'p'}))
    assert unsure.any_in({'get_attr': ['a', 'ip']}, RESOURCES)
    assert not unsure.any_in({'get_resource': 'a'}, RESOURCES)
    assert unsure.any_in({'get_resource': 'b'}, RESOURCES)
    assert unsure.any_in({'get_attr': ['b', 'ip']}, RESOURCES)
    assert unsure.any_in([{'get_param': 'p'}], RESOURCES)
    assert not unsure.any_in({'get_param': 'q'}, RESOURCES)


def test_differences_lead_to_the_innermost_values():
    before = {'a': [{'b': 1, 'c': 2}], 'd': [1]}
    after = {'a': [{'b': 1, 'c': 3}], 'd': [1, 2], 'e': 4}
    assert list(causes.differences(before, after, 'p')) == [
        ('p.a[0].c', 2, 3), ('p.d', [1], [1, 2]), ('p.e', None, 4)]
