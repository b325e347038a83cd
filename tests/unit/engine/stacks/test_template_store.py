"""Templates of stacks as they are stored, and kept in memory."""
import pytest

from heat.common import exception
from heat.engine import stack as stack_module
from heat.engine import template
from heat.engine.stacks import template_store
from heat.objects import stack as stack_objects
from tests.fakes import stacks

CHAIN = stacks.CHAIN


def test_template_is_parsed_once(engine, monkeypatch):
    stack = engine.create(CHAIN)
    template_store.forget_all()
    first = engine.reload(stack)
    assert engine.reload(stack).t is first.t
    with pytest.raises(RuntimeError, match='shared'):
        first.t.remove_resource('a')


def of_resources(number):
    return template.Template({
        'heat_template_version': '2018-08-31',
        'resources': {f'r{each}': {'type': 'OS::Heat::None'}
                      for each in range(number)}})


def test_cache_is_bounded():
    cache = template_store._Cache(2, 100)
    a, b, c, d = (of_resources(1) for _turn in range(4))
    for key, tmpl in (('a', a), ('b', b), ('c', c)):
        cache.put(key, tmpl)
    assert cache.get('a') is None
    assert cache.get('b') is b
    cache.put('d', d)
    assert cache.get('c') is None
    assert cache.get('b') is b


def test_large_templates_fill_the_cache_sooner():
    cache = template_store._Cache(100, 50)
    for key in range(10):
        cache.put(key, of_resources(10))
    assert [key for key in range(10) if cache.get(key)] == [5, 6, 7, 8, 9]
    # What is put anew, or dropped, does not count twice.
    for _turn in range(20):
        cache.put(9, of_resources(10))
    cache.drop(5)
    cache.put(10, of_resources(10))
    assert cache.get(6)
    # Larger ones than all of the cache are kept, too, while they are used.
    for key in range(11, 15):
        cache.put(key, of_resources(200))
    assert [key for key in range(15) if cache.get(key)] == [11, 12, 13, 14]
    cache.clear()
    for key in range(5):
        cache.put(key, of_resources(10))
    assert cache.get(0)


def test_template_replaced_while_reading(engine):
    stack = engine.create(CHAIN)
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    engine.update(stack, CHAIN.replace('hello', 'hi'))
    template_store.delete(engine.context, row.raw_template_id)
    loaded = stack_module.Stack.load(engine.context, stack=row)
    assert loaded.parameters['word'] == 'hi'
    row.id = 'gone'
    with pytest.raises(exception.EntityNotFound):
        stack_module.Stack.load(engine.context, stack=row)
