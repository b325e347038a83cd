"""Notifications of the operations of stacks."""

from heat.common import messaging
from tests.fakes import notifier as fake_notifier


def test_notifications_tell_start_and_end(engine, notifier):
    engine.create('resources: {}', tags=['t'])
    assert [(level, kind) for level, kind, _p in notifier.sent] == [
        ('INFO', 'orchestration.stack.create.start'),
        ('INFO', 'orchestration.stack.create.end')]
    payload = notifier.sent[-1][2]
    assert set(payload) == {
        'tenant_id', 'user_id', 'user_identity', 'username',
        'stack_identity', 'stack_name', 'state', 'state_reason',
        'create_at', 'description', 'updated_at', 'tags'}
    assert payload['state'] == 'CREATE_COMPLETE'
    assert payload['user_id'] == 'anna'
    assert payload['user_identity'] == 'anna-id'
    assert payload['tags'] == ['t']
    assert notifier.publisher.startswith('orchestration.')


def test_notification_of_a_failure_is_an_error(engine, notifier):
    engine.create('resources: {a: {type: Test::Thing, '
                  'properties: {fail: true}}}')
    assert notifier.sent[-1][:2] == (
        'ERROR', 'orchestration.stack.create.error')


def test_a_broken_bus_stops_nothing(engine, monkeypatch):
    class Broken(fake_notifier.Notifier):
        def info(self, context, event_type, payload):
            raise OSError('bus away')

    monkeypatch.setattr(messaging.TRANSPORTS, 'notifier', Broken())
    assert engine.create('resources: {}').state == ('CREATE', 'COMPLETE')
