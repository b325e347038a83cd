import hypothesis
from hypothesis import strategies as st
import pytest

from heat.scaling import rolling_update


def batches(target, current, size, in_service):
    """Return the batches of a group whose extra members go in the end."""
    return list(rolling_update.batches(target, current, 0, size, in_service,
                                       extras_stay=False))


@pytest.mark.parametrize(('arguments', 'expected'), [
    # target, current, batch size, minimum in service
    ((4, 4, 2, 0), [(4, 2), (4, 2)]),
    ((4, 4, 3, 0), [(4, 3), (4, 1)]),
    ((4, 4, 1, 3), [(4, 1)] * 4),
    # The minimum can only be kept with members beyond the target.
    ((4, 4, 1, 4), [(5, 1), (5, 1), (5, 1), (5, 1), (5, 1), (4, 0)]),
    ((4, 0, 2, 0), [(2, 2), (4, 2)]),
    ((4, 2, 2, 0), [(4, 2), (4, 2)]),
    ((2, 4, 1, 0), [(2, 1), (2, 1)]),
    ((0, 3, 1, 0), [(0, 0)]),
    ((3, 3, 10, 0), [(3, 3)]),
])
def test_batches(arguments, expected):
    assert batches(*arguments) == expected


def test_in_service_is_never_below_the_minimum():
    for target in range(6):
        for current in range(6):
            for size in range(1, 4):
                for minimum in range(6):
                    wanted = min(minimum, target, current)
                    for capacity, new in batches(target, current, size,
                                                 minimum):
                        assert capacity - new >= min(wanted, capacity)


def test_what_is_up_to_date_needs_nothing():
    assert not rolling_update.needs_update(3, 3, 3)
    assert rolling_update.needs_update(3, 4, 4)
    assert rolling_update.needs_update(3, 3, 2)


@st.composite
def situations(draw):
    target = draw(st.integers(0, 12))
    current = draw(st.integers(0, 12))
    return {
        'target': target, 'current': current,
        'done': draw(st.integers(0, min(current, target))),
        'size': draw(st.integers(1, 5)),
        'minimum': draw(st.integers(0, 14)),
    }


class Members:
    """A group: its members by name, each up to date or not."""

    def __init__(self, current, done):
        self.is_new = {name: name < done for name in range(current)}

    def any_may_go(self, capacity, renew):
        """Apply a batch; what is out of date goes first.

        Return (created, changed, how many stayed in service meanwhile).
        """
        ranked = sorted(self.is_new, key=lambda n: (self.is_new[n], n))
        kept = ranked[max(len(ranked) - capacity, 0):]
        created = max(capacity - len(kept), 0)
        changed = [n for n in kept if not self.is_new[n]][
            :max(renew - created, 0)]
        first = max(self.is_new, default=-1) + 1
        self.is_new = {
            **{n: self.is_new[n] or n in changed for n in kept},
            **dict.fromkeys(range(first, first + created), True)}
        return created, len(changed), len(kept) - len(changed)

    def named(self, capacity, renew):
        """Apply a batch to a group that has the first names."""
        missing = [n for n in range(capacity) if n not in self.is_new]
        kept = [n for n in range(capacity) if n in self.is_new]
        changed = [n for n in kept if not self.is_new[n]][
            :max(renew - len(missing), 0)]
        self.is_new = {
            **{n: self.is_new[n] or n in changed for n in kept},
            **dict.fromkeys(missing, True)}
        return len(missing), len(changed), len(kept) - len(changed)


@pytest.mark.parametrize('kind', ['any_may_go', 'named'])
@hypothesis.settings(deadline=None)
@hypothesis.given(each=situations())
def test_batches_keep_their_promises(kind, each):
    members = Members(each['current'], each['done'])
    in_service = min(each['minimum'], each['target'], each['current'])
    for capacity, new in rolling_update.batches(
            each['target'], each['current'], each['done'], each['size'],
            each['minimum'], extras_stay=kind == 'any_may_go'):
        created, changed, serving = getattr(members, kind)(capacity, new)
        assert created + changed <= each['size']
        assert serving >= min(in_service, capacity)
    assert len(members.is_new) == each['target']
    assert all(members.is_new.values())
