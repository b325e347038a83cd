"""What the execution of a change set may do."""
import json
import types

import pytest

from heat.common import change_set_errors
from heat.common import protection_errors
from heat.engine.stacks import warrant

DATA = {'change_set': 'id', 'create': ['c'], 'replace': ['r'],
        'delete': ['d'], 'base': [1, 't', None, 'UPDATE', 'COMPLETE'],
        'inside': {'n': {'change_set': 'id', 'delete': ['x']}}}


def stack_with(found):
    return types.SimpleNamespace(warrant=found, name='s')


def test_warrant_is_the_same_after_storage():
    found = warrant.Warrant.from_dict(json.loads(json.dumps(DATA)))
    assert found.as_dict() == DATA
    assert warrant.Warrant.from_dict(None) is None


@pytest.mark.parametrize(('name', 'action', 'forbidden'), [
    ('c', 'create', False), ('c', 'delete', True), ('c', 'replace', True),
    ('d', 'delete', False), ('d', 'create', True),
    # A replacement creates one resource and deletes another.
    ('r', 'replace', False), ('r', 'create', False), ('r', 'delete', False),
    ('other', 'create', True), ('other', 'replace', True),
])
def test_only_what_is_named_is_allowed(name, action, forbidden):
    stack = stack_with(warrant.Warrant.from_dict(DATA))
    resource = types.SimpleNamespace(name=name, stack=stack)
    error = warrant.violation(resource, action)
    assert isinstance(error, change_set_errors.ChangeSetViolated) == forbidden


def test_open_warrant_and_none_allow_everything():
    for found in (None, warrant.Warrant('id', is_open=True)):
        resource = types.SimpleNamespace(name='x', stack=stack_with(found))
        assert warrant.violation(resource, warrant.REPLACE) is None


def test_warrant_of_a_nested_stack():
    found = warrant.Warrant.from_dict(DATA)
    assert not found.below('n').forbids('x', warrant.DELETE)
    assert found.below('unknown') is None


def test_drift_that_is_not_planned_is_not_reverted():
    data = {'change_set': 'id', 'reverts': ['r'], 'inside': {
        'n': {'change_set': 'id', 'reverts': ['x']},
        'm': {'change_set': 'id'}}}
    found = warrant.Warrant.from_dict(json.loads(json.dumps(data)))
    assert found.as_dict() == data
    assert warrant.reverted(stack_with(found)) == {'r'}
    assert warrant.reverted(stack_with(found.below('n'))) == {'x'}
    assert warrant.reverted(stack_with(found.below('m'))) == set()
    unplanned = found.below('unknown')
    assert warrant.reverted(stack_with(unplanned)) == set()
    assert unplanned.is_open
    # It is the same for another engine.
    again = warrant.Warrant.from_dict(unplanned.as_dict())
    assert warrant.reverted(stack_with(again)) == set()


def test_other_operations_revert_no_drift():
    for found in (None, warrant.Warrant.from_dict(DATA)):
        assert warrant.reverted(stack_with(found)) is None


@pytest.mark.parametrize(('reverts', 'converge'), [
    (frozenset({'r'}), False), (None, True)])
def test_rollback_restores_what_was(reverts, converge):
    stack = stack_with(warrant.Warrant('id', reverts=reverts))
    stack.converge = True
    warrant.forget(stack)
    assert (stack.warrant, stack.converge) == (None, converge)


def test_stack_that_has_changed_is_stale():
    stack = stack_with(warrant.Warrant.from_dict(DATA))
    row = types.SimpleNamespace(raw_template_id=1, current_traversal='t',
                                updated_at=None, action='UPDATE',
                                status='COMPLETE')
    warrant.check_base(stack, row)
    row.current_traversal = 'other'
    with pytest.raises(change_set_errors.ChangeSetStale):
        warrant.check_base(stack, row)


DENIED = {'Statement': [
    {'Effect': 'Allow', 'Action': 'Update:*', 'Resource': '*'},
    {'Effect': 'Deny', 'Action': 'Update:*',
     'Resource': ['LogicalResourceId/a', 'LogicalResourceId/n/t']}]}


@pytest.mark.parametrize(('path', 'name', 'action', 'forbidden'), [
    ((), 'a', 'replace', True), ((), 'a', 'delete', True),
    ((), 'a', 'create', False), ((), 'b', 'replace', False),
    (('n',), 't', 'delete', True), (('n',), 'u', 'delete', False)])
def test_the_policy_of_a_stack_counts_without_a_plan(path, name, action,
                                                     forbidden):
    found = warrant.Warrant('', is_open=True, policy=DENIED)
    assert warrant.Warrant.from_dict(found.as_dict()) == found
    for each in path:
        found = found.below(each)
    resource = types.SimpleNamespace(
        name=name, type=lambda: 'T', replaced_by=None,
        stack=types.SimpleNamespace(warrant=found, name='s'))
    error = warrant.violation(resource, action)
    assert isinstance(error,
                      protection_errors.StackPolicyViolated) == forbidden
    resource.replaced_by = 1
    assert warrant.violation(resource, action) is None
