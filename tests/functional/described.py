"""A client that holds each answer against the description of the API."""
import functools
import re
from urllib import parse

import jsonschema

from heat.api.openstack.v1 import openapi
from tests.functional import rest

#: Answers any request may get that fits no operation.
_PLAIN = {404, 405, 204, 300}


@functools.cache
def description():
    """Return the description of the API."""
    return openapi.document('http://localhost')


@functools.cache
def _patterns():
    """Return (pattern, path) of all paths, the most specific first."""
    paths = sorted(description()['paths'], key=lambda path: path.count('{'))
    return [(re.compile(re.sub(r'{\w+}', '[^/]+', path)), path)
            for path in paths]


def path_of(path):
    """Return the path of the description that a path is, or None."""
    # The description knows no path with an ARN, which has slashes.
    bare = re.sub('/arn:.*', '/arn', path.partition('?')[0])
    return next((known for pattern, known in _patterns()
                 if pattern.fullmatch(bare)), None)


@functools.cache
def _validator(path, method, status):
    """Return what checks the body of an answer; None where there is none."""
    responses = description()['paths'][path][method]['responses']
    content = responses[str(status)].get('content')
    if content is None or 'application/json' not in content:
        return None
    return jsonschema.Draft202012Validator(
        {**content['application/json']['schema'],
         'components': description()['components']},
        format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)


def check(method, path, answer):
    """Fail unless the answer is one that the description tells of."""
    known = path_of(path)
    operation = known and description()['paths'][known].get(method.lower())
    if not operation:
        assert answer.status in _PLAIN or method == 'OPTIONS', (
            method, path, answer)
        return
    responses = operation['responses']
    assert str(answer.status) in responses, (method, known, answer)
    if answer.status == 401:
        return
    validator = _validator(known, method.lower(), answer.status)
    if validator is None:
        assert answer.json is None, (method, known, answer)
        for kind in responses[str(answer.status)].get('content', ()):
            assert answer.headers['Content-Type'].startswith(kind)
    else:
        assert answer.headers['Content-Type'].startswith('application/json')
        error = next(validator.iter_errors(answer.json), None)
        assert error is None, (method, known, error and (
            error.json_path, error.message))
    if 'headers' in responses[str(answer.status)]:
        assert parse.urlsplit(answer.headers['Location']).scheme
    if answer.status >= 400:
        _check_kind(operation, known, answer)


def _check_kind(operation, path, answer):
    """Fail unless the type of the error is declared for its status."""
    declared = operation['responses'][str(answer.status)]['description']
    kinds = {kind for line in declared.splitlines()
             for kind in line.partition(': ')[0].split('|')}
    assert answer.json['code'] == answer.status
    assert answer.error in kinds or answer.status == 500, (
        path, answer.error, answer.message)


class Client(rest.Client):
    """Asks, and holds the answer against the description."""

    def request(self, method, path, *args, **kwargs):
        answer = super().request(method, path, *args, **kwargs)
        if not path.startswith('/'):
            path = f'/v1/{self.project}/{path}'
        check(method, path, answer)
        return answer
