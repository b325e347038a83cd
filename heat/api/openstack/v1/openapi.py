"""The description of the API in the form of OpenAPI 3.1.

It is made from the table of routes and the declarations of their actions,
so that it cannot differ from what requests are checked against.
"""
from collections.abc import Iterable
import functools
import re
from typing import Any
from wsgiref import types as wsgi_types

from oslo_serialization import jsonutils
import webob
import webob.exc

from heat.api import declaration
from heat.api import routing
from heat.api.middleware import fault
from heat.api.openstack.v1 import routes
from heat.api.openstack.v1.schemas import catalogue
from heat.api.openstack.v1.schemas import common

PATH = '/openapi.json'
VERSION = '1.0'
JSON = 'application/json'

#: How the parts of paths are explained.
PLACEHOLDERS = {
    'tenant_id': 'The project.',
    'stack_name': 'The name of a stack; where no id follows, an id or an '
                  'ARN does as well.',
    'stack_id': 'The id of a stack.',
    'resource_name': 'The name of a resource in the template.',
    'event_id': 'The id of an event.',
    'snapshot_id': 'The id of a snapshot.',
    'change_set_id': 'The id of a change set.',
    'output_key': 'The name of an output in the template.',
    'config_id': 'The id of a software config.',
    'deployment_id': 'The id of a software deployment.',
    'server_id': 'The id of a server.',
    'type_name': 'The name of a resource type, like ``OS::Heat::Value``.',
    'template_version': 'A version with the key that states it, like '
                        '``heat_template_version.2021-04-16``.',
}
_PLACEHOLDER = re.compile(r'{(\w+)(?::([^{}]*))?}')
_SUCCESSES = {
    200: 'The answer.', 201: 'It was created.', 202: 'It has begun.',
    204: 'It is done, or has begun.', 302: 'It is to be found there.'}


def paths_of(route: Any) -> Any:
    """Return the paths of a route as OpenAPI writes them.

    Patterns with alternatives are written out. One that only takes another
    form of a name, an ARN, is the same path there.
    """
    path = f'/v1{route.path}'
    alternatives = ['']
    for name, pattern in _PLACEHOLDER.findall(path):
        if pattern and '|' not in pattern and not pattern.isalpha():
            path = path.replace(f'{{{name}:{pattern}}}', f'{{{name}}}')
        elif pattern:
            path = path.replace(f'{{{name}:{pattern}}}', '{}')
            alternatives = pattern.split('|')
    return [path.replace('{}', each) for each in alternatives]


@functools.cache
def operations() -> tuple[Any, ...]:
    """Return (path, route, declaration) of every operation, in order."""
    found: dict[tuple[str, str], Any] = {}
    for route in routes.ROUTES:
        declared = catalogue.OPERATIONS[route.controller, route.action]
        for path in paths_of(route):
            found.setdefault((path, route.method), (path, route, declared))
    return tuple(found.values())


def errors_of(route: Any, declared: Any) -> tuple[Any, ...]:
    """Return the errors of an operation, those of all included."""
    stack = (common.NO_SUCH_STACK,) if 'stack_name}' in route.path else ()
    return (*declared.errors, *stack, *common.COMMON_ERRORS)


def policies_of(route: Any, declared: Any) -> tuple[str, ...]:
    """Return the rules of which one is checked."""
    return (route.policy,) if route.policy else declared.policies


def _operation_id(path: str, route: Any) -> str:
    parts = [part for part in path.split('/')[3:]
             if part and not part.startswith('{')]
    return '_'.join((route.method.lower(), *parts, route.action))


def _path_parameter(name: str) -> dict[str, Any]:
    return {'name': name, 'in': 'path', 'required': True,
            'description': PLACEHOLDERS[name],
            'schema': {'type': 'string', 'minLength': 1}}


def _query_parameter(parameter: Any) -> dict[str, Any]:
    result = {'name': parameter.name, 'in': 'query',
              'description': parameter.description,
              'schema': parameter.schema}
    if parameter.policy:
        result['x-openstack-policy'] = [parameter.policy]
    if parameter.repeat is not declaration.Repeat.LAST:
        result.update(style='form', explode=True)
    return result


def _described_errors(errors: Iterable[Any]) -> dict[str, Any]:
    """Return the responses of errors, those of one status together."""
    statuses: dict[int, list[Any]] = {}
    for error in errors:
        statuses.setdefault(error.status, []).append(error)
    return {str(status): {
        'description': '\n'.join(
            f'{error.kind}: {error.when}' if error.kind else error.when
            for error in found),
        **({'content': {JSON: {'schema': declaration.ref('Error')}}}
           # What checks tokens answers in its own way.
           if status != 401 else {}),
    } for status, found in sorted(statuses.items())}


def _success(route: Any, declared: Any) -> dict[str, Any]:
    result: dict[str, Any] = {'description': _SUCCESSES[route.success]}
    if route.success in (201, 302) or (
            route.success == 202 and declared.response is not None):
        result['headers'] = {'Location': {
            'description': 'The URL.', 'required': True,
            'schema': {'type': 'string', 'format': 'uri'}}}
    if declared.response is not None:
        result['content'] = {declared.media_type: {
            'schema': declared.response}}
    return result


def _described(path: str, route: Any, declared: Any) -> dict[str, Any]:
    result = {
        'operationId': _operation_id(path, route),
        'summary': declared.summary,
        'tags': [catalogue.TITLES[route.controller, route.action]],
        'parameters': [
            *(_path_parameter(name)
              for name in re.findall(r'{(\w+)}', path)),
            *map(_query_parameter, declared.query)],
        'responses': {str(route.success): _success(route, declared),
                      **_described_errors(errors_of(route, declared))},
        'x-openstack-policy': list(policies_of(route, declared)),
    }
    if declared.description:
        result['description'] = declared.description
    if route.body in (routing.Body.REQUIRED, routing.Body.OPTIONAL):
        result['requestBody'] = {
            'required': route.body is routing.Body.REQUIRED,
            'content': {JSON: {'schema': declared.body}}}
    return result


def document(base_url: str = '/') -> dict[str, Any]:
    """Return the description of the API below an address."""
    paths: dict[str, dict[str, Any]] = {}
    for path, route, declared in operations():
        paths.setdefault(path, {})[route.method.lower()] = _described(
            path, route, declared)
    return {
        'openapi': '3.1.0',
        'jsonSchemaDialect':
            'https://json-schema.org/draft/2020-12/schema',
        'info': {
            'title': 'OpenStack Orchestration',
            'summary': 'Templates become running infrastructure.',
            'version': VERSION,
            'license': {'name': 'Apache-2.0', 'identifier': 'Apache-2.0'},
        },
        'servers': [{'url': base_url}],
        'security': [{'token': []}],
        'tags': [{'name': title} for title, *_rest in catalogue.GROUPS],
        'paths': paths,
        'components': {
            'schemas': catalogue.COMPONENTS,
            'securitySchemes': {'token': {
                'type': 'apiKey', 'in': 'header', 'name': 'X-Auth-Token'}},
        },
    }


@functools.lru_cache(maxsize=8)
def _text(base_url: str) -> bytes:
    return jsonutils.dump_as_bytes(document(base_url))


def is_described_at(path: str) -> bool:
    """Return whether the description is at a path below the version.

    With a project in front, too, as service catalogues have it.
    """
    project, found, rest = path.rpartition(PATH)
    return bool(found) and not rest and project.count('/') == bool(project)


def application(environ: wsgi_types.WSGIEnvironment,
                start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
    """Answer with the description, without authentication."""
    request = webob.Request(environ)
    if request.method not in ('GET', 'HEAD'):
        answer = fault.Fault(webob.exc.HTTPMethodNotAllowed(
            headers={'Allow': 'GET,HEAD'}))
        return answer(environ, start_response)
    response = webob.Response(content_type=JSON, charset='utf-8')
    response.body = _text(request.application_url)
    return response(environ, start_response)
