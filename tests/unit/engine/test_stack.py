"""A stack as it is loaded: its resources, outputs, names and places."""
import gc
import weakref

from oslo_config import cfg
import pytest

from heat.common import exception
from heat.engine import resource
from heat.engine import stack as stack_module
from heat.objects import stack as stack_objects
from heat.objects import transaction
from tests.fakes import stacks

CHAIN = stacks.CHAIN


def test_rows_are_read_with_one_statement(engine):
    stack = engine.create(CHAIN)
    stack = engine.reload(stack)
    stack['a'].state  # noqa: B018 (reads the rows)
    before = transaction.counters()['statements']
    assert [res.state for res in stack.values()] == [
        ('CREATE', 'COMPLETE')] * 2
    assert transaction.counters()['statements'] == before


def test_outputs_make_only_what_they_need(engine):
    stack = engine.create("""
resources:
  a: {type: Test::Thing, properties: {value: one}}
  b: {type: Test::Thing}
outputs:
  out: {value: {get_attr: [a, output]}}
""")
    stack = engine.reload(stack)
    assert engine.values(stack) == {'out': 'one'}
    assert list(stack.resources._made) == ['a']


def test_missing_path_of_an_output_is_null(engine):
    stack = engine.create(CHAIN)
    assert engine.values(stack) == {'out': 'hello', 'broken': None}


def test_a_stack_is_freed_without_the_collector(engine):
    stack = engine.create(CHAIN)
    engine.values(stack)
    gc.collect()
    gc.disable()
    try:
        ref = weakref.ref(engine.reload(stack))
        assert ref() is None
    finally:
        gc.enable()


def test_load_all(engine):
    engine.create(CHAIN, 'one')
    engine.create(CHAIN, 'two')
    names = {stack.name for stack in stack_module.Stack.load_all(
        engine.context)}
    assert names == {'one', 'two'}


def test_load_by_class_method(engine):
    stack = engine.create(CHAIN)
    assert stack_module.Stack.load(engine.context,
                                   stack_id=stack.id).name == 'st'
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    assert stack_module.Stack.load(engine.context, stack=row).id == stack.id


def test_refids(engine):
    stack = engine.create(CHAIN)
    found = stack.resource_by_refid(stack['a'].resource_id)
    assert found is stack['a']
    assert stack.resource_by_refid('nothing') is None


def test_access_handlers(engine):
    stack = engine.create(CHAIN)
    stack.register_access_allowed_handler(
        'creds', lambda name: name == 'a')
    assert stack.access_allowed('creds', 'a')
    assert not stack.access_allowed('creds', 'b')
    assert not stack.access_allowed('other', 'a')


def test_path_and_counts(engine):
    stack = engine.create(
        'resources: {n: {type: inner.yaml}}', files={'inner.yaml': """
heat_template_version: 2018-08-31
resources: {t: {type: Test::Thing}}
"""})
    child = stack['n'].nested()
    assert child.object_path_in_stack() == [('st', 'n'), (child.name, None)]
    assert stack.total_resources() == 2
    assert [res.name for res in stack.iter_resources(nested_depth=1)] == [
        'n', 't']


def test_name_tags_and_timeout(engine):
    stack = engine.stack(CHAIN, timeout_mins=5, tags=['x', 'y'])
    assert stack.timeout_secs() == 300
    assert engine.reload(stack).tags == ['x', 'y']
    other = engine.stack(CHAIN, 'other')
    assert other.timeout_secs() == cfg.CONF.stack_action_timeout
    assert engine.reload(other).tags == []


def test_resource_is_loaded_by_its_id(engine):
    """Plugins call Resource.load() as the workers of Heat do."""
    stack = engine.create("""
resources:
  a: {type: Test::Thing, properties: {value: one}}
""")
    loaded, defn, its_stack = resource.Resource.load(
        engine.context, stack['a'].id, stack.current_traversal, True, {})
    assert (loaded.name, loaded.id, loaded.state) == (
        'a', stack['a'].id, ('CREATE', 'COMPLETE'))
    assert loaded.stack is its_stack
    assert its_stack.id == stack.id
    assert defn.resource_definition('a') == loaded.t
    with pytest.raises(exception.NotFound):
        resource.Resource.load(engine.context, 10 ** 6, None, True, {})
