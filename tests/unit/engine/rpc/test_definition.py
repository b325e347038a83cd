"""What a request carries, and what it only points to."""
import pytest

from heat.common import exception
from heat.engine import clients
from heat.engine.rpc import definition as service_definition
from tests.fakes import stack as fake_stack
from tests.fakes import swift as fake_swift

TEMPLATE = {'heat_template_version': '2016-10-14',
            'parameters': {'p': {'type': 'string'}}}


@pytest.fixture
def storage(monkeypatch):
    storage, _queues = fake_swift.use(monkeypatch)
    storage.create_container('c')
    storage.upload_object('c', 'env.yaml', 'parameters: {p: there}')
    storage.upload_object('c', 'dir/a.sh', 'there')
    return storage


def definition(files, container='c', environment_files=None):
    context = fake_stack.context()
    return service_definition.of_request(context, TEMPLATE, {}, files,
                                         environment_files, container)


def test_files_of_a_container(storage):
    found = definition({'dir/a.sh': 'here'})
    # What comes with the request is nearer.
    assert found.files == {'dir/a.sh': 'here',
                           'env.yaml': 'parameters: {p: there}'}


def test_environment_in_a_container(storage):
    found = definition({}, environment_files=['env.yaml'])
    assert service_definition.environment_of(found).params == {'p': 'there'}


def test_files_without_a_container(storage):
    assert definition({'a': 'b'}, None).files == {'a': 'b'}
    assert definition(None, None).files == {}


def test_container_that_is_not_there(storage):
    with pytest.raises(exception.NotFound, match='other'):
        definition({}, 'other')


@pytest.mark.parametrize('missing', ['plugin', 'endpoint'])
def test_no_object_store(storage, monkeypatch, missing):
    if missing == 'plugin':
        monkeypatch.delitem(clients.plugins(), 'swift')
    else:
        monkeypatch.setattr(clients.plugins()['swift'], 'does_endpoint_exist',
                            lambda *_args: False)
    with pytest.raises(exception.NotSupported,
                       match='without an object store'):
        definition({})
