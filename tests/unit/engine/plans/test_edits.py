"""One stack, described anew as moves leave it."""
import pytest

from heat.engine.plans import edits
from heat.objects import resource as resource_objects
from tests.fakes import stacks

TEXT = """
resources:
  a: {type: Test::Thing}
  b: {type: Test::Thing, properties: {value: {get_resource: a}}}
outputs:
  o: {value: {get_attr: [b, output]}}
"""
INNER = """
heat_template_version: 2018-08-31
resources:
  i: {type: Test::Thing}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def edit(engine, **options):
    stack = engine.create(TEXT, **options)
    rows = resource_objects.Resource.get_all_active_of_stacks(
        engine.context, [stack.id])[stack.id]
    return edits.Edit(stack, (), dict(rows), stack.t)


def test_names_change_wherever_they_stand(engine):
    found = edit(engine, env={'resource_registry': {'resources': {
        'a': {'hooks': 'pre-delete'}}}})
    found.names['a'] = 'c'
    tmpl = found.new_template()
    assert tmpl.t['resources']['b']['properties'] == {
        'value': {'get_resource': 'c'}}
    assert tmpl.id == found.old_template.id
    assert tmpl.env.env_as_dict()['resource_registry']['resources'] == {
        'c': {'hooks': 'pre-delete'}}
    assert set(found.old_template.t['resources']) == {'a', 'b'}


def test_who_refers_to_what_leaves(engine):
    found = edit(engine)
    assert found.referrer() is None
    found.gone['a'] = 'id-of-a'
    assert found.referrer() == ('a', 'b')
    found.gone['b'] = 'id-of-b'
    assert found.referrer() == ('b', 'o')
    assert found.new_template().t['outputs'] == {'o': {'value': ''}}


def test_types_of_another_stack_are_known_unless_ours_are(engine):
    other = engine.create(TEXT, files={'x.yaml': INNER, 'y.yaml': 'theirs'},
                          env={'resource_registry': {
                              'My::X': 'x.yaml', 'My::Y': 'y.yaml',
                              'resources': {'a': {'hooks': 'pre-delete'}}}})
    found = edit(engine, files={'y.yaml': 'ours'}, env={
        'resource_registry': {'My::Y': 'z.yaml'}})
    found.lend(other)
    tmpl = found.new_template()
    assert dict(tmpl.files) == {'x.yaml': INNER, 'y.yaml': 'ours'}
    registry = tmpl.env.env_as_dict()['resource_registry']
    assert registry['My::X'] == 'x.yaml'
    assert registry['My::Y'] == 'z.yaml'
    assert not registry.get('resources')
    assert dict(found.old_template.files) == {'y.yaml': 'ours'}
