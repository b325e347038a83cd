"""What stack policies allow, and which documents are none."""
import pytest

from heat.common import stack_policy


def statement(effect='Allow', action='Update:*', resource='*', **more):
    return {'Effect': effect, 'Action': action, 'Principal': '*',
            'Resource': resource, **more}


ALL = statement()


def policy(*statements):
    found = {'Statement': list(statements)}
    stack_policy.validate(found)
    return found


def deny(resource, action='Update:*', **more):
    return statement('Deny', action, resource, **more)


TYPED = {'StringLike': {'ResourceType': ['OS::Nova::*', 'AWS::RDS::X']}}


@pytest.mark.parametrize(('statements', 'action', 'path', 'allowed'), [
    ([], 'Update:Modify', 'a', False),
    ([ALL], 'Update:Modify', 'a', True),
    ([ALL, deny('LogicalResourceId/a')], 'Update:Modify', 'a', False),
    ([deny('LogicalResourceId/a'), ALL], 'Update:Delete', 'a', False),
    ([ALL, deny('LogicalResourceId/a')], 'Update:Modify', 'b', True),
    ([ALL, deny('LogicalResourceId/a', 'Update:Replace')],
     'Update:Modify', 'a', True),
    ([ALL, deny('LogicalResourceId/a', ['Update:Replace', 'Update:Delete'])],
     'Update:Delete', 'a', False),
    # What is said of a resource is said of all that is in it.
    ([ALL, deny('LogicalResourceId/n')], 'Update:Delete', 'n/t', False),
    ([ALL, deny('LogicalResourceId/n/t')], 'Update:Delete', 'n/t', False),
    ([ALL, deny('LogicalResourceId/n/t')], 'Update:Delete', 'n/u', True),
    ([ALL, deny('LogicalResourceId/t')], 'Update:Delete', 'n/t', True),
    ([statement(resource='LogicalResourceId/n')], 'Update:Modify', 'n/t',
     True),
    ([statement(resource='LogicalResourceId/d*b')], 'Update:Modify', 'dab',
     True),
    ([statement(resource='LogicalResourceId/d*b')], 'Update:Modify', 'd',
     False),
    ([statement(resource='LogicalResourceId/*a*b*')], 'Update:Modify', 'ba',
     False),
    ([statement(resource='LogicalResourceId/*a*b*')], 'Update:Modify',
     'xaybz', True),
    ([{'Effect': 'Allow', 'NotAction': 'Update:Delete',
       'NotResource': ['LogicalResourceId/a']}], 'Update:Modify', 'b', True),
    ([{'Effect': 'Allow', 'NotAction': 'Update:Delete',
       'NotResource': ['LogicalResourceId/a']}], 'Update:Delete', 'b',
     False),
    ([{'Effect': 'Allow', 'NotAction': 'Update:Delete',
       'NotResource': ['LogicalResourceId/a']}], 'Update:Modify', 'a',
     False),
])
def test_statements(statements, action, path, allowed):
    assert stack_policy.allows(policy(*statements), action,
                               path.split('/'), 'T') == allowed


@pytest.mark.parametrize(('type_name', 'allowed'), [
    ('OS::Nova::Server', False), ('AWS::RDS::X', False),
    ('AWS::RDS::XY', True), ('OS::Nova', True), (None, True)])
def test_conditions_on_types(type_name, allowed):
    document = policy(ALL, deny('*', Condition=TYPED))
    assert stack_policy.allows(document, 'Update:Replace', ['a'],
                               type_name) == allowed


def change(action, replacement='never', type_name='T'):
    return {'path': ['n', 'a'], 'type': type_name, 'action': action,
            'replacement': replacement}


@pytest.mark.parametrize(('given', 'needed'), [
    (change('keep'), []), (change('create'), []),
    (change('update'), ['Update:Modify of n/a']),
    (change('update', 'maybe'), ['Update:Modify of n/a',
                                 'Update:Replace of n/a']),
    (change('replace', 'always'), ['Update:Replace of n/a']),
    (change('delete'), ['Update:Delete of n/a']),
    (change('retain'), ['Update:Delete of n/a']),
    (change('delete', type_name=None), []),
    ({**change('import'), 'after_import': 'keep'}, []),
    ({**change('import'), 'after_import': 'update'},
     ['Update:Modify of n/a']),
    ({**change('import'), 'after_import': 'replace'},
     ['Update:Replace of n/a']),
    ({**change('keep'), 'moved_from': ['o', 'b']}, ['Update:Delete of o/b']),
    # Another stack has a policy of its own.
    ({**change('keep'), 'moved_from': ['b'],
      'moved_from_stack': {'id': 'x', 'name': 'other'}}, []),
    ({**change('update'), 'moved_from': ['b']},
     ['Update:Modify of n/a', 'Update:Delete of b']),
])
def test_what_changes_need(given, needed):
    assert [str(each) for each in stack_policy.all_refused(
        policy(), [given])] == needed
    assert stack_policy.all_refused(policy(ALL), [given]) == []


@pytest.mark.parametrize(('document', 'text'), [
    (None, 'Statement'), ([], 'Statement'), ({}, 'Statement'),
    ({'Statement': {}}, 'Statement'), ({'Statement': [], 'x': 1}, 'Statement'),
    ({'Statement': [ALL] * 101}, '100'),
    ({'Statement': [1]}, r'Statement\[0\]'),
    ({'Statement': [ALL, {**ALL, 'x': 1}]}, r'Statement\[1\]'),
    ({'Statement': [statement('Perhaps')]}, 'Effect'),
    ({'Statement': [{**ALL, 'Principal': 'me'}]}, 'Principal'),
    ({'Statement': [{**ALL, 'NotAction': 'Update:*'}]}, 'exactly one'),
    ({'Statement': [{'Effect': 'Allow', 'Action': 'Update:*'}]},
     'exactly one'),
    ({'Statement': [statement(action='Update:Create')]}, 'one of'),
    ({'Statement': [statement(action=[])]}, 'Action'),
    ({'Statement': [statement(action={'a': 1})]}, 'Action'),
    ({'Statement': [statement(resource='a')]}, 'LogicalResourceId'),
    ({'Statement': [statement(resource='LogicalResourceId/' + 'a' * 1024)]},
     '1024'),
    ({'Statement': [statement(Condition=[])]}, 'Condition'),
    ({'Statement': [statement(Condition={'StringLike': {'Region': 'x'}})]},
     'ResourceType'),
    ({'Statement': [statement(Condition={
        'StringLike': {'ResourceType': 1}})]}, 'ResourceType'),
])
def test_other_documents_are_refused(document, text):
    with pytest.raises(ValueError, match=text):
        stack_policy.validate(document)
