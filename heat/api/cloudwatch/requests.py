"""Read the action and the parameters of a request."""
from collections.abc import Mapping
import re
from typing import Any
import zlib

from oslo_config import cfg
import webob

from heat.api.aws import exception
from heat.api.aws import protocols
from heat.api.aws import utils
from heat.common import exception as heat_exception
from heat.common import wsgi
from heat.common.i18n import _

#: The name of the service that AWS clients put before the action.
TARGET = 'GraniteServiceVersion20100801'

_PATH = re.compile(rf'(?:/v1)?/service/{TARGET}/operation/(?P<name>\w+)')
_ROOTS = ('', '/', '/v1', '/v1/')
_NUMBER = re.compile('[1-9][0-9]{0,4}')
#: Most parts that the name of a parameter in a form has.
_PARTS_MAX = 8

Protocol = protocols.Protocol


def action_of(request: webob.Request) -> tuple[str | None, dict[str, Any]]:
    """Return the name of the action and its parameters.

    Values are texts in forms; in other protocols numbers and times are what
    they are. Lists and maps are such in all of them.

    :raises HeatAPIException: the request is not well-formed.
    """
    protocol = protocols.of_request(request.environ)
    path = request.readable_path()
    found = _PATH.fullmatch(path)
    if protocol == Protocol.CBOR and found is None or (
            protocol != Protocol.CBOR and path not in _ROOTS):
        raise exception.HeatInvalidActionError(
            _('There is no action at this path.'))
    if protocol == Protocol.QUERY:
        params = dict(_form(request))
        return params.get('Action'), nested(params)
    if request.method != 'POST':
        raise exception.HeatInvalidActionError(
            _('The method of the request must be POST.'))
    if protocol == Protocol.CBOR:
        assert found is not None
        return found['name'], _map(protocols.from_cbor, body_of(request))
    service, _dot, name = request.headers['X-Amz-Target'].partition('.')
    if service != TARGET:
        raise exception.HeatInvalidActionError(
            _('The service of X-Amz-Target must be %s.') % TARGET)
    return name, _map(wsgi.JSONRequestDeserializer().from_json,
                      body_of(request))


def body_of(request: webob.Request) -> bytes:
    """Return the body, decompressed and no longer than is allowed.

    :raises HeatAPIException: its encoding is unknown, or wrong.
    """
    body: bytes = wsgi.JSONRequestDeserializer.bounded_body(request)
    encoding = utils.encoding_of(request)
    if not encoding:
        return body
    if encoding != 'gzip':
        raise exception.HeatInvalidParameterValueError(
            _('The encoding of the body must be gzip.'))
    limit = cfg.CONF.max_json_body_size
    stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        plain = stream.decompress(body, limit + 1)
    except zlib.error as error:
        raise exception.HeatInvalidParameterValueError(
            _('The body is not compressed by gzip.')) from error
    if len(plain) > limit:
        raise heat_exception.RequestLimitExceeded(
            message=_('the body is longer than the %s bytes that '
                      'max_json_body_size allows') % limit)
    if not stream.eof or stream.unused_data:
        raise exception.HeatInvalidParameterValueError(
            _('The compressed body is incomplete, or has a tail.'))
    return plain


def _form(request: webob.Request) -> Mapping[str, str]:
    """Return the parameters of a form or of the URL."""
    if utils.encoding_of(request):
        plain = wsgi.Request(dict(request.environ))
        plain.body = body_of(request)
        del plain.headers['Content-Encoding']
        request = plain
    return utils.params_of(request)


def _map(read: Any, body: bytes) -> dict[str, Any]:
    """Return the map that a body holds."""
    if not body:
        return {}
    try:
        value = read(body)
    except (ValueError, webob.exc.HTTPBadRequest) as error:
        raise exception.HeatInvalidParameterValueError(
            _('The body cannot be read: %s') % error) from error
    if not isinstance(value, dict) or not all(
            isinstance(name, str) for name in value):
        raise exception.HeatInvalidParameterValueError(
            _('The body must be a map.'))
    return value


def nested(params: Mapping[str, str]) -> dict[str, Any]:
    """Return lists and maps that are written as numbered members.

    A.member.1.B=c gives {'A': [{'B': 'c'}]}. Members count in the order of
    their numbers.

    :raises HeatMalformedQueryStringError: a name is both, or too long.
    """
    tree: dict[str, Any] = {}
    for name, value in params.items():
        parts = name.split('.')
        place = tree
        if len(parts) > _PARTS_MAX:
            raise exception.HeatMalformedQueryStringError()
        for part in parts[:-1]:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise exception.HeatMalformedQueryStringError()
        if parts[-1] in place:
            raise exception.HeatMalformedQueryStringError()
        place[parts[-1]] = value
    return {name: _folded(value) for name, value in tree.items()}


def _folded(value: Any) -> Any:
    """Return a tree in which maps with the key `member` are lists."""
    if not isinstance(value, dict):
        return value
    members = value.get('member')
    if members is None:
        return {name: _folded(each) for name, each in value.items()}
    if len(value) > 1 or not isinstance(members, dict) or not all(
            map(_NUMBER.fullmatch, members)):
        raise exception.HeatMalformedQueryStringError()
    return [_folded(members[number]) for number in sorted(members, key=int)]
