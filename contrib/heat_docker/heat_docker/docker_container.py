"""Containers of a Docker daemon."""
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import resource
from heat.engine import support

from . import daemon
from . import schema
from . import translation

LOG = logging.getLogger(__name__)

#: Labels by which containers of stacks are found, and those of a project.
RESOURCE_LABEL = 'org.openstack.heat.resource'
PROJECT_LABEL = 'org.openstack.heat.project'
#: How much of what a command has written is read, in bytes.
LOG_LIMIT = 65536


class DockerContainer(resource.Resource):
    """A container of a Docker daemon.

    The image is downloaded if it can be; one that the daemon has already may
    also be used without. The resource is complete once the command runs, or
    has ended without an error.
    """

    support_status = support.SupportStatus(
        status=support.UNSUPPORTED,
        message=_('This resource is not part of the service.'))

    PROPERTIES = tuple(schema.PROPERTIES)
    ATTRIBUTES = tuple(schema.ATTRIBUTES)
    properties_schema = schema.PROPERTIES
    attributes_schema = schema.ATTRIBUTES

    def _daemon(self):
        return daemon.connect(daemon.endpoint(
            self.properties['docker_endpoint']))

    # -- what is allowed ----------------------------------------------------

    def validate(self):
        """Check ports and volumes, and what the operator allows."""
        problem = super().validate()
        self._check_notation()
        self._check_allowed()
        return problem

    def _refuse(self, name, message):
        return exception.StackValidationFailed(
            path=[self.stack.t.get_section_name('resources'), self.name,
                  self.stack.t.RES_PROPERTIES, name], message=message)

    def _check_notation(self):
        try:
            translation.port_specs(self.properties['port_specs'])
        except ValueError as error:
            raise self._refuse('port_specs', str(error)) from error
        for target in (self.properties['volumes'] or {}).values():
            if isinstance(target, dict) and target and 'bind' not in target:
                raise self._refuse('volumes', _(
                    'A volume that is a map needs "bind"'))

    def _check_allowed(self):
        """Refuse what reaches the host, unless the operator allows that.

        Called again before the container is made: values that depend on
        other resources are not known when a template is validated.
        """
        daemon.endpoint(self.properties['docker_endpoint'])
        if daemon.CONF[daemon.GROUP].allow_host_access:
            return
        added = set(self.properties['cap_add'] or ())
        reaching = {
            'privileged': self.properties['privileged'],
            'devices': self.properties['devices'],
            'cap_add': added - set(schema.DEFAULT_CAPABILITIES),
            'volumes': any((self.properties['volumes'] or {}).values()),
        }
        for name, given in reaching.items():
            if given:
                raise self._refuse(name, _(
                    'This reaches the host of the Docker daemon, which '
                    '[heat_docker] allow_host_access does not allow'))

    def _check_related(self, client):
        """Refuse to link to, or mount from, containers of others."""
        related = list(self.properties['links'] or ())
        if self.properties['volumes_from']:
            # What follows the colon is how the volumes are mounted.
            related.append(self.properties['volumes_from'].partition(':')[0])
        for name in related:
            labels = {}
            try:
                labels = client.inspect_container(name)['Config']['Labels']
            except daemon.errors.NotFound:
                LOG.debug('There is no container %s', name)
            if (labels or {}).get(PROJECT_LABEL) != self.context.project_id:
                raise exception.Error(_(
                    'The project has no container "%s"') % name)

    # -- create -------------------------------------------------------------

    def handle_create(self):
        """Begin to download the image."""
        self._check_allowed()
        # A failed container has been deleted before another attempt.
        self.resource_id_set(None)
        # Without credentials: those of the engine's account are not the
        # user's.
        return daemon.Call(self._daemon(), 'pull', self.properties['image'],
                           auth_config={})

    def find_created(self):
        """Return the id of a container that an interrupted create has made."""
        with self._daemon() as client:
            found = client.containers(all=True, filters={
                'label': f'{RESOURCE_LABEL}={self.uuid}'})
        return found[0]['Id'] if found else None

    def check_create_complete(self, pulling):
        """Make and start the container; return whether it has started."""
        if self.resource_id is None:
            if pulling.is_done():
                with self._daemon() as client:
                    self._make(client, pulling)
            return False
        state = self._state()
        if state['Status'] == 'created':
            self._start()
            return False
        return self._has_started(state)

    def _start(self):
        with self._daemon() as client:
            client.start(self.resource_id)

    def _make(self, client, pulling):
        self._check_related(client)
        config = translation.container_config(client, self.properties, {
            RESOURCE_LABEL: self.uuid,
            PROJECT_LABEL: self.context.project_id})
        try:
            made = client.create_container_from_config(
                config, self.properties['name'])
        except daemon.errors.ImageNotFound as error:
            raise exception.Error(_(
                'The image "%(image)s" cannot be downloaded: %(reason)s') % {
                    'image': self.properties['image'],
                    'reason': pulling.error or error}) from error
        self.resource_id_set(made['Id'])

    def _inspect(self):
        with self._daemon() as client:
            return client.inspect_container(self.resource_id)

    def _state(self):
        return self._inspect()['State']

    def _has_started(self, state):
        if state.get('Restarting'):
            return False
        if state['Running'] or state['ExitCode'] == 0:
            return True
        reason = state.get('Error') or self._logs(tail=10)[-1000:]
        raise exception.ResourceInError(
            resource_status=state['Status'], status_reason=reason or _(
                'the command has ended with %s') % state['ExitCode'])

    # -- check, suspend, resume, delete -------------------------------------

    def handle_check(self):
        """Raise an error unless the container runs."""
        self._verify_check_conditions([{
            'attr': 'status', 'expected': 'running',
            'current': self._state()['Status']}])

    def _require_id(self, action):
        if self.resource_id is None:
            raise exception.Error(_(
                'Cannot %(action)s %(name)s: there is no container') % {
                    'action': action, 'name': self.name})

    def handle_suspend(self):
        """Have the container stop."""
        self._require_id('suspend')
        return daemon.Call(self._daemon(), 'stop', self.resource_id)

    def check_suspend_complete(self, stopping):
        """Return whether the container has stopped."""
        if not stopping.is_done():
            return False
        if stopping.error is not None:
            raise stopping.error
        return not self._state()['Running']

    def handle_resume(self):
        """Start the container again."""
        self._require_id('resume')
        self._start()

    def check_resume_complete(self, _token):
        """Return whether the container has started."""
        return self._has_started(self._state())

    def handle_delete(self):
        """Have the container removed, with its own volumes."""
        if self.resource_id is None:
            return None
        return daemon.Call(self._daemon(), 'remove_container',
                           self.resource_id, v=True, force=True)

    def check_delete_complete(self, removing):
        """Return whether the container is gone."""
        if removing is None:
            return True
        if not removing.is_done():
            return False
        try:
            self._state()
        except daemon.errors.NotFound:
            return True
        if removing.error is not None and not _is_in_progress(removing.error):
            raise removing.error
        return False

    # -- attributes ---------------------------------------------------------

    def _logs(self, tail='all'):
        """Return what the command has written, up to a limit."""
        with self._daemon() as client:
            stream = client.logs(self.resource_id, stream=True, follow=False,
                                 tail=tail)
            return _first(stream, LOG_LIMIT).decode(errors='replace')

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == 'logs':
            return self._logs()
        if name == 'logs_head':
            return self._logs().partition('\n')[0]
        if name == 'logs_tail':
            return self._logs(tail=1).rstrip('\n')
        info = self._inspect()
        return info if name == 'info' else _of_network(
            name, info['NetworkSettings'])

    def get_live_state(self, resource_properties):
        """Return nothing: no property of a container can change."""
        return {}


def _first(stream, limit):
    """Return the first bytes of a stream, and close it if there are more."""
    found = b''
    for chunk in stream:
        # Those of a terminal come as text.
        found += chunk.encode() if isinstance(chunk, str) else chunk
        if len(found) >= limit:
            stream.close()
            break
    return found[:limit]


def _of_network(name, settings):
    if name == 'network_info':
        return settings
    if name in ('network_ip', 'network_gateway'):
        key = {'network_ip': 'IPAddress', 'network_gateway': 'Gateway'}[name]
        # Newer daemons name them for each network alone.
        places = [settings, *(settings.get('Networks') or {}).values()]
        return next((place[key] for place in places if place.get(key)), '')
    protocol = '/' + name.removeprefix('network_')[:3]
    numbers = [int(port.removesuffix(protocol))
               for port in settings.get('Ports') or {}
               if port.endswith(protocol)]
    return ','.join(map(str, sorted(numbers)))


def _is_in_progress(error):
    """Return whether somebody else removes the container already."""
    return (isinstance(error, daemon.errors.APIError)
            and error.status_code in (404, 409))


def available_resource_mapping():
    """Return the types of this module, if the SDK is there."""
    if daemon.is_available():
        return resource_mapping()
    LOG.warning('DockerInc::Docker::Container is not available: the Python '
                'package "docker" is missing')
    return {}


def resource_mapping():
    """Return the types of this module, as templates call them."""
    return {'DockerInc::Docker::Container': DockerContainer}
