"""The WSGI building blocks of the APIs: middleware, routers, resources."""
import json
import re
import sys

from oslo_config import cfg
from oslo_log import log as logging
from oslo_serialization import jsonutils
from oslo_utils import importutils
import routes
import routes.middleware
import webob
import webob.dec
import webob.exc

from heat.common import exception
from heat.common import serializers
from heat.common import template_format
from heat.common import wsgi_server
from heat.common.i18n import _

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

DEFAULT_CONTENT_TYPE = 'application/json'
_JSON_TYPES = ('', 'text/plain', 'json', 'application/json')

JSONResponseSerializer = serializers.JSONResponseSerializer
Server = wsgi_server.Server


class Request(webob.Request):
    """A request, and what it would like the response to be."""

    def best_match_content_type(self):
        """Return the content type to answer with."""
        accepted = self.accept.acceptable_offers(
            ('application/json',)) if self.headers.get('Accept') else None
        return accepted[0][0] if accepted else DEFAULT_CONTENT_TYPE

    def get_content_type(self, allowed_content_types):
        """Return the content type of the body; it has to be allowed."""
        given = self.headers.get('Content-Type')
        content_type = given.partition(';')[0].strip() if given else given
        if content_type not in allowed_content_types:
            raise exception.InvalidContentType(content_type=given)
        return content_type

    def readable_path(self):
        """Return the path below us, with marks for what is no UTF-8.

        Whoever finds out what the path is for refuses such a path.
        """
        path = self.environ.get('PATH_INFO', '')
        return path.encode('latin-1').decode('utf-8', 'replace')

    def best_match_language(self):
        """Return the language that the client asked for, or None."""
        header = self.headers.get('Accept-Language')
        return str(header) if header else None


def is_json_content_type(request):
    """Return whether the type of a body lets it be JSON.

    A missing type and text/plain do, for that is what simple clients send.
    """
    given = request.headers.get('Content-Type') or ''
    return given.partition(';')[0].strip().lower() in _JSON_TYPES


class Middleware:
    """Base of filters: look at the request, or at the response."""

    def __init__(self, application, conf=None):
        self.application = application
        self.conf = conf or {}

    def process_request(self, request):
        """Return a response to answer at once, or None to go on."""
        return None

    def process_response(self, response):
        """Return the response to send instead."""
        return response

    @webob.dec.wsgify(RequestClass=Request)
    def __call__(self, request):
        response = self.process_request(request)
        if response is not None:
            return response
        return self.process_response(request.get_response(self.application))


class Debug(Middleware):
    """Logs requests and responses, for development."""

    @webob.dec.wsgify(RequestClass=Request)
    def __call__(self, request):
        LOG.debug('Request %s %s', request.method, request.path_qs)
        response = request.get_response(self.application)
        LOG.debug('Response %s', response.status)
        return response


def debug_filter(app, conf, **local_conf):
    """Return the paste filter that logs requests."""
    return Debug(app, conf)


class DefaultMethodController:
    """Answers OPTIONS, and methods that a path does not have."""

    def options(self, request, allowed_methods, *args, **kwargs):
        """Answer which methods the path has."""
        raise webob.exc.HTTPNoContent(headers=[('Allow', allowed_methods)])

    def reject(self, request, allowed_methods, *args, **kwargs):
        """Answer that the path does not have the method."""
        raise webob.exc.HTTPMethodNotAllowed(
            headers=[('Allow', allowed_methods)])


class Router:
    """Hands a request to the application that a routes mapper finds."""

    def __init__(self, mapper):
        self.map = mapper
        self._router = routes.middleware.RoutesMiddleware(
            self._dispatch, self.map)

    @webob.dec.wsgify(RequestClass=Request)
    def __call__(self, request):
        return self._router

    @staticmethod
    @webob.dec.wsgify(RequestClass=Request)
    def _dispatch(request):
        match = request.environ['wsgiorg.routing_args'][1]
        if not match:
            return webob.exc.HTTPNotFound()
        return match['controller']


def _finite(text):
    """Return a number of a JSON text; databases take no infinite ones."""
    number = float(text)
    if number in (float('inf'), float('-inf')):
        raise ValueError(_('too large a number'))
    return number


#: What a body has that holds characters of which not all can be stored.
_ESCAPES = re.compile(rb'\\u(0000|[dD][89a-fA-F])')


def _check_characters(text, value):
    """Refuse a body with a text that no database stores."""
    if not _ESCAPES.search(text):
        return
    path = template_format.path_of_unstorable(value)
    if path is not None:
        raise webob.exc.HTTPBadRequest(
            _('%s holds NUL or an unpaired surrogate, which no database '
              'stores.') % template_format.path_text(path))


class JSONRequestDeserializer:
    """Reads the body of a request."""

    def has_body(self, request):
        """Return whether there is a body that is meant for us."""
        if not is_json_content_type(request):
            return False
        return self.bounded_body(request)[:1] == b'{'

    @staticmethod
    def bounded_body(request):
        """Return the body, having read no more of it than is allowed."""
        length, limit = request.content_length, CONF.max_json_body_size
        if length is None and request.is_body_readable:
            # Sent in chunks: the size shows while reading.
            request.body = request.body_file.read(limit + 1)
            length = len(request.body)
        if length and length > limit:
            raise exception.RequestLimitExceeded(
                message=_('the body is longer than the %s bytes that '
                          'max_json_body_size allows') % limit)
        return request.body if length else b''

    def from_json(self, text):
        """Return what the JSON text says."""
        try:
            value = jsonutils.loads(text, parse_float=_finite)
        except json.JSONDecodeError as exc:
            raise webob.exc.HTTPBadRequest(
                _('The body is not valid JSON: %(problem)s (line %(line)s, '
                  'column %(column)s)')
                % {'problem': exc.msg, 'line': exc.lineno,
                   'column': exc.colno}) from exc
        except UnicodeDecodeError as exc:
            raise webob.exc.HTTPBadRequest(
                _('The body is not valid UTF-8 (byte %d).')
                % exc.start) from exc
        except (ValueError, RecursionError) as exc:
            raise webob.exc.HTTPBadRequest(
                _('The body is not valid JSON: %s') % exc) from exc
        template_format.count_json(value)
        _check_characters(text, value)
        return value

    def default(self, request):
        """Return the arguments that the body adds to the action."""
        if self.has_body(request):
            return {'body': self.from_json(request.body)}
        return {}


class Resource:
    """A WSGI application that calls the actions of a controller.

    The route says which action; the body and the path are its arguments.
    HTTP errors of the controller leave disguised, so that the fault
    translator, not some filter in between, makes the answer.
    """

    def __init__(self, controller, deserializer, serializer=None):
        self.controller = controller
        self.deserializer = deserializer
        self.serializer = serializer or JSONResponseSerializer()

    @webob.dec.wsgify(RequestClass=Request)
    def __call__(self, request):
        arguments = self.get_action_args(request.environ)
        action = arguments.pop('action', None)
        try:
            arguments.update(
                self.dispatch(self.deserializer, action, request))
        except webob.exc.HTTPException as exc:
            raise exception.HTTPExceptionDisguise(exc) from exc
        result = self._call(action, request, arguments)
        return self._respond(action, request, result)

    def _call(self, action, request, arguments):
        try:
            return self.dispatch(self.controller, action, request,
                                 **arguments)
        except TypeError as exc:
            # Too many or too few arguments: the body is wrong.
            LOG.error('Exception handling action %s: %s', action, exc)
            raise exception.HTTPExceptionDisguise(
                webob.exc.HTTPBadRequest(
                    _('The request does not fit the action: %s') % exc)
            ) from exc
        except webob.exc.HTTPException as exc:
            if isinstance(exc, webob.exc.HTTPServerError):
                LOG.error('Returning %(code)s to user: %(why)s',
                          {'code': exc.code, 'why': exc.explanation})
            raise exception.HTTPExceptionDisguise(exc) from exc
        except exception.HeatException as exc:
            log_exception(exc, sys.exc_info())
            raise

    def _respond(self, action, request, result):
        if isinstance(result, webob.Response):
            return result
        response = webob.Response(request=request)
        self.dispatch(self.serializer, action, response, result)
        return response

    def dispatch(self, obj, action, *args, **kwargs):
        """Call the method named by the action, or the default one."""
        method = getattr(obj, action, None) if action else None
        if method is None:
            method = obj.default
        return method(*args, **kwargs)

    def get_action_args(self, request_environment):
        """Return the arguments that the route found in the path."""
        found = dict(request_environment['wsgiorg.routing_args'][1])
        found.pop('controller', None)
        found.pop('format', None)
        return found


def _imported(local_conf, key):
    """Return what a setting of the paste configuration names."""
    name = local_conf.pop(key, '')
    try:
        return importutils.import_class(name.strip().replace(':', '.'))
    except (ImportError, ValueError) as exc:
        raise LookupError(
            _('The paste configuration has %(key)s = %(name)s, which cannot '
              'be loaded: %(reason)s')
            % {'key': key, 'name': name, 'reason': exc}) from exc


def app_factory(global_conf, **local_conf):
    """Make the application that heat.app_factory names.

    It is how the paste configurations of earlier releases name them.
    """
    return _imported(local_conf, 'heat.app_factory')(CONF, **local_conf)


def filter_factory(global_conf, **local_conf):
    """Make the filter that heat.filter_factory names."""
    factory = _imported(local_conf, 'heat.filter_factory')

    def build(application):
        return factory(application, CONF, **local_conf)

    return build


def log_exception(exc, exc_info):
    """Log an error on its way to the user, loud only if it is ours."""
    args = {'exc_info': exc_info} if CONF.debug else {}
    LOG.debug('%s: %s', exception.type_name(exc), exception.text_of(exc),
              **args)
