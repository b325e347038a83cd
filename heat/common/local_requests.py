"""Keep web pages from driving an API that asks nobody who they are.

A browser can reach services on its own machine and sends them requests that
any page of any site asks for. It states the origin in headers that no page
can change, and it sends only a few content types without asking first.
"""
import ipaddress
import socket
from urllib import parse

from oslo_config import cfg
from oslo_middleware import cors
import webob.exc

from heat.common.i18n import _

#: Requests of these methods change nothing, unless Action says what to do.
_READING = ('GET', 'HEAD', 'OPTIONS')


def refuse_foreign(request, *, needs_json):
    """Refuse a request that a page of another site may have caused.

    :param needs_json: whether bodies are JSON. A page cannot send that
        without asking; a form it can.
    :raises HTTPForbidden: the host, the origin or the site is foreign.
    :raises HTTPUnsupportedMediaType: the body is not said to be JSON.
    """
    refuse_foreign_host(request)
    origin = request.headers.get('Origin')
    site = request.headers.get('Sec-Fetch-Site', 'none')
    if origin is None:
        is_own = site in ('none', 'same-origin')
    else:
        is_own = origin == request.host_url or origin in _allowed_origins()
    if not is_own:
        raise webob.exc.HTTPForbidden(
            _('The request comes from a web page of another origin. The '
              'option [cors] allowed_origin lists those that may send any.'))
    if needs_json and request.method not in _READING and _is_not_json(
            request):
        raise webob.exc.HTTPUnsupportedMediaType(
            _('The header Content-Type must be application/json.'))


def refuse_foreign_host(request):
    """Refuse a request whose header Host may be a foreign site's.

    :raises HTTPForbidden: it names neither an address nor this machine.
    """
    if not _is_own_host(_host_name(request.host), request):
        raise webob.exc.HTTPForbidden(
            _('The header Host names neither an address nor this machine. '
              'The option [noauth] allowed_hosts lists more names.'))


def _is_not_json(request):
    if not request.is_body_readable or request.content_length == 0:
        return False
    given = request.headers.get('Content-Type') or ''
    return given.partition(';')[0].strip().lower() != 'application/json'


def _host_name(host):
    """Return the name in a header Host, without the port."""
    try:
        name = parse.urlsplit('//' + host).hostname or ''
    except ValueError:
        # What is in brackets is no address.
        return ''
    return name.rstrip('.').lower()


def _is_own_host(name, request):
    """Return whether a name cannot be one that a foreign site has chosen.

    It may let its own name stand for our address. But it has no influence on
    addresses, on localhost and on the name of this machine.
    """
    own = {'localhost', request.environ.get('SERVER_NAME', ''),
           socket.gethostname().lower(), *cfg.CONF.noauth.allowed_hosts}
    return name in own or name.endswith('.localhost') or is_address(name)


def is_address(name):
    """Return whether the name of a host is an address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(name):
    """Return whether what listens there is reached from this machine only."""
    if is_address(name):
        return ipaddress.ip_address(name).is_loopback
    return name == 'localhost'


def _allowed_origins():
    # The filter that answers browsers reads them from a copy of its own.
    cfg.CONF.register_opts(cors.CORS_OPTS, group='cors')
    return cfg.CONF.cors.allowed_origin or ()
