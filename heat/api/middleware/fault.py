"""Turn whatever went wrong below into the JSON error form of the API.

The one place where an exception becomes an HTTP status.
"""
import builtins
from collections.abc import Callable, Iterable
import re
import traceback
from typing import Any
from wsgiref import types as wsgi_types

from oslo_config import cfg
from oslo_log import log as logging
import oslo_messaging
from oslo_middleware import request_id
from oslo_serialization import jsonutils
import webob
import webob.exc

from heat.api.middleware import languages
from heat.common import change_set_errors
from heat.common import drift_errors
from heat.common import exception
from heat.common import i18n
from heat.common import outage
from heat.common import protection_errors
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

REMOTE_SUFFIX = '_Remote'
UNAVAILABLE = 503

# Exception class name -> HTTP status. A class that is not named takes the
# status of its nearest base that is; what has no such base is a 500.
STATUSES = {
    'ActionInProgress': 409,
    'SoftwareConfigInUse': 409,
    'AttributeError': 400,
    'CircularDependencyException': 400,
    'ChangeSetNotExecutable': 409,
    'ChangeSetStale': 409,
    'ChangeSetViolated': 409,
    'MoveNotPossible': 400,
    'ImportNotPossible': 400,
    'ConflictingMergeStrategyForParam': 400,
    'DownloadLimitExceeded': 400,
    'EntityNotFound': 404,
    'EventSendFailed': 500,
    'ExportConflict': 409,
    'Forbidden': 403,
    'ImmutableParameterModified': 400,
    'IncompatibleObjectVersion': 400,
    'Invalid': 400,
    'InvalidBreakPointHook': 400,
    'InvalidEncryptionKey': 500,
    'InvalidExternalResourceDependency': 400,
    'InvalidGlobalResource': 500,
    'InvalidMergeStrategyForParam': 400,
    'InvalidRestrictedAction': 400,
    'InvalidSchemaError': 400,
    'InvalidTemplateReference': 400,
    'InvalidTemplateSection': 400,
    'InvalidTemplateVersion': 400,
    'InvalidTenant': 403,
    'MessageDeliveryFailure': 503,
    'MessageUndeliverable': 503,
    'MessagingTimeout': 503,
    'MissingCredentialError': 400,
    'NotFound': 404,
    'NotSupported': 400,
    'ObjectActionError': 400,
    'ObjectFieldInvalid': 400,
    'OrphanedObjectError': 400,
    'PhysicalResourceIDAmbiguity': 400,
    'PhysicalResourceNameAmbiguity': 400,
    'PropertyUnspecifiedError': 400,
    'ReadOnlyFieldError': 400,
    # Only nesting in the input is ever that deep.
    'RecursionError': 400,
    'RequestLimitExceeded': 400,
    'ResourceActionNotSupported': 400,
    'ResourceNotAvailable': 404,
    'ResourcePropertyConflict': 400,
    'ResourceTypeUnavailable': 400,
    'ServiceUnavailable': 503,
    'StackExists': 409,
    'StackPolicyViolated': 409,
    'StackProtected': 409,
    'StackValidationFailed': 400,
    'StopActionFailed': 500,
    'UnknownUserParameter': 400,
    'UnsupportedObjectError': 400,
    'UserParameterMissing': 400,
    'ValueError': 400,
}

# oslo.messaging appends the remote traceback to the text of an exception.
_REMOTE_TRACEBACK = re.compile(r'\n+Traceback \(most recent call last\):')


#: Where errors are looked for by their names.
_ERROR_MODULES = (exception, change_set_errors, drift_errors,
                  protection_errors, builtins)


def _local_class(name: str) -> Any:
    """Return the class a remote error is named after, if we know it."""
    found = next((getattr(module, name) for module in _ERROR_MODULES
                  if hasattr(module, name)), None)
    is_error = isinstance(found, type) and issubclass(found, Exception)
    return found if is_error else None


def lineage(exc: BaseException) -> list[str]:
    """Return the class names of an exception, the nearest first.

    A class that could not be rebuilt from an RPC answer arrives as a
    RemoteError naming it; it stands where its own class would.
    """
    if isinstance(exc, oslo_messaging.RemoteError):
        name = str(exc.exc_type).removesuffix(REMOTE_SUFFIX)
        known = _local_class(name)
        bases = known.__mro__[1:] if known else ()
        return [name, *(base.__name__ for base in bases)]
    return [cls.__name__.removesuffix(REMOTE_SUFFIX)
            for cls in type(exc).__mro__]


def status_of(exc: BaseException) -> int:
    """Return the HTTP status an exception maps to."""
    if isinstance(exc, webob.exc.HTTPException):
        return exc.status_int
    return next((STATUSES[name] for name in lineage(exc)
                 if name in STATUSES), 500)


def is_outage(exc: BaseException) -> bool:
    """Return whether an engine, the broker or the database is away."""
    return (not isinstance(exc, webob.exc.HTTPException)
            and status_of(exc) == UNAVAILABLE)


def is_safe(exc: BaseException) -> bool:
    """Return whether the text of an exception is meant for users.

    Any other text may hold an address, a path or a statement.
    """
    return (isinstance(exc, webob.exc.HTTPException)
            or exception.HeatException.__name__ in lineage(exc))


def _text_and_traceback(exc: BaseException) -> tuple[str, str | None]:
    """Split the text of an exception from the traceback sent along."""
    if isinstance(exc, oslo_messaging.RemoteError):
        trace = exc.traceback or ''
        return str(exc.value), (
            trace if isinstance(trace, str) else ''.join(trace))
    if isinstance(exc, webob.exc.HTTPException):
        return i18n.translated(exc.detail or exc.explanation), None
    whole = str(exc)
    found = _REMOTE_TRACEBACK.search(whole)
    if found and type(exc).__name__.endswith(REMOTE_SUFFIX):
        return exception.text_of(exc), whole[found.start():].strip()
    return exception.text_of(exc), None


def _generic_text(environ: wsgi_types.WSGIEnvironment, status: int = 500
                  ) -> str:
    reference = environ.get(request_id.ENV_REQUEST_ID)
    if status == UNAVAILABLE:
        text = _('The service is not available at the moment; try again '
                 'later')
        return f'{text} (request {reference}).' if reference else f'{text}.'
    if reference:
        return _('The request could not be completed (request %s).'
                 ) % reference
    return _('The request could not be completed.')


class Fault:
    """The error response to an exception, as a WSGI application."""

    def __init__(self, error: Any) -> None:
        self.error = error
        self.status = status_of(error)

    def body(self, environ: wsgi_types.WSGIEnvironment) -> dict[str, Any]:
        """Return the JSON form of the error."""
        text, trace = _text_and_traceback(self.error)
        if trace is None:
            trace = ''.join(traceback.format_exception(self.error))
        debug = getattr(cfg.CONF, 'debug', False)
        kind = webob.exc.status_map[self.status]
        return {
            'code': self.status,
            'title': kind.title,
            'explanation': kind.explanation,
            'error': {
                'type': lineage(self.error)[0],
                'message': (text if is_safe(self.error)
                            and not is_outage(self.error)
                            else _generic_text(environ, self.status)),
                'traceback': trace if debug else None,
            },
        }

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        response = webob.Response(status=self.status)
        if isinstance(self.error, webob.exc.HTTPException):
            # Allow, Retry-After, WWW-Authenticate belong to the error.
            for name, value in self.error.headers.items():
                if name.lower() not in ('content-type', 'content-length'):
                    response.headers[name] = value
        if is_outage(self.error):
            response.headers['Retry-After'] = str(outage.RETRY_AFTER)
        response.content_type = 'application/json'
        language = i18n.language()
        if language:
            response.headers['Content-Language'] = languages.tag(language)
        response.body = jsonutils.dump_as_bytes(self.body(environ))
        return response(environ, start_response)


class FaultWrapper:
    """Answer with a Fault when the application below raises.

    Its text is in the language that the client prefers.
    """

    def __init__(self, application: wsgi_types.WSGIApplication) -> None:
        self.application = application

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        accepted = environ.get('HTTP_ACCEPT_LANGUAGE')
        if not accepted:
            return self._answer(environ, start_response)
        with i18n.speaking(languages.chosen(accepted)):
            return self._answer(environ, start_response)

    def _answer(self, environ: wsgi_types.WSGIEnvironment,
                start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        try:
            return self.application(environ, start_response)
        except exception.HTTPExceptionDisguise as exc:
            answer = exc.exc
        except webob.exc.HTTPException as exc:
            answer = exc
        except Exception as exc:  # the seam where errors become answers
            fault = Fault(exc)
            if is_outage(exc):
                # Who reads the log finds out elsewhere in it what is away.
                LOG.error('%s serving %s %r', lineage(exc)[0],
                          environ.get('REQUEST_METHOD'),
                          environ.get('PATH_INFO'))
            elif fault.status >= 500:
                LOG.exception('Unexpected error serving %s %r',
                              environ.get('REQUEST_METHOD'),
                              environ.get('PATH_INFO'))
            elif not is_safe(exc):
                # The user is not told what it was.
                LOG.warning('%s serving %s %r', lineage(exc)[0],
                            environ.get('REQUEST_METHOD'),
                            environ.get('PATH_INFO'), exc_info=True)
            else:
                LOG.debug('%s answered with %d', lineage(exc)[0],
                          fault.status)
            return fault(environ, start_response)
        if answer.status_int >= 400:
            answer = Fault(answer)
        return answer(environ, start_response)


def filter_factory(global_conf: Any, **local_conf: str
                   ) -> Callable[[wsgi_types.WSGIApplication], Any]:
    """Make the filter api-paste.ini calls faultwrap."""
    return FaultWrapper
