"""Stored work whose engine has died is carried on by another one."""
import types

import pytest

from heat.engine.cluster import judge
from heat.engine.process import orphaned_work


class Work(orphaned_work.OrphanedWork):
    name = 'work'
    failure = 'Looking failed'
    taking_over = 'Taking over %s'

    def __init__(self, engine, lost=()):
        super().__init__(engine)
        self.records = {}
        self.begun = []
        self.lost = lost
        self.broken = set()

    def _swap(self, context, found, values):
        if found.id in self.lost:
            return False
        self.records[found.id] = values
        return True

    def _failure(self):
        return {'status': 'FAILED'}

    def _carry_on(self, context, found):
        if found.id in self.broken:
            raise ValueError('no database')
        self.begun.append(found.id)

    def run_once(self):
        """Look at nothing; tests call _take_over_from_dead()."""


def engine(*tasks):
    """Return an engine with tasks of these names."""
    return types.SimpleNamespace(
        engine_id='me', pool=types.SimpleNamespace(active=lambda: [
            types.SimpleNamespace(name=name) for name in tasks]))


ENGINE = engine()


def record(number, engine_id, attempts=0):
    return types.SimpleNamespace(id=str(number), engine_id=engine_id,
                                 attempts=attempts)


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """Let the engine "dead" be dead; return who was asked about."""
    asked = []

    class Judge:
        def __init__(self, context, engine, alone, silent, leaseless):
            self.silent = {**silent, 'slow': silent.get('slow', 0) + 1}
            self.leaseless = leaseless

        def dead(self, engines):
            asked.append(engines)
            return {'dead'}

    monkeypatch.setattr(judge, 'Judge', Judge)
    return asked


def test_work_of_the_dead_is_taken_over():
    work = Work(ENGINE)
    work._take_over_from_dead(None, [record(1, 'dead'), record(2, 'alive'),
                                     record(3, 'dead', None)])
    taken = {'engine_id': 'me', 'attempts': 1}
    assert work.records == {'1': taken, '3': taken}
    assert work.begun == ['1', '3']


def test_work_that_others_took_is_left_alone():
    work = Work(ENGINE, lost={'1'})
    work._take_over_from_dead(None, [record(1, 'dead')])
    assert work.begun == []


@pytest.mark.parametrize(('attempts', 'begun'), [
    (orphaned_work.ATTEMPTS - 2, ['1']), (orphaned_work.ATTEMPTS - 1, [])])
def test_work_that_engines_die_of_fails(attempts, begun):
    work = Work(ENGINE)
    work._take_over_from_dead(None, [record(1, 'dead', attempts)])
    assert work.begun == begun
    if not begun:
        assert work.records == {'1': {'status': 'FAILED'}}


def test_record_of_ours_without_a_task_is_begun_at_the_second_look():
    work = Work(engine('plan 2'))
    mine = [record(1, 'me'), record(2, 'me'), record(3, 'alive')]
    work._take_over_from_dead(None, mine)
    assert work.begun == []
    work._take_over_from_dead(None, mine)
    assert work.begun == ['1']
    assert work.records == {}


def test_one_that_cannot_be_begun_is_tried_again_and_keeps_none_back():
    work = Work(ENGINE)
    work.broken = {'1'}
    dead = [record(1, 'dead'), record(2, 'dead')]
    work._take_over_from_dead(None, dead)
    assert work.begun == ['2']
    work.broken = set()
    ours = [record(1, 'me')]
    for _look in range(2):
        work._take_over_from_dead(None, ours)
    assert work.begun == ['2', '1']


def test_nobody_is_judged_for_nothing(asked):
    Work(ENGINE)._take_over_from_dead(None, [])
    assert asked == []


def test_silence_is_remembered_from_look_to_look():
    work = Work(ENGINE)
    for _look in range(2):
        work._take_over_from_dead(None, [record(1, 'alive')])
    assert work._silent == {'slow': 2}
