"""A plugin with the types of alarms, as recorded."""
from tests.fakes import recorded_types


def resource_mapping():
    """Return the types that templates and aliases stand for."""
    return {name: recorded_types.classes()[name] for name in (
        'OS::Aodh::CompositeAlarm',
        'OS::Aodh::GnocchiAggregationByResourcesAlarm')}
