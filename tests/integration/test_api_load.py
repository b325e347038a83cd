"""Two hundred clients of two APIs and two engines at the same time.

For 20 seconds, or as many as HEAT_TEST_LOAD_SECONDS says.
"""
import collections
import os
import random
import threading
import time

import pytest
import requests

from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import templates

CLIENTS = 200
SECONDS = int(os.environ.get('HEAT_TEST_LOAD_SECONDS', '20'))
#: Seconds a client may wait for an answer: half a minute on one core that
#: has nothing else to do.
PATIENCE = 150
TEMPLATE = templates.mesh(2)


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    with cluster_module.running(
            tmp_path_factory.mktemp('api-load'), servers.Server('mysql'),
            rpc_response_timeout=PATIENCE, max_stacks_per_tenant=-1) as one:
        one.use()
        yield one


class Client:
    """Shows, lists, creates and deletes, one request after the other."""

    def __init__(self, urls, number):
        self._urls = urls
        self._number = number
        self._random = random.Random(number)
        self._session = requests.Session()
        self._made = 0
        #: {name: id} of what was created and not deleted, as answered.
        self.stacks = {}
        self.gone = set()
        self.answers = collections.Counter()
        self.odd = []

    def work(self, over):
        while not over.is_set():
            kind = self._random.choices(
                ('show', 'list', 'create', 'delete'), (40, 30, 20, 10))[0]
            try:
                getattr(self, f'_{kind}')()
            except requests.RequestException as error:
                self.odd.append((kind, type(error).__name__, str(error)))

    def _ask(self, kind, method, path, expected, **kwargs):
        answer = self._session.request(
            method, self._random.choice(self._urls) + path,
            timeout=PATIENCE, allow_redirects=False, **kwargs)
        self.answers[kind, answer.status_code] += 1
        if answer.status_code not in expected:
            self.odd.append((kind, answer.status_code, answer.text[:300]))
        return answer

    def _any(self):
        return self._random.choice(sorted(self.stacks.items()))

    def _show(self):
        if self.stacks:
            name, stack_id = self._any()
            answer = self._ask('show', 'GET', f'/stacks/{name}/{stack_id}',
                               {200})
            if answer.ok and answer.json()['stack']['id'] != stack_id:
                self.odd.append(('show', 'another stack', answer.text))

    def _list(self):
        answer = self._ask('list', 'GET', '/stacks', {200},
                           params={'limit': 20})
        if answer.ok:
            found = [each['id'] for each in answer.json()['stacks']]
            if len(found) != len(set(found)):
                self.odd.append(('list', 'doubled', found))

    def _create(self):
        self._made += 1
        name = f'load-{self._number}-{self._made}'
        answer = self._ask('create', 'POST', '/stacks', {201}, json={
            'stack_name': name, 'template': TEMPLATE})
        if answer.status_code == 201:
            self.stacks[name] = answer.json()['stack']['id']

    def _delete(self):
        if self.stacks:
            name, stack_id = self._any()
            answer = self._ask('delete', 'DELETE',
                               f'/stacks/{name}/{stack_id}', {204})
            if answer.status_code == 204:
                del self.stacks[name]
                self.gone.add(name)


def _serve(clients):
    """Let the clients work at the same time."""
    over = threading.Event()
    threads = [threading.Thread(target=client.work, args=(over,))
               for client in clients]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS)
    over.set()
    for thread in threads:
        thread.join(PATIENCE * 2)
    assert not any(thread.is_alive() for thread in threads)


def _rows(cluster):
    return cluster.sql('SELECT name, id, action, status FROM stack '
                       'WHERE deleted_at IS NULL AND owner_id IS NULL')


def test_nothing_is_lost_or_doubled(cluster):
    clients = [Client([api.url for api in cluster.apis], number)
               for number in range(CLIENTS)]
    _serve(clients)
    answers = sum((client.answers for client in clients),
                  collections.Counter())
    print(sorted(answers.items()), sum(answers.values()) / SECONDS, 'per s')
    assert [odd for client in clients for odd in client.odd] == []
    assert all(client.answers for client in clients)
    cluster.wait_for(
        lambda: not [row for row in _rows(cluster)
                     if row[3] == 'IN_PROGRESS'], 'rest', timeout=180)
    promised = {name: stack_id for client in clients
                for name, stack_id in client.stacks.items()}
    rows = _rows(cluster)
    assert sorted((name, stack_id) for name, stack_id, _a, _s in rows) == (
        sorted(promised.items()))
    assert {(action, status) for _n, _i, action, status in rows} == {
        ('CREATE', 'COMPLETE')}
    assert cluster.tracebacks() == [], cluster.logs()
