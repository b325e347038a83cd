"""The client of the compute service, as plugins of resources see it."""
import base64
import json

from oslo_config import cfg

from heat.common import cloud_error
from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine.clients import client_exception
from heat.engine.clients import kept_answers
from heat.engine.clients import native
from heat.engine.clients import sdk
from heat.engine.clients.os import nova_consoles as consoles
from heat.engine.clients.os import nova_lists
from heat.engine.clients.os import userdata as user_data

CLIENT_NAME = 'nova'

#: The last version that puts files into servers, and the first one in which
#: a rebuilt server gets other user data.
_FILES_UNTIL, _REBUILD_USER_DATA = '2.56', '2.57'
#: The version that brought tags.
_TAGS = '2.26'
#: The newest version in which servers are shown.
_SERVER = '2.100'
#: What Nova says that it is doing while it suspends or resumes a server.
_TASKS = {'suspend': 'suspending', 'resume': 'resuming'}


class NovaClientPlugin(nova_lists.AsksTogether):
    """Finds things of Nova, and knows how servers and volumes behave."""

    client_name = CLIENT_NAME
    proxy = 'compute'
    sends_empty = False
    bound = 'max_nova_api_microversion'
    service_types = [COMPUTE] = ['compute']
    NOVA_API_VERSION = '2.1'

    #: States that a server leaves by itself.
    deferred_server_statuses = [
        'BUILD', 'HARD_REBOOT', 'PASSWORD', 'REBOOT', 'RESCUE', 'RESIZE',
        'REVERT_RESIZE', 'SHUTOFF', 'SUSPENDED', 'VERIFY_RESIZE']
    #: States of a server that is well, in which it can be changed.
    at_rest_statuses = ['ACTIVE', 'SHUTOFF']

    # -- errors -------------------------------------------------------------

    def is_bad_request(self, ex):
        """Return whether an error means that the request was wrong."""
        return isinstance(ex, sdk.exceptions.BadRequestException) or (
            native.status_of(CLIENT_NAME, ex) == 400)

    def is_unprocessable_entity(self, ex):
        """Return whether an error means that the request makes no sense."""
        return 422 in (cloud_error.status_of(ex),
                       native.status_of(CLIENT_NAME, ex))

    # -- finding ------------------------------------------------------------

    def _connect(self, version=None):
        # Operators may know of versions that are not to be used.
        return super()._connect(
            version=version or cfg.CONF.max_nova_api_microversion)

    def get_server(self, server):
        """Return a server, given its id; EntityNotFound without one."""
        try:
            return self.sdk().get_server(server)
        except Exception as error:
            if not self.is_not_found(error):
                raise
            raise exception.EntityNotFound(entity='Server',
                                           name=server) from error

    def show_server(self, server_id):
        """Return what the service answers about a server, as it is."""
        client = self.sdk()
        answer = client.get(
            '/servers/%s' % server_id,
            microversion=client.default_microversion or (
                sdk.utils.maximum_supported_microversion(client, _SERVER)))
        sdk.exceptions.raise_from_response(answer)
        return answer.json()['server']

    def fetch_server(self, server_id):
        """Return a server, None while the service cannot tell."""
        try:
            return self.sdk().get_server(server_id)
        except Exception as error:
            if self.is_over_limit(error) or (
                    cloud_error.status_of(error) in (500, 503)):
                return None
            raise

    def fetch_server_attr(self, server_id, attr):
        """Return what a server has under a name, None if that is unknown."""
        return getattr(self.fetch_server(server_id), attr, None)

    def find_flavor_by_name_or_id(self, flavor):
        """Return the id of a flavor, given that or its name."""
        return self.find('flavor', flavor)

    def get_flavor(self, flavor_identifier):
        """Return a flavor, given its name or id.

        It is asked for once: flavors do not change.
        """
        return self.first_seen(
            'flavor', self.find_flavor_by_name_or_id(flavor_identifier))

    def get_keypair(self, key_name):
        """Return a key pair; EntityNotFound if there is none."""
        try:
            return self.sdk().get_keypair(key_name)
        except Exception as error:
            if not self.is_not_found(error):
                raise
            raise exception.EntityNotFound(entity='Key',
                                           name=key_name) from error

    def get_host(self, hypervisor_hostname):
        """Return the id of a hypervisor, given the name of its host."""
        return self.find('hypervisor', hypervisor_hostname)

    def absolute_limits(self, latest=False):
        """Return what the project may use.

        :param latest: whether what was valid some minutes ago is not enough
        """
        context = self.context
        return kept_answers.KEPT.get(
            (*self.answers_key(), 'limits', context.project_id,
             context.user_id),
            lambda: self.sdk().get_limits().absolute,
            timeutils.wallclock() if latest else float('-inf'))

    # -- servers ------------------------------------------------------------

    def get_status(self, server):
        """Return the state of a server without what is in parentheses."""
        return server.status.split('(')[0].strip()

    def is_active(self, server, res_name='Server'):
        """Return whether a server is active; see _check_active()."""
        return self._check_active(server, res_name)

    def _check_active(self, server, res_name='Server'):
        """Return whether a server is active.

        :param server: a server or its id.
        :raises ResourceInError: it never will be.
        :raises ResourceUnknownStatus: nobody knows whether it will be.
        """
        if isinstance(server, str):
            server = self.fetch_server(server)
            if server is None:
                return False
        status = self.get_status(server)
        if status == 'ACTIVE':
            return True
        if status in self.deferred_server_statuses:
            return False
        if status == 'ERROR':
            fault = getattr(server, 'fault', None) or {}
            raise exception.ResourceInError(
                resource_status=status,
                status_reason=_('Message: %(message)s, Code: %(code)s') % {
                    'message': fault.get('message', _('Unknown')),
                    'code': fault.get('code', _('Unknown'))})
        raise exception.ResourceUnknownStatus(
            resource_status=server.status,
            result=_('%s is not active') % res_name)

    def refresh_server(self, server):
        """Return what the service knows of a server by now.

        While it cannot tell, that is what was known before.
        """
        return self.fetch_server(server.id) or server

    def resize(self, server_id, flavor_id):
        """Ask for another flavor of a server."""
        self.sdk().resize_server(server_id, flavor_id)
        return True

    def check_resize(self, server_id, flavor):
        """Return whether a server has another flavor, to be confirmed.

        :param flavor: the id of the flavor, or its name.
        :raises ResourceUnknownStatus: it stays as it was.
        """
        server = self.fetch_server(server_id)
        if server is None:
            return False
        failure = _('Resizing to "%s" failed') % flavor
        if self._at_rest(server):
            if not self.has_flavor(server, flavor):
                raise self._stuck(server, failure)
            # Somebody, or the service itself, has confirmed it.
            return True
        return self._reached(server, ('VERIFY_RESIZE',), failure)

    def has_flavor(self, server, flavor):
        """Return whether a server is of a flavor, given its id or name."""
        names = {(server.flavor or {}).get(key)
                 for key in ('id', 'name', 'original_name')}
        return flavor in names or self.get_flavor(flavor).name in names

    def _at_rest(self, server):
        """Return whether nothing happens to a server that is well."""
        return (self.get_status(server) in self.at_rest_statuses and
                not getattr(server, 'task_state', None))

    def verify_resize(self, server_id):
        """Confirm that the other flavor of a server is good."""
        server = self.fetch_server(server_id)
        if server is None:
            return False
        status = self.get_status(server)
        if status == 'VERIFY_RESIZE':
            self.sdk().confirm_server_resize(server_id)
        elif status not in ('ACTIVE', 'SHUTOFF'):
            raise exception.ResourceUnknownStatus(
                resource_status=status,
                result=_('Could not confirm resize of server %s')
                % server_id)
        return True

    def check_verify_resize(self, server_id):
        """Return whether the confirmation was taken."""
        return self._reached(
            self.fetch_server(server_id), ('ACTIVE', 'SHUTOFF'),
            _('The resize was not confirmed'))

    def resized(self, server_id, flavor):
        """A task to resize a server to a flavor, and to confirm that.

        A resize that is under way already is only confirmed.
        """
        server = yield from self.awaited(
            server_id, [*self.at_rest_statuses, 'VERIFY_RESIZE'])
        if server.status not in self.at_rest_statuses:
            yield from self.resize_confirmed(server_id)
            return
        if self.has_flavor(server, flavor):
            return
        self.resize(server_id, flavor)
        while not self.check_resize(server_id, flavor):
            yield
        yield from self.resize_confirmed(server_id)

    def awaited(self, server_id, statuses):
        """A task to wait until a server is in one of some states.

        Return the server. Nothing is being done to it then.
        :raises ResourceUnknownStatus: it will not be in one of them.
        """
        while True:
            server = self.fetch_server(server_id)
            if server is not None:
                if server.status in statuses and not server.task_state:
                    return server
                if server.status not in (
                        *statuses, 'REBUILD',
                        *self.deferred_server_statuses):
                    raise exception.ResourceUnknownStatus(
                        resource_status=server.status,
                        result=_('The server cannot be changed'))
            yield

    def must_be_asked(self, server, action, wanted):
        """Return whether a server has to be asked to suspend or to resume.

        :param action: 'suspend' or 'resume'
        :param wanted: the state to which the action leads
        """
        # Nova refuses an action that is already in progress.
        return self.get_status(server) != wanted and (
            getattr(server, 'task_state', None) != _TASKS[action])

    def resize_confirmed(self, server_id):
        """A task to confirm that a server was resized."""
        while not self.verify_resize(server_id):
            yield
        while not self.check_verify_resize(server_id):
            yield

    def rebuild(self, server_id, image_id, password=None,
                preserve_ephemeral=False, meta=None, files=None,
                user_data=None):
        """Ask for a server to be made anew where it is.

        :param files: {path: contents} to be put into it.
        :param user_data: what the server is to start with from now on.
        """
        given = {'imageRef': image_id}
        if preserve_ephemeral:
            given['preserve_ephemeral'] = True
        if password is not None:
            given['adminPass'] = password
        if meta is not None:
            given['metadata'] = self.meta_serialize(meta)
        version = None
        if files:
            given['personality'] = user_data_files(files)
            version = _FILES_UNTIL
        if user_data is not None:
            given['user_data'] = encoded(user_data)
            version = _REBUILD_USER_DATA
        answer = self.sdk().post(
            '/servers/%s/action' % server_id, json={'rebuild': given},
            **({'microversion': version} if version else {}))
        sdk.exceptions.raise_from_response(answer)
        return True

    def check_rebuild(self, server_id):
        """Return whether a server has been made anew."""
        return self._reached(
            self.fetch_server(server_id), ('ACTIVE', 'SHUTOFF'),
            _('Rebuilding server failed'), pending=('REBUILD',))

    def _reached(self, server, wanted, failure, pending=('ACTIVE',)):
        """Return whether a server is in a state it is on the way to."""
        if server is None:
            return False
        status = self.get_status(server)
        if status in wanted:
            # The state is that from before until the work has begun.
            return not getattr(server, 'task_state', None)
        if status in pending or status in self.deferred_server_statuses:
            return False
        raise self._stuck(server, failure)

    def _stuck(self, server, failure):
        """Return the error about a server that is not what it should be."""
        fault = (getattr(server, 'fault', None) or {}).get('message')
        return exception.ResourceUnknownStatus(
            resource_status=self.get_status(server),
            result='%s: %s' % (failure, fault) if fault else failure)

    def rename(self, server, name):
        """Give a server another name."""
        self.sdk().update_server(server.id, name=name)

    def server_to_ipaddress(self, server):
        """Return the first address on the last network by name, or None."""
        known = server.addresses or {}
        return next((known[name][0]['addr']
                     for name in sorted(known, reverse=True)
                     if known[name]), None)

    def get_ip(self, server, net_type, ip_version):
        """Return an address of a kind ('fixed', 'floating') of a server."""
        for addresses in (server.addresses or {}).values():
            for each in addresses:
                if (each.get('OS-EXT-IPS:type') == net_type and
                        each['version'] == ip_version):
                    return each['addr']
        return None

    def meta_serialize(self, metadata):
        """Return metadata whose values are all texts."""
        if not isinstance(metadata, dict):
            raise exception.StackValidationFailed(message=_(
                'nova server metadata needs to be a Map.'))
        return {key: value if isinstance(value, str) else json.dumps(value)
                for key, value in metadata.items()}

    def meta_update(self, server, metadata):
        """Replace the metadata of a server."""
        self.replace_metadata(server.id, metadata)

    def replace_metadata(self, server_id, metadata):
        """Replace the metadata of a server, given its ID."""
        # openstacksdk only adds and deletes items.
        sdk.exceptions.raise_from_response(self.sdk().put(
            '/servers/%s/metadata' % server_id,
            json={'metadata': self.meta_serialize(metadata or {})}))

    def set_tags(self, server_id, tags):
        """Make these the tags of a server."""
        sdk.exceptions.raise_from_response(self.sdk().put(
            '/servers/%s/tags' % server_id, json={'tags': list(tags)},
            microversion=_TAGS))

    def create_image(self, server_id, name):
        """Ask for an image of a server; return its id."""
        return self.sdk().create_server_image(server_id, name).id

    def get_console_urls(self, server):
        """Return a mapping of kinds of consoles to their URLs.

        Each is asked for when it is looked at.
        """
        return consoles.Consoles(self, server)

    def build_userdata(self, metadata, userdata=None, instance_user=None,
                       user_data_format='HEAT_CFNTOOLS'):
        """Return the user data that a server starts with."""
        heat = self.clients.client_plugin('heat')
        return user_data.build(
            metadata, userdata, instance_user, user_data_format,
            metadata_url=heat.get_cfn_metadata_server_url
            if heat is not None else None)

    def is_ignition_format(self, userdata):
        """Return whether user data are for Ignition, not for cloud-init."""
        return user_data.is_ignition(userdata)

    def build_ignition_data(self, metadata, userdata):
        """Return data for Ignition that hold the metadata, too."""
        return user_data.build_ignition(metadata, userdata)

    # -- volumes ------------------------------------------------------------

    def attach_volume(self, server_id, volume_id, device):
        """Attach a volume to a server; return the id of the attachment."""
        given = {'device': device} if device else {}
        attachment = self.sdk().create_volume_attachment(
            server_id, volume_id, **given)
        # The id of an attachment is that of the volume; newer versions of
        # the API do not repeat it.
        return attachment.id or volume_id

    def detach_volume(self, server_id, attach_id):
        """Begin to detach a volume from a server; both may be gone.

        Return False while the server is in a state in which Nova refuses
        that, for instance while it is being suspended, or while the volume
        is being attached: ask again then.
        """
        # If both were texts, openstacksdk would request the server to find
        # out which is which.
        server = sdk.server.Server(id=server_id)
        try:
            self.sdk().delete_volume_attachment(server, attach_id,
                                                ignore_missing=False)
        except Exception as error:
            if self.is_conflict(error):
                return False
            if self.is_bad_request(error):
                return not self._is_attaching(attach_id)
            if not self.is_not_found(error):
                raise
        return True

    def _is_attaching(self, volume_id):
        """Return whether a volume is being attached."""
        with self.clients.client_plugin('cinder').ignore_not_found:
            return self.clients.sdk('cinder').get_volume(
                volume_id).status in ('attaching', 'reserved')
        return False

    def check_detach_volume_complete(self, server_id, attach_id):
        """Return whether a volume is no longer attached to a server."""
        try:
            self.sdk().get_volume_attachment(server_id, attach_id)
        except Exception as error:
            if not self.is_not_found(error):
                raise
            return True
        return False

    # -- networks -----------------------------------------------------------

    def interface_attach(self, server_id, port_id=None, net_id=None,
                         fip=None, security_groups=None):
        """Attach a port, or a new one of a network, to a server."""
        if port_id:
            given = {'port_id': port_id}
        elif net_id:
            given = {'net_id': net_id}
        else:
            # The service has a network for whoever names none.
            given = {}
        if fip and not port_id:
            given['fixed_ips'] = [{'ip_address': fip}]
        made = self.sdk().create_server_interface(server_id, **given)
        if security_groups:
            self.clients.sdk('neutron').update_port(
                made.port_id, security_groups=security_groups)
        return True

    def interface_detach(self, server_id, port_id):
        """Detach a port from a server; it may be detached already."""
        with self.ignore_not_found:
            self.sdk().delete_server_interface(
                port_id, server=server_id, ignore_missing=False)
        return True

    def _ports(self, server_id):
        return {each.port_id for each in
                self.sdk().server_interfaces(server_id)}

    def check_interface_attach(self, server_id, port_id):
        """Return whether a port is attached to a server."""
        return not port_id or port_id in self._ports(server_id)

    def check_interface_detach(self, server_id, port_id):
        """Return whether a port is no longer attached to a server."""
        with self.ignore_not_found:
            return not port_id or port_id not in self._ports(server_id)
        return True

    def associate_floatingip(self, server_id, floatingip_id):
        """Let a floating IP lead to the first port of a server."""
        ports = sorted(self._ports(server_id))
        if not ports:
            raise client_exception.InterfaceNotFound(id=server_id)
        self.clients.sdk('neutron').update_ip(floatingip_id,
                                                 port_id=ports[0])

    def dissociate_floatingip(self, floatingip_id):
        """Let a floating IP lead nowhere."""
        self.clients.sdk('neutron').update_ip(floatingip_id, port_id=None)

    def _floating_ip_id(self, address):
        found = list(self.clients.sdk('neutron').ips(
            floating_ip_address=address))
        if not found:
            raise exception.EntityNotFound(entity=_('floating IP'),
                                           name=address)
        return found[0].id

    def associate_floatingip_address(self, server_id, fip_address):
        """Let the floating IP of an address lead to a server."""
        self.associate_floatingip(server_id,
                                  self._floating_ip_id(fip_address))

    def dissociate_floatingip_address(self, fip_address):
        """Let the floating IP of an address lead nowhere."""
        self.dissociate_floatingip(self._floating_ip_id(fip_address))


def encoded(text):
    """Return a text as requests have files and user data."""
    return base64.b64encode(text.encode()).decode()


def user_data_files(files):
    """Return {path: contents} as requests have them."""
    return [{'path': path, 'contents': encoded(str(files[path]))}
            for path in sorted(files)]


class NovaBaseConstraint(constraints.BaseCustomConstraint):
    """Something of Nova exists."""

    expected_exceptions = (exception.EntityNotFound,)
    resource_client_name = CLIENT_NAME


class ServerConstraint(NovaBaseConstraint):
    """A server, by id."""

    resource_getter_name = 'get_server'


class KeypairConstraint(NovaBaseConstraint):
    """A key pair, by name."""

    resource_getter_name = 'get_keypair'

    def validate_with_client(self, client, key_name):
        """Ask Nova; a text without characters stands for no key pair."""
        if key_name:
            super().validate_with_client(client, key_name)


class FlavorConstraint(NovaBaseConstraint):
    """A flavor, by name or id."""

    resource_getter_name = 'find_flavor_by_name_or_id'


class HostConstraint(NovaBaseConstraint):
    """A host, by name."""

    resource_getter_name = 'get_host'


#: By the names that templates and schemas use.
CONSTRAINTS = {
    'nova.flavor': FlavorConstraint,
    'nova.host': HostConstraint,
    'nova.keypair': KeypairConstraint,
    'nova.server': ServerConstraint,
}
