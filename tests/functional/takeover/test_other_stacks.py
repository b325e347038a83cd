"""OS::Heat::Stack as Heat has it: a stack of its own beside the other."""
import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.takeover import world as world_module

KINDS = {'remote': True, 'remote-legacy': False}
_INNER = ('heat_template_version: 2018-08-31\n'
          'resources:\n'
          '  t: {type: Test::Thing, properties: {value: "%s"}}\n'
          '  v: {type: OS::Heat::Value, properties: {value: "%s"}}\n'
          'outputs: {said: {value: {get_attr: [v, value]}}}\n')


def resources(value='1'):
    """Return the resources of the stack."""
    return {'other': {'type': 'OS::Heat::Stack', 'properties': {
        'template': _INNER % (value, value)}}}


def write(database, name, convergence):
    """Store both stacks."""
    stack = database.stack(name, database.template(
        resources(), outputs={'said': {'value': templates.attr(
            'other', 'outputs', 'said')}}), convergence=convergence)
    inner = database.template({
        't': templates.thing(value='1'), 'v': {
            'type': 'OS::Heat::Value', 'properties': {'value': '1'}}},
        outputs={'said': {'value': templates.attr('v', 'value')}})
    other = database.stack(f'{name}-other-abcdefghijkl', inner,
                           project=stack.project, convergence=convergence)
    thing = other.resource('t', properties={'value': '1'},
                           data={'tries': '1'})
    value = other.resource('v', properties={'value': '1'},
                           data={'value': '1'})
    row = stack.resource('other', physical=other.id,
                         properties=resources()['other']['properties'])
    if convergence:
        stack.graph((row.update, None))
        other.graph((thing.update, None), (value.update, None))
    stack.other = other
    return stack


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service."""
    with pytest.MonkeyPatch.context() as patch:
        with world_module.serving(
            patch, tmp_path_factory.mktemp('heat'), lambda database: {
                name: write(database, name, convergence)
                for name, convergence in KINDS.items()}) as made:
            yield made


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', KINDS)
def test_stacks_are_shown_as_before(world, name):
    stack, rows = world.stack(name), world.rows[name]
    for one, its_rows in ((stack, rows), (rest.Stack(
            stack.client, rows.other.name, rows.other.id), rows.other)):
        assert not world_module.differing(
            one.show(), world_module.expected_stack(its_rows))
    assert set(stack.client.stacks()) == {rows.name, rows.other.name}
    assert stack.outputs() == {'said': '1'}
    shown = stack.resource('other')
    assert not world_module.differing(
        shown, world_module.expected_resource(rows.rows['other']))
    assert shown['attributes']['stack_status'] == 'CREATE_COMPLETE'
    assert shown['attributes']['outputs'] == [{
        'output_key': 'said', 'output_value': '1',
        'description': 'No description given'}]


@pytest.mark.parametrize('name', KINDS)
def test_other_stack_is_updated(world, name):
    stack, rows = world.stack(name), world.rows[name]
    outputs = {'said': {'value': templates.attr('other', 'outputs', 'said')}}
    stack.updated(templates.hot(resources(), outputs=outputs))
    assert not world.log(name)
    stack.updated(templates.hot(resources('2'), outputs=outputs))
    assert stack.physical('other') == rows.other.id
    assert world.log(name) == {'UPDATE t': 1}
    assert stack.outputs() == {'said': '2'}


@pytest.mark.parametrize('name', KINDS)
def test_stacks_are_deleted(world, name):
    stack = world.stack(name)
    stack.deleted()
    assert stack.client.stacks() == []
    assert world.log(name)['DELETE t'] == 1


def test_nothing_is_left(world):
    assert world.left() == {}
