"""What judges the episodes sees what is wrong."""
import json
import types

import pytest
import requests

from tests.fakes import http_cloud
from tests.faults import rounds
from tests.faults import subjects
from tests.faults import table


class Service:
    """Answers with resources that a test gives."""

    is_convergent = True

    def __init__(self, directory):
        self.directory = directory
        self.rows = []

    def insist(self, _method, _path, **_params):
        """Return what the API would answer."""
        return 200, {'resources': self.rows}


@pytest.fixture
def subject(tmp_path):
    one = subjects.Subject(Service(tmp_path), 's', size=2)
    one.path = '/stacks/s/1'
    one.service.rows = [row('r0', 'a'), row('r1', 'b')]
    for thing in 'ab':
        (one.ledger.directory / f'thing-{thing}').write_text('{}')
    return one


def row(name, thing, status='CREATE_COMPLETE'):
    return {'resource_name': name, 'resource_type': 'Ledger::Thing',
            'physical_resource_id': thing, 'resource_status': status}


def note(subject, *calls):
    """Note calls: (kind, name, thing, 'a' by default)."""
    (subject.ledger.directory / 'calls').write_text(''.join(
        json.dumps({'call': call, 'name': name, 'stack': '1',
                    'thing': (*more, 'a')[0]}) + '\n'
        for call, name, *more in calls))


def test_a_stack_that_is_as_the_cloud(subject):
    note(subject, ('create', 'r0'), ('create', 'r1'))
    assert subject.faults_of_cloud(is_gone=False) == []


def test_what_the_stack_does_not_know_is_an_orphan(subject):
    (subject.ledger.directory / 'thing-c').write_text('{}')
    assert subject.faults_of_cloud(is_gone=False) == ['orphan c']


def test_what_the_cloud_does_not_have_is_lost(subject):
    (subject.ledger.directory / 'thing-b').unlink()
    assert subject.faults_of_cloud(is_gone=False) == ['lost b']


def test_what_is_left_of_a_stack_that_is_gone(subject):
    assert subject.faults_of_cloud(is_gone=True) == ['orphan a', 'orphan b']


def test_a_resource_that_is_missing_or_failed(subject):
    subject.service.rows[1:] = []
    assert 'resources r1' in subject.faults_of_cloud(is_gone=False)
    subject.service.rows.append(row('r1', 'b', 'CREATE_FAILED'))
    assert subject.faults_of_cloud(is_gone=False) == ['r1 CREATE_FAILED']


def test_what_is_made_twice(subject):
    note(subject, ('create', 'r0'), ('create', 'r0'))
    assert subject.faults_of_cloud(is_gone=False) == ['create 2 times r0']


def test_what_a_killed_engine_made_is_made_again_and_then_deleted(subject):
    note(subject, ('create', 'r0', 'lost'), ('create', 'r0'))
    assert subject.replaced() == []
    assert subject.faults_of_cloud(False, is_mended=True) == [
        'create 2 times r0']


def test_what_a_killed_engine_made_is_deleted_when_it_was_made_again(subject):
    note(subject, ('create', 'r0', 'lost'), ('create', 'r0'),
         ('delete', 'r0', 'lost'))
    assert subject.replaced() == ['r0']
    assert subject.faults_of_cloud(False, is_mended=True) == []
    # The next episode of the stack is another one.
    assert subject.faults_of_cloud(False) == []


def test_what_is_made_again_after_it_was_deleted(subject):
    note(subject, ('create', 'r0'), ('delete', 'r0'), ('create', 'r0'))
    assert subject.faults_of_cloud(is_gone=False) == []


def test_the_first_thing_wrong_is_the_outcome():
    episode = rounds.Episode('f', 'legacy', 'mysql', 'create', 1)
    assert episode.is_good
    episode.spoil('wedged', 'CREATE_IN_PROGRESS')
    episode.spoil('left', 'lock')
    assert not episode.is_good
    assert episode.outcome == 'wedged'
    assert 'CREATE_IN_PROGRESS; lock' in table.line(episode)


def test_figures():
    episodes = [
        rounds.Episode('f', 'legacy', 'mysql', 'create', 1, seconds=7),
        rounds.Episode('f', 'legacy', 'mysql', 'update', 1, 'wedged',
                       refused=4),
        rounds.Episode('g', 'convergence', 'mysql', 'all', 1, 'skipped')]
    assert table.summary(episodes) == [
        'convergence: 0 episodes, 0 ok, none wrong; 0 failed as their '
        'engine or service did and were mended; 0 were refused with 409 at '
        'first, for up to 0 s; the longest ended after 0 s',
        'legacy: 2 episodes, 1 ok, 1 wedged; 0 failed as their engine or '
        'service did and were mended; 1 were refused with 409 at first, for '
        'up to 4 s; the longest ended after 7 s',
        'all: 2 episodes, 1 ok, 1 wedged; 0 failed as their engine or '
        'service did and were mended; 1 were refused with 409 at first, for '
        'up to 4 s; the longest ended after 7 s']


@pytest.fixture
def cloud():
    """Return a cloud that is served: its services and their URLs."""
    keystone = http_cloud.Keystone()
    neutron = http_cloud.Neutron(keystone)
    with http_cloud.listening(keystone) as identity, (
            http_cloud.listening(neutron)) as network:
        keystone.urls.update(identity=f'http://127.0.0.1:{identity}/v3',
                             network=f'http://127.0.0.1:{network}')
        yield types.SimpleNamespace(
            keystone=keystone, neutron=neutron,
            auth=f'http://127.0.0.1:{identity}/v3',
            networks=f'http://127.0.0.1:{network}/v2.0/networks')


def by_trust(cloud, trust):
    """Return the answer to who asks for a token by a trust."""
    return requests.post(cloud.auth + '/auth/tokens', timeout=30, json={
        'auth': {'identity': {'password': {'user': {
            'password': http_cloud.SERVICE_PASSWORD}}},
            'scope': {'OS-TRUST:trust': {'id': trust}}}})


def test_a_trust_that_is_revoked_is_of_no_use(cloud):
    headers = {'X-Auth-Token': cloud.keystone.token()}
    trust = requests.post(
        cloud.auth + '/OS-TRUST/trusts', json={'trust': {}}, timeout=30,
        headers=headers).json()['trust']['id']
    acting = {'X-Auth-Token': by_trust(cloud, trust).headers[
        'X-Subject-Token']}
    made = requests.post(cloud.networks, json={'network': {'name': 'n'}},
                         headers=acting, timeout=30)
    assert made.status_code == 201
    with cloud.keystone.revoked():
        assert by_trust(cloud, trust).status_code == 401
        assert requests.get(cloud.networks, headers=acting,
                            timeout=30).status_code == 401
        assert requests.get(cloud.networks, headers=headers,
                            timeout=30).status_code == 200
    assert by_trust(cloud, trust).status_code == 201


def test_trouble_of_the_network_service(cloud):
    headers = {'X-Auth-Token': cloud.keystone.token()}
    cloud.neutron.trouble = 500
    assert requests.get(cloud.networks, headers=headers,
                        timeout=30).status_code == 500
    cloud.neutron.trouble = None
    assert requests.get(cloud.networks, headers=headers,
                        timeout=30).json() == {'networks': []}
