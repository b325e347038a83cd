"""Files of a template that lie in a container of the object store."""
import pytest

INNER = """
heat_template_version: wallaby
parameters:
  word: {type: string}
resources:
  value: {type: OS::Heat::Value, properties: {value: {get_param: word}}}
outputs:
  said: {value: {get_attr: [value, value]}}
"""
ENVIRONMENT = """
parameters: {word: from the container}
resource_registry: {"My::Value": inner.yaml}
"""
TEMPLATE = {
    'heat_template_version': 'wallaby',
    'parameters': {'word': {'type': 'string'}},
    'resources': {'inner': {'type': 'My::Value', 'properties': {
        'word': {'get_param': 'word'}}}},
    'outputs': {'said': {'value': {'get_attr': ['inner', 'said']}}}}


@pytest.fixture
def container(tenant):
    """Return a function that makes a container of files; it goes."""
    store, made = tenant.connection('member').object_store, []

    def make(**files):
        name = f'{tenant.tag}-files-{len(made)}'
        store.create_container(name)
        made.append(name)
        for file_name, text in files.items():
            store.upload_object(container=name, name=file_name, data=text)
        return name

    yield make
    for name in made:
        for found in list(store.objects(name)):
            store.delete_object(found.name, container=name)
        store.delete_container(name)


def request(name, **more):
    return {'files_container': name, 'environment_files': ['env.yaml'],
            **more}


def test_a_stack_of_files_in_a_container(stacks, tenant, container):
    name = container(**{'inner.yaml': INNER, 'env.yaml': ENVIRONMENT})
    stack = stacks.create(f'{tenant.tag}-files', TEMPLATE, **request(name))
    assert stacks.outputs(stack) == {'said': 'from the container'}
    found = stacks.get(f'{stack}/files')
    assert found['inner.yaml'] == INNER
    # A file of the request counts for more than one of the container.
    stacks.update(stack, TEMPLATE, **request(name, files={
        'env.yaml': ENVIRONMENT.replace('the container', 'the request')}))
    assert stacks.outputs(stack) == {'said': 'from the request'}
    checked = stacks.call('POST', '/validate', {
        'template': TEMPLATE, **request(name)}, expect=200)
    assert checked['Environment']['parameters'] == {
        'word': 'from the container'}
    stacks.delete(stack)


def test_containers_that_do_not_serve(stacks, tenant, container):
    def refused(name):
        answer = stacks.ask('POST', '/stacks', {
            'stack_name': f'{tenant.tag}-no', 'template': TEMPLATE,
            **request(name)})
        assert answer.status_code < 500, answer.text
        return answer.status_code, answer.json()['error']

    status, error = refused('nowhere')
    assert status == 404
    assert 'nowhere' in error['message']
    status, error = refused(container(**{'env.yaml': b'\xff\xfe'}))
    assert status == 400
    assert 'env.yaml' in error['message']
    # As much as the body of a request may have, and one byte more.
    limit = 1048576
    name = container(**{
        'env.yaml': ENVIRONMENT, 'inner.yaml': INNER,
        'big': 'x' * (limit - len(ENVIRONMENT) - len(INNER))})
    checked = stacks.ask('POST', '/validate', {'template': TEMPLATE,
                                               **request(name)})
    assert checked.status_code == 200, checked.text
    tenant.connection('member').object_store.upload_object(
        container=name, name='more', data='x')
    status, error = refused(name)
    assert status == 400
    assert str(limit) in error['message']


def test_only_what_the_user_may_read(deployment, stacks, tenant, container):
    name = container(**{'inner.yaml': INNER, 'env.yaml': ENVIRONMENT})
    reader = deployment.stacks(tenant.session('reader'), tenant.project_id)
    answer = reader.ask('POST', '/validate', {'template': TEMPLATE,
                                              **request(name)})
    assert answer.status_code in (403, 404), answer.text
