"""Servers of Nova."""
from oslo_utils import uuidutils

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import translation
from heat.engine.clients.os import nova
from heat.engine.resources import scheduler_hints
from heat.engine.resources import server_base
from heat.engine.resources import volume_base
from heat.engine.resources.openstack.neutron import order
from heat.engine.resources.openstack.neutron import port
from heat.engine.resources.openstack.nova import server_attributes
from heat.engine.resources.openstack.nova import server_block_devices
from heat.engine.resources.openstack.nova import server_network_mixin
from heat.engine.resources.openstack.nova import server_schema
from heat.engine.resources.openstack.nova import server_snapshot
from heat.engine.resources.openstack.nova import server_update
from heat.engine.resources.openstack.nova import server_validate
from heat.engine.software import configs as software_configs
from heat.rpc import api as rpc_api

#: The states of a server that is not there any more.
_GONE = ('DELETED', 'SOFT_DELETED')
#: The last microversion that puts files into servers, and the last one in
#: which networks may be left out.
_FILES_UNTIL, _NETWORKS_UNTIL = '2.56', '2.36'
_NETWORKS_REQUIRED, _NO_FILES = '2.37', '2.57'


class Server(server_base.BaseServer, scheduler_hints.SchedulerHintsMixin,
             server_network_mixin.ServerNetworkMixin):
    """A server of Nova: a virtual or bare metal machine.

    A server boots from an image or a volume and has network interfaces
    with addresses. Its user data configures cloud-init, heat-cfntools
    or the agent of software deployments. Updates of the name, metadata,
    tags, flavor, image, networks and password can be applied without
    replacing the server.
    """

    type_name = 'OS::Nova::Server'
    default_client_name = 'nova'
    patient = True
    looks_together = True
    #: When we looked at the server, and what it was like.
    _seen: tuple | None = None

    PROPERTIES = (
        NAME, IMAGE, BLOCK_DEVICE_MAPPING, BLOCK_DEVICE_MAPPING_V2,
        FLAVOR, FLAVOR_UPDATE_POLICY, IMAGE_UPDATE_POLICY, KEY_NAME,
        ADMIN_USER, AVAILABILITY_ZONE, SECURITY_GROUPS, NETWORKS,
        SCHEDULER_HINTS, METADATA, USER_DATA_FORMAT, USER_DATA,
        RESERVATION_ID, CONFIG_DRIVE, DISK_CONFIG, PERSONALITY,
        ADMIN_PASS, SOFTWARE_CONFIG_TRANSPORT, USER_DATA_UPDATE_POLICY,
        TAGS, DEPLOYMENT_SWIFT_DATA,
    ) = (
        'name', 'image', 'block_device_mapping', 'block_device_mapping_v2',
        'flavor', 'flavor_update_policy', 'image_update_policy', 'key_name',
        'admin_user', 'availability_zone', 'security_groups', 'networks',
        'scheduler_hints', 'metadata', 'user_data_format', 'user_data',
        'reservation_id', 'config_drive', 'diskConfig', 'personality',
        'admin_pass', 'software_config_transport', 'user_data_update_policy',
        'tags', 'deployment_swift_data',
    )

    _BLOCK_DEVICE_MAPPING_KEYS = (
        BLOCK_DEVICE_MAPPING_DEVICE_NAME, BLOCK_DEVICE_MAPPING_VOLUME_ID,
        BLOCK_DEVICE_MAPPING_SNAPSHOT_ID, BLOCK_DEVICE_MAPPING_VOLUME_SIZE,
        BLOCK_DEVICE_MAPPING_DELETE_ON_TERM,
    ) = (
        'device_name', 'volume_id', 'snapshot_id', 'volume_size',
        'delete_on_termination',
    )

    _BLOCK_DEVICE_MAPPING_V2_KEYS = (
        BLOCK_DEVICE_MAPPING_IMAGE_ID, BLOCK_DEVICE_MAPPING_IMAGE,
        BLOCK_DEVICE_MAPPING_DEVICE_TYPE, BLOCK_DEVICE_MAPPING_DISK_BUS,
        BLOCK_DEVICE_MAPPING_BOOT_INDEX, BLOCK_DEVICE_MAPPING_SWAP_SIZE,
        BLOCK_DEVICE_MAPPING_EPHEMERAL_SIZE,
        BLOCK_DEVICE_MAPPING_EPHEMERAL_FORMAT,
        BLOCK_DEVICE_MAPPING_VOLUME_TYPE,
    ) = (
        'image_id', 'image', 'device_type', 'disk_bus', 'boot_index',
        'swap_size', 'ephemeral_size', 'ephemeral_format', 'volume_type',
    )

    _NETWORK_KEYS = (
        NETWORK_UUID, NETWORK_ID, ALLOCATE_NETWORK, NETWORK_FIXED_IP,
        NETWORK_PORT, NETWORK_SUBNET, NETWORK_PORT_EXTRA,
        NETWORK_FLOATING_IP, NIC_TAG,
    ) = (
        'uuid', 'network', 'allocate_network', 'fixed_ip', 'port', 'subnet',
        'port_extra_properties', 'floating_ip', 'tag',
    )

    #: What tells one interface from another.
    _IFACE_MANAGED_KEYS = (NETWORK_PORT, NETWORK_ID, NETWORK_FIXED_IP,
                           NETWORK_SUBNET)

    _SOFTWARE_CONFIG_FORMATS = (
        HEAT_CFNTOOLS, RAW, SOFTWARE_CONFIG,
    ) = (
        'HEAT_CFNTOOLS', 'RAW', 'SOFTWARE_CONFIG',
    )

    _ALLOCATE_TYPES = (
        NETWORK_NONE, NETWORK_AUTO,
    ) = (
        'none', 'auto',
    )

    REPLACE, RESIZE, REBUILD, PRESERVE, IGNORE = (
        'REPLACE', 'RESIZE', 'REBUILD', 'REBUILD_PRESERVE_EPHEMERAL',
        'IGNORE')

    ATTRIBUTES = (
        NAME_ATTR, ADDRESSES, NETWORKS_ATTR, FIRST_ADDRESS,
        INSTANCE_NAME, ACCESSIPV4, ACCESSIPV6, CONSOLE_URLS, TAGS_ATTR,
        OS_COLLECT_CONFIG,
    ) = (
        'name', 'addresses', 'networks', 'first_address',
        'instance_name', 'accessIPv4', 'accessIPv6', 'console_urls', 'tags',
        'os_collect_config',
    )

    secret_properties = (ADMIN_PASS,)
    name_property = 'name'
    #: What Nova does not show, or only Heat knows.
    drift_ignored = ('admin_pass', 'deployment_swift_data',
                     'flavor_update_policy', 'image_update_policy',
                     'software_config_transport', 'user_data',
                     'user_data_update_policy')

    properties_schema = server_schema.PROPERTIES
    attributes_schema = server_schema.ATTRIBUTES

    def validate(self):
        """Check what can be known before there is a server."""
        problem = super().validate()
        server_validate.ServerValidation(self, server_validate.Checks(
            self._validate_network, self._check_maximum)).validate()
        return problem

    def translation_rules(self, properties):
        """Return rules for the old names of properties and for ids."""
        rule = translation.TranslationRule
        moved = [([self.NETWORKS, self.NETWORK_ID], self.NETWORK_UUID),
                 ([self.BLOCK_DEVICE_MAPPING_V2,
                   self.BLOCK_DEVICE_MAPPING_IMAGE],
                  self.BLOCK_DEVICE_MAPPING_IMAGE_ID)]
        named = [([self.FLAVOR], 'nova', 'find_flavor_by_name_or_id', None),
                 ([self.IMAGE], 'glance', 'find_image_by_name_or_id', None),
                 (moved[1][0], 'glance', 'find_image_by_name_or_id', None),
                 *(([self.NETWORKS, key], 'neutron',
                    'find_resourceid_by_name_or_id', noun)
                   for key, noun in ((self.NETWORK_ID, 'network'),
                                     (self.NETWORK_SUBNET, 'subnet'),
                                     (self.NETWORK_PORT, 'port')))]
        return [*(rule(properties, rule.REPLACE, path, value_name=old)
                  for path, old in moved),
                *(rule(properties, rule.RESOLVE, path, finder=finder,
                       client_plugin=self.client_plugin(client),
                       entity=noun)
                  for path, client, finder, noun in named)]

    def add_dependencies(self, deps):
        """Create what makes our networks work before us.

        A port has its address from whatever subnets there are, and a
        floating IP leads nowhere without a router.
        """
        super().add_dependencies(deps)
        written = self.properties.data.get(self.NETWORKS)
        for net in written if isinstance(written, list) else ():
            network = (order.item(net, self.NETWORK_ID) or
                       order.item(net, self.NETWORK_UUID))
            subnet = order.item(net, self.NETWORK_SUBNET)
            order.after_subnets(self, deps, network)
            if order.item(net, self.NETWORK_FLOATING_IP) is not None:
                order.after_routed(self, deps, network, subnet)
                order.after_reachable(self, deps, order.item(
                    net, self.NETWORK_PORT))

    # -- user data ----------------------------------------------------------

    def user_data_raw(self):
        """Return whether user data are handed over as they are."""
        return self.properties[self.USER_DATA_FORMAT] == self.RAW

    def user_data_software_config(self):
        """Return whether there is an agent to be told of deployments."""
        return self.properties[self.USER_DATA_FORMAT] == (
            self.SOFTWARE_CONFIG)

    def get_software_config(self, ud_content):
        """Return the text of a software config, or what is none's id."""
        try:
            config = software_configs.get(self.context, ud_content)
        except exception.NotFound:
            return ud_content
        return software_configs.part(config,
                                     rpc_api.SOFTWARE_CONFIG_CONFIG) or ''

    def _user_data(self, props):
        """Return what the server starts with, as cloud-init takes it."""
        content = props[self.USER_DATA] or ''
        if props[self.USER_DATA_FORMAT] != self.HEAT_CFNTOOLS and (
                uuidutils.is_uuid_like(content)):
            content = self.get_software_config(content)
        return self.client_plugin().build_userdata(
            self.metadata_get(refresh=True) or {}, content,
            instance_user=props[self.ADMIN_USER],
            user_data_format=props[self.USER_DATA_FORMAT])

    # -- creating -----------------------------------------------------------

    def handle_create(self):
        """Ask for the server; return its id."""
        props = self.properties
        if self.user_data_software_config():
            self._create_transport_credentials(props)
            self._populate_deployments_metadata(
                dict(self.metadata_get(refresh=True) or {}), props)
        version, request = self._request(props)
        made = self.sdk(version=version).create_server(**request)
        self.resource_id_set(made.id)
        return made.id

    def _request(self, props):
        """Return (microversion, what Nova is asked for)."""
        user_data = self._user_data(props)
        request = {
            'name': self._server_name(),
            'flavorRef': props[self.FLAVOR],
            'user_data': nova.encoded(user_data) if user_data else None,
            'availability_zone': props[self.AVAILABILITY_ZONE],
            'key_name': props[self.KEY_NAME],
            'metadata': self.client_plugin().meta_serialize(
                props[self.METADATA] or {}) or None,
            'config_drive': props[self.CONFIG_DRIVE],
            'OS-DCF:diskConfig': props[self.DISK_CONFIG],
            'adminPass': props[self.ADMIN_PASS],
            'personality': nova.user_data_files(props[self.PERSONALITY])
            if props[self.PERSONALITY] else None,
            'block_device_mapping_v2': self._block_devices(props).request(),
            'OS-SCH-HNT:scheduler_hints': self._scheduler_hints(
                props[self.SCHEDULER_HINTS]) or None,
        }
        groups = props[self.SECURITY_GROUPS]
        networks = self._build_nics(props[self.NETWORKS], groups)
        if groups and not isinstance(networks, list):
            # What Nova makes ports for has them from Nova.
            request['security_groups'] = [
                {'name': group_id} for group_id in self.client_plugin(
                    'neutron').get_secgroup_uuids(groups)]
        request['networks'] = networks
        version = self._version_for(request)
        # Nova wants to be told that there is no image.
        return version, {'imageRef': props[self.IMAGE] or '',
                         **self.client_plugin().given(request)}

    def _block_devices(self, props):
        return server_block_devices.BlockDevices(
            props, server_validate.property_path(self))

    def _version_for(self, request):
        """Return the microversion of a request, None for the highest.

        Newer ones have no files any more, and want to be told of networks.
        """
        plugin = self.client_plugin()
        version = None
        if request['personality'] and plugin.is_version_supported(
                _NO_FILES):
            version = _FILES_UNTIL
        if request['networks'] is not None or not (
                plugin.is_version_supported(_NETWORKS_REQUIRED)):
            return version
        if any(disk.get('volume_type') for disk in
               request['block_device_mapping_v2'] or ()):
            request['networks'] = self.NETWORK_AUTO
            return version
        return _NETWORKS_UNTIL

    def find_created(self):
        """Return the server that an interrupted create has made, or None.

        It has one of our ports, or the name that nobody else has.
        """
        neutron, cards = self.client_plugin('neutron'), self.network_cards
        cards.find_ports()
        for port_id in cards.port_ids():
            with neutron.ignore_not_found:
                holder = cards.handover.holder(port_id)
                if holder:
                    return holder
        if self.properties[self.NAME]:
            return self.resource_id
        name = self._server_name()
        for found in self.sdk().servers(details=False,
                                           name='^%s$' % name):
            if found.name == name:
                return found.id
        return self.resource_id

    def check_create_complete(self, server_id):
        """Return whether the server is active; finish what follows then."""
        if not self.client_plugin().is_built(server_id):
            return False
        self.store_external_ports()
        if self.properties[self.TAGS]:
            self.client_plugin().set_tags(server_id,
                                          self.properties[self.TAGS])
        return True

    # -- changing -----------------------------------------------------------

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to change what differs."""
        self._seen = None
        super().handle_update(json_snippet, tmpl_diff, prop_diff)
        if not prop_diff:
            return None
        return server_update.ServerUpdate(self, self._user_data).changed(
            json_snippet, prop_diff)

    def check_update_complete(self, work):
        """Return whether all changes are made."""
        return volume_base.is_done(work)

    # -- replacing ----------------------------------------------------------

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """Return whether the template wants another server for a change."""
        return server_update.replaces(changed_properties_set, after_props,
                                      before_props)

    def needs_replace_failed(self):
        """Replace what failed unless it is there and well."""
        if not self.resource_id:
            return True
        with self.client_plugin().ignore_not_found:
            return self.client_plugin().get_server(
                self.resource_id).status in ('ERROR', 'DELETED',
                                             'SOFT_DELETED')
        return True

    def prepare_for_replace(self):
        """Give up ports and addresses: the replacement may want them."""
        self.prepare_ports_for_replace()

    def check_prepare_for_replace_complete(self, _token):
        """Return whether our ports are free."""
        return self.ports_are_handed_over()

    def restore_prev_rsrc(self, convergence=False):
        """Take back what the replacement was to have."""
        self.restore_ports_after_rollback(convergence=convergence)

    def check_restore_prev_rsrc_complete(self, _token):
        """Return whether we have our ports again."""
        return self.ports_are_handed_over()

    # -- snapshots ----------------------------------------------------------

    @property
    def _images(self):
        return server_snapshot.ServerImages(self)

    def handle_snapshot(self):
        """Ask for an image of the server; return its id."""
        return self._images.begin()

    def check_snapshot_complete(self, image_id):
        """Return whether the image is there."""
        return self._images.is_complete(image_id)

    def handle_snapshot_delete(self, state):
        """Make an image of the server, unless it failed, and delete it."""
        if self.resource_id is None or state[1] == self.FAILED:
            return self.handle_delete()
        return self._images.made_before(self.handle_delete)

    def handle_delete_snapshot(self, snapshot):
        """Delete the image of a snapshot; it may be gone."""
        self._images.delete(snapshot)

    def handle_restore(self, defn, restore_data):
        """Return a definition that makes the server from its image."""
        return self._images.restored(defn, restore_data)

    # -- looking, suspending ------------------------------------------------

    def handle_check(self):
        """Look whether the server is there and active."""
        server = self.client_plugin().get_server(self.resource_id)
        self._verify_check_conditions([{
            'attr': 'status', 'expected': 'ACTIVE',
            'current': self.client_plugin().get_status(server)}])

    def handle_suspend(self):
        """Ask for the server to be suspended, unless it is."""
        self._require_id('suspend')
        plugin = self.client_plugin()
        server = plugin.get_server(self.resource_id)
        if plugin.must_be_asked(server, 'suspend', 'SUSPENDED'):
            self.sdk().suspend_server(self.resource_id)
        return self.resource_id

    def check_suspend_complete(self, server_id):
        """Return whether the server is suspended."""
        plugin = self.client_plugin()
        return self._is_in('SUSPENDED', plugin.fetch_server(server_id))

    def handle_resume(self):
        """Ask for the server to go on, unless it does."""
        self._require_id('resume')
        plugin = self.client_plugin()
        server = plugin.get_server(self.resource_id)
        if plugin.must_be_asked(server, 'resume', 'ACTIVE'):
            self.sdk().resume_server(self.resource_id)
        return self.resource_id

    def check_resume_complete(self, server_id):
        """Return whether the server is active again."""
        plugin = self.client_plugin()
        return self._is_in('ACTIVE', plugin.fetch_server(server_id))

    def _require_id(self, action):
        if self.resource_id is None:
            raise exception.Error(
                _('Cannot %(action)s %(name)s, resource_id not set') % {
                    'action': action, 'name': self.name})

    def _is_in(self, wanted, server):
        """Return whether a server has come to a state it was asked for."""
        if server is None:
            return False
        plugin = self.client_plugin()
        status = plugin.get_status(server)
        if status == wanted:
            return True
        if getattr(server, 'task_state', None) or (
                status not in ('ACTIVE', 'SUSPENDED') and
                status in plugin.deferred_server_statuses):
            return False
        raise exception.ResourceUnknownStatus(
            resource_status=status,
            result=_('%(name)s is not %(state)s') % {
                'name': self.name, 'state': wanted.lower()})

    # -- deleting -----------------------------------------------------------

    def _delete(self):
        super()._delete()
        if self.resource_id is not None:
            with self.client_plugin().ignore_not_found:
                self.sdk().delete_server(self.resource_id,
                                            ignore_missing=False)
        return self._gone()

    def _gone(self):
        """Wait until the server is gone; then delete its ports."""
        while self.resource_id is not None and not (
                self.client_plugin().check_delete_server_complete(
                    self.resource_id)):
            yield
        if self.network_cards.may_have_floating_ips():
            self.network_cards.release_floating_ips(
                self.properties[self.NETWORKS])
        self._delete_internal_ports()

    def check_delete_complete(self, work):
        """Return whether the server is gone."""
        return volume_base.is_done(work)

    # -- what others see ----------------------------------------------------

    def get_live_resource_data(self):
        """Return the server and its interfaces; EntityNotFound without."""
        server = self.client_plugin().get_server(self.resource_id)
        if server.status in _GONE:
            raise exception.EntityNotFound(entity='Server', name=self.name)
        return server, self.network_cards.interfaces()

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return what differs from the wish, by property."""
        return server_attributes.differences(self, resource_properties,
                                             *resource_data)

    def drift_listing(self):
        """Return the list of the servers of the project."""
        return server_attributes.listing(self)

    def drift_list_is_proof(self):
        """Return whether Nova lists all servers of the project."""
        return self._is_listed() and server_attributes.lists_all(
            self.client_plugin())

    def drift_data(self):
        """Return the server and the ids of its ports."""
        server, interfaces = self.get_live_resource_data()
        server_attributes.require_known(server)
        return server, {each.port_id for each in interfaces}

    def drift_data_of(self, thing, live):
        """Return the server and the ids of its ports, out of lists."""
        if thing.status in _GONE:
            raise exception.EntityNotFound(entity='Server', name=self.name)
        server_attributes.require_known(thing)
        ports = live.all_of(*port.ports_of_project(self))
        if ports is None:
            return thing, {each.port_id
                           for each in self.network_cards.interfaces()}
        return thing, {each.id for each in ports
                       if each.device_id == thing.id}

    def drift_state(self, resource_properties, resource_data):
        """Return what differs from the wish, by property."""
        return server_attributes.drifted(self, resource_properties,
                                         *resource_data)

    def _show_resource(self):
        """Return what Nova shows, and what the agent is told."""
        return {self.OS_COLLECT_CONFIG: super()._resolve_attribute(
            self.OS_COLLECT_CONFIG),
                **self.client_plugin().show_server(self.resource_id)}

    def _seen_just_now(self):
        """Return the server; one look serves all attributes in a row."""
        now = timeutils.wallclock()
        if self._seen is None or not 0 <= now - self._seen[0] < 1:
            self._seen = (now, self.client_plugin().get_server(
                self.resource_id))
        return self._seen[1]

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == self.OS_COLLECT_CONFIG:
            return super()._resolve_attribute(name)
        plugin = self.client_plugin()
        server = self._seen_just_now()
        if name == self.FIRST_ADDRESS:
            return plugin.server_to_ipaddress(server) or ''
        if name == self.CONSOLE_URLS:
            return plugin.get_console_urls(server)
        if name in (self.NETWORKS_ATTR, self.ADDRESSES):
            found = server_attributes.ServerAddresses(
                server, self.sdk('neutron'))
            return (found.networks() if name == self.NETWORKS_ATTR
                    else found.addresses())
        if name == self.TAGS_ATTR and not plugin.is_version_supported(
                server_update.TAGS):
            return None
        return getattr(server, {
            self.ACCESSIPV4: 'access_ipv4', self.ACCESSIPV6: 'access_ipv6',
        }.get(name, name))
