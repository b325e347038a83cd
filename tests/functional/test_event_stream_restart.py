"""Streams of a service that is killed and starts again.

API and engine are one process here; clients go on where they were.
"""
import pytest

from tests import streaming
from tests.functional import process
from tests.functional import rest
from tests.functional import service
from tests.functional import templates
from tests.functional.templates import hot

ROUNDS = 2


@pytest.mark.parametrize('concurrency', ['threading', 'eventlet'])
def test_nothing_is_lost_or_doubled(tmp_path, monkeypatch, concurrency):
    monkeypatch.setenv('HEAT_CONCURRENCY', concurrency)
    heat = process.HeatAll(tmp_path, plugin_dirs=service.PLUGINS).start()
    api = heat.client('watched')
    stack = api.create('s', hot({'a': templates.thing()}))
    follower = streaming.Follower(
        [heat.port], f'/v1/watched/stacks/s/{stack.id}/events/stream'
        '?from=start&nested_depth=2')
    for number in range(ROUNDS):
        rest.wait_for(lambda: not stack.state.endswith('IN_PROGRESS'),
                      stack.show)
        stack.update(hot({
            f'{number}-{each}': templates.thing() for each in range(20)}))
        # Killed while events are written.
        seen = len(follower.ids)
        rest.wait_for(lambda before=seen: len(follower.ids) > before,
                      lambda: follower.ids)
        heat.kill()
        heat.start()
    rest.wait_for(lambda: not stack.state.endswith('IN_PROGRESS'),
                  stack.show)
    stored = {each['id'] for each in
              stack.get('events', nested_depth=2)['events']}
    rest.wait_for(lambda: stored <= set(follower.ids),
                  lambda: stored - set(follower.ids))
    assert len(follower.ids) == len(set(follower.ids))
    assert follower.connections > ROUNDS
    stack.delete()
    follower.join()
    assert len(follower.ids) == len(set(follower.ids))
    assert heat.terminate() == 0
    assert 'Traceback' not in heat.log.read_text()
