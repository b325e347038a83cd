"""What becomes of calls and queues when there is nobody to take them."""
import contextlib
import socket
import threading
import time
import urllib.parse

import kombu
import pytest

from tests.fakes import servers
from tests.integration import cluster as cluster_module


@pytest.fixture
def cluster(tmp_path):
    with cluster_module.running(
            tmp_path, servers.Server('mysql'), hosts=('one',),
            queues_ttl=2, periodic_interval=2, rpc_response_timeout=150,
            apis=1) as one:
        yield one


def queues(cluster, names):
    """Return those of the queues that are there."""
    url = cluster.broker.url.replace('rabbit://', 'amqp://')
    found = []
    with kombu.Connection(url) as connection:
        for name in names:
            try:
                connection.channel().queue_declare(name, passive=True)
            except connection.channel_errors:
                continue
            found.append(name)
    return found


def listens(url):
    parts = urllib.parse.urlsplit(url)
    with contextlib.suppress(OSError), socket.create_connection(
            (parts.hostname, parts.port), timeout=2):
        return True
    return False


def test_what_is_asked_before_an_engine_listens_is_answered(cluster):
    answers = []
    cluster.wait_for(lambda: listens(cluster.api.url), 'the API')

    def ask():
        # Reads do not wait for longer than 10 s.
        answers.append(cluster.api.call('POST', '/validate', {
            'template': {'heat_template_version': '2018-08-31',
                         'description': 'early'}}, timeout=200))

    waiting = threading.Thread(target=ask)
    waiting.start()
    # Time enough to send it before there is any queue.
    time.sleep(3)
    began = time.monotonic()
    cluster.start_engine('one')
    waiting.join(200)
    assert [answer['Description'] for answer in answers] == ['early']
    # Not after rpc_response_timeout.
    assert time.monotonic() - began < 75


def test_queues_of_dead_engines_go(cluster):
    cluster.use()
    engine_id = cluster.engine_ids()['one']
    names = [f'engine_worker.{engine_id}',
             f'heat-engine-listener.{engine_id}']
    # An engine may report before it has all of them.
    cluster.wait_for(lambda: queues(cluster, names) == names, 'the queues')
    # They stay as long as somebody listens.
    time.sleep(3)
    assert queues(cluster, names) == names
    cluster.engines['one'].kill()
    # To look for a queue counts as using it.
    cluster.wait_for(lambda: not queues(cluster, names), 'queues to go',
                     poll=4)
    # What is asked of no engine in particular still waits for one.
    assert queues(cluster, ['engine']) == ['engine']
