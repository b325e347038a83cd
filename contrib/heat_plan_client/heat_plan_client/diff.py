"""Show a change set as a diff, one group for each nested stack."""
from collections.abc import Iterator, Mapping
import difflib
from typing import Any

from heat_plan_client import terminal
from heat_plan_client.terminal import plain

KEEP, RETAIN = 'keep', 'retain'
AVAILABLE, NO_CHANGES, FAILED = 'AVAILABLE', 'NO_CHANGES', 'FAILED'

#: How each action is marked, and its colour.
_MARKS = {
    'create': ('+', terminal.GREEN), 'update': ('~', terminal.YELLOW),
    'replace': ('-/+', terminal.MAGENTA), 'delete': ('-', terminal.RED),
    RETAIN: ('o', terminal.CYAN), 'move': ('>', terminal.CYAN),
    'import': ('<', terminal.CYAN)}
_OTHER = ('*', terminal.BOLD)
#: Actions that the summary names even if nothing has them.
_ALWAYS_COUNTED = ('create', 'update', 'replace', 'delete')
#: Reasons that say no more than the mark does.
_EVIDENT = ('', 'changed', 'unchanged', 'not created', 'not in the template',
            'moved')
_SOURCES = (('parameter', 'parameter %s'), ('attribute', 'attribute %s'),
            ('resource', 'resource %s'), ('file', 'file %s'),
            ('drift', 'drift'), ('line', 'line %s'))


def has_changes(change_set: Mapping[str, Any]) -> bool:
    """Return whether anything but keeping is planned."""
    return any(number for action, number in _counts(change_set).items()
               if action != KEEP)


def lines(change_set: Mapping[str, Any],
          paint: terminal.Paint = terminal.uncoloured) -> Iterator[str]:
    """Yield the lines of a change set.

    :param change_set: as the API shows it
    """
    name = plain(change_set.get('stack_name') or '?')
    new = ' (new)' if change_set.get('action') == 'CREATE' else ''
    stacks: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for each in change_set.get('changes') or ():
        if each['action'] != KEEP:
            stacks.setdefault(tuple(each['path'][:-1]), []).append(each)
    for path, group in sorted(stacks.items(), key=lambda item: item[0]):
        yield paint('Stack ' + '/'.join([name, *map(plain, path)]) + new,
                    terminal.BOLD)
        for each in group:
            yield from _change(each, paint)
        yield ''
    yield from _losses(change_set, paint)
    if change_set.get('left_out') and has_changes(change_set):
        yield f'{change_set["left_out"]} resources are not shown.'
    if change_set.get('status') == FAILED:
        yield paint('The plan fails: ' + plain(
            change_set.get('status_reason')), terminal.RED)
    elif not has_changes(change_set):
        yield f'No changes: stack {name} is as described.'
    else:
        yield summary(change_set)
    for each in change_set.get('proposed_moves') or ():
        yield 'Looks like a move: --move %s=%s' % (
            plain(each['from']), plain(each['to']))


def _losses(change_set: Mapping[str, Any], paint: terminal.Paint
            ) -> Iterator[str]:
    """Yield the lines about stacks that resources are moved out of."""
    for each in change_set.get('other_stacks') or ():
        yield paint(f'Stack {plain(each["name"])}', terminal.BOLD)
        for path in each['loses']:
            yield paint(f'    > {plain(path)}, leaves this stack and stays '
                        'as it is', terminal.CYAN)
        yield ''


def footer(change_set: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that say which change set this is."""
    name = change_set.get('name')
    yield 'Change set %s%s: %s' % (
        change_set.get('id'), f' ({plain(name)})' if name else '',
        change_set.get('status'))
    if change_set.get('status') == AVAILABLE:
        yield ('Apply it with: openstack stack apply --change-set %s' %
               change_set.get('id'))


def summary(change_set: Mapping[str, Any]) -> str:
    """Return one line with the number of each action."""
    counts = {**dict.fromkeys(_ALWAYS_COUNTED, 0), **_counts(change_set)}
    return 'Plan: ' + ', '.join(
        f'{number} to {action}' for action, number in counts.items()
        if action != KEEP and (number or action in _ALWAYS_COUNTED)) + '.'


def _counts(change_set: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of changes of each action."""
    counts = change_set.get('counts')
    if counts is not None:
        return dict(counts)
    found: dict[str, int] = {}
    for each in change_set.get('changes') or ():
        found[each['action']] = found.get(each['action'], 0) + 1
    return found


def _change(change: Mapping[str, Any], paint: terminal.Paint
            ) -> Iterator[str]:
    mark, colour = _MARKS.get(change['action'], _OTHER)
    text = f'  {mark:>3} {plain(change["path"][-1])} ({plain(change["type"])})'
    if change.get('replacement') == 'maybe':
        text += ', may be replaced'
    text += _history(change)
    reason = change.get('reason') or ''
    causes = [each for each in change.get('causes') or []
              if 'move' not in (each.get('source') or {})]
    forced = any(each.get('forces_replacement') for each in causes)
    if reason not in _EVIDENT and not forced:
        text += f': {plain(reason)}'
    yield paint(text, colour)
    if change.get('contents'):
        yield f'        contents: ({plain(change["contents"])})'
    if change.get('refused'):
        yield paint('        the stack policy does not allow ' + ', '.join(
            map(plain, change['refused'])), terminal.RED)
    for each in causes:
        yield from _cause(each, change.get('replacement') == 'maybe')


def _history(change: Mapping[str, Any]) -> str:
    """Return where a resource comes from, if the change set says so."""
    if change.get('moved_from'):
        stack = change.get('moved_from_stack')
        return ', moved from ' + (
            f'{plain(stack["name"])}:' if stack else '') + '/'.join(
                map(plain, change['moved_from']))
    if change['action'] != 'import':
        return ''
    text = f', imported from {plain(change.get("physical_resource_id"))}'
    after = change.get('after_import')
    return text if after in (None, KEEP) else f'{text}, then {plain(after)}'


def _cause(cause: Mapping[str, Any], maybe: bool) -> Iterator[str]:
    if 'property' not in cause:
        yield f'        and {cause.get("left_out")} more'
        return
    before, after = cause.get('before'), cause.get('after')
    suffix = _source(cause.get('source') or {})
    if cause.get('forces_replacement'):
        suffix += ('  may force replacement' if maybe else
                   '  forces replacement')
    name = plain(cause['property'])
    if cause.get('known_after_apply'):
        yield f'        {name}: {before!r} -> (known after apply){suffix}'
    elif _is_long(before) or _is_long(after):
        yield f'        {name}:{suffix}'
        yield from _text_diff(before, after)
    else:
        yield f'        {name}: {before!r} -> {after!r}{suffix}'


def _source(source: Mapping[str, Any]) -> str:
    """Return where a value comes from, in brackets."""
    known = ', '.join((form % plain(source[key])) if '%' in form else form
                      for key, form in _SOURCES
                      if source.get(key) is not None)
    return f'  [{known}]' if known else ''


def _is_long(value: Any) -> bool:
    """Return whether a value is a text of several lines."""
    return isinstance(value, str) and '\n' in value.strip('\n')


def _text_diff(before: Any, after: Any) -> Iterator[str]:
    """Yield the lines that differ between two texts, with one around them."""
    old, new = (('' if each is None else each if isinstance(each, str) else
                 repr(each)).splitlines() for each in (before, after))
    for number, line in enumerate(difflib.unified_diff(
            old, new, n=1, lineterm='')):
        # The first two lines are for the names of files.
        if number > 1:
            yield f'          {plain(line)}'
