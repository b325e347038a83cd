"""What to change in templates to accept drift, as text."""
from heat_plan_client import accept


def change(path, *found):
    return {'path': path, 'type': 'T', 'action': 'update', 'causes': [
        {'property': 'p', 'source': {'drift': 'MODIFIED'}, 'accept': each}
        for each in found]}


def test_each_change_is_a_line():
    steps = ['resources', 'web', 'properties', 'name']
    found = {'stack_name': 'shop', 'status': 'AVAILABLE', 'changes': [
        change(['web'], {'template': steps, 'value': 'w\x1b[31m',
                         'line': 7, 'column': 3},
               {'parameter': 'size', 'value': 7}),
        change(['rack', 'disk'], {'template': ['resources', 'disk'],
                                  'remove': True}),
        {**change(['other']), 'causes': [{'property': 'q', 'source': {}},
                                         {'left_out': 3}]}]}
    assert list(accept.lines(found)) == [
        'shop: set resources.web.properties.name to "w\\u001b[31m" '
        '(line 7)',
        'shop: set parameter size to 7',
        'shop/rack: remove resources.disk',
        'shop: and 3 more of other',
        'To accept the drift of stack shop: 3 to change.']


def test_nothing_to_accept():
    assert list(accept.lines({'stack_name': 's', 'changes': []})) == [
        'Stack s has not drifted.']


def test_plan_that_fails():
    assert list(accept.lines({'stack_name': 's', 'status': 'FAILED',
                              'status_reason': 'why'})) == [
        'The plan fails: why']
