"""The preview of an update says what the update does."""
import pytest

from heat.common import exception
from heat.engine.plans import preview
from heat.engine.stacks import store as stack_store
from tests.fakes import stacks

BEFORE = """
resources:
  same: {type: Test::Thing, properties: {value: one}}
  changed: {type: Test::Thing, properties: {value: one}}
  replaced: {type: Test::Thing, properties: {fixed: one}}
  gone: {type: Test::Thing}
  follows:
    type: Test::Thing
    properties: {value: {get_attr: [changed, output]}}
"""
AFTER = """
resources:
  same: {type: Test::Thing, properties: {value: one}}
  changed: {type: Test::Thing, properties: {value: two}}
  replaced: {type: Test::Thing, properties: {fixed: two}}
  new: {type: Test::Thing}
  follows:
    type: Test::Thing
    properties: {value: {get_attr: [changed, output]}}
"""
INNER = """
heat_template_version: 2018-08-31
parameters:
  word: {type: string, default: x}
  more: {type: string, default: n}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: word}}}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def previewed(engine, stack, text, files=None, **options):
    """Return {section: names} of an update."""
    updated = stack_store.wanted_stack(stack, engine.template(
        text, files=files))
    found = preview.of_update(stack, updated, lambda res: res.name,
                              **options)
    return {section: names for section, names in found.items() if names}


def test_each_resource_is_in_one_section(engine):
    stack = engine.create(BEFORE)
    assert previewed(engine, stack, AFTER) == {
        'added': ['new'], 'deleted': ['gone'], 'replaced': ['replaced'],
        'unchanged': ['follows', 'same'], 'updated': ['changed']}


def test_nothing_is_changed_by_it(engine):
    stack = engine.create(BEFORE)
    rows, log = engine.rows(stack), list(engine.log)
    previewed(engine, stack, AFTER)
    assert engine.rows(stack) == rows
    assert engine.log == log


def test_update_does_what_was_foreseen(engine):
    stack = engine.create(BEFORE)
    found = previewed(engine, stack, AFTER)
    with stacks.sequence_of(engine) as seen:
        engine.update(stack, AFTER)
    done = {}
    for what, name in seen:
        done.setdefault(what, set()).add(name)
    assert done['create'] == {*found['added'], *found['replaced']}
    assert done['delete'] == {*found['deleted'], *found['replaced']}
    assert set(found['updated']) <= done['update']


def test_same_template_changes_nothing(engine):
    stack = engine.create(BEFORE)
    assert set(previewed(engine, stack, BEFORE)) == {'unchanged'}


def nested(word, **more):
    given = ', '.join(f'{key}: {value}' for key, value in {
        'word': word, **more}.items())
    return (f'resources: {{n: {{type: inner.yaml, '
            f'properties: {{{given}}}}}}}')


def test_resources_inside_are_shown_if_they_are_asked_for(engine):
    files = {'inner.yaml': INNER}
    stack = engine.create(nested('one'), files=files)
    changed = nested('two')
    assert previewed(engine, stack, changed, files) == {'updated': ['n']}
    assert previewed(engine, stack, changed, files, show_nested=True) == {
        'updated': ['n', 't']}
    assert previewed(engine, stack, 'resources: {}', show_nested=True) == {
        'deleted': ['n', 't']}
    empty = engine.create('resources: {}', 'empty')
    assert previewed(engine, empty, changed, files, show_nested=True) == {
        'added': ['n', 't']}


def test_files_that_change_count_where_something_follows(engine):
    stack = engine.create(nested('one'), files={'inner.yaml': INNER})
    other = INNER.replace('get_param: word', 'get_param: more')
    assert previewed(engine, stack, nested('one'),
                     {'inner.yaml': other}) == {'updated': ['n']}
    # A remark in a template changes nothing inside.
    assert previewed(engine, stack, nested('one'), {
        'inner.yaml': INNER + '# remark\n'}) == {'unchanged': ['n']}


def test_property_that_never_changes_is_an_error(engine, monkeypatch):
    monkeypatch.setitem(stacks.Thing.properties_schema, 'set', stacks.
                        properties.Schema('String', immutable=True))
    text = 'resources: {a: {type: Test::Thing, properties: {set: one}}}'
    stack = engine.create(text)
    with pytest.raises(exception.NotSupported):
        previewed(engine, stack, text.replace('one', 'two'))
