"""Alarms of Aodh scale a load-balanced group, up and down."""
import datetime
import os
import time
import uuid

from oslo_config import cfg
import oslo_messaging
import pytest

from tests.acceptance import test_examples as examples

#: Where Aodh's listener looks for events.
EVENTS = os.environ.get('HEAT_ACCEPTANCE_EVENTS',
                        'rabbit://guest:guest@127.0.0.1:5672/devcloud')
#: Seconds.
COOLDOWN = 20
MEMBER = 'load_balanced_member.yaml'


@pytest.fixture
def publish(tenant):
    """Return a function that publishes an event as Ceilometer does."""
    transport = oslo_messaging.get_notification_transport(
        cfg.ConfigOpts(), url=EVENTS)
    notifier = oslo_messaging.Notifier(
        transport, driver='messagingv2', topics=['alarm.all'],
        publisher_id='acceptance')

    def publish_event(**traits):
        now = datetime.datetime.now(datetime.UTC).replace(
            tzinfo=None).isoformat()
        notifier.sample({}, 'event', [{
            'message_id': str(uuid.uuid4()), 'event_type': 'web.load',
            'generated': now, 'raw': {}, 'message_signature': '',
            'traits': [['project_id', 1, tenant.project_id],
                       *([name, 1, value]
                         for name, value in traits.items())]}])

    yield publish_event
    transport.cleanup()


def test_alarms_scale_a_group(stacks, tenant, publish):
    path = examples.begin(stacks, tenant, 'alarm_scaling', {
        **examples.SMALL, 'cooldown': COOLDOWN}, files=[MEMBER])
    ids = stacks.physical_ids(path)
    stack_id = path.rpartition('/')[2]
    balancing = tenant.connection('member').load_balancer

    def members(number):
        seen = stacks.outputs(path)
        listed = sorted(each.address for each in balancing.members(
            ids['pool']))
        return (seen['size'] == number == len(listed)
                and listed == sorted(seen['addresses']))

    assert members(1)
    # Nobody else's load matters.
    publish(level='high', stack=str(uuid.uuid4()))
    publish(level='high', stack=stack_id)
    stacks.until(lambda: members(2))
    alarm = tenant.connection('member').session.get(
        f'/v2/alarms/{ids["load_high"]}',
        endpoint_filter={'service_type': 'alarming'}).json()
    assert alarm['state'] == 'alarm'

    # Within the cooldown an alarm changes nothing, however often it calls.
    for _each in range(8):
        publish(level='high', stack=stack_id)
        time.sleep(1)
        assert members(2)

    def after(level, number):
        # Events repeat until the load changes.
        publish(level=level, stack=stack_id)
        return members(number)

    stacks.until(lambda: after('high', 3))
    stacks.until(lambda: after('low', 2))
    stacks.delete(path)
