"""Nothing hidden is told: by no answer, and by no log.

One story with secrets of every kind runs on both drivers. What was hidden
is then looked for in the answers of all routes that read, and in the logs
of API and engine at level debug.
"""
import json

import pytest
import sqlalchemy as sa

from heat.common import secrecy
from heat.common import stored_secrets
from heat.db import models
from heat.db import session
from heat.engine import environment
from heat.objects import raw_template
from tests.functional import conftest as fixtures
from tests.functional import rest
from tests.functional import service as service_module
from tests.functional import test_software as software
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
DEFAULT, INNER_DEFAULT = story_module.DEFAULT, story_module.INNER_DEFAULT
INNERMOST = story_module.INNERMOST


#: Routes that tell what they are asked for by name: attributes of one
#: resource, its metadata, and configs, which servers read.
def _is_asked_for(path):
    return path.count('/') == 1 and path.startswith('resources/') or (
        path.endswith('/metadata'))


def _answers(stack):
    """Yield (path, answer) for what can be read of a stack."""
    for path in ('', 'template', 'environment', 'files', 'outputs', 'export',
                 'snapshots', 'resources', 'resources?with_detail=true',
                 'resources?nested_depth=5&with_detail=true', 'events',
                 'events?nested_depth=5'):
        answer = stack.request('GET', path)
        assert answer.status == 200, (path, answer)
        yield path, answer
        if path == 'resources?with_detail=true':
            continue
        for listed in (answer.json or {}).get('events', ())[:400]:
            [link] = [each['href'] for each in listed['links']
                      if each['rel'] == 'self']
            yield link, stack.client.request(
                'GET', link.partition('localhost')[2], expect=200)
    for name in stack.resources():
        yield f'resources/{name}/events', stack.request(
            'GET', f'resources/{name}/events', expect=200)
    for body in ({}, {'template': stack.get('template')}):
        yield 'preview', stack.request('PATCH', 'preview', body)


def _without_own_texts(stack, path, text):
    """Return an answer less the defaults in what the user wrote."""
    if path in ('template', 'files', 'export', 'snapshots', 'preview'):
        for own in (DEFAULT, INNER_DEFAULT):
            text = text.replace(own, '')
    return text


def test_no_answer_tells_what_is_hidden(story, api):
    stack = story()
    taken = stack.request('POST', 'snapshots', {'name': 'x'}, expect=200)
    snapshot = taken.json['id']
    rest.wait_for(lambda: stack.get(f'snapshots/{snapshot}')['snapshot'][
        'status'] == 'COMPLETE', lambda: stack.get('snapshots'))
    read = 0
    for one in story_module.stacks_in(stack):
        for path, answer in _answers(one):
            read += 1
            text = _without_own_texts(one, path, answer.text)
            found = [each for each in TEXTS if each in text]
            assert found == [], (one.name, path, text)
    assert read > 300
    for path in ('stacks', 'stacks/detail?show_nested=true',
                 'software_configs', 'stacks?show_nested=true'):
        text = api.request('GET', path, expect=200).text
        assert not any(each in text for each in TEXTS)


def test_shown_parameters_and_environments_are_masked(story):
    stack = story()
    child = stack.nested('child')
    masked = child.get('environment')
    assert masked['parameters'] == dict.fromkeys(
        ['given', 'from_items', 'from_tree', 'digits'], '******')
    shown = child.show()['parameters']
    assert shown['given'] == shown['from_tree'] == '******'
    assert shown['open'] == 'open'
    assert child.nested('deep').get('environment')['parameters'] == {
        'very': '******'}
    # It derives from what is hidden, not by a parameter.
    uses = stack.nested('uses_value')
    assert uses.show()['parameters']['very'] == '******'
    defaults = {'from_defaults': '******', 'gets_default': 'open-default'}
    for one in (stack, child, child.nested('deep')):
        assert one.get('environment')['parameter_defaults'] == defaults
    # What a user wrote stays as it was.
    assert stack.get('template') == story_module.template()


def test_keys_of_maps_are_hidden(driver, api, conf):
    conf('enable_stack_abandon', True)
    conf('encrypt_parameters_and_properties', True)
    text = 'hidden-name-of-a-user'
    inner = {**hot({'t': thing(metadata={'users': param('users')})}),
             'parameters': {'users': {'type': 'json'}}}
    by_name = {'yaql': {'expression': 'dict([[$.data.name, 1]])',
                        'data': {'name': param('name')}}}
    stack = api.created('k', hot(
        {'child': {'type': 'inner.yaml', 'properties': {'users': by_name}},
         'plain': thing(metadata={'users': by_name})},
        parameters={'name': {'type': 'string', 'hidden': True}}),
        files={'inner.yaml': json.dumps(inner)}, parameters={'name': text})
    stack.request('POST', 'snapshots', {}, expect=200)
    stack.wait('SNAPSHOT_COMPLETE')
    for one in story_module.stacks_in(stack):
        for path, answer in _answers(one):
            assert text not in answer.text, (one.name, path, answer.text)
    child = stack.nested('child')
    assert child.get('resources/t/metadata')['metadata'] == {
        'users': {text: 1}}
    # What is exported can be adopted; the masked metadata is made anew.
    abandoned = stack.request('DELETE', 'abandon', expect=200)
    stack.wait_deleted()
    conf('enable_stack_adopt', True)
    answer = api.request('POST', 'stacks', {
        'stack_name': 'l', 'adopt_stack_data': abandoned.text,
        'parameters': {'name': text}}, expect=201)
    adopted = rest.Stack(api, 'l', answer.json['stack']['id'])
    adopted.wait('ADOPT_COMPLETE')
    assert adopted.get('resources/plain/metadata')['metadata'] == {
        'users': {text: 1}}


def test_a_secret_that_is_changed(story, api):
    stack = story()
    changed = {**SECRETS, 'word': 'hidden-other'}
    stack.update(story_module.template(), files=FILES, environment={
        'parameters': changed, 'parameter_defaults': {
            'from_defaults': 'hidden-from-defaults'}})
    software.offered(stack, deploy_action='UPDATE')
    software.signal(stack)
    stack.wait('UPDATE_COMPLETE')
    assert stack.nested('child').nested('deep').resource(
        't')['attributes']['value'] == 'x-hidden-other'
    for one in story_module.stacks_in(stack):
        for path in '', 'environment', 'template', 'export', 'events':
            text = _without_own_texts(
                one, path, one.request('GET', path, expect=200).text)
            found = [each for each in TEXTS if each in text]
            assert found == [], (one.name, path, text)


# -- errors ------------------------------------------------------------------

@pytest.fixture
def teller(service):
    """Have a type whose errors tell what it was given, in many ways."""
    class Teller(service_module.thing().Thing):
        """Something whose service quotes what it does not like."""

        def handle_create(self):
            value = self.properties['value']
            raise ValueError(f'bad: {value} {value!r} {json.dumps(value)} '
                             f'{[value]}')

    environment.global_env().register_class('Test::Teller', Teller)


def test_errors_do_not_tell_what_is_hidden(story, api, teller):
    inner = INNERMOST.replace('Test::Thing', 'Test::Teller')
    stack = api.create('f', hot({
        'child': {'type': 'inner.yaml', 'properties': {
            'very': param('word')}},
        'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': 1, 'resource_def': {
                'type': 'Test::Teller', 'properties': {
                    'value': param('word')}}}}},
        parameters={'word': {'type': 'string', 'hidden': True}}),
        files={'inner.yaml': inner}, parameters={'word': SECRETS['word']})
    stack.wait('CREATE_FAILED')
    assert 'bad: ' in stack.show()['stack_status_reason']
    for one in story_module.stacks_in(stack):
        for path in ('', 'events', 'resources', 'environment', 'template'):
            text = one.request('GET', path, expect=200).text
            assert 'hidden-' not in text, (one.name, path, text)
    with session.reader(None) as connection:
        for table in (models.STACK, models.EVENT):
            assert 'hidden-' not in str(connection.execute(
                table.select()).all())


@pytest.mark.parametrize('constraint', [
    {'length': {'max': 3}}, {'allowed_pattern': '[0-9]+'},
    {'allowed_values': ['a']}, {'custom_constraint': 'ip_addr'}])
def test_refusals_do_not_tell_what_is_hidden(driver, api, constraint):
    """Not even when only the nested template has the constraint."""
    inner = {**hot(), 'parameters': {'very': {
        'type': 'string', 'constraints': [constraint]}}}
    answer = api.create('s', hot(
        {'child': {'type': 'inner.yaml',
                   'properties': {'very': param('word')}}},
        parameters={'word': {'type': 'string', 'hidden': True}}),
        files={'inner.yaml': json.dumps(inner)},
        parameters={'word': SECRETS['word']}, expect=400)
    assert 'hidden-' not in answer.text


# -- what was stored before --------------------------------------------------

def _forget_what_is_inherited():
    """Store environments as older releases, and another service, did."""
    with session.writer(None) as connection:
        for row in connection.execute(models.RAW_TEMPLATE.select()).all():
            env = dict(row.environment or {})
            if env.pop(stored_secrets.KEY, None) is not None:
                connection.execute(models.RAW_TEMPLATE.update().where(
                    models.RAW_TEMPLATE.c.id == row.id).values(
                        environment=env))


def test_stacks_that_were_stored_before(driver, api, conf):
    """What they inherit is found out from the stacks above."""
    conf('enable_stack_abandon', True)
    stack = api.created('o', hot(
        {'child': {'type': 'inner.yaml', 'properties': {
            'given': param('word')}},
         'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
             'count': 1, 'resource_def': {
                 'type': 'Test::Thing', 'properties': {
                     'value': param('word')}}}}},
        parameters={'word': {'type': 'string', 'hidden': True}}),
        files=FILES, environment={
            'parameters': {'word': SECRETS['word']},
            'parameter_defaults': {'from_defaults': 'hidden-inner'}})
    _forget_what_is_inherited()
    service_module.template_store.forget_all()
    for one in story_module.stacks_in(stack):
        for path in '', 'environment', 'template', 'export':
            text = _without_own_texts(
                one, path, one.request('GET', path, expect=200).text)
            assert 'hidden-w0rd' not in text, (one.name, path, text)
    stack.patched(parameters={'word': 'hidden-w0rd-2'})
    assert stack.nested('child').show()['parameters']['given'] == '******'
    with session.reader(None) as connection:
        kept = connection.execute(sa.select(
            models.RAW_TEMPLATE.c.environment).join(
                models.STACK, models.STACK.c.raw_template_id ==
                models.RAW_TEMPLATE.c.id).where(
                    models.STACK.c.owner_id == stack.id,
                    models.STACK.c.deleted_at.is_(None))).scalars().all()
    assert len(kept) == 2
    assert all(stored_secrets.KEY in env for env in kept)


def test_nothing_is_read_twice_without_secrets(driver, api):
    """A tree without secrets is stored as one that inherits nothing."""
    stack = api.created('n', hot({'child': {
        'type': 'innermost.yaml', 'properties': {'very': 'open'}}}),
        files=FILES)
    assert stack.nested('child').show()['parameters']['very'] == 'open'
    with session.reader(None) as connection:
        [template_id] = connection.execute(sa.select(
            models.STACK.c.raw_template_id).where(
                models.STACK.c.owner_id == stack.id)).scalars()
    stored = raw_template.RawTemplate.get_by_id(None, template_id)
    assert stored_secrets.inherited_of(
        stored.environment) == secrecy.Inherited()
