"""Removal of identity headers that a client sends.

Filters pass the identity of the user to each other, to the context and to the
API in headers. A client could send the same headers. They are removed before
the first filter sees the request. Claims that a filter checks by itself (the
Keystone to authenticate with, the domain of a user) are kept aside for it.
"""
import re

#: What the client said of itself, {name of the WSGI variable: value}.
#: Clients cannot set this variable: those of headers begin with HTTP_.
CLAIMS = 'heat.identity_claims'
#: The Keystone that a filter has authenticated the request with.
AUTH_URL = 'heat.auth_url'
#: The EC2 access key and signature that a filter has checked, as JSON.
EC2_CREDENTIALS = 'heat.ec2_credentials'
#: A function of the request that checks its token, for a pipeline in which
#: no filter does. It sets the identity, or returns the answer to give.
TOKEN_CHECK = 'heat.token_check'
#: The names of the regions in which the user may act, as Keystone says.
REGIONS = 'heat.regions'

#: The headers by which a client proves who it is. A filter checks them.
CREDENTIALS = frozenset((
    'HTTP_X_AUTH_TOKEN', 'HTTP_X_STORAGE_TOKEN', 'HTTP_X_SERVICE_TOKEN',
    'HTTP_X_AUTH_USER', 'HTTP_X_AUTH_KEY'))

_VERSION = re.compile(r'^v\d+(\.\d+)?$')
#: What ends a line, or directs the terminal that shows one.
_CONTROL = re.compile('[\x00-\x1f\x7f-\x9f\u2028\u2029]')
_IDENTITY = re.compile(
    r'HTTP_(?:X_(?:AUTH|USER|TENANT|PROJECT|DOMAIN|ROLE|REGION|IDENTITY|'
    r'SERVICE|SYSTEM|IS_ADMIN|ADMIN|TRUST|GROUP|EC2|REMOTE_USER)|'
    r'OPENSTACK_SYSTEM_SCOPE|REMOTE_USER)')


def is_identity(variable):
    """Return whether a WSGI variable is a header that only filters set."""
    return variable not in CREDENTIALS and bool(_IDENTITY.match(variable))


def remove(environ):
    """Remove the identity headers of a client from a WSGI environment.

    Only the first call does anything: later ones would remove what filters
    have found out.
    """
    if CLAIMS in environ:
        return
    environ[CLAIMS] = {name: environ.pop(name) for name in list(environ)
                       if is_identity(name)}


def claim(environ, header):
    """Return what the client said in a header that has been removed.

    It is not to be believed before it has been checked.
    """
    name = 'HTTP_' + header.upper().replace('-', '_')
    return environ.get(CLAIMS, {}).get(name)


def region(environ):
    """Return the region that the client asks for, None if it may not.

    The catalogue that Keystone has answered with says which there are.
    """
    wanted = claim(environ, 'X-Region-Name')
    if not wanted:
        return None
    known = environ.get(REGIONS)
    if known is None:
        token = (environ.get('keystone.token_info') or {}).get('token', {})
        known = regions_of(token.get('catalog'))
    return wanted if wanted in known else None


def regions_of(catalog):
    """Return the names of the regions in a catalogue of Keystone."""
    return {endpoint.get(key) for service in catalog or ()
            for endpoint in service.get('endpoints', ())
            for key in ('region', 'region_id')}


def project_of(path):
    """Return the project that a path names, with or without version."""
    parts = [part for part in path.split('/') if part]
    if parts and _VERSION.match(parts[0]):
        parts = parts[1:]
    return parts[0] if parts else None


def is_plain(project):
    """Return whether a project has no control characters in its name.

    Each line of the log has the name, where nobody has found out whether
    there is such a project.
    """
    return not _CONTROL.search(project or '')


class RemoveIdentity:
    """The application in front of all filters."""

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        remove(environ)
        return self.application(environ, start_response)
