"""Fetching what a URL names, within limits of size and time."""
import time
import urllib.parse
import urllib.request

from oslo_config import cfg
from oslo_log import log as logging
from requests import exceptions

from heat.common import cloud_error
from heat.common import exception
from heat.common import guarded_http
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
        % {'url': safe_url.masked(url), 'limit': cfg.CONF.max_template_size})


def _decode(url, data):
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        # The error holds what was fetched.
        raise URLFetchError(_('What is at %s is no UTF-8 text')
                            % safe_url.masked(url)) from None


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
        with guarded_http.session() as session:
            return _decode(url, _body(session, url, _Deadline(url)))
    except exceptions.RequestException as exc:
        masked = safe_url.masked(url)
        if any(isinstance(cause, guarded_http.AddressRefused)
               for cause in cloud_error.causes(exc)):
            raise URLFetchError(
                _('The URL %s leads to a private address; the option '
                  'allowed_fetch_networks lists the networks that the '
                  'service may fetch from') % masked) from exc
        # The text of the error may say more about our network than
        # strangers should know.
        LOG.info('Failed to retrieve %(url)s: %(why)s',
                 {'url': masked, 'why': type(exc).__name__})
        raise URLFetchError(
            _('Failed to retrieve the text at %s') % masked) from exc
    except ValueError:
        # A redirect to what is no URL; the error would quote the answer.
        raise _other_kind(url) from None


def _other_kind(url):
    return URLFetchError(_('The URL %s redirects to a URL with another scheme')
                         % safe_url.masked(url))


class _Deadline:
    """The deadline of fetching one text."""

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
                % {'url': safe_url.masked(self._url),
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
            location = answer.headers['Location']
        wanted = _target(url, wanted, location)
    raise URLFetchError(_('The URL %s redirects too many times')
                        % safe_url.masked(url))


def _bounded(answer, url, deadline):
    data = bytearray()
    for chunk in answer.iter_content(chunk_size=_CHUNK):
        data += chunk
        if len(data) > cfg.CONF.max_template_size:
            _refuse_size(url)
        deadline.left()
    return bytes(data)


def _target(url, present, location):
    """Return where a redirect leads; URLFetchError if that is no web page.
    """
    wanted = urllib.parse.urljoin(present, location)
    target = urllib.parse.urlsplit(wanted)
    if target.scheme not in ('http', 'https') or not target.hostname:
        raise _other_kind(url)
    return wanted
