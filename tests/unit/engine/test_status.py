import itertools

import pytest

from heat.engine import status

R = status.ResourceStatus
S = status.StackStatus


def states(words):
    return list(itertools.product(words.ACTIONS, words.STATUSES))


@pytest.mark.parametrize('action', R.ACTIONS)
def test_what_is_in_progress_may_end_either_way(action):
    for end in (R.COMPLETE, R.FAILED):
        assert status.is_legal_for_resource((action, R.IN_PROGRESS),
                                            (action, end))


def test_nothing_goes_back_to_init():
    for old, new in itertools.product(states(R), states(R)):
        if new[0] == R.INIT and old[0] != R.INIT:
            assert not status.is_legal_for_resource(old, new)


@pytest.mark.parametrize(('old', 'new', 'legal'), [
    ((R.INIT, R.COMPLETE), (R.CREATE, R.IN_PROGRESS), True),
    ((R.INIT, R.COMPLETE), (R.SUSPEND, R.IN_PROGRESS), False),
    ((R.CREATE, R.COMPLETE), (R.UPDATE, R.IN_PROGRESS), True),
    ((R.CREATE, R.COMPLETE), (R.ADOPT, R.IN_PROGRESS), False),
    ((R.CREATE, R.FAILED), (R.DELETE, R.IN_PROGRESS), True),
    ((R.DELETE, R.COMPLETE), (R.CREATE, R.IN_PROGRESS), True),
    ((R.UPDATE, R.COMPLETE), (R.CREATE, R.IN_PROGRESS), False),
    ((R.CREATE, R.IN_PROGRESS), (R.CREATE, R.IN_PROGRESS), True),
    ((R.CHECK, R.FAILED), (R.CHECK, R.COMPLETE), True),
])
def test_resource_moves(old, new, legal):
    assert status.is_legal_for_resource(old, new) is legal


@pytest.mark.parametrize(('old', 'new', 'legal'), [
    ((None, None), (S.CREATE, S.IN_PROGRESS), True),
    ((None, None), (S.UPDATE, S.IN_PROGRESS), False),
    ((S.CREATE, S.FAILED), (S.ROLLBACK, S.IN_PROGRESS), True),
    ((S.SUSPEND, S.COMPLETE), (S.UPDATE, S.IN_PROGRESS), True),
    ((S.SUSPEND, S.COMPLETE), (S.RESUME, S.IN_PROGRESS), True),
    ((S.DELETE, S.FAILED), (S.DELETE, S.IN_PROGRESS), True),
    ((S.DELETE, S.FAILED), (S.UPDATE, S.IN_PROGRESS), False),
])
def test_stack_moves(old, new, legal):
    assert status.is_legal_for_stack(old, new) is legal


def test_illegal_move_names_both_states():
    with pytest.raises(status.IllegalMove,
                       match='"r" cannot go from INIT_COMPLETE to '
                             'SUSPEND_IN_PROGRESS'):
        status.check_resource_move('r', (R.INIT, R.COMPLETE),
                                   (R.SUSPEND, R.IN_PROGRESS))
    with pytest.raises(status.IllegalMove, match='Stack "s"'):
        status.check_stack_move('s', (S.DELETE, S.COMPLETE),
                                (S.CREATE, S.IN_PROGRESS))
