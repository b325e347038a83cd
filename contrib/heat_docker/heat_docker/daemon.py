"""Connections to Docker daemons, and the daemons that are allowed."""
import threading

from oslo_config import cfg

from heat.common import exception
from heat.common.i18n import _

try:
    import docker
    from docker import errors
    from docker.utils import ports
except ImportError:
    docker = errors = ports = None

CONF = cfg.CONF

GROUP = 'heat_docker'
OPTIONS = [
    cfg.StrOpt('default_endpoint', default='unix:///var/run/docker.sock',
               help='The daemon of containers whose template names none.'),
    cfg.ListOpt('allowed_endpoints', default=[],
                help='Further daemons that templates may name. "*" allows '
                     'all: then users choose whom the engine connects to.'),
    cfg.BoolOpt('allow_host_access', default=False,
                help='Whether templates may reach the host of a daemon by '
                     'privileged containers, devices, capabilities and bind '
                     'mounts. This makes every user root on that host.'),
]
CONF.register_opts(OPTIONS, GROUP)

#: How long the daemon may be silent: while it answers a request, and while it
#: downloads an image.
ANSWER_SECONDS = 60
PULL_SECONDS = 300


def is_available():
    """Return whether the Docker SDK for Python is installed."""
    return docker is not None


def endpoint(given):
    """Return the URL of the daemon that a template asks for.

    :raises StackValidationFailed: the operator does not allow it.
    """
    own = CONF[GROUP].default_endpoint
    allowed = CONF[GROUP].allowed_endpoints
    if not given or given == own:
        return own
    if given in allowed or '*' in allowed:
        return given
    raise exception.StackValidationFailed(message=_(
        'The Docker endpoint "%s" is not one of those that [heat_docker] '
        'allowed_endpoints lists') % given)


def connect(url):
    """Return a client of the daemon at a URL; it has to be closed."""
    return _client_class()(base_url=url, version='auto',
                           timeout=ANSWER_SECONDS)


def _client_class():
    class Client(docker.APIClient):
        """Waits with a limit where the SDK would wait forever."""

        def post(self, url, **kwargs):
            if kwargs.get('timeout') is None:
                kwargs['timeout'] = PULL_SECONDS
            return super().post(url, **kwargs)

    return Client


class Call:
    """A call of the daemon that takes long, made in a thread of its own."""

    def __init__(self, client, name, *args, **kwargs):
        self._error = None
        self._work = (client, name, args, kwargs)
        self._thread = threading.Thread(target=self._run, daemon=True,
                                        name='heat-docker')
        self._thread.start()

    def _run(self):
        client, name, args, kwargs = self._work
        try:
            with client:
                getattr(client, name)(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 (raised by the check)
            self._error = error

    def is_done(self):
        """Return whether the daemon has answered."""
        return not self._thread.is_alive()

    @property
    def error(self):
        """Return what the call has raised, or None."""
        return self._error
