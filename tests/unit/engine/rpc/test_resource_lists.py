"""Lists of resources, read from their rows."""
import pytest

from heat.engine.rpc import resource_lists
from heat.objects import stack as stack_objects
from heat.objects import transaction

INNER = """
heat_template_version: 2018-08-31
parameters: {p: {type: string, default: q}}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: p}}}
"""
TREE = """
parameters: {secret: {type: string, hidden: true, default: open-sesame}}
resources:
  n: {type: inner.yaml, properties: {p: {get_param: secret}}}
  a: {type: Test::Thing}
  b: {type: Test::Unchecked, depends_on: a}
"""


@pytest.fixture
def stack(engine):
    return engine.create(TREE, 'web', files={'inner.yaml': INNER})


def listed(engine, stack, nested_depth=0, with_detail=False, **filters):
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    return {each['resource_name']: each for each in resource_lists.of_tree(
        engine.context, row, nested_depth=nested_depth,
        with_detail=with_detail, filters=filters)}


def test_row_shows_what_it_is(engine, stack):
    shown = listed(engine, stack)
    assert set(shown) == {'a', 'b', 'n'}
    a = shown['a']
    assert (a['resource_type'], a['resource_action'], a['resource_status'],
            a['physical_resource_id'], a['stack_name']) == (
        'Test::Thing', 'CREATE', 'COMPLETE', stack['a'].resource_id, 'web')
    assert a['required_by'] == ['b']
    assert shown['b']['required_by'] == []
    assert a['resource_identity']['path'] == '/resources/a'
    assert 'attributes' not in a


def test_resources_of_nested_stacks(engine, stack):
    shown = listed(engine, stack, nested_depth=1)
    assert set(shown) == {'a', 'b', 'n', 't'}
    assert shown['t']['parent_resource'] == 'n'
    assert (shown['n']['nested_stack_id']['stack_id'] ==
            shown['t']['stack_identity']['stack_id'])
    assert 'parent_resource' not in shown['a']


@pytest.mark.parametrize(('filters', 'names'), [
    ({'name': 'a'}, {'a'}), ({'name': ['a', 'b', 'x']}, {'a', 'b'}),
    ({'status': 'COMPLETE'}, {'a', 'b', 'n'}),
    ({'status': 'CREATE_COMPLETE'}, {'a', 'b', 'n'}),
    ({'status': 'UPDATE_COMPLETE'}, set()), ({'status': 'FAILED'}, set()),
    ({'action': 'CREATE', 'type': 'Unchecked'}, {'b'}),
    ({'type': ['Thing', 'inner']}, {'a', 'n'}),
    ({'physical_resource_id': 'no-such'}, set()),
    ({'unknown': 'x'}, {'a', 'b', 'n'})])
def test_filters(engine, stack, filters, names):
    assert set(listed(engine, stack, **filters)) == names


def test_many_nested_stacks_take_no_more_statements(engine):
    def cost(number):
        names = '\n'.join(f'  n{each}: {{type: inner.yaml}}'
                          for each in range(number))
        stack = engine.create(f'resources:\n{names}',
                              files={'inner.yaml': INNER})
        listed(engine, stack, nested_depth=1)
        before = transaction.counters()['statements']
        assert len(listed(engine, stack, nested_depth=1)) == number + 1
        return transaction.counters()['statements'] - before

    assert cost(4) == cost(1)


def test_details_are_added_without_what_is_hidden(engine, stack):
    shown = listed(engine, stack, nested_depth=1, with_detail=True)
    assert 'metadata' in shown['a']
    assert shown['t']['attributes']['output'] == '******'
    assert 'open-sesame' not in str(shown)


def test_details_of_many_resources_load_their_stack_once(engine):
    def cost(number):
        names = '\n'.join(f'  t{each}: {{type: Test::Thing}}'
                          for each in range(number))
        stack = engine.create(f'resources:\n{names}')
        listed(engine, stack, with_detail=True)
        before = transaction.counters()['statements']
        assert len(listed(engine, stack, with_detail=True)) == number
        return transaction.counters()['statements'] - before

    # One more for the values of each.
    assert cost(8) <= cost(1) + 7
