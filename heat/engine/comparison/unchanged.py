"""Tell which resources an update leaves alone, from the definitions alone.

A traversal need not visit them, and a plan need not compare them. What is
said here is on the safe side: a resource that is not named may turn out to be
unchanged when it is visited.
"""
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from oslo_config import cfg

from heat.common import json_text
from heat.engine import resource as resource_module
from heat.engine import status
from heat.engine.language import environment_registry
from heat.engine.language import substitution
from heat.engine.stacks import interface

_R = status.ResourceStatus
_S = status.StackStatus

#: What depends on more than the template and its parameters.
_FROM_OUTSIDE = frozenset(['resource_facade', 'Fn::ResourceFacade'])
#: Functions whose first argument names what they read.
_READING = frozenset(['get_param', 'Ref', 'get_file', 'Fn::FindInMap', 'if',
                      'Fn::If'])
_MISSING = object()


class Comparison:
    """Compares the definitions of a stack before and after an update.

    :param target: the stack with the new definitions
    """

    def __init__(self, stack: interface.Stack, target: Any) -> None:
        self._target = target
        self._may_compare = _comparable(stack, target)
        if self._may_compare:
            self._before, self._after = _resources(stack), _resources(target)
            self._words = _changed_words(stack, target)
            self._watched = _watched(target)
            self._is_alike: dict[str, bool] = {}

    def names(self, needs: Mapping[str, Iterable[str]],
              settled: Container[str] = ()) -> frozenset[str]:
        """Return the names of resources that certainly need no change.

        :param needs: {name: names of required resources} of the target, in
            the order of the dependencies
        :param settled: names of resources whose nested stacks need no change
        """
        if not self._may_compare:
            return frozenset()
        found: set[str] = set()
        for name, needed in needs.items():
            if ((name in settled or self._leaves_it_to_us(name)) and
                    self._reads_alike(name) and found.issuperset(needed)):
                found.add(name)
        return frozenset(found)

    def nested(self) -> dict[str, str]:
        """Return {name: type} of resources with unchanged nested definitions.

        Definitions and files, which are unchanged, determine the nested
        stacks. Other definitions refer to outputs of the nested stacks only.
        """
        if not self._may_compare:
            return {}
        return {name: resource.type()
                for name, resource in self._target.resources.items()
                if _follows_from_template(resource) and
                resource.attributes_schema.keys() >= self._watched.get(
                    name, set()) and self._reads_alike(name)}

    def _reads_alike(self, name: str) -> bool:
        """Return whether a definition and all that it refers to is unchanged.
        """
        if name not in self._is_alike:
            self._is_alike[name] = (
                not self._target.env.registry.matches_hook(
                    name, environment_registry.HOOK_PRE_UPDATE) and
                json_text.are_alike(self._before.get(name, _MISSING),
                                    self._after[name]) and
                not _mentions(self._after[name], self._words))
        return self._is_alike[name]

    def _leaves_it_to_us(self, name: str) -> bool:
        """Return whether the plugin is involved only in changes.

        The attributes of a remote resource are read again if other
        definitions refer to them.
        """
        cls = type(self._target.resources[name])
        base = resource_module.Resource
        mine = cls._needs_update  # noqa: SLF001 (plugin API)
        default = base._needs_update  # noqa: SLF001 (plugin API)
        return (mine is default and
                cls.needs_replace is base.needs_replace and
                (cls.handlers_are_local or name not in self._watched))


def names(stack: interface.Stack, target: Any,
          needs: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return the names of resources that certainly need no change.

    Resources with nested stacks are omitted; see Comparison.
    """
    return Comparison(stack, target).names(needs)


def is_well(row: Any, template_id: int) -> bool:
    """Return whether a row is as the template says that it was made from."""
    return (row.current_template_id == template_id and
            row.status == _R.COMPLETE and
            row.action not in (_R.INIT, _R.DELETE, _R.SUSPEND) and
            row.engine_id is None and row.replaced_by is None)


def _comparable(stack: interface.Stack, target: Any) -> bool:
    """Return whether the stack matches its template and needs no closer look.
    """
    return (stack.status == _S.COMPLETE and not target.converge and
            not cfg.CONF.observe_on_update and
            stack.t.version == target.t.version and
            stack.env.registry.as_dict() == target.env.registry.as_dict())


def _resources(stack: interface.Stack) -> Mapping[str, Any]:
    resources: Mapping[str, Any] = stack.t.section(stack.t.RESOURCES)
    return resources


def _follows_from_template(resource: interface.Resource) -> bool:
    follows = getattr(resource, 'follows_from_template', None)
    return follows is not None and follows()


def _watched(target: interface.Stack) -> dict[str, set[Any]]:
    """Return the attributes that definitions refer to, by resource name."""
    watched: dict[str, set[Any]] = {}
    for each in _definitions(target.defn):
        for name, attribute in each.all_dep_attrs():
            watched.setdefault(name, set()).add(
                attribute[0] if isinstance(attribute, tuple) else attribute)
    return watched


def _definitions(defn: Any) -> Iterator[Any]:
    for name in defn.enabled_rsrc_names():
        yield defn.resource_definition(name)
    for name in defn.enabled_output_names():
        yield defn.output_definition(name)


# -- what a definition may refer to -----------------------------------------

def _changed_words(stack: interface.Stack, target: Any) -> set[str]:
    """Return the names of parameters, files ... with another content."""
    words = _changed_parameters(stack, target)
    words |= _differing(stack.t.files, target.t.files)
    words |= _differing(_section(stack.t, 'MAPPINGS'),
                        _section(target.t, 'MAPPINGS'))
    old = _section(stack.t, 'CONDITIONS')
    new = _section(target.t, 'CONDITIONS')
    words |= _differing(old, new)
    while more := {name for name in new.keys() - words
                   if _mentions(new[name], words)}:
        words |= more
    return words


def _section(tmpl: Any, name: str) -> Mapping[str, Any]:
    key = getattr(tmpl, name, None)
    return tmpl.t.get(key) or {} if key else {}


def _changed_parameters(stack: interface.Stack, target: Any) -> set[str]:
    old, new = stack.parameters.params, target.parameters.params
    return {name for name in old.keys() | new.keys()
            if name not in old or name not in new or
            type(old[name]) is not type(new[name]) or
            old[name].has_value() is not new[name].has_value() or
            new[name].has_value() and
            not json_text.are_alike(old[name].value(), new[name].value())}


def _differing(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
               ) -> set[str]:
    old, new = old or {}, new or {}
    return {name for name in {*old, *new}
            if not json_text.are_alike(old.get(name, _MISSING),
                                       new.get(name, _MISSING))}


def _mentions(snippet: Any, words: set[str]) -> bool:
    """Return whether a snippet may refer to one of the words.

    Any text counts that reads like one, and any name that is computed.
    """
    todo = [snippet]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            if _has_one(value, words):
                return True
        elif isinstance(value, Mapping):
            for key, below in value.items():
                if key in _FROM_OUTSIDE or (
                        words and key in _READING and
                        not isinstance(_first(below), str)):
                    return True
                todo.append(below)
        elif isinstance(value, list):
            todo += value
    return False


def _has_one(text: str, words: set[str]) -> bool:
    """Return whether a text is one of the words, or refers to one by Fn::Sub.
    """
    return text in words or not words.isdisjoint(substitution.names(text))


def _first(arguments: Any) -> Any:
    if isinstance(arguments, list):
        return arguments[0] if arguments else None
    return arguments
