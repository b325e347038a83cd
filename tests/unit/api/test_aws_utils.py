import pytest

from heat.api.aws import utils


def test_pairs():
    params = {
        'Parameters.member.2.ParameterKey': 'b',
        'Parameters.member.2.ParameterValue': '2',
        'Parameters.member.1.ParameterKey': 'a',
        'Parameters.member.1.ParameterValue': '1',
        'Parameters.member.3.ParameterKey': 'lonely',
        'Parameters.member.x.ParameterKey': 'wrong',
        'Others.member.1.ParameterKey': 'o',
    }
    pairs = utils.extract_param_pairs(
        params, prefix='Parameters', keyname='ParameterKey',
        valuename='ParameterValue')
    assert pairs == {'a': '1', 'b': '2'}
    assert list(pairs) == ['a', 'b']


@pytest.mark.parametrize(('params', 'prefix', 'expected'), [
    ({'P.member.2': 'b', 'P.member.1': 'a', 'Q.member.1': 'c'}, 'P',
     ['a', 'b']),
    ({'member.1': 'a'}, '', ['a']),
    ({'P.member.1.x': 'a', 'P.member.1.y.z': 'b', 'P.member.2.x': 'c'},
     'P', [{'x': 'a', 'y.z': 'b'}, {'x': 'c'}]),
    ({}, 'P', []),
])
def test_list(params, prefix, expected):
    assert utils.extract_param_list(params, prefix) == expected
