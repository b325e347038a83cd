"""Fn::ForEach: parts of a cfn template that are repeated for some values.

{"Fn::ForEach::<name>": [<identifier>, [<value>, ...],
                         {<key>: <what is repeated>}]}

In the keys and values of what is repeated, ${<identifier>} and
&{<identifier>} stand for the value; &{...} leaves out what is neither a
letter nor a digit. {"Ref": "<identifier>"} is the value as well. See the AWS
CloudFormation User Guide, "Fn::ForEach".
"""
from collections.abc import Callable, Mapping
import re
from typing import Any

from heat.common import exception
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import function
from heat.engine.sandbox import result_size

PREFIX = 'Fn::ForEach::'
#: How many values one loop may have, and how many loops may be nested.
MAX_VALUES = 1000
MAX_NESTED = 5

_NO_WORD = re.compile('[^A-Za-z0-9]')


def is_loop(key: Any) -> bool:
    """Return whether a key of a map says that a loop follows."""
    return isinstance(key, str) and key.startswith(PREFIX)


def has_loops(snippet: Any) -> bool:
    """Return whether there is a loop anywhere in a snippet."""
    if isinstance(snippet, Mapping):
        return any(is_loop(key) or has_loops(value)
                   for key, value in snippet.items())
    return isinstance(snippet, list) and any(map(has_loops, snippet))


def expanded(snippet: Any, path: tuple[Any, ...],
             resolve: Callable[[Any, list[Any]], Any]) -> Any:
    """Return a snippet with what its loops stand for in their places.

    :param path: where in the template it is
    :param resolve: returns the value of a snippet, given its path, for the
        collection of a loop may be a parameter
    :raises StackValidationFailed: a loop is malformed
    :raises request_budget.Exceeded: the loops make too much
    """
    with request_budget.work():
        return _Expansion(resolve).of(snippet, path, 0)


class _Expansion:

    def __init__(self, resolve: Callable[[Any, list[Any]], Any]) -> None:
        self._resolve = resolve

    def of(self, snippet: Any, path: tuple[Any, ...], depth: int) -> Any:
        """Return a snippet with its loops expanded."""
        if isinstance(snippet, list):
            return [self.of(item, (*path, index), depth)
                    for index, item in enumerate(snippet)]
        if not isinstance(snippet, Mapping):
            return snippet
        result: dict[Any, Any] = {}
        for key, value in snippet.items():
            where = (*path, key)
            made = (self._loop(value, where, depth) if is_loop(key)
                    else {key: self.of(value, where, depth)})
            for name in made:
                if name in result:
                    raise _failed(where, _(
                        'The key "%s" is there already. The keys that a loop '
                        'makes must have its identifier in them.') % name)
            result.update(made)
        return result

    def _loop(self, args: Any, path: tuple[Any, ...],
              depth: int) -> dict[Any, Any]:
        identifier, collection, repeated = _checked(args, path)
        if depth >= MAX_NESTED:
            raise _failed(path, _('More than %d loops are nested')
                          % MAX_NESTED)
        result: dict[Any, Any] = {}
        for value in self._values(collection, path):
            fragment = _Substitution(identifier, value).of(repeated)
            request_budget.take(result_size.size_of(fragment))
            made = self.of(fragment, (*path, 2), depth + 1)
            for key in made:
                if key in result:
                    raise _failed(path, _(
                        'The loop makes the key "%(key)s" twice. The key '
                        'must have ${%(identifier)s} in it, and the values '
                        'must differ.') % {'key': key,
                                           'identifier': identifier})
            result.update(made)
        return result

    def _values(self, collection: Any, path: tuple[Any, ...]) -> list[str]:
        where = [*path, 1]
        values = self._resolve(collection, where)
        if not function.is_list(values):
            raise _failed(where, _('The collection of a loop must be a list, '
                                   'or a function that results in one'))
        flat: list[Any] = []
        for value in values:
            # An item may refer to a parameter that is a list.
            flat += value if function.is_list(value) else [value]
        if len(flat) > MAX_VALUES:
            raise _failed(where, _('The collection of a loop may have at '
                                   'most %d values') % MAX_VALUES)
        for value in flat:
            if isinstance(value, bool) or not isinstance(
                    value, (str, int, float)):
                raise _failed(where, _('The values of a loop must be texts '
                                       'or numbers'))
        return [str(value) for value in flat]


class _Substitution:
    """Puts a value in the places of an identifier."""

    def __init__(self, identifier: str, value: str) -> None:
        self._reference = {'Ref': identifier}
        self._value = value
        self._texts = {'${%s}' % identifier: value,
                       '&{%s}' % identifier: _NO_WORD.sub('', value)}

    def of(self, snippet: Any) -> Any:
        """Return a copy of a snippet with the value in it."""
        if isinstance(snippet, str):
            return self._in_text(snippet)
        if isinstance(snippet, list):
            return [self.of(item) for item in snippet]
        if not isinstance(snippet, Mapping):
            return snippet
        if snippet == self._reference:
            return self._value
        return {self._in_text(key) if isinstance(key, str) else key:
                self.of(value) for key, value in snippet.items()}

    def _in_text(self, text: str) -> str:
        for word, value in self._texts.items():
            if word in text:
                text = text.replace(word, value)
        return text


def _checked(args: Any, path: tuple[Any, ...]) -> tuple[str, Any, Any]:
    """Return the three arguments of a loop."""
    if not (isinstance(args, list) and len(args) == 3):
        raise _failed(path, _('A loop must be a list of three: an '
                              'identifier, a collection and a map of what is '
                              'repeated'))
    identifier, collection, repeated = args
    if not (isinstance(identifier, str) and identifier.isalnum()):
        raise _failed((*path, 0), _('The identifier of a loop must be a text '
                                    'of letters and digits'))
    if not (isinstance(repeated, Mapping) and repeated):
        raise _failed((*path, 2), _('What a loop repeats must be a map with '
                                    'an entry'))
    return identifier, collection, repeated


def _failed(path: Any, message: str) -> exception.StackValidationFailed:
    return exception.StackValidationFailed(path=list(path), message=message)
