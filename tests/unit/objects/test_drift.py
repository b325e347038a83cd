"""Detections of drift as stored."""
import datetime

from heat.common import timeutils
from heat.objects import drift

Detection = drift.DriftDetection


def begin(context, stack_id, unless_since=None, **values):
    return Detection.begin(context, {
        'tenant': context.project_id, 'stack_id': stack_id,
        'engine_id': 'engine', 'total': 3, **values}, unless_since)


def due_ids(context, status, seconds):
    return {stack_id for stack_id, _before in Detection.due(
        context, status, seconds, 100)}


def end(context, found, **values):
    return Detection.swap(context, found.id, {
        'running': None, 'engine_id': None, 'status': 'DETECTION_COMPLETE',
        'finished_at': timeutils.utcnow(), **values}, 'engine')


def test_one_detection_of_a_stack_runs(context, a_stack):
    first = begin(context, a_stack.id)
    assert begin(context, a_stack.id) is None
    assert begin(context, 'other') is not None
    assert {each.id for each in Detection.in_progress(context)} >= {first.id}
    assert end(context, first)
    assert begin(context, a_stack.id).id != first.id


def test_detection_is_read_back_by_its_project(context, make_context,
                                               a_stack):
    made = begin(context, a_stack.id)
    assert end(context, made, drift='DRIFTED', counts={'MODIFIED': 1},
               resources={'resources': [{'path': ['a']}]})
    read = Detection.get_by_id(context, made.id)
    assert (read.drift, read.counts, read.resources) == (
        'DRIFTED', {'MODIFIED': 1}, {'resources': [{'path': ['a']}]})
    assert Detection.latest(context, a_stack.id).id == made.id
    assert Detection.get_by_id(make_context('other'), made.id) is None
    assert Detection.get_by_id(make_context('other', True), made.id)


def test_only_the_engine_that_has_it_writes(context, a_stack):
    made = begin(context, a_stack.id)
    assert not Detection.swap(context, made.id, {'examined': 1}, 'other')
    assert Detection.swap(context, made.id, {'examined': 1}, 'engine')
    assert end(context, made)
    assert not Detection.swap(context, made.id, {'examined': 2}, 'engine')


def test_previous_detection(context, a_stack):
    first = begin(context, a_stack.id)
    assert Detection.previous(context, a_stack.id, first.id) is None
    end(context, first, drift='DRIFTED')
    second = begin(context, a_stack.id)
    found = Detection.previous(context, a_stack.id, second.id)
    assert (found.id, found.drift, found.resources) == (
        first.id, 'DRIFTED', None)


def test_root_stacks_are_due(context, make_stack):
    a_stack = make_stack(action='CREATE', status='COMPLETE')
    deleting = make_stack(action='DELETE', status='COMPLETE')
    nested = make_stack(action='CREATE', status='COMPLETE',
                        owner_id=a_stack.id)
    assert not {deleting.id, nested.id} & due_ids(context, 'COMPLETE', 60)

    def due(seconds=60):
        return a_stack.id in due_ids(context, a_stack.status, seconds)

    assert due()
    assert a_stack.id not in due_ids(context, 'NONE', 60)
    found = begin(context, a_stack.id)
    assert not due()
    assert not due(-60)
    end(context, found)
    assert not due()
    assert due(-60)


def test_stacks_with_a_schedule_are_due_by_it(context, make_stack,
                                              monkeypatch):
    schedule = drift.DriftSchedule
    a_stack = make_stack(action='CREATE', status='COMPLETE')
    busy = make_stack(action='UPDATE', status='IN_PROGRESS')

    def due():
        return {a_stack.id, busy.id} & {
            stack_id for stack_id, _before in schedule.due(
                context, 'COMPLETE', 100)}

    assert (due(), schedule.get(context, a_stack.id)) == (set(), None)
    for each in (a_stack, busy):
        schedule.set(context, each.id, 0)
        schedule.set(context, each.id, 60)
    assert schedule.get(context, a_stack.id) == 60
    assert due() == {a_stack.id}
    assert a_stack.id not in due_ids(context, 'COMPLETE', -60)
    found = begin(context, a_stack.id)
    assert due() == set()
    end(context, found)
    assert due() == set()
    later = timeutils.utcnow() + datetime.timedelta(seconds=61)
    monkeypatch.setattr(timeutils, 'utcnow', lambda: later)
    assert due() == {a_stack.id}
    schedule.set(context, a_stack.id, 0)
    assert due() == set()
    schedule.set(context, a_stack.id, None)
    assert due() == set()
    assert a_stack.id in due_ids(context, 'COMPLETE', 60)


def test_two_engines_that_found_a_stack_due_compare_it_once(
        context, make_stack):
    a_stack, other = (make_stack(action='CREATE', status='COMPLETE')
                      for _number in range(2))
    drift.DriftSchedule.set(context, other.id, 60)
    for each, due in ((a_stack, Detection.due(context, 'COMPLETE', 60, 100)),
                      (other, drift.DriftSchedule.due(context, 'COMPLETE',
                                                      100))):
        before = dict(due)[each.id]
        first = begin(context, each.id, before)
        assert begin(context, each.id, before) is None
        end(context, first)
        # The second engine's list of due stacks is out of date.
        assert begin(context, each.id, before) is None
        assert Detection.latest(context, each.id).id == first.id
        # A user can still start one.
        assert begin(context, each.id) is not None


def test_old_ones_are_forgotten(context, a_stack, monkeypatch):
    found = []
    for _number in range(4):
        found.append(begin(context, a_stack.id))
        end(context, found[-1])
    running = begin(context, a_stack.id)
    monkeypatch.setattr(drift, 'KEPT', 2)
    Detection.forget(context, context.project_id, a_stack.id, 3600)
    left = [each for each in found
            if Detection.get_by_id(context, each.id)]
    assert len(left) == 2
    later = timeutils.utcnow() + datetime.timedelta(hours=2)
    monkeypatch.setattr(timeutils, 'utcnow', lambda: later)
    Detection.forget(context, context.project_id, a_stack.id, 3600)
    assert not any(Detection.get_by_id(context, each.id) for each in found)
    assert Detection.get_by_id(context, running.id)
