"""Containers of Zun."""
import ipaddress
import shlex

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource

_MOUNT = {
    'volume_id': properties.string(
        _('Volume to mount, by name or ID.'),
        constraints=[constraints.CustomConstraint('cinder.volume')]),
    'volume_size': properties.integer(
        _('Size in gigabytes of a new volume to create and mount.')),
    'mount_path': properties.string(
        _('Path in the container at which the volume is mounted.'),
        required=True),
}
_NETWORK = {
    'network': properties.string(
        _('Network, by name or ID.'),
        constraints=[constraints.ref('neutron.network')]),
    'fixed_ip': properties.string(
        _('Fixed IP address of the container in the network.'),
        constraints=[constraints.CustomConstraint('ip_addr')]),
    'port': properties.string(
        _('Port, by name or ID.'),
        constraints=[constraints.ref('neutron.port')]),
}


class Container(sdk_resource.SDKResource):
    """A container of Zun.

    A container runs a command from an image, isolated from other
    containers.
    """

    type_name = 'OS::Zun::Container'
    support_status = support.SupportStatus(version='9.0.0')
    default_client_name = 'zun'
    entity = 'containers'
    noun = 'container'

    COMMAND, INTERACTIVE, MOUNTS, NAME, NETWORKS, RESTART_POLICY, TTY = (
        'command', 'interactive', 'mounts', 'name', 'networks',
        'restart_policy', 'tty')

    properties_schema = {
        NAME: properties.string(
            _('Name of the container.'),
            update_allowed=True),
        'image': properties.string(
            _('Name or ID of the image.'),
            required=True),
        COMMAND: properties.string(
            _('Command to run in the container.')),
        'cpu': properties.number(
            _('Number of virtual CPUs.'),
            update_allowed=True),
        'memory': properties.integer(
            _('Amount of memory in MiB.'),
            update_allowed=True),
        'environment': properties.map(
            _('Environment variables of the container.')),
        'workdir': properties.string(
            _('Working directory of the command.')),
        'labels': properties.map(
            _('Metadata of the container.')),
        'image_pull_policy': properties.string(
            _('Policy for pulling the image.'),
            constraints=[constraints.AllowedValues([
                'ifnotpresent', 'always', 'never'])]),
        RESTART_POLICY: properties.string(
            _('Restart policy of the container: "no", "on-failure", '
              '"on-failure:5" for at most five restarts, "always" or '
              '"unless-stopped".')),
        INTERACTIVE: properties.boolean(
            _('Whether standard input is kept open.')),
        TTY: properties.boolean(
            _('Whether a pseudo-terminal is allocated to the container.'),
            support_status=support.SupportStatus(version='14.0.0')),
        'image_driver': properties.string(
            _('Driver that pulls the image.'),
            constraints=[constraints.AllowedValues(['docker', 'glance'])]),
        'hints': properties.map(
            _('Hints for the scheduler that places the container.'),
            support_status=support.SupportStatus(version='10.0.0')),
        'hostname': properties.string(
            _('Host name of the container.'),
            support_status=support.SupportStatus(version='10.0.0')),
        'security_groups': properties.list(
            _('Security groups of the container, by name or ID.'),
            default=[],
            support_status=support.SupportStatus(version='10.0.0')),
        MOUNTS: properties.list(
            _('Volumes to mount in the container.'),
            schema=properties.map(_('One volume.'), schema=_MOUNT)),
        NETWORKS: properties.list(
            _('Networks of the container.'),
            schema=properties.map(_('One network '
                                    'interface.'), schema=_NETWORK),
            update_allowed=True,
            support_status=support.SupportStatus(version='11.0.0')),
    }

    attributes_schema = {
        'name': attributes.Schema(
            _('Name of the container.'),
            type=attributes.Schema.STRING),
        'addresses': attributes.Schema(
            _('IP addresses of the container, by network.'),
            type=attributes.Schema.MAP),
    }

    rename = {NETWORKS: 'nets'}
    ready = sdk_resource.WaitFor(
        ready=frozenset(['Running', 'Stopped']),
        pending=frozenset(['Creating', 'Created', 'Starting', 'Restarting']),
        failed=frozenset(['Error', 'Dead', 'Deleted']),
        reason='status_reason')
    gone = sdk_resource.WaitFor(
        ready=frozenset(['Deleted']), failed=frozenset(['Error']),
        reason='status_reason')

    # What an update of networks still waits for: ports to leave, and
    # (port or None, network card) to arrive.
    _leaving: tuple = ()
    _arriving: tuple = ()

    def validate(self):
        """Check mounts, networks and the restart policy."""
        problem = super().validate()
        for index, mount in enumerate(self.properties[self.MOUNTS] or ()):
            if bool(mount['volume_id']) == bool(mount['volume_size']):
                raise self._refuse(_(
                    'Specify either "volume_id" or "volume_size"'),
                    self.MOUNTS, index)
        for index, card in enumerate(self.properties[self.NETWORKS] or ()):
            if not (card['network'] or card['port']):
                raise self._refuse(_('Specify either "network" or "port"'),
                                   self.NETWORKS, index)
            if card['port'] and card['fixed_ip']:
                raise self._refuse(_(
                    '"fixed_ip" cannot be combined with "port", because a '
                    'port has an address'),
                    self.NETWORKS, index)
        self._restart_policy()
        return problem

    def _refuse(self, message, *path):
        return exception.StackValidationFailed(
            path=[self.stack.t.get_section_name('resources'), self.name,
                  self.stack.t.RES_PROPERTIES, *path], message=message)

    def _restart_policy(self):
        policy = self.properties[self.RESTART_POLICY]
        if not policy:
            return None
        name, colon, times = policy.partition(':')
        if colon and not times.isdecimal():
            raise self._refuse(_('The part after the colon must be a number'),
                               self.RESTART_POLICY)
        return {'Name': name, 'MaximumRetryCount': times or '0'}

    # -- create -------------------------------------------------------------

    def _service(self):
        plugin = self.client_plugin()
        return self.sdk(version=plugin.V1_36 if self._has_terminal()
                        else plugin.V1_18)

    def _has_terminal(self):
        return self.properties[self.TTY] is not None

    def prepare_create(self, body):
        """Describe volumes, networks and the command as Zun wants it."""
        body.pop(self.RESTART_POLICY, None)
        policy = self._restart_policy()
        if policy is not None:
            body[self.RESTART_POLICY] = policy
        if body.get(self.MOUNTS):
            body[self.MOUNTS] = [_mount(each) for each in body[self.MOUNTS]]
        if body.get('nets'):
            body['nets'] = [_net(each) for each in body['nets']]
        if self._has_terminal() and self.COMMAND in body:
            # The version that has terminals takes a list of words.
            body[self.COMMAND] = shlex.split(body[self.COMMAND])
        if 'memory' in body:
            body['memory'] = str(body['memory'])
        return body

    def check_create_complete(self, taken):
        """Return whether the container runs, or has run its command.

        :raises ResourceInError: one that waits for input has ended.
        """
        if not super().check_create_complete(taken):
            return False
        live = self._show_resource()
        if live['status'] == 'Stopped' and self.properties[self.INTERACTIVE]:
            raise exception.ResourceInError(
                resource_status='Stopped',
                status_reason=live.get('status_reason') or _(
                    'the interactive container has ended'))
        return True

    # -- update -------------------------------------------------------------

    def _update(self, prop_diff):
        changes = {name: value for name, value in prop_diff.items()
                   if name != self.NETWORKS}
        if self.NAME in changes and changes[self.NAME] is None:
            changes[self.NAME] = self.physical_resource_name()
        if changes.get('memory') is not None:
            changes['memory'] = str(changes['memory'])
        plugin = self.client_plugin()
        plugin.update_container(self.resource_id, **changes)
        if self.NETWORKS in prop_diff:
            self._change_networks(prop_diff[self.NETWORKS] or [])

    def _change_networks(self, wanted):
        before = list(self.properties[self.NETWORKS] or [])
        arriving = [dict(card) for card in wanted]
        leaving = []
        for card in map(dict, before):
            if card in arriving:
                arriving.remove(card)
            else:
                leaving.append(card)
        plugin = self.client_plugin()
        ports = self._ports_of(leaving)
        for port_id in ports:
            plugin.network_detach(self.resource_id, port_id)
        self._leaving, self._arriving = tuple(ports), tuple(arriving)

    def _ports_of(self, cards):
        """Return the ids of the ports of network cards."""
        addresses = self._show_resource().get('addresses') or {}
        found = []
        for card in cards:
            if card['port']:
                found.append(card['port'])
                continue
            found += [each['port'] for each in
                      addresses.get(card['network'], ())
                      if card['fixed_ip'] in (None, each['addr'])
                      and each['port'] not in found][:1]
        return found

    def check_update_complete(self, unsent):
        """Return whether ports have left, and others have arrived."""
        plugin = self.client_plugin()
        if not all(plugin.check_network_detach(self.resource_id, port_id)
                   for port_id in self._leaving):
            return False
        self._leaving = ()
        arriving, self._arriving = self._arriving, ()
        for card in arriving:
            plugin.network_attach(self.resource_id, port_id=card['port'],
                                  net_id=card['network'],
                                  fip=card['fixed_ip'])
        return super().check_update_complete(unsent)


def _mount(given):
    source = ({'source': given['volume_id']} if given['volume_id']
              else {'size': str(given['volume_size'])})
    return {**source, 'destination': given['mount_path']}


def _net(given):
    if given['port']:
        return {'port': given['port']}
    net = {'network': given['network']}
    if given['fixed_ip']:
        version = ipaddress.ip_address(given['fixed_ip']).version
        net[f'v{version}-fixed-ip'] = given['fixed_ip']
    return net
