"""Signatures of EC2 requests, versions 0 to 2 of the AWS query API."""
import base64
import hashlib
import hmac
from urllib import parse

from heat.common.i18n import _


def _quoted(value):
    return parse.quote(str(value), safe='-_~')


def _string_to_sign(request):
    """Return the canonical text of a request, for version 2."""
    pairs = sorted((_quoted(key), _quoted(value))
                   for key, value in request['params'].items())
    return '\n'.join((request['verb'], request['host'], request['path'],
                      '&'.join('='.join(pair) for pair in pairs)))


def sign_v2(secret, request):
    """Return the signature (HmacSHA256, version 2) of a request.

    :param request: a mapping of verb, host (in lower case), path (not
        quoted) and params, those without the signature.
    """
    if request['params'].get('SignatureVersion') != '2':
        raise ValueError(_('Only version 2 of signatures can be made'))
    digest = hmac.new(secret.encode(), _string_to_sign(request).encode(),
                      hashlib.sha256).digest()
    return base64.b64encode(digest).decode()
