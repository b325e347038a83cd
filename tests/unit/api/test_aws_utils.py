import pytest
import webob

from heat.api.aws import exception
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


@pytest.mark.parametrize('query', ['a=1&a=2', 'a=1&b=2&a=1', 'a=&a='])
@pytest.mark.parametrize('method', ['GET', 'POST'])
def test_parameter_given_twice(query, method):
    """One of two values is signed; nobody knows which one counts."""
    request = webob.Request.blank(f'/?{query}', method=method)
    with pytest.raises(exception.HeatInvalidParameterValueError):
        utils.params_of(request)


def test_parameter_in_the_url_and_in_the_form():
    request = webob.Request.blank('/?a=1', POST={'a': '2'})
    with pytest.raises(exception.HeatInvalidParameterValueError):
        utils.params_of(request)
