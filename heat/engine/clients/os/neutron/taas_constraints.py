"""Custom constraints about what taps into networks."""
from heat.engine.clients.os.neutron import neutron_constraints


class TapServiceConstraint(neutron_constraints.NeutronConstraint):
    """A tap service."""

    resource_name = 'tap_service'
    extension = 'taas'


class TapFlowConstraint(neutron_constraints.NeutronConstraint):
    """A tap flow."""

    resource_name = 'tap_flow'
    extension = 'taas'


#: By the names that templates and schemas use.
CONSTRAINTS = {'neutron.taas.tap_flow': TapFlowConstraint,
               'neutron.taas.tap_service': TapServiceConstraint}
