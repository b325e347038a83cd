"""Resources of one project that wait are polled by lists."""
import dataclasses
import types

from openstack import exceptions
import pytest

from heat.engine.clients import shared_looks

IDS = ('a', 'b', 'c', 'd')


class Cloud:
    """A service that counts its requests."""

    def __init__(self):
        self.states = dict.fromkeys(IDS, 'busy')
        self.hidden = set()
        self.trouble = None
        self.has_more = False
        self.log = []
        self.service = shared_looks.Service(
            self.fetch, self.newest, lambda thing: thing.status == 'busy')

    def fetch(self, thing_id):
        self.log.append(thing_id)
        return self._shown(thing_id)

    def newest(self, number):
        self.log.append(f'list {number}')
        if self.trouble:
            raise self.trouble
        listed = [self._shown(each) for each in self.states
                  if each not in self.hidden]
        yield from listed[:number]
        if self.has_more:
            self.log.append('next page')
            yield from [self._shown('a')] * number

    def _shown(self, thing_id):
        return types.SimpleNamespace(id=thing_id,
                                     status=self.states[thing_id])

    def taken(self):
        """Return the requests since the last time."""
        taken, self.log = self.log, []
        return taken


@pytest.fixture
def cloud():
    return Cloud()


@pytest.fixture
def look(clock, cloud):
    """Return a function that looks at things, one after the other."""
    looks = shared_looks.SharedLooks()

    def look(*ids, key='servers', later=1):
        clock.seconds += later
        return [found and found.status for found in (
            looks.look(key, each, cloud.service) for each in ids)]
    return look


def test_two_are_asked_for_one_by_one(look, cloud):
    look('a', 'b')
    for _round in range(3):
        assert look('a', 'b') == ['busy', 'busy']
        assert cloud.taken() == ['a', 'b']


def test_a_list_tells_of_three(look, cloud):
    look('a', 'b', 'c')
    cloud.taken()
    cloud.states['b'] = 'done'
    assert look('a', 'b', 'c') == ['busy', 'done', 'busy']
    assert cloud.taken() == ['list 20']


def test_the_first_look_is_left_out(look, cloud):
    assert look('a', 'b', 'c') == [None] * 3
    assert cloud.taken() == []
    look('a', 'b', 'c')
    cloud.taken()
    assert look('d') == [None]
    assert cloud.taken() == []
    assert look('d') == ['busy']
    assert cloud.taken() == ['list 20']


def test_nobody_sees_the_same_list_twice(look, cloud):
    look('a', 'b', 'c')
    look('a', 'b', 'c')
    cloud.taken()
    cloud.states['a'] = 'done'
    assert look('a', later=0.1) == ['done']
    assert cloud.taken() == ['list 20']


def test_an_old_list_is_no_news(look, cloud):
    look('a', 'b', 'c')
    look('a', 'b')
    cloud.taken()
    cloud.states['c'] = 'done'
    assert look('c', later=0.6) == ['done']
    assert cloud.taken() == ['list 20']


def test_what_is_not_listed_is_asked_for_alone(look, cloud):
    look(*IDS)
    cloud.hidden = {'d'}
    cloud.taken()
    assert look(*IDS) == ['busy'] * 4
    assert cloud.taken() == ['list 20', 'd']


@pytest.mark.parametrize('trouble', [None, RuntimeError('429')])
def test_lists_of_no_use_are_not_made_for_a_while(look, cloud, trouble):
    look(*IDS)
    cloud.hidden, cloud.trouble = {'a', 'b', 'c'}, trouble
    cloud.taken()
    look(*IDS)
    assert 'list 20' in cloud.taken()
    assert look(*IDS) == ['busy'] * 4
    assert cloud.taken() == list(IDS)
    cloud.hidden, cloud.trouble = set(), None
    for _round in range(6):
        look(*IDS, later=10)
    cloud.taken()
    look(*IDS)
    assert cloud.taken() == ['list 20']


def test_things_that_go_away_do_not_make_lists_useless(look, cloud):
    look(*IDS)
    look(*IDS)
    cloud.hidden = {'a', 'b', 'c'}
    look(*IDS)
    cloud.taken()
    look(*IDS)
    assert 'list 20' in cloud.taken()


def test_what_is_done_no_longer_counts(look, cloud):
    look(*IDS)
    cloud.states.update(a='done', b='done')
    look(*IDS)
    cloud.taken()
    assert look('c', 'd') == ['busy', 'busy']
    assert cloud.taken() == ['c', 'd']


def test_who_does_not_look_any_more_no_longer_counts(look, cloud):
    look(*IDS)
    look('a', later=10)
    look('a', later=10)
    cloud.taken()
    look('a')
    assert cloud.taken() == ['a']


def test_what_cannot_be_shown_no_longer_counts(look, cloud):
    look('a', 'b')
    del cloud.states['b']
    with pytest.raises(KeyError):
        look('b')
    cloud.taken()
    look('c')
    look('c')
    assert cloud.taken() == ['c']


def test_projects_have_lists_of_their_own(look, cloud):
    look('a', 'b', key='one')
    look('c', 'd', key='other')
    cloud.taken()
    look('a', 'b', key='one')
    look('c', 'd', key='other')
    assert cloud.taken() == list(IDS)


def test_a_list_has_room_for_what_is_waited_for(look, cloud):
    ids = [f'x{number}' for number in range(300)]
    cloud.states = dict.fromkeys(ids, 'busy')
    look(*ids[:30])
    cloud.taken()
    look(*ids[:30])
    assert cloud.taken() == ['list 60']
    look(*ids)
    cloud.taken()
    look(*ids)
    assert cloud.taken() == ['list 200', *ids[200:]]


def test_lists_are_forgotten_with_those_who_waited(clock, cloud):
    looks = shared_looks.SharedLooks()
    for _round in range(2):
        clock.seconds += 1
        for each in 'abc':
            looks.look('one', each, cloud.service)
    assert looks.keys() == {'one'}
    clock.seconds += 20
    looks.look('other', 'd', cloud.service)
    assert looks.keys() == {'other'}
    cloud.states['d'] = 'done'
    looks.look('other', 'd', cloud.service)
    assert looks.keys() == set()


@pytest.fixture
def await_end(cloud):
    cloud.service = dataclasses.replace(cloud.service, may_be_gone=True)
    cloud.states |= dict.fromkeys('ef', 'busy')


def test_a_list_of_all_proves_the_end(look, cloud, await_end):
    look(*IDS)
    look(*IDS)
    del cloud.states['b']
    cloud.taken()
    assert look('a') == ['busy']
    with pytest.raises(exceptions.NotFoundException):
        look('b', later=0)
    assert look('c', 'd', later=0) == ['busy'] * 2
    assert cloud.taken() == ['list 20']


def test_who_does_not_await_the_end_asks_once_more(look, cloud):
    look(*IDS)
    del cloud.states['b']
    cloud.taken()
    with pytest.raises(KeyError):
        look(*IDS)
    assert cloud.taken() == ['list 20', 'b']


@pytest.mark.parametrize(('number', 'has_more'), [(19, True), (20, False)])
def test_a_list_that_may_lack_some_proves_nothing(look, cloud, await_end,
                                                  number, has_more):
    look(*IDS)
    cloud.hidden, cloud.has_more = {'b'}, has_more
    cloud.states |= dict.fromkeys(
        [f'x{each}' for each in range(number - len(cloud.states) + 1)],
        'busy')
    cloud.taken()
    assert look(*IDS) == ['busy'] * 4
    assert cloud.taken() == ['list 20'] + ['next page'] * has_more + ['b']
