"""The client of the network service, as plugins of resources see it."""
import functools

from heat.common import exception
from heat.engine.clients import native
from heat.engine.clients import os as os_client
from heat.engine.clients import sdk
from heat.engine.clients import sdk_plugin
from heat.engine.clients.os.neutron import extensions

CLIENT_NAME = 'neutron'


class NeutronClientPlugin(os_client.ExtensionMixin,
                          sdk_plugin.SDKClientPlugin):
    """Finds things of Neutron by name or id, and knows its extensions."""

    client_name = CLIENT_NAME
    proxy = 'network'
    service_types = [NETWORK] = ['network']

    RES_TYPES = (
        RES_TYPE_NETWORK, RES_TYPE_SUBNET, RES_TYPE_ROUTER, RES_TYPE_PORT,
        RES_TYPE_SUBNET_POOL, RES_TYPE_ADDRESS_SCOPE,
        RES_TYPE_SECURITY_GROUP, RES_TYPE_QOS_POLICY, RES_TYPE_LOADBALANCER,
        RES_TYPE_LB_LISTENER, RES_TYPE_LB_POOL, RES_TYPE_LB_L7POLICY,
    ) = (
        'network', 'subnet', 'router', 'port',
        'subnetpool', 'address_scope',
        'security_group', 'policy', 'loadbalancer',
        'listener', 'pool', 'l7policy',
    )

    listed_by_name = {
        'network': 'networks', 'subnet': 'subnets', 'router': 'routers',
        'security_group': 'security_groups'}

    #: Heat's nouns that openstacksdk has other words for.
    _NOUNS = {'floatingip': 'ip', 'subnetpool': 'subnet_pool',
              'policy': 'qos_policy',
              'port_pair': 'sfc_port_pair',
              'port_pair_group': 'sfc_port_pair_group',
              'flow_classifier': 'sfc_flow_classifier'}

    #: Things that the load balancing service has taken over from Neutron.
    _OF_OCTAVIA = {RES_TYPE_LOADBALANCER: 'load_balancer',
                   RES_TYPE_LB_LISTENER: 'listener',
                   RES_TYPE_LB_POOL: 'pool',
                   RES_TYPE_LB_L7POLICY: 'l7_policy'}

    def is_no_unique(self, ex):
        """Return whether an error means that a name stands for several."""
        return isinstance(ex, (sdk.exceptions.DuplicateResource,
                               exception.PhysicalResourceNameAmbiguity)) or (
            type(ex).__name__ == 'NeutronClientNoUniqueMatch')

    def is_invalid(self, ex):
        """Return whether an error means that the request was wrong."""
        return isinstance(ex, sdk.exceptions.BadRequestException) or (
            native.status_of(CLIENT_NAME, ex) == 400)

    def find_resourceid_by_name_or_id(self, resource, name_or_id,
                                      cmd_resource=None):
        """Return the id of a thing; EntityNotFound if there is none."""
        if resource in self._OF_OCTAVIA:
            plugin = self.clients.client_plugin('octavia')
            return plugin.find(self._OF_OCTAVIA[resource], name_or_id)
        return self.find(self._NOUNS.get(resource, resource), name_or_id)

    def get_qos_policy_id(self, policy):
        """Return the id of a QoS policy, given that or its name."""
        return self.find_resourceid_by_name_or_id(self.RES_TYPE_QOS_POLICY,
                                                  policy)

    def get_secgroup_uuids(self, security_groups):
        """Return the ids of security groups, given these or their names.

        An administrator sees the groups of all projects; where several have
        the name that of the own project is meant.
        """
        return [self._secgroup_uuid(group) for group in security_groups]

    def _secgroup_uuid(self, group):
        try:
            return self.find(self.RES_TYPE_SECURITY_GROUP, group)
        except exception.PhysicalResourceNameAmbiguity:
            return self.find(self.RES_TYPE_SECURITY_GROUP, group,
                             project_id=self.context.tenant_id)

    def resolve_pool(self, props, pool_key, pool_id_key):
        """Return the id of a pool that one of two properties names.

        The name or id under `pool_key` moves to `pool_id_key`, as an id.
        """
        return self._resolved(props, pool_key, pool_id_key,
                              self.RES_TYPE_LB_POOL)

    def resolve_router(self, props, router_key, router_id_key):
        """Return the id of a router that one of two properties names.

        The name or id under `router_key` moves to `router_id_key`, as an id.
        """
        return self._resolved(props, router_key, router_id_key,
                              self.RES_TYPE_ROUTER)

    def _resolved(self, props, key, id_key, resource):
        if props.get(key):
            props[id_key] = self.find_resourceid_by_name_or_id(
                resource, props.pop(key))
        return props[id_key]

    def check_lb_status(self, lb_id):
        """Return whether a load balancer is ready.

        :raises ResourceInError: it never becomes ready
        """
        client = self.clients.sdk('octavia')
        status = client.get_load_balancer(lb_id).provisioning_status
        if status == 'ERROR':
            raise exception.ResourceInError(resource_status=status)
        return status == 'ACTIVE'

    def network_id_from_subnet_id(self, subnet_id):
        """Return the network that a subnet is of."""
        return self.sdk().get_subnet(subnet_id).network_id

    def _list_extensions(self):
        return {extension.alias for extension in self.sdk().extensions()}

    # -- things by their noun, for plugins of extensions ---------------------

    def _request(self, verb, resource):
        noun = self._NOUNS.get(resource, resource)
        return getattr(self.sdk(), '%s_%s' % (verb, noun))

    def extension_request(self, verb, noun):
        """Return the function that sends a request about such a thing."""
        return functools.partial(getattr(self.sdk(), '_' + verb),
                                 extensions.resource_class(noun))

    def create_ext_resource(self, resource, props):
        """Create a thing of an extension; return what it is like."""
        return sdk.shown(self._request('create', resource)(**props))

    def update_ext_resource(self, resource, prop_diff, resource_id):
        """Change a thing of an extension."""
        self._request('update', resource)(resource_id, **prop_diff)

    def delete_ext_resource(self, resource, resource_id):
        """Delete a thing of an extension; it has to be there."""
        self._request('delete', resource)(resource_id, ignore_missing=False)

    def show_ext_resource(self, resource, resource_id):
        """Return what a thing of an extension is like."""
        return sdk.shown(self._request('get', resource)(resource_id))

    def check_ext_resource_status(self, resource, resource_id):
        """Return whether a thing of an extension is ready.

        :raises ResourceInError: it will never be.
        """
        status = self.show_ext_resource(resource, resource_id)['status']
        if status == 'ERROR':
            raise exception.ResourceInError(resource_status=status)
        return status == 'ACTIVE'

    def resolve_ext_resource(self, resource, name_or_id):
        """Return the id of a thing of an extension."""
        return self.find_resourceid_by_name_or_id(resource, name_or_id)
