"""No table holds in the clear what is hidden, when that is encrypted."""
import json
import logging

import pytest
import sqlalchemy as sa

from heat.db import models
from heat.db import session
from heat.engine.clients.os import nova
from heat.engine.resources.openstack.nova import keypair
from tests.fakes import cloud
from tests.functional import conftest as fixtures
from tests.functional import rest
from tests.functional.templates import hot
from tests.functional.templates import param
from tests.functional.templates import thing
from tests.security import story as story_module

_no_account = fixtures._no_account
service = fixtures.service
api = fixtures.api
conf = fixtures.conf
driver = fixtures.driver
story = story_module.story

SECRETS, TEXTS, FILES = (story_module.SECRETS, story_module.TEXTS,
                         story_module.FILES)


#: What a story has made, beside what it was given: (what, value).
def _made(stack):
    yield 'random', stack.resource('random')['attributes']['value']
    yield 'secret key', stack.resource('key')['attributes']['SecretAccessKey']


def _tables():
    """Return {table: what is stored there, as it is stored}."""
    with session.reader(None) as connection:
        return {table.name: json.dumps([
            [value if isinstance(value, (str, int, float)) else str(value)
             for value in row] for row in connection.execute(
                 sa.text(f'SELECT * FROM {table.name}'))],  # noqa: S608
            ensure_ascii=False)
            for table in models.METADATA.sorted_tables}


def _found_in_tables(texts):
    return [(name, text) for name, stored in _tables().items()
            for text in texts if text in stored]


@pytest.fixture
def encrypting(conf):
    """Have hidden values encrypted from now on."""
    conf('encrypt_parameters_and_properties', True)


def test_no_table_holds_what_is_hidden(encrypting, story, api):
    stack = story()
    made = [value for _what, value in _made(stack)]
    assert all(len(value) >= 16 for value in made)
    assert _found_in_tables([*TEXTS, *made]) == []
    # While something runs, and when something is kept to go back to.
    stack.request('POST', 'snapshots', {}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')
    assert _found_in_tables(TEXTS) == []
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    assert _found_in_tables(TEXTS) == []
    assert stack.nested('child').nested('deep').resource(
        't')['attributes']['value'] == 'x-' + SECRETS['word']
    for one in story_module.stacks_in(stack):
        text = one.request('GET', 'environment', expect=200).text
        assert not any(each in text for each in TEXTS)


class _Compute(cloud.FakeService):
    """Makes key pairs."""

    def create_keypair(self, name, **values):
        return self._create('keypair', id=name, name=name, fingerprint='f',
                            public_key='public', **{
                                'private_key': 'hidden-private-key',
                                **values})

    def get_keypair(self, name, user_id=None):
        return self._get('keypair', name)

    def delete_keypair(self, name, ignore_missing, user_id=None):
        return self._delete('keypair', name)


@pytest.mark.parametrize('is_encrypting', [True, False])
def test_a_private_key_is_always_encrypted(driver, api, conf, monkeypatch,
                                           is_encrypting, caplog):
    conf('encrypt_parameters_and_properties', is_encrypting)
    conf('enable_stack_abandon', True)
    caplog.set_level(logging.DEBUG)
    compute = _Compute()
    monkeypatch.setattr(keypair.KeyPair, 'sdk',
                        lambda self, *_arguments, **_options: compute)
    monkeypatch.setattr(
        keypair.KeyPair, 'client_plugin', lambda self, *_arguments:
        nova.NovaClientPlugin(self.context))
    monkeypatch.setattr(keypair.KeyPair, 'is_service_available',
                        classmethod(lambda cls, context: (True, None)))
    stack = api.created('k', hot({'key': {
        'type': 'OS::Nova::KeyPair',
        'properties': {'name': 'k', 'save_private_key': True}}}))
    assert stack.resource('key')['attributes']['private_key'] == (
        'hidden-private-key')
    for path in '', 'resources', 'events', 'environment', 'template':
        assert 'hidden-' not in stack.request('GET', path, expect=200).text
    assert 'hidden-private' not in caplog.text
    assert _found_in_tables(['hidden-private']) == []
    stack.deleted()


def test_life_goes_on_with_encryption(encrypting, story, api):
    """Whatever is encrypted is read again."""
    stack = story()
    before = stack.nested('group').resources()
    answer = stack.request('POST', 'snapshots', {}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')
    stack.request('POST', 'resources/plain/signal', {'a': 'b'}, expect=200)
    stack.request('PATCH', '', {'parameters': {'open': 'other'}}, expect=202)
    stack.wait('UPDATE_COMPLETE')
    assert stack.nested('group').resources().keys() == before.keys()
    assert stack.show()['parameters']['open'] == 'other'
    metadata = stack.get('resources/plain/metadata')['metadata']
    assert metadata['word'] == SECRETS['word']
    snapshot = answer.json['id']
    stack.request('POST', f'snapshots/{snapshot}/restore', expect=202)
    stack.wait('RESTORE_COMPLETE')
    assert stack.show()['parameters']['open'] == 'open'
    assert _found_in_tables(TEXTS) == []


def test_a_stack_is_adopted_with_encryption(encrypting, story, api):
    stack = api.created('a', hot(
        {'t': thing(value=param('word')),
         'child': {'type': 'innermost.yaml', 'properties': {
             'very': param('word')}}},
        parameters={'word': {'type': 'string', 'hidden': True}}),
        files=FILES, parameters={'word': SECRETS['word']})
    abandoned = stack.request('DELETE', 'abandon', expect=200)
    assert 'hidden-w0rd' not in abandoned.text
    stack.wait_deleted()
    answer = api.request('POST', 'stacks', {
        'stack_name': 'b', 'adopt_stack_data': abandoned.text,
        'parameters': {'word': 'hidden-new'}}, expect=201)
    adopted = rest.Stack(api, 'b', answer.json['stack']['id'])
    adopted.wait('ADOPT_COMPLETE')
    assert adopted.nested('child').show()['parameters']['very'] == '******'
    assert _found_in_tables(TEXTS) == []


