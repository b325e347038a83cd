"""Every type can be compared, or says why not; the guide tells which."""
import pytest

from heat.engine.comparison import support
from tests.unit import drift_page

SERVICES = {'Nova', 'Neutron', 'Cinder', 'Octavia', 'Designate', 'Keystone',
            'Glance', 'Swift', 'Barbican'}
TYPES = drift_page.types()
OF_SERVICES = sorted(
    name for name in TYPES if name.startswith('OS::') and
    drift_page.service_of(name) in SERVICES)


def test_page_is_that_of_the_types():
    assert drift_page.PAGE.read_text() == drift_page.page()


def test_types_of_all_services_are_here():
    assert {drift_page.service_of(name) for name in OF_SERVICES} == SERVICES


@pytest.mark.parametrize('name', OF_SERVICES)
def test_type_compares_or_says_why_not(name):
    cls = TYPES[name]
    reason = support.reason(cls)
    if reason:
        assert reason.endswith('.')
        assert support.compared(cls) == ()
        return
    # What is ignored and what is compared are properties.
    declared = {**cls.properties_schema}
    assert set(cls.drift_ignored) <= declared.keys()
    assert set(support.compared(cls)) <= declared.keys()
    assert not set(cls.drift_ignored) & set(support.compared(cls))


@pytest.mark.parametrize('name', [
    'OS::Nova::Server', 'OS::Nova::KeyPair', 'OS::Neutron::Net',
    'OS::Neutron::Subnet', 'OS::Neutron::Port', 'OS::Neutron::Router',
    'OS::Neutron::RouterInterface', 'OS::Neutron::SecurityGroup',
    'OS::Neutron::SecurityGroupRule', 'OS::Neutron::FloatingIP',
    'OS::Cinder::Volume', 'OS::Cinder::VolumeAttachment',
    'OS::Octavia::LoadBalancer', 'OS::Octavia::Listener',
    'OS::Octavia::Pool', 'OS::Octavia::PoolMember',
    'OS::Designate::Zone', 'OS::Designate::RecordSet',
    'OS::Keystone::User', 'OS::Keystone::UserRoleAssignment',
    'OS::Glance::WebImage', 'OS::Swift::Container',
    'OS::Barbican::Secret'])
def test_what_stacks_consist_of_is_compared(name):
    assert support.reason(TYPES[name]) == ''


def test_type_of_the_engine_alone_is_not_compared():
    assert support.reason(TYPES['OS::Heat::Value'])
