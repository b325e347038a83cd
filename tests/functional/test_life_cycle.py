"""Create, show and delete, under both drivers."""

from tests.functional import service

HELLO = (service.ROOT / 'examples' / 'hello.yaml').read_text()

TEMPLATE = {
    'heat_template_version': '2018-08-31',
    'description': 'Two things.',
    'parameters': {
        'word': {'type': 'string', 'default': 'hello'},
        'secret': {'type': 'string', 'default': 'xyz', 'hidden': True},
    },
    'resources': {
        'a': {'type': 'Test::Thing',
              'properties': {'value': {'get_param': 'word'}}},
        'b': {'type': 'Test::Thing',
              'properties': {'value': {'get_attr': ['a', 'value']}}},
    },
    'outputs': {
        'said': {'description': 'What was said.',
                 'value': {'get_attr': ['b', 'value']}},
        'ref': {'value': {'get_resource': 'a'}},
    },
}


def test_hello(driver, api):
    stack = api.create('hello', HELLO)
    shown = stack.wait('CREATE_COMPLETE')
    assert shown['stack_status_reason'] == (
        'Stack CREATE completed successfully')
    outputs = stack.outputs()
    assert outputs['greetings'] == [
        f'Hello, guest {index}!' for index in range(3)]
    assert len(outputs['door_code']) == 12
    assert outputs['drink'] == 'yes'
    stack.deleted()


def test_create_and_show(driver, api):
    stack = api.create('one', TEMPLATE, parameters={'word': 'bonjour'},
                       tags='x,y', timeout_mins=7, disable_rollback=False)
    shown = stack.wait('CREATE_COMPLETE')
    assert shown['stack_name'] == 'one'
    assert shown['description'] == 'Two things.'
    assert shown['parameters'] == {
        'OS::project_id': api.project, 'OS::stack_id': stack.id,
        'OS::stack_name': 'one', 'word': 'bonjour', 'secret': '******'}
    assert shown['tags'] == ['x', 'y']
    assert shown['timeout_mins'] == 7
    assert shown['disable_rollback'] is False
    assert shown['parent'] is None
    assert shown['deletion_time'] is None
    assert shown['updated_time'] is None
    assert shown['outputs'] == [
        {'output_key': 'said', 'output_value': 'bonjour',
         'description': 'What was said.'},
        {'output_key': 'ref', 'output_value': stack.physical('a'),
         'description': 'No description given'}]
    assert stack.states() == {'a': 'CREATE_COMPLETE',
                              'b': 'CREATE_COMPLETE'}
    assert stack.events() == [
        'one CREATE_IN_PROGRESS', 'a CREATE_IN_PROGRESS',
        'a CREATE_COMPLETE', 'b CREATE_IN_PROGRESS', 'b CREATE_COMPLETE',
        'one CREATE_COMPLETE']
    stack.deleted()
    assert api.stacks() == []
    shown = stack.show()
    assert shown['stack_status'] == 'DELETE_COMPLETE'
    assert shown['deletion_time'] is not None
    assert 'outputs' not in shown
