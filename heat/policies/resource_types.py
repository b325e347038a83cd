"""Policy of using resource types in templates."""
from heat.policies import base

#: Types that only administrators may use.
_ADMIN_TYPES = (
    'OS::Blazar::Host',
    'OS::Cinder::EncryptedVolumeType',
    'OS::Cinder::QoSAssociation',
    'OS::Cinder::QoSSpecs',
    'OS::Cinder::Quota',
    'OS::Cinder::VolumeType',
    'OS::Keystone::*',
    'OS::Manila::ShareType',
    'OS::Neutron::ProviderNet',
    'OS::Neutron::QoSBandwidthLimitRule',
    'OS::Neutron::QoSDscpMarkingRule',
    'OS::Neutron::QoSMinimumBandwidthRule',
    'OS::Neutron::QoSMinimumPacketRateRule',
    'OS::Neutron::QoSPolicy',
    'OS::Neutron::Quota',
    'OS::Neutron::Segment',
    'OS::Nova::Flavor',
    'OS::Nova::HostAggregate',
    'OS::Nova::Quota',
    'OS::Octavia::AvailabilityZone',
    'OS::Octavia::AvailabilityZoneProfile',
    'OS::Octavia::Flavor',
    'OS::Octavia::FlavorProfile',
    'OS::Octavia::Quota',
)


def is_restricted(name):
    """Return whether there is a rule for a type, or family of types."""
    return name in _ADMIN_TYPES


def list_rules():
    """Return the rules of this module."""
    return [base.rule('resource_types:' + name, base.RULE_PROJECT_ADMIN,
                      'Use %s in a template.' % name, formerly=None)
            for name in _ADMIN_TYPES]
