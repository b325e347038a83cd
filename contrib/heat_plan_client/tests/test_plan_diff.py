"""A change set as a diff."""
import io

from heat_plan_client import diff
from heat_plan_client import terminal
from heat_plan_client.osc import formatters

SHOWN = """\
Stack osc-shop
  -/+ code (OS::Heat::RandomString)
        length: 8 -> 12  [parameter length, line 9]  forces replacement
    ~ store (OS::Heat::TestResource)
        value: 'hello' -> 'welcome'  [parameter motd, line 13]
    + notice (OS::Heat::Value)
    ~ rack (file:///srv/shop/rack.yaml)
        word: 'OrgNggWL' -> (known after apply)  [attribute code.value, line 23]
    - greeting (OS::Heat::Value)

Stack osc-shop/rack
    ~ web (OS::Heat::TestResource), may be replaced
        value: 'OrgNggWL' -> (known after apply)  [parameter word]

Plan: 1 to create, 3 to update, 1 to replace, 1 to delete.
"""  # noqa: E501 (as it is printed)


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        """Return True."""
        return True


def text(change_set, **more):
    return ''.join(line + '\n' for line in diff.lines(
        {**change_set, **more}))


def change(**more):
    return {'stack_name': 's', 'action': 'UPDATE', 'status': 'AVAILABLE',
            'changes': [{'path': ['a'], 'type': 'T', 'action': 'update',
                         'replacement': 'never', 'reason': 'changed',
                         'causes': [], **more}]}


def test_recorded_change_set(recorded):
    assert text(recorded('change_set')) == SHOWN


def test_footer_says_how_to_apply(recorded):
    found = recorded('change_set')
    # It was recorded before it was executed.
    assert found['status'] == 'AVAILABLE'
    assert list(diff.footer(found)) == [
        f'Change set {found["id"]} (longer-code): AVAILABLE',
        'Apply it with: openstack stack apply --change-set ' + found['id']]
    [line] = diff.footer({**found, 'status': 'EXECUTED', 'name': None})
    assert line == f'Change set {found["id"]}: EXECUTED'


def test_colours_add_nothing_but_colours(recorded):
    lines = list(diff.lines(recorded('change_set'), terminal.coloured))
    assert lines[1] == '\033[35m  -/+ code (OS::Heat::RandomString)\033[0m'
    plain = '\n'.join(lines)
    for code in ('1', '31', '32', '33', '35', '0'):
        assert f'\033[{code}m' in plain
        plain = plain.replace(f'\033[{code}m', '')
    assert plain + '\n' == SHOWN


def test_only_a_terminal_gets_colours(recorded):
    assert terminal.paint_of(Terminal(), {}) is terminal.coloured
    for stream, environment in (
            (io.StringIO(), {}), (Terminal(), {'NO_COLOR': '1'}),
            (Terminal(), {'TERM': 'dumb'})):
        assert terminal.paint_of(stream, environment) is terminal.uncoloured
    # An empty value does not count as set.
    assert terminal.paint_of(Terminal(), {'NO_COLOR': ''}) is (
        terminal.coloured)


def test_formatter(recorded):
    found = recorded('change_set')
    out = io.StringIO()
    formatters.DiffFormatter().emit_one(
        tuple(found), tuple(found.values()), out, None)
    assert out.getvalue().startswith(SHOWN)
    assert 'Apply it with' in out.getvalue()


def test_no_changes():
    found = {'stack_name': 's', 'status': 'NO_CHANGES',
             'changes': [{'path': ['a'], 'type': 'T', 'action': 'keep'}]}
    assert text(found) == 'No changes: stack s is as described.\n'
    assert not diff.has_changes(found)


def test_failing_plan():
    found = {**change(), 'status': 'FAILED', 'status_reason': 'no\033[2Jwhere'}
    assert text(found).endswith('The plan fails: no\\x1b[2Jwhere\n')


def test_new_stack_is_marked():
    found = {**change(action='create', reason='not created'),
             'action': 'CREATE'}
    assert text(found) == ('Stack s (new)\n    + a (T)\n\nPlan: 1 to create, '
                           '0 to update, 0 to replace, 0 to delete.\n')


def test_reason_is_shown_unless_it_is_evident():
    assert '    ~ a (T): external_id changed\n' in text(change(
        reason='external_id changed'))
    assert '    ~ a (T)\n' in text(change(reason='changed'))


def test_values_cannot_steer_the_terminal():
    shown = text(change(path=['a\n\033[31mb'], type='T\r', causes=[
        {'property': 'p\033', 'before': '\033[2J', 'after': 'x\n',
         'source': {'file': 'f\033'}, 'forces_replacement': False,
         'known_after_apply': False}]))
    assert '\033' not in shown
    assert '\r' not in shown
    assert '    ~ a\\n\\x1b[31mb (T\\r)\n' in shown
    assert "        p\\x1b: '\\x1b[2J' -> 'x\\n'  [file f\\x1b]\n" in shown


def test_long_texts_show_the_lines_that_differ():
    shown = text(change(causes=[
        {'property': 'p', 'before': 'a\nb\nc\nd\n', 'after': 'a\nb\nc\nD\033',
         'source': {'template': 'literal', 'line': 3},
         'forces_replacement': True, 'known_after_apply': False}]))
    assert shown.splitlines()[2:7] == [
        '        p:  [line 3]  forces replacement',
        '          @@ -3,2 +3,2 @@', '           c', '          -d',
        '          +D\\x1b']


def test_replacement_that_depends_on_an_unknown_value():
    shown = text(change(replacement='maybe', causes=[
        {'property': 'p', 'before': 1, 'after': 'known after apply',
         'source': {'resource': 'b'}, 'forces_replacement': True,
         'known_after_apply': True}]))
    assert ('    ~ a (T), may be replaced\n        p: 1 -> (known after '
            'apply)  [resource b]  may force replacement\n') in shown


def test_what_the_service_left_out_is_counted():
    found = {**change(causes=[{'left_out': 7}]), 'left_out': 4,
             'counts': {'create': 0, 'update': 5, 'replace': 0, 'delete': 0,
                        'retain': 2, 'keep': 9}}
    assert text(found).splitlines()[2:] == [
        '        and 7 more', '', '4 resources are not shown.',
        'Plan: 0 to create, 5 to update, 0 to replace, 0 to delete, '
        '2 to retain.']


def test_unplannable_contents_and_unknown_actions():
    shown = text(change(action='shape', contents='known after apply'))
    assert '    * a (T)\n        contents: (known after apply)\n' in shown
    assert '1 to shape.' in shown


def test_what_the_policy_of_the_stack_refuses():
    shown = text(change(refused=['Update:Replace', 'Update:Delete']))
    assert ('    ~ a (T)\n        the stack policy does not allow '
            'Update:Replace, Update:Delete\n') in shown


def test_moves_and_imports_say_where_resources_come_from():
    moved = change(action='move', moved_from=['n', 'b'], reason='moved',
                   causes=[{'property': 'path', 'before': 'n/b',
                            'after': 'a', 'source': {'move': 'n/b'},
                            'forces_replacement': False,
                            'known_after_apply': False}])
    assert '    > a (T), moved from n/b\n' in text(moved)
    assert 'path' not in text(moved)
    assert '1 to move' in text(moved)
    taken = change(action='import', physical_resource_id='id',
                   after_import='update')
    assert '    < a (T), imported from id, then update\n' in text(taken)
    taken['changes'][0]['after_import'] = 'keep'
    assert '    < a (T), imported from id\n' in text(taken)


def test_other_stacks_lose_what_is_moved():
    found = change(action='move', moved_from=['n'], reason='moved',
                   moved_from_stack={'id': 'x', 'name': 'old'})
    found['other_stacks'] = [{'id': 'x', 'name': 'old',
                              'loses': ['n', 'n/b']}]
    assert '    > a (T), moved from old:n\n' in text(found)
    assert ('Stack old\n'
            '    > n, leaves this stack and stays as it is\n'
            '    > n/b, leaves this stack and stays as it is\n'
            ) in text(found)


def test_likely_moves_are_proposed():
    found = change()
    found['proposed_moves'] = [{'from': 'a', 'to': 'n/b'}]
    assert text(found).endswith('Looks like a move: --move a=n/b\n')
