"""The errors of the CloudFormation API, and what becomes which of them.

Codes and types are those of the AWS query protocol.
"""
from collections.abc import Iterable
from typing import Any
from wsgiref import types as wsgi_types

from oslo_middleware import request_id
import webob
import webob.exc

from heat.api.aws import protocols
from heat.api.aws import xml_format
from heat.api.middleware import fault
from heat.common import exception
from heat.common import outage
from heat.common.i18n import _

SENDER = 'Sender'
SERVER = 'Server'


class HeatAPIException(webob.exc.HTTPError):
    """An error in the form an AWS client expects."""

    code = 500
    title = 'InternalFailure'
    explanation = _('The service failed.')
    err_type = SERVER

    def body_of(self, environ: wsgi_types.WSGIEnvironment | None = None
                ) -> dict[str, Any]:
        """Return the error as a mapping.

        :param environ: that of the request, whose id the error then names
        """
        body: dict[str, Any] = {'Error': {
            'Code': self.title,
            'Message': str(self.detail or self.explanation),
            'Type': self.err_type,
        }}
        reference = (environ or {}).get(request_id.ENV_REQUEST_ID)
        if reference:
            body['RequestId'] = reference
        return {'ErrorResponse': body}

    def generate_response(self, environ: wsgi_types.WSGIEnvironment,
                          start_response: wsgi_types.StartResponse
                          ) -> Iterable[bytes]:
        """Write the error in the protocol of the request.

        The query protocol has XML, or JSON when the query asks for it.
        """
        protocol = protocols.of_request(environ)
        if protocol == protocols.Protocol.QUERY:
            response = xml_format.response(webob.Request(environ),
                                           self.body_of(environ), self.code)
        else:
            response = protocols.error_response(
                protocol, self.title, str(self.detail or self.explanation),
                self.code, self.err_type)
        if self.code == fault.UNAVAILABLE:
            response.headers['Retry-After'] = str(outage.RETRY_AFTER)
        return response(environ, start_response)


class _SenderError(HeatAPIException):
    """An error that the request is to blame for."""

    code = 400
    err_type = SENDER


class HeatInternalFailureError(HeatAPIException):
    """Something failed that the request is not to blame for."""


class HeatAPINotImplementedError(HeatAPIException):
    """The action exists in the protocol, but not here."""

    title = 'APINotImplemented'
    explanation = _('The action is not available in this service.')


class HeatServiceUnavailableError(HeatAPIException):
    """The service cannot answer at the moment."""

    code = 503
    title = 'ServiceUnavailable'
    explanation = _('The service is not available at the moment.')


class AlreadyExistsError(_SenderError):
    """There is a stack of this name."""

    title = 'AlreadyExists'
    explanation = _('A stack with the specified name already exists.')


class HeatAccessDeniedError(_SenderError):
    """The user may not do this."""

    code = 403
    title = 'AccessDenied'
    explanation = _('The user is not allowed to do this.')


class HeatActionInProgressError(_SenderError):
    """The stack is busy."""

    title = 'InvalidAction'
    explanation = _('The stack has an action in progress.')


class HeatIncompleteSignatureError(_SenderError):
    """The request has no signature that could be checked."""

    title = 'IncompleteSignature'
    explanation = _('The request has no complete signature.')


class HeatInvalidActionError(_SenderError):
    """The query names an action that does not exist."""

    title = 'InvalidAction'
    explanation = _('The action does not exist.')


class HeatInvalidClientTokenIdError(_SenderError):
    """The access key is unknown."""

    code = 403
    title = 'InvalidClientTokenId'
    explanation = _('The access key is not known.')


class HeatInvalidParameterCombinationError(_SenderError):
    """Parameters exclude each other."""

    title = 'InvalidParameterCombination'
    explanation = _('Parameters of the query exclude each other.')


class HeatInvalidParameterValueError(_SenderError):
    """A parameter has a value it cannot have."""

    title = 'InvalidParameterValue'
    explanation = _('A parameter has a wrong value.')


class HeatInvalidQueryParameterError(_SenderError):
    """The query is malformed."""

    title = 'InvalidQueryParameter'
    explanation = _('The query is malformed.')


class HeatMalformedQueryStringError(_SenderError):
    """The query has a syntax error."""

    code = 404
    title = 'MalformedQueryString'
    explanation = _('The query string has a syntax error.')


class HeatMissingActionError(_SenderError):
    """The query names no action."""

    title = 'MissingAction'
    explanation = _('The query has no parameter Action.')


class HeatMissingAuthenticationTokenError(_SenderError):
    """The request has no access key."""

    code = 403
    title = 'MissingAuthenticationToken'
    explanation = _('The request has no access key.')


class HeatMissingParameterError(_SenderError):
    """A parameter is missing."""

    title = 'MissingParameter'
    explanation = _('The query lacks a required parameter.')


class HeatOptInRequiredError(_SenderError):
    """The access key needs a subscription."""

    code = 403
    title = 'OptInRequired'
    explanation = _('The access key needs a subscription of the service.')


class HeatRequestExpiredError(_SenderError):
    """The signature is too old."""

    title = 'RequestExpired'
    explanation = _('The request has expired.')


class HeatRequestLimitExceeded(_SenderError):  # noqa: N818 (its known name)
    """The request asks for more than a limit allows."""

    title = 'RequestLimitExceeded'
    explanation = _('The request exceeds a limit.')


class HeatSignatureError(_SenderError):
    """The signature does not fit the request."""

    code = 403
    title = 'SignatureDoesNotMatch'
    explanation = _('The signature does not match the request.')


class HeatStackNotFoundError(_SenderError):
    """There is no such stack; AWS's waiters and tools read code and text.

    See the errors of DescribeStacks in the CloudFormation API reference.
    """

    title = 'ValidationError'
    explanation = _('The stack does not exist.')


class HeatChangeSetNotFoundError(_SenderError):
    """There is no such change set."""

    code = 404
    title = 'ChangeSetNotFound'
    explanation = _('The change set does not exist.')


class HeatDriftDetectionNotFoundError(_SenderError):
    """There is no such detection of drift."""

    title = 'ValidationError'
    explanation = _('No drift detection exists.')


class HeatChangeSetStatusError(_SenderError):
    """The change set cannot be executed, or not any more."""

    title = 'InvalidChangeSetStatus'
    explanation = _('The change set cannot be executed.')


class HeatValidationError(_SenderError):
    """The request contradicts what there is, such as an export in use."""

    title = 'ValidationError'
    explanation = _('The request contradicts what there is.')


class HeatThrottlingError(_SenderError):
    """There are too many requests."""

    title = 'Throttling'
    explanation = _('There are too many requests.')


_WRONG_VALUE = (
    'AttributeError', 'EntityNotFound', 'Invalid', 'InvalidBreakPointHook',
    'InvalidSchemaError', 'InvalidTemplateReference',
    'InvalidTemplateSection', 'InvalidTemplateVersion', 'InvalidTenant',
    'MissingCredentialError', 'NotFound', 'NotSupported',
    'PhysicalResourceIDAmbiguity', 'PropertyUnspecifiedError',
    'ResourceActionNotSupported', 'ResourceNotAvailable',
    'ResourceNotFound', 'ResourcePropertyConflict', 'StackValidationFailed',
    'UnknownUserParameter', 'UserParameterMissing', 'ValueError')

#: Class name of an engine's error -> what clients are answered.
REMOTE_ERRORS = {
    **dict.fromkeys(_WRONG_VALUE, HeatInvalidParameterValueError),
    'ActionInProgress': HeatActionInProgressError,
    'ChangeSetNotExecutable': HeatChangeSetStatusError,
    'ChangeSetNotFound': HeatChangeSetNotFoundError,
    'ChangeSetStale': HeatChangeSetStatusError,
    'DriftDetectionNotFound': HeatDriftDetectionNotFoundError,
    'ExportConflict': HeatValidationError,
    'StackPolicyViolated': HeatValidationError,
    'StackProtected': HeatValidationError,
    'Forbidden': HeatAccessDeniedError,
    'NotAuthorized': HeatAccessDeniedError,
    'RequestLimitExceeded': HeatRequestLimitExceeded,
    'StackExists': AlreadyExistsError,
}

_BY_STATUS = {400: HeatInvalidParameterValueError,
              401: HeatAccessDeniedError,
              403: HeatAccessDeniedError,
              404: HeatInvalidParameterValueError,
              413: HeatRequestLimitExceeded,
              429: HeatThrottlingError,
              503: HeatServiceUnavailableError}


def of_status(status: int) -> HeatAPIException:
    """Return the error that answers with an HTTP status."""
    error = _BY_STATUS.get(status, HeatInvalidQueryParameterError
                           if status < 500 else HeatInternalFailureError)()
    error.code = status
    return error


def map_remote_error(error: Any) -> Any:
    """Return the error to answer with when the engine raised this one.

    The nearest class of its hierarchy that is known decides. What an
    unknown error says is not for users.
    """
    if isinstance(error, HeatAPIException):
        return error
    if isinstance(error, webob.exc.HTTPException):
        known = _BY_STATUS.get(error.status_int, HeatInternalFailureError)
        return known(error.detail or error.explanation)
    if fault.is_outage(error):
        return HeatServiceUnavailableError()
    for name in fault.lineage(error):
        if name in REMOTE_ERRORS:
            return REMOTE_ERRORS[name](exception.text_of(error))
    if fault.is_safe(error) and fault.status_of(error) < 500:
        return HeatInvalidParameterValueError(exception.text_of(error))
    return HeatInternalFailureError()
