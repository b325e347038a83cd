"""Merge the environment files of a request into one environment.

Parameters are merged by the strategies that the files give; of the other
sections, what a later file says counts.
"""
import collections.abc
from collections.abc import Iterable, Mapping
import dataclasses
from typing import Any

from heat.common import environment_format as env_fmt
from heat.common import exception
from heat.common import json_text
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine.language import diagnostics
from heat.engine.language import suggest

STRATEGIES = (
    OVERWRITE, MERGE, DEEP_MERGE,
) = (
    'overwrite', 'merge', 'deep_merge',
)

#: The key of the strategy for parameters that have none of their own.
DEFAULT = 'default'

_PARAMETER_SECTIONS = (env_fmt.PARAMETERS, env_fmt.PARAMETER_DEFAULTS)
_STRATEGIES = env_fmt.PARAMETER_MERGE_STRATEGIES


def merge_environments(environment_files: Iterable[str] | None,
                       files: Mapping[str, Any],
                       params: Mapping[str, Any] | None,
                       param_schemata: Mapping[str, Any] | None = None,
                       ) -> dict[str, Any]:
    """Return the environment that files and parameters of a request give.

    Without environment files that is params, the environment sent along.
    With them only its parameters count, which precede those of the files.
    param_schemata are those of all templates of the request; without them
    the values show what can be merged.

    Raises StackValidationFailed, or an error about the merge strategies,
    naming the file and the parameter. When only names are wrong, `partial`
    of the error is the environment without them.
    """
    params = dict(params or {})
    if not environment_files:
        params.pop(_STRATEGIES, None)
        return params
    merger = _Merger(param_schemata)
    with request_budget.work():
        for name in environment_files:
            request_budget.check()
            merger.add(name, _parsed(name, files))
    merged = merger.merged
    given = params.get(env_fmt.PARAMETERS) or {}
    if given:
        merged[env_fmt.PARAMETERS] = {
            **merged.get(env_fmt.PARAMETERS, {}), **given}
    if merger.found:
        raise merger.found.error(merged)
    return merged


def _fail(env_file: str, path: Iterable[str],
          message: str) -> exception.StackValidationFailed:
    return exception.StackValidationFailed(
        path=list(path), file=env_file,
        message=_('%(message)s (in the environment file %(file)s)') % {
            'message': message, 'file': env_file})


def _parsed(name: str, files: Mapping[str, Any]) -> dict[str, Any]:
    if name not in files:
        raise exception.StackValidationFailed(
            message=_('The environment file %s is not among the files of '
                      'the request.') % name + suggest.hint(name, files))
    contents = files[name]
    try:
        if isinstance(contents, collections.abc.Mapping):
            env = dict(contents)
            env_fmt.validate(env)
        else:
            env = dict(env_fmt.parse(contents))
    except ValueError as exc:
        raise _fail(name, (), str(exc)) from exc
    for section in (*_PARAMETER_SECTIONS, _STRATEGIES,
                    env_fmt.RESOURCE_REGISTRY):
        if not isinstance(env.get(section, {}), collections.abc.Mapping):
            raise _fail(name, [section], _('The section must be a map'))
    for section in (env_fmt.EVENT_SINKS, env_fmt.ENCRYPTED_PARAM_NAMES,
                    env_fmt.MOVES):
        if not isinstance(env.get(section, []), list):
            raise _fail(name, [section], _('The section must be a list'))
    return env


@dataclasses.dataclass(frozen=True, slots=True)
class _Value:
    """A value of one file about to be merged."""

    name: str
    value: Any
    section: str
    strategy: str
    env_file: str


class _Merger:
    """The environment so far, and the strategies it was merged by."""

    def __init__(self, schemata: Mapping[str, Any] | None) -> None:
        self.merged: dict[str, Any] = {}
        #: What is wrong with names and strategies.
        self.found = diagnostics.Problems()
        self._schemata = schemata
        # The strategy of each parameter, and the file that said so.
        self._strategies: dict[str, str] = {}

    def add(self, env_file: str, env: dict[str, Any]) -> None:
        """Merge the environment of a file into the one so far."""
        strategies = env.pop(_STRATEGIES, {})
        self._check_strategies(strategies, env_file)
        for section, contents in env.items():
            if section in _PARAMETER_SECTIONS:
                self._add_parameters(section, contents, strategies, env_file)
            elif isinstance(contents, list):
                present = self.merged.setdefault(section, [])
                present += env_fmt.new_items(present, contents)
            else:
                self.merged[section] = _overlaid(
                    self.merged.get(section, {}), contents)

    def _check_strategies(self, strategies: Mapping[str, Any],
                          env_file: str) -> None:
        for name, strategy in strategies.items():
            if self.found.full:
                break
            if strategy not in STRATEGIES:
                self.found.note(_fail(
                    env_file, [_STRATEGIES, name],
                    _('"%(strategy)s" is not a merge strategy, those are: '
                      '%(known)s.') % {'strategy': strategy,
                                       'known': ', '.join(STRATEGIES)}
                    + suggest.hint(strategy, STRATEGIES)))
                continue
            if name == DEFAULT:
                continue
            earlier = self._strategies.get(name, strategy)
            if earlier != strategy:
                raise exception.ConflictingMergeStrategyForParam(
                    strategy=strategy, param=name, env_file=env_file)

    def _add_parameters(self, section: str, contents: Mapping[str, Any],
                        strategies: Mapping[str, str],
                        env_file: str) -> None:
        present = self.merged.setdefault(section, {})
        for name, value in contents.items():
            if self.found.full:
                break
            if not self._is_known(section, name, env_file):
                continue
            strategy = (strategies.get(name) or self._strategies.get(name)
                        or strategies.get(DEFAULT, OVERWRITE))
            if name in strategies:
                self._strategies[name] = strategy
            item = _Value(name, value, section, strategy, env_file)
            if strategy == OVERWRITE or present.get(name) is None:
                present[name] = value
            elif value is not None:
                present[name] = self._merged_value(present[name], item)

    def _is_known(self, section: str, name: str, env_file: str) -> bool:
        # Defaults may be there for other templates than these.
        if (section != env_fmt.PARAMETERS or self._schemata is None
                or name in self._schemata):
            return True
        self.found.note(_fail(env_file, [section, name],
                              _('No template has this parameter.')
                              + suggest.hint(name, self._schemata)))
        return False

    def _merged_value(self, old: Any, item: _Value) -> Any:
        kind = self._kind_of(item.name, old)
        if kind == 'boolean':
            raise exception.InvalidMergeStrategyForParam(
                strategy=item.strategy, param=item.name,
                env_file=item.env_file)
        merge = {
            'string': _merge_strings, 'number': _merge_numbers,
            'commadelimitedlist': _merge_lists, 'json': _merge_json,
        }[kind]
        try:
            return merge(old, item.value, item.strategy == DEEP_MERGE)
        except (TypeError, ValueError) as exc:
            raise _fail(item.env_file, [item.section, item.name],
                        str(exc)) from exc

    def _kind_of(self, name: str, value: Any) -> str:
        """Return the parameter type, in lower case without underscores."""
        schema = (self._schemata or {}).get(name)
        if schema is not None:
            return str(schema.type).replace('_', '').lower()
        if isinstance(value, bool):
            return 'boolean'
        if isinstance(value, (int, float)):
            return 'number'
        if isinstance(value, list):
            return 'commadelimitedlist'
        if isinstance(value, collections.abc.Mapping):
            return 'json'
        return 'string'


def _overlaid(below: Any, over: Any) -> dict[str, Any]:
    """Return two maps as one; where both have a key, the second counts.

    Maps in the resources section of a registry are overlaid in turn.
    """
    merged = dict(below)
    for name, value in over.items():
        if name == 'resources' and isinstance(value, collections.abc.Mapping):
            value = {**(merged.get(name) or {}), **value}
        merged[name] = value
    return merged


def _merge_strings(old: Any, new: Any, deep: bool) -> str:
    for value in (old, new):
        if isinstance(value, (collections.abc.Mapping, list)):
            raise TypeError(_('A string cannot be merged with a map or list'))
    return str(old) + str(new)


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(_('"%s" is not a number') % (value,))
    try:
        return int(value) if not isinstance(value, float) else value
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError as exc:
        raise TypeError(_('"%s" is not a number') % (value,)) from exc


def _merge_numbers(old: Any, new: Any, deep: bool) -> int | float:
    return _number(old) + _number(new)


def _list(value: Any) -> list[Any]:
    if isinstance(value, str):
        return value.split(',') if value else []
    if isinstance(value, list):
        return value
    raise TypeError(_('"%s" is not a list') % (value,))


def _merge_lists(old: Any, new: Any, deep: bool) -> list[Any]:
    return _list(old) + _list(new)


def _json(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return json_text.loads(value)
        except ValueError as exc:
            raise TypeError(_('"%s" is not JSON') % value) from exc
    return value


def _merge_json(old: Any, new: Any, deep: bool) -> Any:
    old, new = _json(old), _json(new)
    for kind in (collections.abc.Mapping, list):
        if isinstance(old, kind) != isinstance(new, kind):
            raise TypeError(_('A map or list cannot be merged with another '
                              'kind of value'))
    if deep:
        return _deep_merged(old, new)
    if isinstance(old, list):
        return old + new
    return {**old, **new} if isinstance(old, collections.abc.Mapping) else new


def _deep_merged(old: Any, new: Any) -> Any:
    """Merge maps, append lists, concatenate strings, at any depth."""
    if isinstance(old, collections.abc.Mapping) and isinstance(
            new, collections.abc.Mapping):
        return {**old, **{
            key: _deep_merged(old[key], value) if key in old else value
            for key, value in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    return new
