"""Common base of the resources of the network service."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import support
from heat.engine.resources import sdk_resource

ALLOWED_SECURITY_GROUP_PROTOCOLS = [
    'any', 'ah', 'dccp', 'egp', 'esp', 'gre', 'icmp', 'icmpv6', 'igmp',
    'ipip', 'ipv6-encap', 'ipv6-frag', 'ipv6-icmp', 'ipv6-nonxt',
    'ipv6-opts', 'ipv6-route', 'ospf', 'pgm', 'rsvp', 'sctp', 'tcp', 'udp',
    'udplite', 'vrrp']

SECURITY_GROUP_PROTOCOL_DESCRIPTION = _(
    'IP protocol of the packets that the rule matches: %s, or a number from '
    '0 to 255.') % ', '.join(ALLOWED_SECURITY_GROUP_PROTOCOLS)

#: The protocols of rules, by number and by name.
RULE_PROTOCOLS = [*range(256), *(
    name for name in ALLOWED_SECURITY_GROUP_PROTOCOLS
    if name not in ('any', 'ipip'))]

#: States of what Neutron builds by and by.
BUILT = sdk_resource.WaitFor(
    ready=frozenset(['ACTIVE', 'DOWN', 'N/A']),
    pending=frozenset(['BUILD', 'PENDING_CREATE', 'PENDING_UPDATE']),
    failed=frozenset(['ERROR']))

#: What value_specs may not set, whatever the type.
_NOT_FOR_USERS = ('shared', 'tenant_id')


class NeutronResource(sdk_resource.SDKResource):
    """Base of the resources of the network service."""

    default_client_name = 'neutron'

    TAGS = 'tags'
    VALUE_SPECS = 'value_specs'
    PORT_SECURITY_ENABLED = 'port_security_enabled'

    omit: tuple[str, ...] = (TAGS, VALUE_SPECS)

    #: Whether creating takes several requests, after any of which it may
    #: fail: nobody knows then what is missing.
    made_in_steps = False
    #: The key of what is shown, where that is not the entity.
    res_info_key: str | None = None

    def validate(self):
        """Check that value_specs does not say what has its own property."""
        problem = super().validate()
        specs = (self.VALUE_SPECS in self.properties_schema and
                 self.properties[self.VALUE_SPECS]) or {}
        banned = sorted(specs.keys() & {*self.properties_schema,
                                        *_NOT_FOR_USERS})
        if banned:
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      self.stack.t.RES_PROPERTIES, self.VALUE_SPECS],
                message=_('%s cannot be specified here') % ', '.join(banned))
        return problem

    def prepare_create(self, body):
        """Add what value_specs says."""
        if self.VALUE_SPECS in self.properties_schema:
            body[self.VALUE_SPECS] = self.properties[self.VALUE_SPECS]
            self.merge_value_specs(body)
        return body

    def prepare_update(self, body, prop_diff):
        """Add what a changed value_specs says."""
        if self.VALUE_SPECS in prop_diff:
            before = self.properties[self.VALUE_SPECS]
            body[self.VALUE_SPECS] = prop_diff[self.VALUE_SPECS]
            self.merge_value_specs(body, before)
        return body

    @staticmethod
    def merge_value_specs(props, before_value_specs=None):
        """Put what value_specs says beside the other properties.

        :param before_value_specs: what need not be sent again.
        """
        specs = props.pop('value_specs', None) or {}
        before = before_value_specs or {}
        props.update((name, value) for name, value in specs.items()
                     if name not in before or before[name] != value)

    @staticmethod
    def prepare_properties(properties, name):
        """Return the properties that have a value, as a request has them.

        :param name: the name of the thing if the template has none.
        """
        props = {key: value for key, value in properties.items()
                 if value is not None}
        if 'name' in properties.props:
            props.setdefault('name', name)
        if 'value_specs' in props:
            NeutronResource.merge_value_specs(props)
        return props

    def prepare_update_properties(self, prop_diff):
        """Change a diff of properties to what a request has, in place."""
        if self.VALUE_SPECS in prop_diff:
            self.merge_value_specs(prop_diff,
                                   self.properties[self.VALUE_SPECS])
        if self.name_property in prop_diff and (
                prop_diff[self.name_property] is None):
            prop_diff[self.name_property] = self.physical_resource_name()

    def _store_config_default_properties(self, attrs):
        """Keep what the service chose for properties without a value."""
        if self.PORT_SECURITY_ENABLED in attrs:
            self.data_set(self.PORT_SECURITY_ENABLED,
                          str(attrs[self.PORT_SECURITY_ENABLED]))

    def _create(self):
        created = super()._create()
        if self._tags():
            self.set_tags(self._tags(), created)
        return created

    def _tags(self):
        return (self.properties[self.TAGS]
                if self.TAGS in self.properties_schema else None)

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if self.TAGS in prop_diff:
            self.set_tags(prop_diff[self.TAGS] or [])

    def set_tags(self, tags, found=None):
        """Make these the tags of the thing.

        :param found: what the client says of it, if that is known.
        """
        if found is None:
            found = self._verb('get')(self.resource_id)
        self.sdk().set_tags(found, tags)

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return what differs from the wish, not what Neutron chose."""
        found = super().parse_live_resource_data(resource_properties,
                                                 resource_data)
        return {name: value for name, value in found.items()
                if resource_properties.get(name) is not None}

    def drift_list_is_proof(self):
        """Return True: Neutron lists whatever it shows."""
        return self._is_listed()

    def _takes_steps(self):
        """Return whether creating it takes several requests."""
        return self.made_in_steps or bool(self._tags())

    def needs_replace_failed(self):
        """Replace what failed unless it is there and well."""
        if not self.resource_id or (self.action == self.CREATE and
                                    self._takes_steps()):
            return True
        with self.client_plugin().ignore_not_found:
            live = self._show_resource()
            return live.get('status', 'ACTIVE') in ('ERROR',)
        return True

    @staticmethod
    def is_built(attributes):
        """Return whether attributes are those of a thing that is ready."""
        return BUILT.reached(attributes, attributes.get('name'))


class ExtensionResource(NeutronResource):
    """Base of things of the network service that the client cannot name."""

    def _verb(self, verb):
        return self.client_plugin().extension_request(verb, self.entity)


def renamed(given, **names):
    """Return the items of a map that have a value, as a request has them.

    :param names: what requests call items that have another name there.
    """
    return {names.get(name, name): value for name, value in given.items()
            if value is not None}


def hidden(version, deprecated, since=None):
    """Return the support status of an old name that is hidden by now.

    :param deprecated: the version that deprecated it.
    :param since: the version that brought it, if that is known.
    """
    return support.SupportStatus(
        status=support.HIDDEN, version=version,
        previous_status=support.SupportStatus(
            status=support.DEPRECATED, version=deprecated,
            previous_status=since and support.SupportStatus(version=since)))
