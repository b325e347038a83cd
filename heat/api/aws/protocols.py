"""The protocols by which AWS clients put requests and read answers.

The query protocol has forms and XML; the JSON protocol names the action in
a header; Smithy RPC v2 names it in the path and has CBOR for bodies.
https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html
"""
import base64
from collections.abc import Callable
import datetime
import enum
from typing import Any
from wsgiref import types as wsgi_types

import cbor2
from oslo_serialization import jsonutils
import webob

#: How deep the values of a request may be nested.
DEPTH_MAX = 12
CBOR_TYPE = 'application/cbor'
JSON_TYPE = 'application/x-amz-json-1.0'

_SMITHY = 'rpc-v2-cbor'
#: The tags that the decoder has a meaning for; of these Smithy uses one.
_TAGS = (0, 2, 3, 4, 5, 25, 28, 29, 30, 35, 36, 37, 41, 43000, 55799, 100,
         256, 258, 260, 261, 1004)


class Protocol(enum.StrEnum):
    """The protocols."""

    QUERY = 'query'
    JSON = 'json'
    CBOR = 'cbor'


def of_request(environ: wsgi_types.WSGIEnvironment) -> Protocol:
    """Return the protocol in which a request wants to be answered."""
    if environ.get('HTTP_SMITHY_PROTOCOL') == _SMITHY:
        return Protocol.CBOR
    if environ.get('HTTP_X_AMZ_TARGET'):
        return Protocol.JSON
    return Protocol.QUERY


def converted(value: Any, of_time: Callable[[datetime.datetime], Any]) -> Any:
    """Return a value with its times in another form."""
    if isinstance(value, datetime.datetime):
        return of_time(value)
    if isinstance(value, dict):
        return {name: converted(each, of_time)
                for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [converted(each, of_time) for each in value]
    return value


def response(protocol: Protocol, body: Any, status: int = 200
             ) -> webob.Response:
    """Return the response that carries a value as JSON or CBOR."""
    answer = webob.Response(status=status)
    if protocol == Protocol.JSON:
        answer.content_type = JSON_TYPE
        answer.charset = None
        answer.body = jsonutils.dump_as_bytes(converted(
            body, datetime.datetime.timestamp))
    else:
        answer.content_type = CBOR_TYPE
        answer.charset = None
        answer.headers['Smithy-Protocol'] = _SMITHY
        answer.body = cbor2.dumps(body, datetime_as_timestamp=True)
    return answer


def error_response(protocol: Protocol, code: str, message: str, status: int,
                   fault: str) -> webob.Response:
    """Return the response that carries an error as JSON or CBOR.

    :param fault: Sender or Server
    """
    answer = response(protocol, {'__type': code, 'message': message}, status)
    # Clients of a service that once had the query protocol look here.
    answer.headers['X-Amzn-Query-Error'] = f'{code};{fault}'
    return answer


def _refuse(*_args: Any) -> Any:
    raise ValueError('a tag other than that of times')


def _moment(number: Any, _is_immutable: bool) -> datetime.datetime:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError('a time that is no number')
    return datetime.datetime.fromtimestamp(number, datetime.UTC)


_DECODERS = {**dict.fromkeys(_TAGS, _refuse), 1: _moment}


def from_cbor(body: bytes) -> Any:
    """Return the value of a CBOR text.

    The only tag that is understood is that of times: values behind others
    cost more than their size tells, or refer to one another.

    :raises ValueError: it is no such text.
    """
    try:
        return cbor2.loads(
            body, tag_hook=_refuse, semantic_decoders=_DECODERS,
            max_depth=DEPTH_MAX, allow_duplicate_keys=False,
            strict_hashable_types=True)
    except (cbor2.CBORDecodeError, ArithmeticError, OSError, TypeError,
            RecursionError) as error:
        raise ValueError(str(error)) from error


def token_of(text: str) -> str:
    """Return a text in the form in which pages refer to the next one."""
    return base64.urlsafe_b64encode(text.encode()).decode()


def text_of_token(token: str) -> str:
    """Return the text of token_of(); ValueError if it is none."""
    return base64.b64decode(token.encode(), b'-_', validate=True).decode()
