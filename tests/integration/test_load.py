"""Much at the same time: restarts under load, and contended updates."""
import collections
from concurrent import futures
import threading
import time

import pytest
import requests

from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import ledger as ledger_module
from tests.integration import templates

OPTIONS = {
    'periodic_interval': 2,
    'convergence_scan_interval': 1,
    # Fifty ask at once.
    'rpc_response_timeout': 120,
    'plugin_dirs': ledger_module.PLUGINS,
}


@pytest.fixture(scope='module')
def processes(tmp_path_factory):
    with cluster_module.running(
            tmp_path_factory.mktemp('load'), servers.Server('mysql'),
            **OPTIONS) as one:
        yield one


@pytest.fixture
def cluster(processes):
    processes.use()
    return processes


# -- rolling restart --------------------------------------------------------

class Customer:
    """Makes, changes and deletes stacks as long as the test lasts."""

    def __init__(self, cluster, ledger, number, over):
        self._api = cluster_module.Api(
            int(cluster.apis[number % 2].url.split(':')[2].split('/')[0]),
            'demo')
        self._ledger = ledger
        self._number = number
        self._over = over
        self.stacks = 0

    def work(self):
        while not self._over.is_set():
            self.stacks += 1
            self._one_stack(f'load{self._number}-{self.stacks}')

    def _one_stack(self, name):
        path = self._api.create(name, self._ledger.mesh(30, seconds=0.3))
        self._wait(path, 'CREATE_COMPLETE')
        self._api.call('PUT', path, {'template': self._ledger.mesh(
            30, value='new', changed=15, seconds=0.3)}, expect=202)
        self._wait(path, 'UPDATE_COMPLETE')
        self._api.call('DELETE', path, expect=204)
        self._wait(path, 'DELETE_COMPLETE')

    def _wait(self, path, wanted):
        end = time.monotonic() + cluster_module.PATIENCE
        while time.monotonic() < end:
            stack = self._api.show(path)
            if stack['stack_status'] == wanted:
                return
            assert stack['stack_status'].endswith('IN_PROGRESS'), stack
            time.sleep(0.2)
        raise AssertionError(f'{path} is not {wanted}: {stack}')


def test_rolling_restart_under_load(cluster, tmp_path):
    ledger = ledger_module.Ledger(tmp_path / 'things')
    over = threading.Event()
    customers = [Customer(cluster, ledger, number, over)
                 for number in range(4)]
    with futures.ThreadPoolExecutor(len(customers)) as threads:
        jobs = [threads.submit(one.work) for one in customers]
        try:
            time.sleep(2)
            for host in ('one', 'two', 'one', 'two'):
                cluster.engines[host].terminate()
                cluster.engines[host].wait()
                cluster.start_engine(host)
                cluster.wait_until_up()
        finally:
            over.set()
        for job in jobs:
            job.result()
    assert all(one.stacks for one in customers)
    assert ledger.things() == []
    made = {call['thing'] for call in ledger.calls('create')}
    assert len(made) == 30 * sum(one.stacks for one in customers)
    assert cluster.tracebacks() == [], cluster.logs()


# -- updates at once --------------------------------------------------------

UPDATES, SIZE = 50, 10


def contended(value):
    """Return a template all of whose resources have the same value."""
    return {'heat_template_version': templates.VERSION, 'resources': {
        f'r{number}': templates.leaf(
            [f'r{number - 1}'] if number % 3 else (), value=value,
            action_wait_secs={'update': 0.1})
        for number in range(SIZE)}}


def test_of_many_updates_at_once_the_last_accepted_wins(cluster):
    path = cluster.api.create('contended', contended('first'))
    cluster.wait_status(path, 'CREATE_COMPLETE')
    begins = threading.Barrier(UPDATES)

    def update(number):
        api = cluster.apis[number % 2]
        begins.wait()
        # They come within a second, some while others are carried out.
        time.sleep(number % 10 / 10)
        began = time.monotonic()
        answer = requests.put(
            api.url + path, json={'template': contended(f'v{number}')},
            timeout=180)
        return number, began, time.monotonic(), answer

    with futures.ThreadPoolExecutor(UPDATES) as threads:
        answers = list(threads.map(update, range(UPDATES)))
    accepted = {f'v{number}': (began, ended)
                for number, began, ended, answer in answers
                if answer.status_code == 202}
    for _number, _began, _ended, answer in answers:
        if answer.status_code != 202:
            assert answer.status_code == 409
            assert answer.json()['error']['type'] == 'ActionInProgress'
    cluster.wait_status(path, 'UPDATE_COMPLETE')

    final = {one['properties']['value'] for one in
             cluster.api.get(path + '/template')['resources'].values()}
    assert len(final) == 1
    winner, = final
    assert winner in accepted
    # Of those accepted none began after the winner had its answer.
    assert not [value for value, (began, _ended) in accepted.items()
                if began > accepted[winner][1]]
    values = cluster.sql(
        'SELECT d.value FROM resource r JOIN resource_data d '
        "ON d.resource_id = r.id AND d.key = 'value' "
        'WHERE r.stack_id = :stack_id', stack_id=path.split('/')[-1])
    assert collections.Counter(values) == {(winner,): SIZE}
    # Each accepted one has begun; none was dropped.
    started = [event for event in cluster.api.events(path)
               if event['resource_name'] == 'contended' and
               event['resource_status'] == 'UPDATE_IN_PROGRESS']
    assert len(started) == len(accepted)
    print(f'{len(accepted)} of {UPDATES} updates were accepted')


# -- what one engine does alone ---------------------------------------------

def test_replacement_is_prepared_once(cluster, tmp_path):
    """However long it takes, and however often engines look meanwhile."""
    ledger = ledger_module.Ledger(tmp_path / 'things')
    number, seconds = 8, 6

    def template(size):
        return {'heat_template_version': templates.VERSION, 'resources': {
            f'r{n}': {'type': 'Ledger::Lender', 'properties': {
                'ledger': str(ledger.directory), 'size': size,
                'lending': seconds}} for n in range(number)}}

    path = cluster.api.create('lent', template(1))
    cluster.wait_status(path, 'CREATE_COMPLETE')
    cluster.api.call('PUT', path, {'template': template(2)}, expect=202)
    cluster.wait_for(lambda: len(ledger.calls('lend')) == number,
                     'all to be asked')
    # Whoever looks at the stack now finds the nodes ready.
    cluster.wait_status(path, 'UPDATE_COMPLETE')
    assert ledger.repeated('lend', 'lent') == {}
    assert ledger.repeated('create') == {
        ('create', f'r{n}'): 2 for n in range(number)}
    assert len(ledger.things()) == number
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)
    assert ledger.things() == []


def test_preparation_is_taken_over(cluster, tmp_path):
    """An engine is killed while it waits for a plugin."""
    ledger = ledger_module.Ledger(tmp_path / 'things')

    def template(size, seconds):
        return {'heat_template_version': templates.VERSION, 'resources': {
            'r': {'type': 'Ledger::Lender', 'properties': {
                'ledger': str(ledger.directory), 'size': size,
                'lending': seconds}}}}

    path = cluster.api.create('lent', template(1, 5))
    cluster.wait_status(path, 'CREATE_COMPLETE')
    cluster.api.call('PUT', path, {'template': template(2, 5)}, expect=202)
    cluster.wait_for(lambda: ledger.calls('lend'), 'it to be asked')
    [(engine_id,)] = cluster.sql(
        'SELECT engine_id FROM resource WHERE stack_id = :stack_id',
        stack_id=path.split('/')[-1])
    [host] = [host for host, one in cluster.engine_ids().items()
              if one == engine_id]
    cluster.engines[host].kill()
    cluster.wait_status(path, 'UPDATE_COMPLETE')
    first, second = ledger.calls('lend')
    assert first['pid'] != second['pid']
    assert len(ledger.things()) == 1
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)
    assert ledger.things() == []
