"""Identifiers: as mappings, as ARNs, as URL paths."""
import copy
import json

import pytest

from heat.common import identifier


@pytest.fixture
def stack():
    return identifier.HeatIdentifier('t', 's', 'i')


def test_is_a_mapping(stack):
    values = {'tenant': 't', 'stack_name': 's', 'stack_id': 'i', 'path': ''}
    assert dict(stack) == values
    assert identifier.HeatIdentifier(**values) == stack
    assert hash(identifier.HeatIdentifier(**values)) == hash(stack)
    assert json.loads(json.dumps(dict(stack))) == values
    assert stack.identity == values
    assert 'tenant' in stack
    assert len(stack) == 4
    assert copy.deepcopy(stack) == stack
    assert repr(stack) == repr(values)


def test_arn_and_paths(stack):
    assert stack.arn() == 'arn:openstack:heat::t:stacks/s/i'
    assert stack.url_path() == 't/stacks/s/i'
    assert stack.stack_path() == 's/i'
    assert stack.arn_url_path() == (
        '/arn%3Aopenstack%3Aheat%3A%3At%3Astacks/s/i')


@pytest.mark.parametrize('values', [
    ('t', 's', 'i', ''), ('t', 's', 'i', '/p/q'), ('t:t', 's:%p', 'i', 'p'),
    ('t', 'sp ace', 'i', '/a:b/ü'), ('t', 's', 'i', '/p/'),
])
def test_arn_round_trip(values):
    original = identifier.HeatIdentifier(*values)
    assert identifier.HeatIdentifier.from_arn(original.arn()) == original
    url = 'https://h:8000/v1/signal' + original.arn_url_path() + '?a=b'
    assert identifier.HeatIdentifier.from_arn_url(url) == original


@pytest.mark.parametrize('arn', [
    '', 'arn:aws:heat::t:stacks/s/i', 'arn:openstack:heat::t:stacks/s',
    'arn:openstack:heat::t', 'arn:openstack:heat::t:things/s/i'])
def test_wrong_arns(arn):
    with pytest.raises(ValueError, match='valid ARN'):
        identifier.HeatIdentifier.from_arn(arn)


@pytest.mark.parametrize('url', [
    'ftp://h/arn%3Aopenstack%3Aheat%3A%3At%3Astacks%2Fs%2Fi',
    'http://h/no/such', 'nothing'])
def test_wrong_arn_urls(url):
    with pytest.raises(ValueError, match='ARN|URL'):
        identifier.HeatIdentifier.from_arn_url(url)


def test_slash_in_names_is_refused():
    with pytest.raises(ValueError, match='stack name'):
        identifier.HeatIdentifier('t', 's/s', 'i')
    with pytest.raises(ValueError, match='resource name'):
        identifier.ResourceIdentifier('t', 's', 'i', '', 'a/b')


def test_unknown_attribute(stack):
    assert stack.tenant == 't'
    with pytest.raises(AttributeError, match='colour'):
        stack.colour  # noqa: B018


def test_resource_identifier(stack):
    resource = identifier.ResourceIdentifier(**stack, resource_name='r x')
    assert resource.path == '/resources/r x'
    assert resource.resource_name == 'r x'
    assert resource.stack() == stack
    assert resource.arn().endswith('/resources/r%20x')
    again = identifier.ResourceIdentifier(**dict(resource))
    assert again.resource_name == 'r x'


def test_event_identifier(stack):
    resource = identifier.ResourceIdentifier(**stack, resource_name='r')
    event = identifier.EventIdentifier(**resource, event_id='e')
    assert event.path == '/resources/r/events/e'
    assert event.event_id == 'e'
    assert event.resource_name == 'r'
    assert event.resource() == resource
    assert event.stack() == stack
