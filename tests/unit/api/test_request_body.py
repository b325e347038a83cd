"""What the bodies of requests are declared as, and what is wrong in one."""
import jsonschema
import pytest
import webob.exc

from heat.api import request_body
from heat.api.openstack.v1 import routes
from tests.fakes import rpc

DECLARED = {key: operation.body for key, operation
            in routes.build(rpc.FakeEngineClient()).operations.items()
            if operation.body is not None}


@pytest.mark.parametrize('key', DECLARED, ids='.'.join)
def test_declarations_are_schemas(key):
    jsonschema.Draft202012Validator.check_schema(DECLARED[key])


def test_there_are_declarations():
    assert ('stacks', 'create') in DECLARED
    assert len(DECLARED) >= 15


SCHEMA = {'type': 'object', 'additionalProperties': False,
          'required': ['name'], 'properties': {
              'name': {'type': 'string', 'minLength': 1},
              'size': {'type': ['integer', 'null']},
              'kind': {'enum': ['a', 'b'], 'title': '"a" or "b"'}}}


@pytest.mark.parametrize(('body', 'message'), [
    ({}, '"name" is missing in the body.'),
    ({'name': 7}, '"name" must be a string, not a number.'),
    ({'name': ''}, '"name" must not be empty.'),
    ({'name': 'n', 'size': 'x'}, '"size" must be an integer, not a string.'),
    ({'name': 'n', 'kind': 'c'}, '"kind" must be "a" or "b", not "c".'),
    ({'name': 'n', 'x': 1}, 'Unexpected in the body: x; possible are name, '
     'size, kind.')])
def test_errors_name_the_place(body, message):
    with pytest.raises(webob.exc.HTTPBadRequest) as raised:
        request_body.Validator(SCHEMA).check(body)
    assert raised.value.detail == message


def test_a_body_that_fits():
    assert request_body.Validator(SCHEMA).check(
        {'name': 'n', 'size': None, 'kind': 'a'}) is None
