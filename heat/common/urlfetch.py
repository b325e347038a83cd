"""Fetching what a URL names, within limits of size and time."""
import ipaddress
import socket
import time
import urllib.parse
import urllib.request

from oslo_config import cfg
from oslo_log import log as logging
import requests
from requests import exceptions

from heat.common import exception
from heat.common import safe_url
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

_CHUNK = 16384
_MOST_REDIRECTS = 5


class URLFetchError(exception.Error, IOError):
    """The text at a URL could not be fetched."""


def get(url, allowed_schemes=('http', 'https')):
    """Return the text at the URL.

    Raises URLFetchError if that fails, if it takes longer than
    template_fetch_timeout or is more than max_template_size bytes, or if
    the scheme is not among the allowed ones.
    """
    LOG.info('Fetching data from %s', safe_url.masked(url))
    scheme = urllib.parse.urlparse(url).scheme
    if scheme not in allowed_schemes:
        raise URLFetchError(_('Invalid URL scheme %s') % (scheme or url))
    if scheme == 'file':
        return _get_file(url)
    return _get_http(url)


def _refuse_size(url):
    raise URLFetchError(
        _('The text at %(url)s is longer than the %(limit)s bytes that '
          'max_template_size allows')
        % {'url': url, 'limit': cfg.CONF.max_template_size})


def _decode(url, data):
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError as exc:
        raise URLFetchError(
            _('What is at %s is no UTF-8 text') % url) from exc


def _get_file(url):
    limit = cfg.CONF.max_template_size
    try:
        with urllib.request.urlopen(url) as source:
            data = source.read(limit + 1)
    except OSError as exc:
        raise URLFetchError(_('Failed to retrieve %(url)s: %(why)s')
                            % {'url': url, 'why': exc}) from exc
    if len(data) > limit:
        _refuse_size(url)
    return _decode(url, data)


def _get_http(url):
    try:
        with requests.Session() as session:
            return _decode(url, _body(session, url, _Deadline(url)))
    except exceptions.RequestException as exc:
        # The text of the error may say more about our network than
        # strangers should know.
        LOG.info('Failed to retrieve %(url)s: %(why)s',
                 {'url': safe_url.masked(url), 'why': type(exc).__name__})
        raise URLFetchError(
            _('Failed to retrieve the text at %s') % url) from exc


class _Deadline:
    """How long all that belongs to fetching one text may take."""

    def __init__(self, url):
        self._url = url
        self._end = time.monotonic() + cfg.CONF.template_fetch_timeout

    def left(self):
        """Return the seconds that are left; there have to be some."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise URLFetchError(
                _('Fetching the text at %(url)s takes longer than the '
                  '%(limit)s seconds that template_fetch_timeout allows')
                % {'url': self._url,
                   'limit': cfg.CONF.template_fetch_timeout})
        return left


def _body(session, url, deadline):
    """Return the bytes at a URL, having followed where it leads."""
    wanted = url
    for _step in range(_MOST_REDIRECTS + 1):
        with session.get(wanted, stream=True, timeout=deadline.left(),
                         allow_redirects=False) as answer:
            if not answer.is_redirect:
                answer.raise_for_status()
                return _bounded(answer, url, deadline)
            wanted = urllib.parse.urljoin(wanted,
                                          answer.headers['Location'])
        _check_redirect(url, wanted)
    raise URLFetchError(_('The URL %s leads on and on') % url)


def _bounded(answer, url, deadline):
    data = bytearray()
    for chunk in answer.iter_content(chunk_size=_CHUNK):
        data += chunk
        if len(data) > cfg.CONF.max_template_size:
            _refuse_size(url)
        deadline.left()
    return bytes(data)


def _check_redirect(url, wanted):
    """Raise URLFetchError if a strange server sends us where it may not.

    What is inside of our network may trust us; who tells us to look there
    has to be inside, too.
    """
    target = urllib.parse.urlparse(wanted)
    if target.scheme not in ('http', 'https') or not target.hostname:
        raise URLFetchError(
            _('The URL %s leads to one of another kind') % url)
    if cfg.CONF.template_fetch_private_redirects or (
            _is_private(urllib.parse.urlparse(url).hostname)):
        return
    if _is_private(target.hostname):
        raise URLFetchError(
            _('The URL %s leads to a private address') % url)


def _is_private(host):
    """Tell whether any address of a host is not one of the internet."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        # It cannot be connected to either.
        return False
    return any(not ipaddress.ip_address(
        address[0].partition('%')[0]).is_global
        for *_rest, address in found)
