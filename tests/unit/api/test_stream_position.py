"""Positions of readers of events."""
import random

import pytest

from heat.api.openstack.v1.streams import position
from heat.common import id_ranges

Position = position.Position


@pytest.mark.parametrize('text', ['0', '7', '9.1', '9.1-3', '9.1-3.5.7-8'])
def test_text_of_a_position(text):
    assert str(Position.parse(text)) == text


@pytest.mark.parametrize('text', [
    '', 'x', '-1', '1.', '.1', '9.9', '9.10', '9.3-2', '9.5.1', '9.1-3.3x',
    '9.1-2-3', '9\n', '٣', '9999999999', '99999999999999999999',
    '9' + '.1' * 21])
def test_what_no_stream_has_sent(text):
    with pytest.raises(ValueError, match='stream'):
        Position.parse(text)


def test_a_position_names_the_newest_holes():
    holes = tuple((number, number) for number in range(1, 99, 2))
    text = str(Position.at(100, holes))
    assert text.split('.')[0] == '100'
    assert text.split('.')[1:] == [str(low) for low, _high in holes[-20:]]
    assert Position.parse(text).last == 100


def test_following():
    mine, hub = Position.at(5), Position.at(9, ((7, 7),))
    assert mine.to_read(hub) == ((6, 6), (8, 9))
    assert mine.passed(hub, 8) == Position.at(8, ((7, 7),))
    assert mine.combined(hub) == hub
    assert [hub.has_seen(each) for each in (6, 7, 9, 10)] == [
        True, False, True, False]
    # A reader may be ahead of the one that it follows.
    ahead = Position.at(12)
    assert ahead.to_read(hub) == ()
    assert ahead.combined(hub) == ahead
    assert hub.without_holes_up_to(6) == hub
    assert hub.without_holes_up_to(7) == Position.at(9)


def test_nothing_is_lost_or_doubled():
    """Rows become visible in any order; readers come and go at any time."""
    for seed in range(40):
        chance = random.Random(seed)
        order = list(range(1, 41))
        # A row is late by a few others at most.
        order.sort(key=lambda row, by=chance: row + by.random() * 8)
        visible, hub, got = set(), Position.at(0), []
        text, mine = '0', None
        for start in range(0, 40, 4):
            visible.update(order[start:start + 4])
            found = sorted(row for row in visible if not hub.has_seen(row))
            top = max([hub.last, *found])
            target = hub.combined(Position((*id_ranges.without(
                ((1, top),), visible), *id_ranges.beyond(top))))
            hub = target
            if mine is None:
                mine = Position.parse(text)
            for row in sorted(visible):
                if mine.has_seen(row) or not target.has_seen(row):
                    continue
                mine = mine.passed(target, row)
                got.append(row)
                text = str(mine)
                if chance.random() < 0.3:
                    # It loses the connection, and goes on from its text.
                    mine = Position.parse(text)
            if chance.random() < 0.5:
                mine = None
            else:
                mine = mine.combined(target)
        if mine is None:
            mine = Position.parse(text)
        got += [row for row in sorted(visible)
                if not mine.has_seen(row) and hub.has_seen(row)]
        assert sorted(got) == list(range(1, 41)), seed
