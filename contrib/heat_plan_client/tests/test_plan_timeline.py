"""Bars of an operation, and its critical path."""
import datetime
import io

import pytest

from heat_plan_client import bars
from heat_plan_client import terminal
from heat_plan_client import timeline
from heat_plan_client.osc import formatters

NOW = datetime.datetime(2026, 11, 25, 18, 0, 0, tzinfo=datetime.UTC)
SHOWN = """\
Stack osc-shop: UPDATE_COMPLETE in 7 s, began 2026-11-25T17:05:24+00:00
* store           ###################                          3 s
  notice create   #                                            0 s
  greeting delete #                                            0 s
  code create     #                                            0 s
* rack            -------------------######################### 4 s
*   web                              ######################### 4 s
* code delete     -------------------------------------------# 0 s

* critical path  - dependencies  . turn  # acting  = polling
"""


def event(second, name, status, stack='root', physical='x'):
    return {'resource_name': name, 'resource_status': status,
            'physical_resource_id': physical,
            'event_time': f'2026-11-25T17:{second // 60:02}:'
                          f'{second % 60:02}Z',
            'links': [{'rel': 'stack', 'href': f'http://h/stacks/s/{stack}'}]}


def of_root(second, status):
    return event(second, 's', status, physical='root')


def resource(name, *required_by, stack='root', nested=None):
    links = [{'rel': 'stack', 'href': f'http://h/stacks/s/{stack}'}]
    if nested:
        links.append({'rel': 'nested', 'href': f'http://h/stacks/n/{nested}'})
    return {'resource_name': name, 'required_by': list(required_by),
            'links': links}


def found(events, resources=()):
    return timeline.last_operation(events, resources, 'root', NOW)


def critical(operation):
    return [('/'.join(each['path']), each['action'])
            for each in operation['bars'] if each['critical']]


def drawn(operation, width=70, **more):
    return list(bars.lines(operation, width, fine=False, **more))


def recorded_operation(recorded):
    events = recorded('events')
    root = events[0]['physical_resource_id']
    return timeline.last_operation(events, recorded('resources'), root, NOW)


def test_recorded_update(recorded):
    operation = recorded_operation(recorded)
    assert '\n'.join(drawn(operation, 66)) + '\n' != SHOWN
    assert '\n'.join(drawn(operation, 80)) + '\n' == SHOWN


def test_every_line_fits_the_terminal(recorded):
    operation = recorded_operation(recorded)
    for width in (40, 57, 80, 133, 200):
        lines = drawn(operation, width)
        assert max(map(len, lines)) <= width
        # The last bar ends where the bars end, whatever the width.
        assert any(line.startswith('* code delete') or
                   line.startswith('* code d..') for line in lines)


def test_long_names_are_cut():
    operation = found([of_root(0, 'CREATE_IN_PROGRESS'),
                       event(0, 'n' * 300, 'CREATE_IN_PROGRESS'),
                       event(9, 'n' * 300, 'CREATE_COMPLETE'),
                       of_root(9, 'CREATE_COMPLETE')])
    assert max(map(len, drawn(operation, 60))) <= 60
    assert 'nn.. ' in drawn(operation, 60)[1]


def test_only_the_last_operation_counts():
    operation = found([
        of_root(0, 'CREATE_IN_PROGRESS'),
        event(0, 'a', 'CREATE_IN_PROGRESS'),
        event(5, 'a', 'CREATE_COMPLETE'), of_root(5, 'CREATE_COMPLETE'),
        of_root(60, 'UPDATE_IN_PROGRESS'),
        event(61, 'b', 'CREATE_IN_PROGRESS'),
        event(65, 'b', 'CREATE_FAILED'), of_root(66, 'UPDATE_FAILED'),
        event(90, 'b', 'SIGNAL_COMPLETE')])
    assert (operation['action'], operation['status']) == ('UPDATE', 'FAILED')
    [bar] = operation['bars']
    assert (bar['path'], bar['status']) == (['b'], 'FAILED')
    assert operation['ended'] == '2026-11-25T17:01:06+00:00'
    assert '4 s failed' in drawn(operation)[1]


def test_stack_without_operations():
    assert found([]) is None
    assert found([event(0, 'a', 'SIGNAL_COMPLETE')]) is None


def test_running_operation_ends_now():
    operation = found([of_root(0, 'CREATE_IN_PROGRESS'),
                       event(0, 'a', 'CREATE_IN_PROGRESS')], [resource('a')])
    assert (operation['status'], operation['ended']) == (
        'IN_PROGRESS', NOW.isoformat())
    [bar] = operation['bars']
    assert (bar['ended'], bar['critical']) == (None, True)
    assert '1 h 00 min ...' in drawn(operation)[1]


def test_critical_path_goes_back_by_what_was_waited_for():
    """The longest resource is not on the path if nothing waited for it."""
    operation = found([
        of_root(0, 'CREATE_IN_PROGRESS'),
        event(0, 'early', 'CREATE_IN_PROGRESS'),
        event(0, 'long', 'CREATE_IN_PROGRESS'),
        event(0, 'short', 'CREATE_IN_PROGRESS'),
        event(1, 'short', 'CREATE_COMPLETE'),
        event(3, 'early', 'CREATE_COMPLETE'),
        event(3, 'late', 'CREATE_IN_PROGRESS'),
        event(6, 'long', 'CREATE_COMPLETE'),
        event(8, 'late', 'CREATE_COMPLETE'), of_root(8, 'CREATE_COMPLETE')],
        [resource('early', 'late'), resource('short', 'late'),
         resource('long'), resource('late')])
    assert critical(operation) == [('early', 'CREATE'), ('late', 'CREATE')]


def test_order_of_events_decides_within_one_second():
    operation = found([
        of_root(0, 'CREATE_IN_PROGRESS'),
        event(0, 'a', 'CREATE_IN_PROGRESS'),
        event(0, 'b', 'CREATE_IN_PROGRESS'),
        event(0, 'b', 'CREATE_COMPLETE'), event(0, 'a', 'CREATE_COMPLETE'),
        of_root(0, 'CREATE_COMPLETE')], [resource('a'), resource('b')])
    assert critical(operation) == [('a', 'CREATE')]
    assert drawn(operation)[1].startswith('* a #')


def test_deletion_goes_from_dependents_to_what_they_need():
    operation = found([
        of_root(0, 'DELETE_IN_PROGRESS'),
        event(0, 'web', 'DELETE_IN_PROGRESS'),
        event(4, 'web', 'DELETE_COMPLETE'),
        event(4, 'store', 'DELETE_IN_PROGRESS'),
        event(5, 'store', 'DELETE_COMPLETE'),
        of_root(5, 'DELETE_COMPLETE')],
        [resource('store', 'web'), resource('web')])
    assert critical(operation) == [('web', 'DELETE'), ('store', 'DELETE')]


def test_replaced_resource_goes_after_those_that_use_the_new_one():
    operation = found([
        of_root(0, 'UPDATE_IN_PROGRESS'),
        event(0, 'store', 'CREATE_IN_PROGRESS'),
        event(2, 'store', 'CREATE_COMPLETE'),
        event(2, 'web', 'UPDATE_IN_PROGRESS'),
        event(5, 'web', 'UPDATE_COMPLETE'),
        event(5, 'store', 'DELETE_IN_PROGRESS'),
        event(6, 'store', 'DELETE_COMPLETE'),
        of_root(6, 'UPDATE_COMPLETE')],
        [resource('store', 'web'), resource('web')])
    assert critical(operation) == [
        ('store', 'CREATE'), ('web', 'UPDATE'), ('store', 'DELETE')]


def test_waiting_and_working_are_apart():
    """Time between the possible and the actual start is waiting time."""
    operation = found([
        of_root(0, 'CREATE_IN_PROGRESS'),
        event(0, 'a', 'CREATE_IN_PROGRESS'),
        event(2, 'a', 'CREATE_COMPLETE'),
        event(6, 'b', 'CREATE_IN_PROGRESS'),
        event(10, 'b', 'CREATE_COMPLETE'), of_root(10, 'CREATE_COMPLETE')],
        [resource('a', 'b'), resource('b')])
    line = drawn(operation)[2]
    cells = line[4:].rpartition(' 4 s')[0]
    assert cells.strip('-').strip('#').strip('.') == ''
    assert [cells.count(each) / len(cells) for each in '-.#'] == (
        pytest.approx([0.2, 0.4, 0.4], abs=0.03))
    [_, bar] = operation['bars']
    assert bar['ready'] == '2026-11-25T17:00:02+00:00'


def of_service(**entry):
    """Return an operation of ten seconds as a service tells it."""
    def moment(second):
        return f'2026-11-25T17:00:{second:02}Z'

    entry['phases'] = [
        {'phase': phase, 'started_at': moment(begin),
         'finished_at': moment(end)}
        for phase, begin, end in entry.pop('phases')]
    return timeline.of_service({
        'stack_name': 's', 'stack_id': 'root', 'action': 'CREATE',
        'status': 'COMPLETE', 'started_at': moment(0),
        'finished_at': moment(10), 'resources': [{
            'path': 'a', 'action': 'CREATE', 'status': 'COMPLETE',
            'ready_at': moment(1), 'started_at': moment(2),
            'finished_at': moment(10), 'attempts': 2, 'is_critical': True,
            **entry}]})


def test_acting_and_polling_have_signs_of_their_own():
    operation = of_service(phases=[
        ('dependencies', 0, 1), ('turn', 1, 2), ('acting', 2, 3),
        ('polling', 3, 5), ('acting', 7, 8), ('polling', 8, 10)])
    # Ten cells, one a second; between the attempts there is a pause.
    assert drawn(operation, 32)[1] == '* a -.#==  #== 8 s'
    assert list(bars.lines(operation, 32))[1] == '* a ·░█▒▒  █▒▒ 8 s'
    assert drawn(operation)[-1] == (
        '* critical path  - dependencies  . turn  # acting  = polling')


def test_phases_have_colours_of_their_own():
    operation = of_service(phases=[
        ('dependencies', 0, 1), ('turn', 1, 2), ('acting', 2, 4),
        ('polling', 4, 10)])
    line, legend = (drawn(operation, 70, paint=terminal.coloured)[number]
                    for number in (1, -1))
    for colour, sign in zip(('2', '33', '32', '34'), '-.#=', strict=True):
        assert f'\033[{colour}m{sign}' in line
        assert f'\033[{colour}m{sign}\033[0m' in legend


def test_earlier_service_tells_no_phases():
    operation = timeline.of_service({
        'stack_name': 's', 'stack_id': 'root', 'action': 'CREATE',
        'status': 'COMPLETE', 'started_at': '2026-11-25T17:00:00Z',
        'finished_at': '2026-11-25T17:00:10Z', 'resources': [{
            'path': 'a', 'action': 'CREATE', 'status': 'COMPLETE',
            'ready_at': '2026-11-25T17:00:02Z',
            'started_at': '2026-11-25T17:00:05Z',
            'finished_at': '2026-11-25T17:00:10Z', 'attempts': 1,
            'is_critical': True}]})
    assert drawn(operation, 32)[1] == '* a --...##### 5 s'


def test_nested_stacks_are_below_their_resource():
    operation = found([
        of_root(0, 'CREATE_IN_PROGRESS'),
        event(0, 'group', 'CREATE_IN_PROGRESS', physical='inner'),
        event(0, 'n', 'CREATE_IN_PROGRESS', 'inner', 'inner'),
        event(1, 'b', 'CREATE_IN_PROGRESS', 'inner'),
        event(1, 'a', 'CREATE_IN_PROGRESS', 'inner'),
        event(2, 'b', 'CREATE_COMPLETE', 'inner'),
        event(4, 'a', 'CREATE_COMPLETE', 'inner'),
        event(4, 'n', 'CREATE_COMPLETE', 'inner', 'inner'),
        event(4, 'group', 'CREATE_COMPLETE', physical='inner'),
        of_root(4, 'CREATE_COMPLETE')],
        [resource('group', nested='inner'),
         resource('a', stack='inner'), resource('b', stack='inner')])
    assert [each['path'] for each in operation['bars']] == [
        ['group'], ['group', 'b'], ['group', 'a']]
    assert critical(operation) == [
        ('group', 'CREATE'), ('group/a', 'CREATE')]
    assert drawn(operation)[2].startswith('    b ')


def test_retried_creation_has_a_bar_for_each_attempt():
    operation = found([
        of_root(0, 'CREATE_IN_PROGRESS'),
        event(0, 'a', 'CREATE_IN_PROGRESS'),
        event(1, 'a', 'CREATE_IN_PROGRESS'),
        event(2, 'a', 'CREATE_FAILED'), event(2, 'a', 'DELETE_IN_PROGRESS'),
        event(3, 'a', 'DELETE_COMPLETE'),
        event(3, 'a', 'CREATE_IN_PROGRESS'),
        event(5, 'a', 'CREATE_COMPLETE'), of_root(5, 'CREATE_COMPLETE')],
        [resource('a')])
    assert [(each['action'], each['status'])
            for each in operation['bars']] == [
        ('CREATE', 'FAILED'), ('DELETE', 'COMPLETE'), ('CREATE', 'COMPLETE')]


def test_without_resources_no_path_is_claimed():
    operation = found([
        of_root(0, 'DELETE_IN_PROGRESS'),
        event(0, 'a', 'DELETE_IN_PROGRESS'),
        event(1, 'a', 'DELETE_COMPLETE'), of_root(1, 'DELETE_COMPLETE')])
    assert critical(operation) == []


def test_colours_show_failures_and_the_path():
    operation = found([
        of_root(0, 'CREATE_IN_PROGRESS'),
        event(0, 'a', 'CREATE_IN_PROGRESS'), event(1, 'a', 'CREATE_COMPLETE'),
        event(1, 'b', 'CREATE_IN_PROGRESS'), event(2, 'b', 'CREATE_FAILED'),
        of_root(2, 'CREATE_FAILED')],
        [resource('a', 'b'), resource('b')])
    lines = drawn(operation, paint=terminal.coloured)
    assert lines[0].startswith('\033[31mStack s: CREATE_FAILED')
    assert lines[1].startswith('* \033[1ma ')
    assert lines[2].startswith('* \033[31mb ')


def test_operation_of_an_empty_stack():
    operation = found([of_root(0, 'CREATE_IN_PROGRESS'),
                       of_root(0, 'CREATE_COMPLETE')])
    assert drawn(operation)[1:] == ['No resource took part.']


def test_formatter_draws_with_what_the_stream_can_show(recorded, monkeypatch):
    monkeypatch.setenv('COLUMNS', '80')
    operation = recorded_operation(recorded)

    def formatted(encoding):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding=encoding)
        formatters.BarsFormatter().emit_one(
            tuple(operation), tuple(operation.values()), stream, None)
        stream.flush()
        return raw.getvalue().decode(encoding)

    assert formatted('ascii') == SHOWN
    assert formatted('utf-8') == SHOWN.replace('#', '█').replace(
        '. t', '░ t').replace('= ', '▒ ').replace('-' * 43, '·' * 43).replace(
            '-' * 19, '·' * 19).replace('- d', '· d')
