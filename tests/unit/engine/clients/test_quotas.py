"""What services answer when a quota is exhausted, and what only looks alike.
"""
from keystoneauth1 import exceptions as ks_exceptions
import pytest

from heat.engine import clients
from tests.fakes import cloud
from tests.fakes import stack as fake_stack


def neutron_says(kind, message):
    return {'NeutronError': {'type': kind, 'message': message, 'detail': ''}}


@pytest.fixture
def judge():
    """Return a function that gives the plugin of a name."""
    clients.plugins()
    # Plugins know it weakly.
    context = fake_stack.context(user_id='anna')
    context.auth_url = 'http://keystone.test'
    return lambda name: clients.OpenStackClients(context).client_plugin(name)


@pytest.mark.parametrize(('service', 'status', 'body'), [
    ('neutron', 409, neutron_says(
        'OverQuota', "Quota exceeded for resources: ['network'].")),
    # The type is the same in all languages.
    ('neutron', 409, neutron_says('OverQuota', 'Zu viel davon.')),
    ('nova', 403, {'forbidden': {'code': 403, 'message': (
        'Quota exceeded for instances: Requested 1, but already used 0 of 0 '
        'instances')}}),
    ('nova', 403, {'forbidden': {
        'code': 403, 'message': 'Quota exceeded, too many server groups.'}}),
    ('nova', 403, {'forbidden': {
        'code': 403, 'message': 'Maximum number of ports exceeded'}}),
    ('cinder', 413, {'overLimit': {'code': 413, 'message': (
        'VolumeLimitExceeded: Maximum number of volumes allowed (0) exceeded '
        "for quota 'volumes'."), 'retryAfter': '0'}}),
    ('octavia', 403, {'faultcode': 'Client', 'faultstring': (
        'Quota has been met for resources: Load Balancer')})])
def test_exhausted_quota_is_no_conflict(judge, service, status, body):
    error = cloud.refusal(status, body)
    assert judge(service).is_over_limit(error)
    assert not judge(service).is_conflict(error)


@pytest.mark.parametrize(('service', 'body'), [
    ('neutron', neutron_says(
        'NetworkInUse', 'Unable to complete operation on network n. There '
        'are one or more ports still in use on the network.')),
    ('neutron', neutron_says(
        'IpAddressGenerationFailure',
        'No more IP addresses available on network n.')),
    ('nova', {'conflictingRequest': {'code': 409, 'message': (
        "Cannot 'detach_interface' while it is in vm_state building")}}),
    ('octavia', {'faultcode': 'Client', 'faultstring': (
        'Load Balancer l is immutable and cannot be updated.')})])
def test_what_is_in_the_way_now_is_a_conflict(judge, service, body):
    error = cloud.refusal(409, body)
    assert judge(service).is_conflict(error)
    assert not judge(service).is_over_limit(error)


def test_what_a_user_may_not_do_is_no_limit(judge):
    error = cloud.refusal(403, {'forbidden': {'code': 403, 'message': (
        "Policy doesn't allow os_compute_api:os-quota-sets:update")}})
    assert not judge('nova').is_over_limit(error)


def test_too_many_requests_are_a_limit(judge):
    assert judge('nova').is_over_limit(cloud.refusal(429, {}))
    assert not judge('nova').is_over_limit(
        ks_exceptions.ConnectFailure('quota exceeded'))
