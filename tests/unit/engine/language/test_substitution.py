"""Placeholders in the texts of Fn::Sub."""
import pytest

from heat.engine.language import substitution

TEXT = '${a} ${ b.ip } ${!c} ${ !d } ${a} $e {f}'


@pytest.mark.parametrize(('args', 'expected'), [
    (TEXT, [('${a}', 'a'), ('${ b.ip }', 'b.ip'), ('${a}', 'a')]),
    ([TEXT, {'a': 1}], [('${ b.ip }', 'b.ip')]),
    ([TEXT], []), (5, []), ({'Ref': 'a'}, [])])
def test_references(args, expected):
    assert list(substitution.references(args)) == expected


def test_names():
    assert substitution.names(TEXT) == {'a', 'b.ip'}
