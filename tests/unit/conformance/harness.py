"""Tries one call of a function, and says what the facts expect of it.

A case names what it covers of the facts of its function, as a path:
``errors.0``, ``null_item``, ``items.<=2015-04-30`` and so on. Of arguments
that may have several shapes ``args/0`` is the first. A part that is a range
of versions restricts the case to these versions, so does ``only``.
"""
import builtins
from collections.abc import Callable
import dataclasses
from typing import Any

from heat.common import exception
from heat.engine import function
from tests.unit.conformance import language

#: The stages at which a call may be found to be wrong, in their order.
STAGES = ('parse', 'validate', 'resolve')

_ABSENT = object()


@dataclasses.dataclass(frozen=True)
class Param:
    """In arguments: a reference to a parameter, as the version writes it.
    """

    name: str


@dataclasses.dataclass(frozen=True)
class Condition:
    """In arguments: a call that is a condition that holds, or does not."""

    holds: bool


@dataclasses.dataclass(frozen=True)
class Case:
    """The arguments of a function, and what shall come of them.

    Either value is the result, or the case covers an error; says is part
    of its text. Where something else than the result is to be looked at,
    look(stack, parsed call) gives it. context restricts the case to where
    snippets or where conditions are.
    """

    function: str
    covers: str
    args: Any
    value: Any = _ABSENT
    only: str = ''
    says: str = ''
    look: Callable[[Any, Any], Any] | None = None
    context: str = ''

    @property
    def error(self):
        """The facts about the error, None if there is none."""
        kind, _dot, rest = self.covers.partition('.')
        if kind != 'errors':
            return None
        return language.FUNCTIONS[self.function]['errors'][int(rest)]

    def versions(self):
        """Return the versions in which the case can be tried."""
        known = language.FUNCTIONS[self.function]
        names = {**known.get('versions', {}),
                 **known.get('condition_versions', {})}
        _kind, _dot, rest = self.covers.partition('/')[0].partition('.')
        for limit in (rest if self.error is None else '', self.only):
            if limit and limit[-1].isdigit():
                names = [name for name in names
                         if language.in_range(name, limit)]
        return list(names)


def written(args, version):
    """Return arguments with placeholders as the version writes them."""
    if isinstance(args, Param):
        return {'get_param' if language.is_hot(version) else 'Ref':
                args.name}
    if isinstance(args, Condition):
        return language.condition_of(version, args.holds)
    if isinstance(args, dict):
        return {key: written(value, version) for key, value in args.items()}
    if isinstance(args, list):
        return [written(item, version) for item in args]
    return args


def contexts(case, version):
    """Return in what a function may be called: snippets, conditions."""
    known = language.FUNCTIONS[case.function]
    return [kind for kind, key in (('snippet', 'versions'),
                                   ('condition', 'condition_versions'))
            if version in known.get(key, {})
            and case.context in ('', kind)]


def _expected_errors(case):
    classes = []
    for name in case.error['error'].split('|'):
        classes.append(getattr(exception, name, None)
                       or getattr(builtins, name))
    return tuple(classes)


def _happens(stage):
    """Return a function to do what happens at a stage."""
    def parse(stack, snippet, context):
        method = (stack.t.parse if context == 'snippet'
                  else stack.t.parse_condition)
        return method(stack, snippet, ['top'])

    return {'parse': parse,
            'validate': lambda stack, parsed, context:
                function.validate(parsed, ['top']),
            'resolve': lambda stack, parsed, context:
                function.resolve(parsed)}[stage]


def _cause_of(error, wanted):
    """Tell whether an error, or one that it came from, is of a class."""
    while error is not None:
        if isinstance(error, wanted):
            return True
        error = error.__cause__
    return False


def _failure(stage, stack, parsed, context):
    try:
        _happens(stage)(stack, parsed, context)
    except Exception as error:  # noqa: BLE001 - the caller looks at it
        return error
    return None


def check(case, version, context):
    """Try a case in a version, and raise AssertionError if it differs."""
    stack = language.world(version)
    snippet = {case.function: written(case.args, version)}
    if case.error is None:
        parsed = _happens('parse')(stack, snippet, context)
        function.validate(parsed)
        value = (function.resolve(parsed) if case.look is None
                 else case.look(stack, parsed))
        assert value == case.value, value
        assert type(value) is type(case.value), value
        return
    _check_error(case, stack, snippet, context)


def _check_error(case, stack, snippet, context):
    wanted = _expected_errors(case)
    stages = case.error['stage'].split('/')
    parsed = snippet
    for stage in STAGES:
        error = _failure(stage, stack, parsed, context)
        if stage in stages:
            assert error is not None, f'no error at {stage}'
            assert _cause_of(error, wanted), repr(error)
            _check_wrapped(case, stage, error)
        if stage == 'parse':
            if 'parse' in stages:
                return
            assert error is None, repr(error)
            parsed = _happens('parse')(stack, snippet, context)


def _check_wrapped(case, stage, error):
    if stage != 'resolve':
        # What a function complains about before it is needed is a fault of
        # the template, with its place.
        assert isinstance(error, exception.StackValidationFailed)
        assert list(error.path)[:2] == ['top', case.function], error.path
    assert str(error).strip()
    assert case.says in str(error)


def shapes(text):
    """Return the shapes of arguments that a text of the facts lists."""
    found, depth = [''], 0
    for char in text:
        depth += (char in '[{<') - (char in ']}>')
        if char == '|' and not depth:
            found.append('')
        else:
            found[-1] += char
    return [each.strip() for each in found]


def _with_shapes(path, text):
    number = len(shapes(text))
    if number == 1:
        return [path]
    return [f'{path}/{index}' for index in range(number)]


def facts_of(name):
    """Yield the paths of all facts of a function that a case can cover."""
    for key, value in language.FUNCTIONS[name].items():
        if key in ('versions', 'condition_versions'):
            # Presence is tried with every function in every version.
            continue
        if isinstance(value, dict):
            for each, text in value.items():
                path = f'{key}.{each}'
                yield from (_with_shapes(path, text) if key == 'args'
                            else [path])
        elif isinstance(value, list):
            yield from (f'{key}.{index}' for index in range(len(value)))
        elif key == 'args':
            yield from _with_shapes(key, value)
        else:
            yield key
