"""Fetching what a URL names, within limits of size and time."""
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
    limit = cfg.CONF.max_template_size
    try:
        with requests.get(url, stream=True,
                          timeout=cfg.CONF.template_fetch_timeout) as answer:
            answer.raise_for_status()
            data = bytearray()
            for chunk in answer.iter_content(chunk_size=_CHUNK):
                data += chunk
                if len(data) > limit:
                    _refuse_size(url)
    except exceptions.RequestException as exc:
        # The text of the error may say more about our network than
        # strangers should know.
        LOG.info('Failed to retrieve %(url)s: %(why)s',
                 {'url': safe_url.masked(url), 'why': type(exc).__name__})
        raise URLFetchError(
            _('Failed to retrieve the text at %s') % url) from exc
    return _decode(url, bytes(data))
