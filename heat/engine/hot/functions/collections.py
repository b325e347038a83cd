"""Functions that make and change lists and maps."""
from collections.abc import Iterator, Mapping, Sequence
import functools
import itertools
import math
from typing import Any

from heat.common.i18n import _
from heat.engine import function
from heat.engine.sandbox import result_size

#: How many items a list may have that functions make.
MAX_ITEMS = 100000


def _check_items(number: int, fn_name: str) -> None:
    if number > MAX_ITEMS:
        raise ValueError(
            _('"%(function)s" would make a list of more than %(limit)d '
              'items') % {'function': fn_name, 'limit': MAX_ITEMS})


class MapMerge(function.Function):
    """One map of several; where they share a key, the last one counts.

    map_merge: [<map>, <map>, ...]
    """

    def result(self) -> dict[str, Any]:
        args = function.resolve(self.args)
        if not function.is_list(args):
            raise TypeError(_('The argument of "%s" must be a list of maps')
                            % self.fn_name)
        merged: dict[str, Any] = {}
        for item in args:
            if item is None:
                continue
            if not function.is_map(item):
                raise TypeError(_('"%(function)s" merges maps, not '
                                  '%(item)r') % {'function': self.fn_name,
                                                 'item': item})
            merged.update(item)
        return merged


class MapReplace(function.Function):
    """A map with some keys and values exchanged for others.

    map_replace: [<map>, {keys: {<old>: <new>}, values: {<old>: <new>}}]
    """

    def result(self) -> dict[Any, Any]:
        args = function.resolve(self.args)
        if not (function.is_list(args) and len(args) == 2):
            raise TypeError(_('The arguments of "%s" must be a map and a map '
                              'of replacements') % self.fn_name)
        original, replacements = ({} if arg is None else arg for arg in args)
        if not (function.is_map(original) and function.is_map(replacements)):
            raise TypeError(_('The arguments of "%s" must be two maps')
                            % self.fn_name)
        for key in replacements:
            if key not in ('keys', 'values'):
                raise ValueError(
                    _('The replacements of "%(function)s" may be "keys" and '
                      '"values", not "%(key)s"') % {
                          'function': self.fn_name, 'key': key})
        return self._replaced(original, replacements.get('keys') or {},
                              replacements.get('values') or {})

    def _replaced(self, original: Mapping[Any, Any], keys: Any,
                  values: Any) -> dict[Any, Any]:
        if not (function.is_map(keys) and function.is_map(values)):
            raise TypeError(_('The "keys" and "values" of "%s" must be maps')
                            % self.fn_name)
        replaced: dict[Any, Any] = {}
        for key, value in original.items():
            new_key = keys.get(key, key)
            if (new_key != key and new_key in original
                    or new_key in replaced):
                raise ValueError(
                    _('The map of "%(function)s" would have the key '
                      '"%(key)s" twice') % {'function': self.fn_name,
                                            'key': new_key})
            replaced[new_key] = _exchanged(value, values)
        return replaced


def _exchanged(value: Any, replacements: Mapping[Any, Any]) -> Any:
    try:
        return replacements.get(value, value)
    except TypeError:
        # A map or list cannot be a key of the replacements.
        return value


def _hashable(value: Any) -> Any:
    """Return what equals that of another value if the two are equal.

    To compare each with each would take long for long lists of maps.
    """
    if isinstance(value, Mapping):
        return frozenset((key, _hashable(item))
                         for key, item in value.items())
    if function.is_list(value):
        return tuple(map(_hashable, value))
    return value


class ListConcat(function.Function):
    """The items of several lists in one.

    list_concat: [<list>, <list>, ...]
    """

    def result(self) -> list[Any]:
        args = function.resolve(self.args)
        if not function.is_list(args):
            raise TypeError(_('The argument of "%s" must be a list of lists')
                            % self.fn_name)
        for item in args:
            if item is not None and not function.is_list(item):
                raise TypeError(_('"%(function)s" concatenates lists, not '
                                  '%(item)r') % {'function': self.fn_name,
                                                 'item': item})
        lists = [item or [] for item in args]
        _check_items(sum(map(len, lists)), self.fn_name)
        return self._concatenated(lists)

    def _concatenated(self, lists: list[list[Any]]) -> list[Any]:
        return list(itertools.chain.from_iterable(lists))


class ListConcatUnique(ListConcat):
    """The items of several lists in one, each only once.

    list_concat_unique: [<list>, <list>, ...]
    """

    def _concatenated(self, lists: list[list[Any]]) -> list[Any]:
        unique: dict[Any, Any] = {}
        for item in super()._concatenated(lists):
            unique.setdefault(_hashable(item), item)
        return list(unique.values())


class Filter(function.Function):
    """A list without the items that equal one of some values.

    filter: [<values>, <list>]
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        self._values, self._sequence = function.two_of(
            fn_name, args, _('The arguments of "%s" must be a list of '
                             'values and a list to filter'))

    def result(self) -> Any:
        sequence = function.resolve(self._sequence)
        if not sequence:
            return sequence
        if not function.is_list(sequence):
            raise TypeError(_('What "%s" filters must be a list')
                            % self.fn_name)
        values = function.resolve(self._values)
        if not values:
            return sequence
        if not function.is_list(values):
            raise TypeError(_('The values of "%s" must be a list')
                            % self.fn_name)
        unwanted = set(map(_hashable, values))
        return [item for item in sequence
                if _hashable(item) not in unwanted]


class Repeat(function.Function):
    """A template repeated with the items of lists put into it.

    repeat:
      template: <anything>
      for_each: {<word>: <list>, ...}

    Of several lists every combination is used.
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        self._parse_args()

    def _parse_args(self) -> None:
        if not function.is_map(self.args):
            raise TypeError(_('The arguments of "%s" must be a map')
                            % self.fn_name)
        for key in ('for_each', 'template'):
            if key not in self.args:
                raise KeyError(_('"%(function)s" needs the arguments '
                                 '"template" and "for_each", but %(key)s is '
                                 'missing') % {'function': self.fn_name,
                                               'key': key})
        self._for_each = self.args['for_each']
        self._template = self.args['template']

    def validate(self) -> None:
        super().validate()
        if not isinstance(self._for_each, function.Function):
            self._check_for_each(self._for_each)

    def _check_for_each(self, for_each: Any) -> None:
        if not function.is_map(for_each):
            raise TypeError(_('The for_each of "%s" must be a map')
                            % self.fn_name)

    def _items_of(self, word: str, values: Any) -> Sequence[Any]:
        """Return what a word stands for, one after the other."""
        if values is None:
            return []
        if function.is_list(values):
            return list(values)
        raise TypeError(_('The value of "%(word)s" in the for_each of '
                          '"%(function)s" must be a list') % {
                              'word': word, 'function': self.fn_name})

    def _combinations(self, lists: list[Sequence[Any]],
                      ) -> Iterator[tuple[Any, ...]]:
        _check_items(math.prod(map(len, lists)), self.fn_name)
        return itertools.product(*lists)

    def result(self) -> list[Any]:
        for_each = function.resolve(self._for_each)
        self._check_for_each(for_each)
        words = list(for_each)
        lists = [self._items_of(word, values)
                 for word, values in for_each.items()]
        template = function.resolve(self._template)
        size = result_size.size_of(template)
        filled = []
        for items in self._combinations(lists):
            # Before it is made: what is in the template may be large.
            result_size.spend_size(size)
            filled.append(self._filled(
                template, list(zip(words, items, strict=True))))
        return filled

    def _filled(self, template: Any,
                replacements: list[tuple[Any, Any]]) -> Any:
        """Return the template with words replaced at any depth."""
        fill = functools.partial(self._filled, replacements=replacements)
        if isinstance(template, str):
            return self._filled_text(template, replacements)
        if function.is_list(template):
            return [fill(item) for item in template]
        if function.is_map(template):
            return {fill(key): fill(value)
                    for key, value in template.items()}
        return template

    def _filled_text(self, text: str,
                     replacements: list[tuple[Any, Any]]) -> str:
        for word, item in replacements:
            if not isinstance(word, str):
                raise TypeError(_('The keys of the for_each of "%s" must be '
                                  'strings') % self.fn_name)
            if word not in text:
                continue
            if not isinstance(item, str):
                raise TypeError(
                    _('"%(function)s" can put only strings into the text '
                      '"%(text)s", not %(item)r') % {
                          'function': self.fn_name, 'text': text,
                          'item': item})
            result_size.spend_size(len(text) + text.count(word) * len(item))
            text = text.replace(word, item)
        return text


class RepeatWithMap(Repeat):
    """A template repeated with list items or map keys put into it."""

    def _items_of(self, word: str, values: Any) -> Sequence[Any]:
        if function.is_map(values):
            return list(values)
        return super()._items_of(word, values)


class RepeatWithNestedLoop(RepeatWithMap):
    """A template repeated for all combinations of items, or in step.

    repeat:
      template: <anything>
      for_each: {<word>: <list>, ...}
      permutations: <boolean>

    Without permutations the first items go together, then the second ones.
    """

    def _parse_args(self) -> None:
        super()._parse_args()
        self._permutations = self.args.get('permutations', True)
        if not isinstance(self._permutations, bool):
            raise TypeError(_('The permutations of "%s" must be true or '
                              'false') % self.fn_name)

    def _items_of(self, word: str, values: Any) -> Sequence[Any]:
        if function.is_map(values) and not self._permutations:
            raise TypeError(_('Without permutations, the value of "%(word)s" '
                              'in the for_each of "%(function)s" must be a '
                              'list, not a map') % {
                                  'word': word, 'function': self.fn_name})
        return super()._items_of(word, values)

    def _combinations(self, lists: list[Sequence[Any]],
                      ) -> Iterator[tuple[Any, ...]]:
        if self._permutations:
            return super()._combinations(lists)
        if len({len(items) for items in lists}) > 1:
            raise ValueError(_('Without permutations, the lists in the '
                               'for_each of "%s" must be of one length')
                             % self.fn_name)
        return zip(*lists, strict=True)
