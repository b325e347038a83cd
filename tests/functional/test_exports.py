"""Values that stacks export to one another, in the words of AWS."""
import pytest

from tests.functional import rest

EXPORTING = """
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  Word: {Type: String, Default: hello}
  Name: {Type: String, Default: word}
Resources:
  Speaker:
    Type: OS::Heat::TestResource
    Properties: {value: {Ref: Word}}
Outputs:
  Said:
    Value: !GetAtt Speaker.output
    Export: {Name: !Sub '${Name}-said'}
"""
SILENT = EXPORTING[:EXPORTING.index('    Export:')]
IMPORTING = """
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  Name: {Type: String, Default: word}
Resources:
  Hearer:
    Type: OS::Heat::TestResource
    Properties:
      value:
        Fn::Sub:
          - 'I heard ${What}'
          - What: {'Fn::ImportValue': !Sub '${Name}-said'}
Outputs:
  Heard: {Value: !GetAtt Hearer.output}
"""
DEAF = IMPORTING.replace("{'Fn::ImportValue': !Sub '${Name}-said'}", 'none')


@pytest.fixture
def exporting(driver, api):
    return api.created('exporting', EXPORTING)


@pytest.fixture
def importing(exporting, api):
    """Return a stack that imports; the other one cannot go before it."""
    stack = api.created('importing', IMPORTING)
    yield stack
    if stack.request('DELETE').status == 204:
        stack.wait_deleted()


def test_a_stack_imports_what_another_exports(importing):
    assert importing.outputs() == {'Heard': 'I heard hello'}


def test_an_export_in_use_keeps_its_stack(exporting, importing):
    answer = exporting.request('DELETE', expect=409)
    assert answer.message == (
        'Export word-said cannot be deleted as it is in use by importing.')
    assert exporting.state == 'CREATE_COMPLETE'
    importing.deleted()
    exporting.deleted()


def test_an_export_in_use_cannot_be_removed(exporting, importing):
    answer = exporting.update(SILENT, expect=400)
    assert ('Export word-said cannot be deleted as it is in use by '
            'importing.') in answer.message
    answer = exporting.update(EXPORTING, parameters={'Name': 'other'},
                              expect=400)
    assert 'in use by importing' in answer.message
    importing.updated(DEAF)
    exporting.updated(SILENT)


def test_an_export_in_use_cannot_change(exporting, importing):
    shown = exporting.updated(EXPORTING, state='UPDATE_FAILED',
                              parameters={'Word': 'bye'})
    assert shown['stack_status_reason'] == (
        'Export word-said cannot be updated as it is in use by importing.')
    exporting.updated(EXPORTING, parameters={'Word': 'hello'})
    assert importing.outputs() == {'Heard': 'I heard hello'}


def test_a_failed_change_is_rolled_back(api, driver):
    exporting = api.created('exporting', EXPORTING, disable_rollback=False)
    importing = api.created('importing', IMPORTING)
    exporting.updated(EXPORTING, state='ROLLBACK_COMPLETE',
                      parameters={'Word': 'bye'}, disable_rollback=False)
    assert exporting.outputs() == {'Said': 'hello'}
    importing.deleted()


def test_an_export_changes_while_nothing_imports_it(exporting, api):
    exporting.updated(EXPORTING, parameters={'Word': 'bye'})
    importing = api.created('importing', IMPORTING)
    assert importing.outputs() == {'Heard': 'I heard bye'}
    importing.deleted()


def test_an_update_may_add_and_remove_nothing_but_an_export(api, driver):
    stack = api.created('exporting', SILENT)
    refused = api.create('importing', IMPORTING, expect=400)
    assert 'No export named word-said found.' in refused.message
    assert 'Hearer' in refused.message
    stack.updated(EXPORTING)
    importing = api.created('importing', IMPORTING)
    importing.deleted()
    stack.updated(SILENT)
    assert api.create('importing', IMPORTING, expect=400)


def test_names_are_unique_in_a_project(exporting, api, service):
    answer = api.create('second', EXPORTING, expect=400)
    assert ('Export with name word-said is already exported by stack '
            'exporting.') in answer.message
    other = rest.Client(service.application, 'another project')
    assert 'No export' in other.create('importing', IMPORTING,
                                       expect=400).message
    stack = other.created('exporting', EXPORTING)
    stack.deleted()


def test_a_template_alone_may_export_what_is_exported(exporting, api):
    """Tools validate the template of a stack that exists before updates."""
    answer = api.request('POST', 'validate', {'template': EXPORTING})
    assert 'Word' in answer.json['Parameters']


def test_of_two_stacks_that_export_a_name_one_fails(api, gate, driver):
    waiting = EXPORTING.replace('OS::Heat::TestResource', 'Test::Thing')
    waiting = waiting.replace('{value: {Ref: Word}}', '{gate: %s}' % gate)
    waiting = waiting.replace('!GetAtt Speaker.output', '!Ref Speaker')
    stacks = [api.create(name, waiting) for name in ('first', 'second')]
    rest.wait_for(lambda: all(
        stack.states() == {'Speaker': 'CREATE_IN_PROGRESS'}
        for stack in stacks), api.stacks)
    gate.open()
    rest.wait_for(lambda: not any(
        stack.state.endswith('IN_PROGRESS') for stack in stacks), api.stacks)
    assert sorted(stack.state for stack in stacks) == [
        'CREATE_COMPLETE', 'CREATE_FAILED']
    [loser] = [stack.show() for stack in stacks
               if stack.state == 'CREATE_FAILED']
    assert 'is already exported by' in loser['stack_status_reason']


def test_a_stack_that_failed_exports_nothing(api, driver):
    failing = EXPORTING.replace('{value:', '{fail: true, value:')
    api.create('exporting', failing).wait('CREATE_FAILED')
    assert 'No export' in api.create('importing', IMPORTING,
                                     expect=400).message


@pytest.mark.parametrize(('export', 'text'), [
    ('{Name: a_b}', '1 to 255 letters, digits, colons and hyphens'),
    ('{Name: %s}' % ('a' * 256), '1 to 255 letters'),
    ('{Name: !Ref Speaker}', 'cannot depend on a resource'),
    ('{Name: [a]}', 'can put only texts'),
    ('{Called: a}', 'the key "Name" alone'),
    ('a', 'the key "Name" alone')])
def test_a_malformed_export_is_refused(api, export, text):
    template = EXPORTING.replace("{Name: !Sub '${Name}-said'}", export)
    answer = api.create('exporting', template, expect=400)
    assert text in answer.message
    assert 'Outputs.Said.Export' in answer.message


def test_two_outputs_with_one_name_are_refused(api):
    answer = api.create('exporting', EXPORTING + """
  Again: {Value: a, Export: {Name: word-said}}
""", expect=400)
    assert 'has the export name "word-said" already' in answer.message


def test_what_a_condition_switches_off_is_not_shared(api, driver):
    template = EXPORTING.replace('Resources:', """
Conditions: {Never: !Equals [a, b]}
Resources:""", 1).replace('    Export:', '    Condition: Never\n    Export:')
    template += """
  Other:
    Value: !If [Never, {'Fn::ImportValue': nowhere}, here]
"""
    stack = api.created('exporting', template)
    assert stack.outputs()['Other'] == 'here'
    assert 'No export' in api.create('importing', IMPORTING,
                                     expect=400).message
