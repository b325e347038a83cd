"""Validate the form of a signature before Keystone checks it.

Keystone fails on many that are malformed, as if it were broken itself.
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""
import re
from typing import Any

from heat.api.aws import exception
from heat.common.i18n import _

ALGORITHM = 'AWS4-HMAC-SHA256'
_VERSIONS = ('1', '2')
_METHODS = ('HmacSHA1', 'HmacSHA256')
_SCOPE = re.compile(r'[^/\s]+/(?P<day>\d{8})/[^/\s]+/[^/\s]+/aws4_request')
_DATE = re.compile(r'(?P<day>\d{8})T\d{6}Z')


def is_version_4(params: Any, authorization: str) -> bool:
    """Return whether a request is signed by version 4 of the method."""
    return (authorization.startswith(ALGORITHM) or
            'X-Amz-Credential' in params or 'X-Amz-Algorithm' in params)


def check(params: Any, headers: Any) -> None:
    """Raise an error of the API for a signature that cannot be checked.

    :param params: of the query, and of the form in the body.
    :param headers: a mapping that ignores the case of names.
    """
    authorization = headers.get('Authorization') or ''
    if not is_version_4(params, authorization):
        _check_version_2(params)
        return
    if params.get('SignatureVersion', '4') != '4':
        raise exception.HeatInvalidParameterCombinationError(
            _('SignatureVersion %s does not fit a signature of version 4.')
            % params['SignatureVersion'])
    if authorization.startswith(ALGORITHM):
        _check_header(authorization)
        _check_date(_part(authorization, 'Credential'),
                    headers.get('X-Amz-Date'))
        return
    _check_query(params)
    _check_date(params['X-Amz-Credential'],
                params.get('X-Amz-Date') or headers.get('X-Amz-Date'))


def _check_version_2(params: Any) -> None:
    version = params.get('SignatureVersion')
    if version is None:
        raise exception.HeatMissingParameterError(
            _('The query lacks SignatureVersion; it has to be 2.'))
    if version not in _VERSIONS:
        # What version 0 signs leaves most of a request open.
        raise exception.HeatInvalidParameterValueError(
            _('SignatureVersion has to be 2; or the request is signed by '
              'version 4, with the header Authorization or X-Amz-Credential '
              'in the query.'))
    if params.get('SignatureMethod', _METHODS[0]) not in _METHODS:
        raise exception.HeatInvalidParameterValueError(
            _('SignatureMethod has to be one of %s.') % ', '.join(_METHODS))


def _part(authorization: str, name: str) -> str | None:
    """Return a part of an Authorization header, None if it lacks it."""
    found = re.search(rf'[\s,]{name}=([^,\s]*)', authorization)
    return found.group(1) if found else None


def _check_header(authorization: str) -> None:
    if authorization.split(' ', 1)[0] != ALGORITHM:
        raise exception.HeatIncompleteSignatureError(
            _('The header Authorization has to begin with %s.') % ALGORITHM)
    parts = authorization.partition(' ')[2].split(',')
    names = {part.partition('=')[0].strip() for part in parts
             if part.partition('=')[2].strip()}
    for name in ('Credential', 'SignedHeaders', 'Signature'):
        if name not in names:
            raise exception.HeatIncompleteSignatureError(
                _('The header Authorization lacks %s.') % name)


def _check_query(params: Any) -> None:
    if params.get('X-Amz-Algorithm') != ALGORITHM:
        raise exception.HeatIncompleteSignatureError(
            _('X-Amz-Algorithm has to be %s.') % ALGORITHM)
    for name in ('X-Amz-Credential', 'X-Amz-SignedHeaders'):
        if not params.get(name):
            raise exception.HeatIncompleteSignatureError(
                _('The query lacks %s.') % name)


def _check_date(credential: Any, date: Any) -> None:
    """Refuse a credential for another day than that of the request."""
    scope = _SCOPE.fullmatch(credential or '')
    if scope is None:
        raise exception.HeatIncompleteSignatureError(
            _('The credential has to have the form '
              'KEY/YYYYMMDD/REGION/SERVICE/aws4_request.'))
    day = _DATE.fullmatch(date or '')
    if day is None:
        raise exception.HeatIncompleteSignatureError(
            _('X-Amz-Date has to have the form YYYYMMDDTHHMMSSZ.'))
    if day['day'] != scope['day']:
        raise exception.HeatSignatureError(
            _('The credential is for another day than X-Amz-Date.'))
