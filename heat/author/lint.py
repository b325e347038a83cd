"""Warnings about templates that work, but hardly as intended."""
import collections.abc
from collections.abc import Iterator, Mapping
import difflib
import re
from typing import Any

from heat.common import problem
from heat.common import text_places
from heat.common.i18n import _
from heat.engine import template
from heat.engine.language import substitution
from heat.engine.language import suggest

#: How much a key must be like a function to be taken for one.
_ALIKE = 0.8
#: The functions whose first argument is the name of a condition.
_IF = ('if', 'Fn::If')
_GET_PARAM = ('get_param', 'Ref')
_LOGIC = ('and', 'or', 'not', 'Fn::And', 'Fn::Or', 'Fn::Not')


def warnings(language: Any, places: text_places.Places,
             ) -> Iterator[problem.Problem]:
    """Yield what is odd about a template.

    :param language: the Template.
    :param places: the places of its text.
    """
    for duplicate in places.duplicates():
        yield problem.Problem(
            duplicate.path, _('the key occurs again, and only the last one '
                              'counts'),
            error='duplicate-key', line=duplicate.line,
            column=duplicate.column, severity=problem.WARNING)
    yield from _unused_parameters(language)
    yield from _unused_conditions(language)
    for section in (language.RESOURCES, language.OUTPUTS):
        yield from _functions(language, language.t.get(section), (section,))


def _warning(path: tuple[Any, ...], message: str,
             code: str) -> problem.Problem:
    return problem.Problem(path, message, error=code,
                           severity=problem.WARNING)


def _calls(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (key, value) of every map entry at whatever depth."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, collections.abc.Mapping):
            yield from node.items()
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)


def _unused_parameters(language: Any) -> Iterator[problem.Problem]:
    declared = language.t.get(language.PARAMETERS)
    if not isinstance(declared, collections.abc.Mapping):
        return
    used: set[str] = set()
    for key, args in _calls(language.t):
        if key == 'Fn::Sub':
            used.update(name.partition('.')[0] for _text, name
                        in substitution.references(args))
        if key not in _GET_PARAM:
            continue
        name = args[0] if isinstance(args, list) and args else args
        if not isinstance(name, str):
            # A name that is computed may be any.
            return
        used.add(name)
    for name in declared:
        if name not in used:
            yield _warning((language.PARAMETERS, name),
                           _('nothing uses the parameter'),
                           'unused-parameter')


def _unused_conditions(language: Any) -> Iterator[problem.Problem]:
    section = language.CONDITIONS
    declared = language.t.get(section) if section else None
    if not isinstance(declared, collections.abc.Mapping):
        return
    used = {value for value in declared.values() if isinstance(value, str)}
    keys = (language.RES_CONDITION, language.OUTPUT_CONDITION)
    for key, args in _calls(language.t):
        if key in keys and isinstance(args, str):
            used.add(args)
        elif key in _IF and isinstance(args, list) and args:
            used.update(_names(args[:1]))
        if key in _LOGIC or key in keys:
            used.update(_names(args))
    for name in declared:
        if name not in used:
            yield _warning((section, name), _('nothing uses the condition'),
                           'unused-condition')


def _names(args: Any) -> Iterator[str]:
    """Yield the texts that stand for conditions."""
    if isinstance(args, str):
        yield args
    elif isinstance(args, collections.abc.Mapping):
        for key, value in args.items():
            if key in ('condition', 'Condition') or key in _LOGIC:
                yield from _names(value)
    elif isinstance(args, list):
        for item in args:
            yield from _names(item)


def _functions(language: Any, node: Any,
               path: tuple[Any, ...]) -> Iterator[problem.Problem]:
    """Yield the maps that look like calls and are none."""
    if isinstance(node, list):
        for number, item in enumerate(node):
            yield from _functions(language, item, (*path, number))
        return
    if not isinstance(node, collections.abc.Mapping):
        return
    if len(node) == 1 and len(path) > 2:
        [name] = node
        if isinstance(name, str) and name not in language.functions:
            yield from _misspelt(language, name, (*path, name))
    for key, value in node.items():
        yield from _functions(language, value, (*path, key))


def _misspelt(language: Any, name: str,
              path: tuple[Any, ...]) -> Iterator[problem.Problem]:
    since = _version_with(language, name)
    if since is not None:
        yield _warning(path, _(
            '"%(name)s" is a function only from version %(since)s on; here '
            'it is plain data') % {'name': name, 'since': since},
            'function-of-other-version')
        return
    if not re.search('[_:-]', name):
        # Words as plain as "filters" name properties more often.
        return
    usable = [each for each, implementation in language.functions.items()
              if not template.is_removed(implementation)]
    plain = name.replace('-', '_')
    meant = suggest.nearest(plain, usable)
    if meant is None or not re.search('[_:]', meant):
        return
    alike = difflib.SequenceMatcher(None, plain.lower(), meant.lower())
    if alike.ratio() >= _ALIKE:
        yield _warning(path, _('"%s" is no function, but plain data.') % name
                       + suggest.hint(plain, [meant]), 'misspelt-function')


def _version_with(language: Any, name: str) -> str | None:
    """Return the first version that has a function this one lacks."""
    key, _value = language.version
    classes: Mapping[tuple[str, str], Any] = template.template_classes()
    for (language_key, version), cls in sorted(classes.items()):
        if language_key == key and version[0].isdigit() and (
                name in cls.functions
                and not template.is_removed(cls.functions[name])):
            return version
    return None
