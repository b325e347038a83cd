"""The state of a stack: its row, its event, the legal moves."""
import pytest

from heat.engine import status
from heat.engine.stacks import state as stack_state
from heat.objects import stack as stack_objects
from tests.fakes import stacks

CHAIN = stacks.CHAIN


def test_state_event_and_row_go_together(engine):
    stack = engine.create(CHAIN)
    stack.state_set('CHECK', 'IN_PROGRESS', 'because')
    row = stack_objects.Stack.get_by_id(engine.context, stack.id)
    assert (row.action, row.status, row.status_reason) == (
        'CHECK', 'IN_PROGRESS', 'because')
    assert row.updated_at is not None
    assert engine.events(stack)[-1] == 'st CHECK_IN_PROGRESS'


def test_forbidden_move_is_refused(engine):
    stack = engine.create(CHAIN)
    stack.state_set('DELETE', 'FAILED', 'in use')
    with pytest.raises(status.IllegalMove):
        stack.state_set('UPDATE', 'IN_PROGRESS', 'no')


def test_lost_compare_and_swap_changes_nothing(engine):
    stack = engine.create(CHAIN)
    events = engine.events(stack)
    assert not stack_state.transition(
        stack, 'CHECK', 'IN_PROGRESS', 'x',
        expected={'current_traversal': 'another'})
    assert stack.state == ('CREATE', 'COMPLETE')
    assert engine.events(stack) == events
