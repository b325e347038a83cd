"""The parameters of a CloudFormation query, and how lists are written there.
"""
import re
from typing import Any

import webob

from heat.api.aws import exception
from heat.api.aws import xml_format
from heat.common import wsgi
from heat.common.i18n import _

_MEMBER = r'(?:^|\.)member\.(?P<number>\d+)'


def params_of(request: webob.Request) -> dict[str, Any]:
    """Return the parameters of a query, in the URL or in a form, by name.

    A body that is encoded, for instance compressed, is left unread.

    :raises HeatAPIException: they are not UTF-8, one is a file, one is
        given twice, or the form is longer than max_json_body_size allows.
        A signature covers one of two values, and another reader of the
        request may take the other one.
    """
    wsgi.JSONRequestDeserializer.bounded_body(request)
    try:
        pairs = list((request.GET if encoding_of(request)
                      else request.params).items())
    except UnicodeDecodeError as exc:
        raise exception.HeatInvalidParameterValueError(
            _('The query is not valid UTF-8.')) from exc
    except ValueError as exc:
        raise exception.HeatMalformedQueryStringError() from exc
    params = dict(pairs)
    if len(params) < len(pairs):
        raise exception.HeatInvalidParameterValueError(
            _('A parameter is given more than once.'))
    for name, value in pairs:
        if not isinstance(value, str):
            raise exception.HeatInvalidParameterValueError(
                _('The parameter %s is a file, not a text.') % name)
    request.environ[xml_format.JSON_WANTED] = (
        params.get('ContentType') == 'JSON')
    return params


def encoding_of(request: webob.Request) -> str:
    """Return the encoding of the body; '' if it is sent as it is."""
    given = request.headers.get('Content-Encoding') or ''
    encoding = given.strip().lower()
    return '' if encoding == 'identity' else encoding


def extract_param_pairs(params: Any, prefix: str = '', keyname: str = '',
                        valuename: str = '') -> dict[str, Any]:
    """Return the mapping written as numbered members.

    Parameters.member.1.ParameterKey=a and
    Parameters.member.1.ParameterValue=b give {'a': 'b'} for the prefix
    Parameters. Members that lack one half are left out.
    """
    keys, values = {}, {}
    pattern = re.compile(
        rf'{re.escape(prefix)}\.member\.(?P<number>\d+)\.(?P<part>\w+)')
    for name, value in params.items():
        found = pattern.fullmatch(name)
        if found is None:
            continue
        if found.group('part') == keyname:
            keys[int(found.group('number'))] = value
        elif found.group('part') == valuename:
            values[int(found.group('number'))] = value
    return {key: values[number] for number, key in sorted(keys.items())
            if number in values}


def extract_param_list(params: Any, prefix: str = '') -> list[Any]:
    """Return the list written as numbered members.

    P.member.1=a gives a text; P.member.1.x=b gives a mapping.
    """
    pattern = re.compile(
        (re.escape(prefix) if prefix else '') + _MEMBER
        + r'(?:\.(?P<key>.+))?')
    members = {}
    for name, value in params.items():
        found = pattern.fullmatch(name)
        if found is None:
            continue
        number, key = int(found.group('number')), found.group('key')
        if key is None:
            members[number] = value
        elif isinstance(members.setdefault(number, {}), dict):
            members[number][key] = value
    return [members[number] for number in sorted(members)]
