import json

from oslo_config import cfg
import pytest
import webob.exc

from heat.api.openstack.v1 import stack_request
from heat.common import exception
from heat.common import urlfetch

TEMPLATE = {'heat_template_version': '2018-08-31'}


def request(existing=False, **body):
    return stack_request.StackRequest(body, existing=existing)


def refused(call):
    """Return the message of the 400 a call ends with."""
    with pytest.raises(webob.exc.HTTPBadRequest) as caught:
        call()
    return caught.value.detail


@pytest.mark.parametrize('name', [None, '', 5, ['a'], {'a': 1}, 'a\0b',
                                  'a\ud800'])
def test_stack_name_that_is_none(name):
    refused(request(stack_name=name).stack_name)


def test_template_forms():
    text = json.dumps(TEMPLATE)
    assert request(template=TEMPLATE).template() == TEMPLATE
    assert request(template=text).template() == TEMPLATE
    yaml = 'heat_template_version: 2018-08-31'
    assert request(template=yaml).template() == TEMPLATE


def test_malformed_template_is_located():
    text = 'heat_template_version: 2018-08-31\nresources:\n  a: [1,\n  b: }'
    message = refused(request(template=text).template)
    assert 'line 4' in message
    assert 'column' in message


@pytest.mark.parametrize('template', [
    '', '- a', 'text', 5, [1], True, '\0', 'a: "\x01"', '[' * 100000,
    '{' * 100000, 'a: &a [*a, *a]',
])
def test_template_that_is_none(template):
    refused(request(template=template).template)


def test_large_template(monkeypatch):
    monkeypatch.setattr(cfg.CONF, 'max_template_size', 10, raising=False)
    with pytest.raises(exception.RequestLimitExceeded):
        request(template='heat_template_version: 2018-08-31').template()


def test_missing_template():
    refused(request().template)
    refused(request(template=None).template)
    assert request(existing=True).template() is None


def test_template_url(monkeypatch):
    fetched = []

    def get(url):
        fetched.append(url)
        return json.dumps(TEMPLATE)

    monkeypatch.setattr(urlfetch, 'get', get)
    assert request(template_url='http://x/t').template() == TEMPLATE
    assert fetched == ['http://x/t']
    # The template itself goes first.
    assert request(template_url='http://x/t',
                   template=TEMPLATE).template() == TEMPLATE
    assert len(fetched) == 1


@pytest.mark.parametrize('url', ['file:///etc/passwd', 'ftp://x/y', '', 'x',
                                 5, 'http://\0/'])
def test_template_url_that_is_not_fetched(url):
    refused(request(template_url=url).template)


def test_template_url_that_fails(monkeypatch):
    def get(url):
        raise urlfetch.URLFetchError('no route')

    monkeypatch.setattr(urlfetch, 'get', get)
    assert 'no route' in refused(request(template_url='http://x').template)


def test_parameters_lie_over_environment():
    environment = request(
        parameters={'a': 1},
        environment={'parameters': {'a': 2, 'b': 3},
                     'resource_registry': {'X': 'y'}}).environment()
    assert environment['parameters'] == {'a': 1, 'b': 3}
    assert environment['resource_registry'] == {'X': 'y'}
    assert environment['parameter_defaults'] == {}


def test_environment_as_text():
    environment = request(environment='parameters: {a: 1}').environment()
    assert environment['parameters'] == {'a': 1}


@pytest.mark.parametrize('environment', [
    'a: [', {'unknown': {}}, [1], 5, 'x', {'parameters': [1]},
    {'parameters': 'a'}, {'resource_registry': []},
    {'parameter_defaults': 5},
])
def test_environment_that_is_none(environment):
    refused(request(environment=environment).environment)


@pytest.mark.parametrize('parameters', [[1], 'a', 5, True])
def test_parameters_that_are_none(parameters):
    refused(request(parameters=parameters).environment)


def test_environment_files_replace_environment():
    asked = request(environment={'parameters': {'a': 1}},
                    environment_files=['e'], files={'e': '{}'},
                    parameters={'b': 2})
    assert asked.environment()['parameters'] == {'b': 2}
    assert asked.environment_files() == ['e']


@pytest.mark.parametrize('names', ['a', {'a': 1}, [1], [None]])
def test_environment_files_that_are_none(names):
    refused(request(environment_files=names).environment_files)


@pytest.mark.parametrize('files', ['a', [1], 5, {'f': 5}, {'f': None}])
def test_files_that_are_none(files):
    refused(request(files=files).files)


def test_absent_parts():
    asked = request()
    assert asked.files() == {}
    assert asked.environment_files() is None
    assert asked.files_container() is None
    assert asked.args() == {}


def test_args_are_converted():
    args = request(timeout_mins='5', disable_rollback='TRUE', tags='a,b',
                   converge='false', stack_name='s', template={},
                   anything=[1]).args()
    assert args == {'timeout_mins': 5, 'disable_rollback': True,
                    'tags': ['a', 'b'], 'converge': False,
                    'anything': [1]}


@pytest.mark.parametrize('given', [0, '0', None])
def test_timeout_zero_is_none(given):
    assert request(timeout_mins=given).args() == {}


@pytest.mark.parametrize('body', [
    {'timeout_mins': 'x'}, {'timeout_mins': -1}, {'timeout_mins': 1.5},
    {'timeout_mins': [1]}, {'timeout_mins': 2 ** 31},
    {'timeout_mins': True},
    {'disable_rollback': 'maybe'}, {'disable_rollback': 3},
    {'converge': 'x'}, {'tags': ['a']}, {'tags': 5}, {'tags': 'a' * 81},
    {'tags': 'a,,b'}, {'tags': 'a\0'}, {'clear_parameters': 'a'},
    {'clear_parameters': [1]},
])
def test_args_that_are_wrong(body):
    refused(request(**body).args)


def test_existing_is_said_by_the_method_alone():
    assert request(existing=True).args() == {'existing': True}
    assert stack_request.StackRequest({'existing': True}).args() == {}


@pytest.mark.parametrize(('body', 'nothing'), [
    ({}, True),
    ({'existing': True}, True),
    ({'template': None, 'parameters': {}, 'files': {}, 'environment': {},
      'environment_files': [], 'clear_parameters': []}, True),
    ({'parameters': {'a': 1}}, False),
    ({'disable_rollback': False}, False),
    ({'converge': True}, False),
    ({'tags': 'a'}, False),
    ({'timeout_mins': 5}, False),
])
def test_no_change(body, nothing):
    assert stack_request.is_no_change(body) == nothing


def adopt(**data):
    return request(adopt_stack_data=json.dumps(data))


def test_adopt_data_describe_the_stack():
    asked = adopt(template=TEMPLATE, files={'f': 'x'},
                  environment={'parameters': {'a': 1},
                               'encrypted_param_names': ['a']})
    assert asked.template() == TEMPLATE
    assert asked.environment()['parameters'] == {'a': 1}
    assert asked.environment()['encrypted_param_names'] == []
    assert asked.files() == {'f': 'x'}
    assert 'adopt_stack_data' in asked.args()


@pytest.mark.parametrize('data', ['{', '[1]', 'text', '{}',
                                  '{"template": 5}', 5, {'template': {}}])
def test_adopt_data_that_are_none(data):
    refused(request(adopt_stack_data=data).template)
