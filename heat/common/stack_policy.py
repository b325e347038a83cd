"""Policies of stacks: which resources an update may change.

The form is that of the stack policies of AWS CloudFormation. What no
statement allows is refused, and what one denies is refused whatever others
allow. Nothing is asked before a stack has a policy.
"""
from collections.abc import Iterable, Mapping, Sequence
import dataclasses
from typing import Any

from heat.common import change_words
from heat.common.i18n import _

MODIFY, REPLACE, DELETE = _ACTIONS = (
    'Update:Modify', 'Update:Replace', 'Update:Delete')
_ALL = 'Update:*'
_RESOURCE = 'LogicalResourceId/'
_KEYS = frozenset(('Effect', 'Action', 'NotAction', 'Principal', 'Resource',
                   'NotResource', 'Condition', 'Sid'))
_CONDITIONS = ('StringEquals', 'StringLike')
_TYPE = 'ResourceType'

#: The greatest number of statements, and of characters in a pattern.
_MOST_STATEMENTS, _LONGEST_PATTERN = 100, 1024

#: Action of a change -> the actions that a policy has to allow.
_NEEDED = {change_words.UPDATE: (MODIFY,), change_words.REPLACE: (REPLACE,),
           change_words.DELETE: (DELETE,), change_words.RETAIN: (DELETE,)}


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """An action on a resource that a policy does not allow."""

    action: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return '%s of %s' % (self.action, '/'.join(self.path))


def validate(document: Any) -> None:
    """Raise ValueError, naming the place, if a document is no policy."""
    if not isinstance(document, Mapping) or set(document) - {
            'Version', 'Statement'} or not isinstance(
                document.get('Statement'), list):
        raise ValueError(_('A policy is an object with a list called '
                           'Statement.'))
    if len(document['Statement']) > _MOST_STATEMENTS:
        raise ValueError(_('A policy has at most %d statements.')
                         % _MOST_STATEMENTS)
    for number, statement in enumerate(document['Statement']):
        _validate_statement(statement, 'Statement[%d]' % number)


def _validate_statement(statement: Any, where: str) -> None:
    if not isinstance(statement, Mapping) or set(statement) - _KEYS:
        raise ValueError(_('%(where)s must be an object with none but the '
                           'keys %(keys)s.') % {
                               'where': where, 'keys': ', '.join(
                                   sorted(_KEYS))})
    if statement.get('Effect') not in ('Allow', 'Deny'):
        raise ValueError(_('%s.Effect must be Allow or Deny.') % where)
    if statement.get('Principal', '*') != '*':
        raise ValueError(_('%s.Principal must be "*".') % where)
    for name in 'Action', 'Resource':
        given = [key for key in (name, f'Not{name}') if key in statement]
        if len(given) != 1:
            raise ValueError(
                _('%(where)s needs exactly one of %(name)s and Not%(name)s.')
                % {'where': where, 'name': name})
        _validate_texts(statement[given[0]], f'{where}.{given[0]}')
        for text in _texts(statement[given[0]]):
            _validate_value(name, text, f'{where}.{given[0]}')
    _validate_condition(statement.get('Condition'), f'{where}.Condition')


def _validate_texts(value: Any, where: str) -> None:
    texts = _texts(value)
    if not texts or not all(isinstance(each, str) and each and
                            len(each) <= _LONGEST_PATTERN for each in texts):
        raise ValueError(
            _('%(where)s must be a text, or a list of texts, of at most '
              '%(most)d characters.')
            % {'where': where, 'most': _LONGEST_PATTERN})


def _validate_value(name: str, text: str, where: str) -> None:
    if name == 'Action' and text not in (*_ACTIONS, _ALL):
        raise ValueError(_('%(where)s must be one of %(known)s.') % {
            'where': where, 'known': ', '.join((*_ACTIONS, _ALL))})
    if name == 'Resource' and text != '*' and not text.startswith(_RESOURCE):
        raise ValueError(_('%(where)s must be "*" or begin with %(start)s.')
                         % {'where': where, 'start': _RESOURCE})


def _validate_condition(condition: Any, where: str) -> None:
    if condition is None:
        return
    if not isinstance(condition, Mapping) or len(condition) != 1 or not (
            set(condition) <= set(_CONDITIONS)):
        raise ValueError(_('%(where)s must have one of %(known)s.') % {
            'where': where, 'known': ', '.join(_CONDITIONS)})
    [(operator, tested)] = condition.items()
    if not isinstance(tested, Mapping) or set(tested) != {_TYPE}:
        raise ValueError(_('%(where)s.%(operator)s must have %(type)s alone.')
                         % {'where': where, 'operator': operator,
                            'type': _TYPE})
    _validate_texts(tested[_TYPE], f'{where}.{operator}.{_TYPE}')


def _texts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def allows(document: Mapping[str, Any], action: str, path: Sequence[str],
           type_name: str | None) -> bool:
    """Return whether a policy allows an action on a resource.

    :param path: the name of the resource, behind those of the resources
        that hold the stacks it is in. What is said of one of these is said
        of all inside it.
    """
    effects = {statement['Effect'] for statement in document['Statement']
               if _applies(statement, action, path, type_name)}
    return effects == {'Allow'}


def _applies(statement: Mapping[str, Any], action: str, path: Sequence[str],
             type_name: str | None) -> bool:
    actions = _texts(statement.get('Action', statement.get('NotAction')))
    if (action in actions or _ALL in actions) != ('Action' in statement):
        return False
    patterns = _texts(statement.get('Resource',
                                    statement.get('NotResource')))
    names = ['/'.join(path[:end]) for end in range(1, len(path) + 1)]
    named = any(pattern == '*' or any(
        _is_like(name, pattern.removeprefix(_RESOURCE)) for name in names)
        for pattern in patterns)
    return named == ('Resource' in statement) and _is_of_type(
        statement.get('Condition'), type_name or '')


def _is_of_type(condition: Mapping[str, Any] | None, type_name: str) -> bool:
    if condition is None:
        return True
    [(operator, tested)] = condition.items()
    return any(type_name == each if operator == 'StringEquals'
               else _is_like(type_name, each)
               for each in _texts(tested[_TYPE]))


def _is_like(text: str, pattern: str) -> bool:
    """Return whether a text has the form of a pattern with asterisks."""
    first, *others = pattern.split('*')
    if not others:
        return text == pattern
    *middle, last = others
    if len(text) < len(first) + len(last) or not (
            text.startswith(first) and text.endswith(last)):
        return False
    place, end = len(first), len(text) - len(last)
    for part in middle:
        place = text.find(part, place, end)
        if place < 0:
            return False
        place += len(part)
    return True


def refused(document: Mapping[str, Any], change: Mapping[str, Any]
            ) -> list[Refusal]:
    """Return what a policy does not allow of a planned change.

    What may be replaced, although that is not certain, has to be allowed
    both. Remains of earlier updates, which have no type, may always go.
    """
    if change['type'] is None:
        return []
    # What is imported is managed from then on.
    action = change.get('after_import') or change['action']
    needed = list(_NEEDED.get(action, ()))
    if change['replacement'] == change_words.MAYBE:
        needed.append(REPLACE)
    path = tuple(change['path'])
    asked = [(action, path) for action in needed]
    if change.get('moved_from') and not change.get('moved_from_stack'):
        # What is said of its name does not hold for it any more. Another
        # stack has a policy of its own.
        asked.append((DELETE, tuple(change['moved_from'])))
    return [Refusal(action, place) for action, place in asked
            if not allows(document, action, place, change['type'])]


def all_refused(document: Mapping[str, Any],
                changes: Iterable[Mapping[str, Any]]) -> list[Refusal]:
    """Return what a policy does not allow of planned changes."""
    return [each for change in changes for each in refused(document, change)]
