"""Find and call the controller action a request is for.

The routes of an API are data: what is checked before an action runs, and
what its answer looks like on success, is said in its row.
"""
from collections.abc import Iterable, Mapping
import dataclasses
import enum
import re
from typing import Any
from wsgiref import types as wsgi_types

import routes.mapper
import webob.exc

from heat.api import request_body
from heat.api.middleware import fault
from heat.common import context
from heat.common import exception
from heat.common import identifier
from heat.common import metrics
from heat.common import policy
from heat.common import wsgi
from heat.common.i18n import _

_PATTERN = re.compile(r'{(?P<name>\w+):(?P<pattern>[^{}]*)}')


class Body(enum.StrEnum):
    """The kinds of request bodies."""

    NONE = 'none'          # a JSON body is an error
    OPTIONAL = 'optional'
    REQUIRED = 'required'
    IGNORED = 'ignored'    # the request is only redirected


@dataclasses.dataclass(frozen=True, slots=True)
class Route:
    """One row of the table of an API.

    `policy` is the rule checked first; None leaves it to the body, which
    decides on one of the rules of its operation.
    """

    method: str
    path: str
    controller: str
    action: str
    policy: str | None
    success: int = 200
    body: Body = Body.NONE


@dataclasses.dataclass(frozen=True, slots=True)
class Located:
    """An answer with a Location header."""

    location: str
    body: dict | None = None


class PathTable:
    """Finds the path template that a request's path belongs to.

    Templates are those of Routes: ``{name}`` stands for one segment,
    ``{name:pattern}`` for what the pattern matches. The first template that
    fits is the one found.
    """

    def __init__(self, templates: Any) -> None:
        self._mapper = routes.mapper.Mapper(controller_scan=None,
                                            register=False, explicit=True)
        for template in templates:
            # Routes reads a pattern in braces up to its first colon, and
            # ARNs have several: patterns are given separately.
            self._mapper.connect(
                None, _PATTERN.sub(r'{\g<name>}', template),
                requirements={found['name']: found['pattern']
                              for found in _PATTERN.finditer(template)},
                template=template)
        self._mapper.create_regs([])

    def match(self, path: str) -> tuple[Any, Any]:
        """Return (template, values by name), or (None, None)."""
        # Routes ends its patterns by "$", which lets a line feed follow.
        values = None if path.endswith('\n') else self._mapper.match(path)
        if values is None:
            return None, None
        return values.pop('template'), values


def authorize(request: webob.Request, tenant_id: str, rule: str) -> None:
    """Check that the user may act in the project, and the policy rule."""
    context = request.context
    if tenant_id != context.project_id and not context.is_admin:
        raise webob.exc.HTTPForbidden(
            _('The token is not for the project named in the path.'))
    if rule is not None:
        check_policy(context, rule)


def check_policy(context: Any, rule: str) -> None:
    """Raise Forbidden unless the policy rule allows the user to go on."""
    scope, _colon, action = rule.partition(':')
    policy.get_enforcer().enforce(context, action, scope=scope,
                                  is_registered_policy=True)


def check_any_policy(context: Any, rules: Any) -> Any:
    """Raise Forbidden unless one of the rules may let the user go on.

    Whoever may do nothing of all that a body can ask for is told so, not
    what is wrong with the body.
    """
    refusal = None
    for rule in rules:
        try:
            return check_policy(context, rule)
        except exception.Forbidden as error:
            refusal = refusal or error
    if refusal is not None:
        raise refusal


class Router:
    """A WSGI application made of a table of routes and its controllers.

    :param table: the rows (Route).
    :param operations: what the actions take, by controller and action;
        bodies and queries are checked against it.
    :param closed_paths: templates of paths whose other methods are plainly
        unknown (404) instead of not allowed (405).
    """

    def __init__(self, table: Any, controllers: Mapping[str, Any], *,
                 operations: Any, closed_paths: Any = ()) -> None:
        self.controllers = controllers
        self.operations = operations
        self.validators = {
            key: request_body.Validator(operation.body)
            for key, operation in operations.items()
            if operation.body is not None}
        self.closed_paths = frozenset(closed_paths)
        self.methods: dict[str, dict[str, Any]] = {}
        for route in table:
            self.methods.setdefault(route.path, {})[route.method] = route
        self.paths = PathTable(self.methods)
        self.deserializer = wsgi.JSONRequestDeserializer()
        self.serializer = wsgi.JSONResponseSerializer()

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        try:
            response = self._answer(wsgi.Request(environ))
        except webob.exc.HTTPError as exc:
            # Caught here because a filter between us and the fault wrapper
            # may take an HTTP exception for an answer.
            response = fault.Fault(exc)
        return response(environ, start_response)

    def _answer(self, request: webob.Request) -> Any:
        template, values = self.paths.match(path_of(request))
        if template is None:
            return webob.exc.HTTPNotFound()
        methods = self.methods[template]
        request.environ[metrics.ROUTE_VARIABLE] = template
        route = methods.get(request.method)
        if route is not None:
            return self._run(route, request, values)
        if template in self.closed_paths:
            return webob.exc.HTTPNotFound()
        allow = ','.join(methods)
        if request.method == 'OPTIONS':
            return webob.exc.HTTPNoContent(headers={'Allow': allow})
        raise webob.exc.HTTPMethodNotAllowed(
            _('%(method)s is not possible here, only %(allow)s.')
            % {'method': request.method, 'allow': allow},
            headers={'Allow': allow})

    def _run(self, route: Any, request: webob.Request, values: Any) -> Any:
        authorize(request, values.pop('tenant_id'), route.policy)
        operation = self.operations[route.controller, route.action]
        if route.policy is None:
            check_any_policy(request.context, operation.policies)
        if 'stack_id' in values:
            # The tenant is the token's, also when an administrator names
            # another project in the path.
            values['identity'] = dict(identifier.HeatIdentifier(
                request.context.project_id, values.pop('stack_name'),
                values.pop('stack_id')))
        action = getattr(self.controllers[route.controller], route.action)
        with context.budget_of_request():
            if route.body is not Body.IGNORED:
                values.update(self._checked(route, operation, request))
            result = action(request, **values)
        return self._respond(route, result)

    def _checked(self, route: Any, operation: Any, request: webob.Request
                 ) -> dict[str, Any]:
        """Return what body and query give to the action."""
        values = {}
        if operation.query:
            # Who may not ask for it learns of nothing else that is wrong.
            for rule in operation.policies_of_query(query_of(request)):
                check_policy(request.context, rule)
        body = self._body_of(route, request)
        if route.body is not Body.NONE:
            values['body'] = body
            if body is not None:
                for rule in operation.policies_of_body(body):
                    check_policy(request.context, rule)
                self.validators[route.controller, route.action].check(body)
        if operation.query:
            values['query'] = operation.read_query(query_of(request))
        return values

    def _body_of(self, route: Any, request: webob.Request) -> Any:
        body = self.deserializer.default(request).get('body')
        if body is None and route.body is Body.REQUIRED:
            raise webob.exc.HTTPBadRequest(
                _('The request needs a body that is a JSON object.'))
        if body is not None and route.body is Body.NONE:
            raise webob.exc.HTTPBadRequest(
                _('The request takes no body.'))
        return body

    def _respond(self, route: Any, result: Any) -> Any:
        if route.success in (202, 204) and not isinstance(result, Located):
            return webob.exc.status_map[route.success]()
        if isinstance(result, webob.Response):
            return result
        if route.success == 302:
            return webob.exc.HTTPFound(location=result.location)
        response = webob.Response(status=route.success)
        if isinstance(result, Located):
            response.location = result.location
            result = result.body
        self.serializer.default(response, result)
        return response


def path_of(request: webob.Request) -> str:
    """Return the path, decoded.

    :raises HTTPBadRequest: it is not UTF-8 or holds a NUL character, which
        no name has.
    """
    try:
        path = request.path_info
    except UnicodeDecodeError as exc:
        raise webob.exc.HTTPBadRequest(
            _('The path is not valid UTF-8.')) from exc
    if '\0' in path:
        raise webob.exc.HTTPBadRequest(
            _('The path holds a NUL character.'))
    return path


def query_of(request: webob.Request) -> dict[str, Any]:
    """Return the query parameters.

    :raises HTTPBadRequest: they are not UTF-8 or hold a NUL character.
    """
    try:
        params = request.GET
        damaged = any('\0' in text for pair in params.items()
                      for text in pair)
    except UnicodeDecodeError as exc:
        raise webob.exc.HTTPBadRequest(
            _('The query is not valid UTF-8.')) from exc
    if damaged:
        raise webob.exc.HTTPBadRequest(
            _('The query holds a NUL character.'))
    return params
