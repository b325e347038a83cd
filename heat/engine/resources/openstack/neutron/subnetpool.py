"""Subnet pools of Neutron."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron


class SubnetPool(neutron.NeutronResource):
    """A subnet pool of Neutron.

    Subnets can be allocated from the pool without choosing their
    address ranges.
    """

    type_name = 'OS::Neutron::SubnetPool'
    support_status = support.SupportStatus(version='6.0.0')
    required_service_extension = 'subnet_allocation'
    entity = 'subnetpool'
    #: Neutron joins adjacent prefixes.
    drift_ignored = ('prefixes',)
    noun = 'subnet_pool'

    PROPERTIES = (
        NAME, ADDRESS_SCOPE, DEFAULT_PREFIXLEN, DEFAULT_QUOTA,
        IS_DEFAULT, MAX_PREFIXLEN, MIN_PREFIXLEN, PREFIXES, SHARED,
        TAGS, TENANT_ID,
    ) = (
        'name', 'address_scope', 'default_prefixlen', 'default_quota',
        'is_default', 'max_prefixlen', 'min_prefixlen', 'prefixes',
        'shared', 'tags', 'tenant_id',
    )

    properties_schema = {
        NAME: fragments.name(),
        ADDRESS_SCOPE: properties.string(
            _('Address scope of the pool, by name or ID.'),
            constraints=[constraints.ref('neutron.address_scope')],
            update_allowed=True),
        DEFAULT_PREFIXLEN: properties.integer(
            _('Default prefix length of subnets allocated from the pool.'),
            constraints=[constraints.Range(min=0)], update_allowed=True),
        DEFAULT_QUOTA: properties.integer(
            _('Quota of each project in the pool, in addresses for IPv4 and '
              'in /64 networks for IPv6.'),
            constraints=[constraints.Range(min=0)], update_allowed=True),
        IS_DEFAULT: properties.boolean(
            _('Whether the pool is the default subnet pool. By default only '
              'administrators may set it.'),
            default=False, update_allowed=True),
        MAX_PREFIXLEN: properties.integer(
            _('Maximum prefix length of subnets allocated from the pool.'),
            constraints=[constraints.Range(min=0)], update_allowed=True),
        MIN_PREFIXLEN: properties.integer(
            _('Minimum prefix length of subnets allocated from the pool.'),
            constraints=[constraints.Range(min=0)], update_allowed=True),
        PREFIXES: properties.list(
            _('Address ranges of the pool in CIDR notation. An update can add '
              'ranges but not remove them.'),
            required=True,
            schema=properties.string(
                _('Address ranges of the pool in CIDR notation. An update can '
                  'add ranges but not remove them.'),
                constraints=[constraints.CustomConstraint('net_cidr')]),
            constraints=[constraints.Length(min=1)], update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            default=False),
        TAGS: fragments.tags(),
        TENANT_ID: fragments.owner(),
    }

    rename = {ADDRESS_SCOPE: 'address_scope_id'}

    def validate(self):
        """Check that the shortest prefix is not longer than the longest."""
        problem = super().validate()
        bounds = [(name, self.properties[name]) for name in (
            self.MIN_PREFIXLEN, self.DEFAULT_PREFIXLEN, self.MAX_PREFIXLEN)]
        known = [(name, value) for name, value in bounds
                 if value is not None]
        for (low, lower), (high, higher) in zip(known, known[1:],
                                                strict=False):
            if lower > higher:
                raise exception.StackValidationFailed(message=_(
                    '%(low)s (%(lower)s) cannot be greater than %(high)s '
                    '(%(higher)s).') % {'low': low, 'lower': lower,
                                        'high': high, 'higher': higher})
        return problem

    def prepare_update(self, body, prop_diff):
        """Leave alone what is not given any more but cannot be unset."""
        body = super().prepare_update(body, prop_diff)
        return {name: value for name, value in body.items()
                if value is not None or name in ('name',
                                                 'address_scope_id')}
