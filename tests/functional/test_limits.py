"""Each limit of a request: what just fits is taken, one more is refused."""
import http.server
import json
import threading

import pytest
import requests
import yaml

from tests.functional.templates import hot
from tests.functional.templates import thing

#: A user who is exempt from nothing, though without Keystone everybody is
#: an administrator.
NOBODY_IS_EXEMPT = {'context_is_admin': 'role:cloud_admin'}


@pytest.fixture
def ordinary(rules):
    """Let the user of the test be no administrator of the cloud."""
    rules(**NOBODY_IS_EXEMPT)


def refused(answer, kind='RequestLimitExceeded', status=400):
    assert (answer.status, answer.error) == (status, kind), answer.text
    return answer.message


def body(name='s', template=None, **more):
    return {'stack_name': name, 'template': template or hot(), **more}


# -- sizes ------------------------------------------------------------------

START = 'heat_template_version: 2018-08-31\ndescription: '


def text_of(length):
    """Return a template of so many characters, of which some are long."""
    return START + 'ä' * (length - len(START))


@pytest.mark.parametrize('path', ['stacks', 'stacks/preview', 'validate'])
def test_size_of_a_template(api, conf, path):
    conf('max_template_size', 1000)
    fits = 201 if path == 'stacks' else 200
    api.post(path, body(template=text_of(1000)), expect=fits)
    message = refused(api.request('POST', path,
                                  body('t', text_of(1001))))
    assert 'max_template_size' in message
    assert '1001' in message


def test_size_of_a_template_in_an_update(api, conf):
    stack = api.created('s', hot())
    conf('max_template_size', 1000)
    stack.updated(text_of(1000))
    for method in 'PUT', 'PATCH':
        refused(stack.update(text_of(1001), method=method, expect=400))


def test_size_of_a_nested_template(api, conf):
    conf('max_template_size', 1000)

    def files(length):
        return {'inner.yaml': text_of(length)}

    outer = hot({'inner': {'type': 'inner.yaml'}})
    api.created('s', outer, files=files(1000))
    answer = api.create('t', outer, files=files(1001), expect=400)
    assert 'max_template_size' in answer.message


@pytest.fixture
def served():
    """Return a URL, and the list whose first item is what is there."""
    content = ['']

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content[0].encode())

        def log_message(self, *_arguments):
            """Say nothing on the terminal."""

    with http.server.ThreadingHTTPServer(('127.0.0.1', 0),
                                         Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f'http://127.0.0.1:{server.server_port}/t.yaml', content
        server.shutdown()


def test_size_of_what_is_fetched(api, conf, served):
    url, content = served
    conf('max_template_size', 1000)
    conf('allowed_fetch_networks', ['127.0.0.0/8'])
    content[0] = START + 'x' * (1000 - len(START))
    api.post('validate', {'template_url': url})
    content[0] += 'x'
    message = refused(api.request('POST', 'validate',
                                  {'template_url': url}), 'HTTPBadRequest')
    assert 'max_template_size' in message


def test_size_of_a_cfn_template(cfn_url, conf):
    def validate(length):
        start = "AWSTemplateFormatVersion: '2010-09-09'\nDescription: "
        return requests.post(f'{cfn_url}/v1/', timeout=120, data={
            'Action': 'ValidateTemplate', 'AWSAccessKeyId': 'limits',
            'TemplateBody': start + 'ä' * (length - len(start))})

    conf('max_template_size', 1000)
    answer = validate(1000)
    assert answer.status_code == 200, answer.text
    answer = validate(1001)
    assert answer.status_code == 400
    assert '<Code>RequestLimitExceeded</Code>' in answer.text
    assert '<Type>Sender</Type>' in answer.text


def test_size_of_a_body(api, conf):
    def sent(length):
        raw = json.dumps(body()).encode()
        return api.request('POST', 'stacks/preview',
                           raw=raw + b' ' * (length - len(raw)))

    conf('max_json_body_size', 1000)
    assert sent(1000).status == 200
    assert 'max_json_body_size' in refused(sent(1001))


@pytest.mark.parametrize('kind', ['signal', 'waitcondition'])
def test_size_of_a_signal(api, cfn_url, conf, kind):
    stack = api.created('s', hot({
        'h': {'type': 'OS::Heat::WaitConditionHandle'}}))
    conf('max_json_body_size', 1000)
    url = (f'{cfn_url}/v1/{kind}/arn%3Aopenstack%3Aheat%3A%3A{api.project}'
           f'%3Astacks%2Fs%2F{stack.id}%2Fresources%2Fh')
    method = 'POST' if kind == 'signal' else 'PUT'

    def sent(length):
        data = json.dumps({'data': 'x', 'id': str(length)})
        return requests.request(
            method, url, data=data + ' ' * (length - len(data)), timeout=120)

    assert sent(1000).status_code == 200
    answer = sent(1001)
    assert answer.status_code == 400
    assert '<Code>RequestLimitExceeded</Code>' in answer.text


# -- numbers ----------------------------------------------------------------

def test_stacks_of_a_project(ordinary, driver, api, conf):
    conf('max_stacks_per_tenant', 2)
    # Only stacks that users make are counted.
    api.created('one', hot({'n': {'type': 'inner.yaml'}}), files={
        'inner.yaml': yaml.safe_dump(hot({'a': thing()}))})
    two = api.created('two', hot())
    for path in 'stacks', 'stacks/preview':
        assert '2' in refused(api.request('POST', path, body('three')))
    two.deleted()
    api.created('three', hot())
    conf('max_stacks_per_tenant', -1)
    api.created('four', hot())


def test_stacks_of_an_administrator_are_not_limited(api, conf):
    conf('max_stacks_per_tenant', 0)
    api.created('s', hot())


def test_resources_of_a_stack(driver, api, conf):
    conf('max_resources_per_stack', 2)
    names = ['a', 'b', 'c']
    stack = api.created('s', hot({name: thing() for name in names[:2]}))
    too_many = hot({name: thing() for name in names})
    for path in 'stacks', 'stacks/preview':
        refused(api.request('POST', path, body('t', too_many)))
    refused(stack.update(too_many, expect=400))
    conf('max_resources_per_stack', -1)
    stack.updated(too_many)


def test_resources_of_all_nested_stacks_together(driver, api, conf):
    def outer(number):
        return hot({f'n{each}': {'type': 'inner.yaml'}
                    for each in range(number)})

    inner = {'inner.yaml': yaml.safe_dump(hot({'a': thing()}))}
    conf('max_resources_per_stack', 4)
    stack = api.created('s', outer(2), files=inner)
    for path in 'stacks', 'stacks/preview':
        refused(api.request('POST', path, body('t', outer(3), files=inner)))
    # What was allowed once may stay, but not grow.
    conf('max_resources_per_stack', 3)
    stack.updated(outer(2), files=inner)
    refused(stack.update(outer(3), files=inner, expect=400))


@pytest.mark.parametrize('count', [2, 3])
def test_resources_of_a_group(driver, api, conf, count):
    conf('max_resources_per_stack', 5)
    group = hot({'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
        'count': count, 'resource_def': {'type': 'inner.yaml'}}}})
    inner = {'inner.yaml': yaml.safe_dump(hot({'a': thing()}))}
    if count == 2:
        api.created('s', group, files=inner)
    else:
        refused(api.create('s', group, files=inner, expect=400))


def nested(depth):
    """Return a template with so many stacks below it, and its files."""
    files = {'0.yaml': yaml.safe_dump(hot({'a': thing()}))}
    for level in range(1, depth):
        files[f'{level}.yaml'] = yaml.safe_dump(
            hot({'n': {'type': f'{level - 1}.yaml'}}))
    return hot({'n': {'type': f'{depth - 1}.yaml'}}), files


def test_depth_of_nesting(driver, api, conf):
    conf('max_nested_stack_depth', 2)
    template, files = nested(2)
    stack = api.created('s', template, files=files)
    template, files = nested(3)
    for path in 'stacks', 'stacks/preview':
        refused(api.request('POST', path, body('t', template, files=files)))
    refused(stack.update(template, files=files, expect=400))
    # Nobody looks deeper than stacks may be.
    def shown():
        return sorted(each['resource_name'] for each in stack.get(
            'resources', nested_depth=99)['resources'])
    assert shown() == ['a', 'n', 'n']
    conf('max_nested_stack_depth', 1)
    assert shown() == ['n', 'n']


def test_snapshots_of_a_stack(ordinary, driver, api, conf):
    stack = api.created('s', hot())
    conf('max_snapshots_per_stack', 1)
    stack.request('POST', 'snapshots', {}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')
    refused(stack.request('POST', 'snapshots', {}))
    conf('max_snapshots_per_stack', -1)
    stack.request('POST', 'snapshots', {}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')


def test_snapshots_of_an_administrator_are_not_limited(api, conf):
    stack = api.created('s', hot())
    conf('max_snapshots_per_stack', 0)
    stack.request('POST', 'snapshots', {}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')


@pytest.fixture
def software(api):
    """Return a function that makes a config, or a deployment of one."""
    config = api.post('software_configs', {'name': 'c'})[
        'software_config']['id']
    return lambda kind: api.request('POST', kind, {
        'software_configs': {'name': 'c'},
        'software_deployments': {'config_id': config,
                                 'server_id': 's'}}[kind])


@pytest.mark.parametrize('kind', ['software_configs',
                                  'software_deployments'])
def test_software_of_a_project(ordinary, software, conf, kind):
    option = f'max_{kind}_per_tenant'
    software(kind)
    conf(option, 0)
    refused(software(kind))
    conf(option, -1)
    assert software(kind).status == 200


def test_one_more_config_than_allowed(ordinary, api, software, conf):
    conf('max_software_configs_per_tenant', 2)
    assert software('software_configs').status == 200
    refused(software('software_configs'))


def test_one_more_deployment_than_allowed(ordinary, api, software, conf):
    conf('max_software_deployments_per_tenant', 1)
    assert software('software_deployments').status == 200
    refused(software('software_deployments'))


@pytest.mark.parametrize('kind', ['software_configs',
                                  'software_deployments'])
def test_software_of_an_administrator_is_not_limited(software, conf, kind):
    conf(f'max_{kind}_per_tenant', 0)
    assert software(kind).status == 200


# -- lengths ----------------------------------------------------------------

def test_length_of_a_name(api):
    api.created('a' * 255, hot())
    message = refused(api.create('a' * 256, hot(), expect=400),
                      'StackValidationFailed')
    assert '255' in message


def test_length_of_a_tag(api):
    stack = api.created('s', hot(), tags='x' * 80 + ',y')
    assert stack.show()['tags'] == ['x' * 80, 'y']
    for answer in (api.create('t', hot(), tags='x' * 81, expect=400),
                   stack.update(hot(), tags='y,' + 'x' * 81, expect=400)):
        assert '80' in refused(answer, 'HTTPBadRequest')


def test_pages_have_no_greatest_length(api):
    api.created('one', hot())
    api.created('two', hot())
    for limit in 2, 2 ** 31 - 1, 2 ** 31, 10 ** 30:
        assert sorted(api.stacks(limit=limit)) == ['one', 'two']
    assert api.stacks(limit=0) == []
    assert len(api.stacks(limit=1)) == 1
    for wrong in '-1', 'x', '1.5':
        refused(api.request('GET', 'stacks', limit=wrong), 'HTTPBadRequest')


INNER = hot({f't{number}': thing() for number in range(6)})
GROUP = {'type': 'OS::Heat::ResourceGroup', 'properties': {
    'count': 6, 'resource_def': thing()}}
TREES = {'inner.yaml': json.dumps(INNER),
         'mid.yaml': json.dumps(hot({'m': {'type': 'inner.yaml'}})),
         'group.yaml': json.dumps(hot({'m': GROUP}))}


@pytest.mark.parametrize('resource', [
    {'type': 'inner.yaml'}, {'type': 'mid.yaml'}, {'type': 'group.yaml'},
    GROUP], ids=['inner', 'mid', 'nested group', 'group'])
def test_update_counts_what_is_there_once(driver, api, conf, resource):
    conf('max_resources_per_stack', 10)
    template = hot({'n': resource})
    stack = api.created('s', template, files=TREES)
    stack.updated(template, files=TREES)
    # Two of them are too many.
    answer = stack.update(hot({'n': resource, 'o': resource}), files=TREES,
                          expect=400)
    assert answer.error == 'RequestLimitExceeded'
