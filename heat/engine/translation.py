"""Rules by which a plugin sees other values than the template gives.

Old properties live on under new names, and names of things become ids. A
rule is applied when a property is read, not before.
"""
import collections.abc
from collections.abc import Iterable, Mapping, Sequence
import logging
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import function

LOG = logging.getLogger(__name__)


class TranslationRule:
    """The translation of one property, or of one key inside it.

    translation_path names the property; lists on the way have no part in
    it. The rules:

    * ADD: the items of value are added to the list, or what is at
      value_path or under value_name.
    * REPLACE: value takes the property's place; or what is at value_path
      (from the top), or under value_name (beside the property), or at
      custom_value_path inside of that. What was moved reads as absent.
    * DELETE: the property reads as absent.
    * RESOLVE: client_plugin's method finder makes an id of the value; it is
      given entity first if there is one. Where there is no such plugin, for
      want of a cloud, the value stays as it is.
    """

    RULE_KEYS = (
        ADD, REPLACE, DELETE, RESOLVE,
    ) = (
        'Add', 'Replace', 'Delete', 'Resolve',
    )

    def __init__(self, properties: Any, rule: str,
                 translation_path: Sequence[str], value: Any = None,
                 value_name: str | None = None,
                 value_path: Sequence[str] | None = None,
                 client_plugin: Any = None, finder: str | None = None,
                 entity: str | None = None,
                 custom_value_path: Sequence[str] | None = None) -> None:
        self.properties = properties
        self.rule = rule
        self.translation_path = translation_path
        self.value = value
        self.value_name = value_name
        self.value_path = value_path
        self.client_plugin = client_plugin
        self.finder = finder
        self.entity = entity
        self.custom_value_path = custom_value_path
        self.validate()

    def validate(self) -> None:
        """Raise ValueError for a rule that makes no sense."""
        if self.rule not in self.RULE_KEYS:
            raise ValueError(
                _('The rule "%(rule)s" must be one of: %(known)s') % {
                    'rule': self.rule,
                    'known': ', '.join(self.RULE_KEYS)})
        if (not isinstance(self.translation_path, list) or
                not self.translation_path):
            raise ValueError(
                _('translation_path must be a list of names'))
        sources = [source for source in (self.value, self.value_path,
                                         self.value_name)
                   if source is not None]
        if len(sources) > 1:
            raise ValueError(_('Only one of value, value_path and '
                               'value_name can be given'))
        if self.custom_value_path is not None and self.value_name is None:
            raise ValueError(_('custom_value_path needs a value_name'))
        if self.rule == self.ADD and not (
                isinstance(self.value, list) or
                self.value is None and sources):
            raise ValueError(_('The value of an %s rule must be a list') %
                             self.ADD)
        if ((self.rule == self.RESOLVE) is not bool(self.finder) or
                self.client_plugin and not self.finder):
            raise ValueError(
                _('client_plugin and finder belong to a %s rule, and it '
                  'needs a finder') % self.RESOLVE)

    @property
    def key(self) -> str:
        """The path as text."""
        return '.'.join(self.translation_path)

    def source_key(self) -> str | None:
        """Return the path that this rule leaves empty, if it moves a value.
        """
        if self.rule != self.REPLACE or self.custom_value_path is not None:
            return None
        if self.value_path is not None:
            return '.'.join(self.value_path)
        if self.value_name is not None:
            return '.'.join([*self.translation_path[:-1], self.value_name])
        return None


#: The order in which the rules of one path are applied. An id is looked up
#: for what is there after values were moved.
_ORDER = (TranslationRule.ADD, TranslationRule.REPLACE,
          TranslationRule.RESOLVE, TranslationRule.DELETE)


_NONE: frozenset[str] = frozenset()


class Translation:
    """The rules in force for one set of properties, by path."""

    def __init__(self, properties: Any = None) -> None:
        self.properties = properties
        self._rules: dict[str, list[TranslationRule]] = {}
        self._deleted = self._moved = _NONE
        self._found: dict[Any, Any] = {}
        self._client_resolve = True
        self._ignore_resolve_error = False

    def set_rules(self, rules: Iterable[TranslationRule] | None,
                  client_resolve: bool = True,
                  ignore_resolve_error: bool = False) -> None:
        """Replace the rules.

        Without client_resolve no plugin is asked. With
        ignore_resolve_error a value that it does not find stays as it is.
        """
        self._client_resolve = client_resolve
        self._ignore_resolve_error = ignore_resolve_error
        self._found = {}
        self._rules = {}
        self._deleted = self._moved = _NONE
        if not rules:
            return
        ordered = sorted(rules, key=lambda r: _ORDER.index(r.rule))
        for rule in ordered:
            self._rules.setdefault(rule.key, []).append(rule)
        self._deleted = frozenset(
            rule.key for rule in ordered
            if rule.rule == TranslationRule.DELETE)
        self._moved = frozenset(
            key for key in (rule.source_key() for rule in ordered)
            if key is not None)

    def has_translation(self, path: str) -> bool:
        """Return whether reading the property at path means more than that.
        """
        if not self._rules:
            return False
        key = _key(path)
        return key in self._rules or key in self._moved

    def is_deleted(self, path: str) -> bool:
        """Return whether the property at path reads as absent by a rule."""
        return _key(path) in self._deleted

    def is_replaced(self, path: str) -> bool:
        """Return whether the value at path was moved elsewhere."""
        return _key(path) in self._moved

    def sources(self, path: str, data: Mapping[str, Any]) -> list[Any]:
        """Return, unresolved, what rules put in the place of a property.

        data are the properties beside it.
        """
        found = []
        for rule in self._rules.get(_key(path), ()):
            if rule.value is not None:
                found.append(rule.value)
            elif rule.value_path is not None:
                found.append(rule.properties.data.get(rule.value_path[0]))
            elif rule.value_name is not None:
                found.append(data.get(rule.value_name))
        return found

    def translate(self, path: str, value: Any = None,
                  data: Mapping[str, Any] | None = None) -> Any:
        """Return the value of the property at path by its rules.

        data are the properties beside it, not yet resolved.
        """
        for rule in self._rules.get(_key(path), ()):
            if rule.rule == TranslationRule.DELETE:
                return None
            if rule.rule == TranslationRule.ADD:
                value = [*(value or []), *self._added(rule, data or {})]
            elif rule.rule == TranslationRule.REPLACE:
                value = self._replaced(rule, value, data or {})
            elif self._client_resolve:
                value = self._resolved(rule, value)
        return value

    @classmethod
    def _added(cls, rule: TranslationRule,
               data: Mapping[str, Any]) -> list[Any]:
        if rule.value is not None:
            return list(function.resolve(rule.value))
        found, _name = cls._source(rule, data)
        if found is None:
            return []
        return found if isinstance(found, list) else [found]

    def _replaced(self, rule: TranslationRule, value: Any,
                  data: Mapping[str, Any]) -> Any:
        if rule.value is not None:
            return function.resolve(rule.value)
        other, name = self._source(rule, data)
        if other is None:
            return value
        if value is not None:
            raise exception.ResourcePropertyConflict(
                name, rule.translation_path[-1])
        return other

    @staticmethod
    def _source(rule: TranslationRule,
                data: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return what a rule takes from another place, and its name."""
        if rule.value_path is not None:
            return (_at_path(rule.properties.data, rule.value_path),
                    rule.value_path[-1])
        path: list[Any] = [rule.value_name, *(rule.custom_value_path or ())]
        return _at_path(data, path), path[-1]

    def _resolved(self, rule: TranslationRule, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._resolved(rule, item) for item in value]
        # An empty name is nobody's.
        if not value or not isinstance(value, (str, int)):
            return value
        known = (id(rule), value)
        if known not in self._found:
            self._found[known] = self._asked(rule, value)
        return self._found[known]

    def _asked(self, rule: TranslationRule, value: Any) -> Any:
        if rule.client_plugin is None:
            return value
        find = getattr(rule.client_plugin, str(rule.finder))
        try:
            if rule.entity:
                return find(rule.entity, value)
            return find(value)
        except Exception as exc:
            # Any client may raise anything; a thing that is already gone
            # must not stand in the way of a deletion.
            if not self._ignore_resolve_error:
                raise
            LOG.info('Cannot resolve %(value)r by %(finder)s: %(error)s',
                     {'value': value, 'finder': rule.finder, 'error': exc})
            return value


def _key(path: str) -> str:
    """Return the path without the indices of lists."""
    return '.'.join(part for part in path.split('.') if not part.isdigit())


def _at_path(data: Any, path: Iterable[Any]) -> Any:
    """Return the resolved value at path in unresolved data, else None."""
    for name in path:
        data = function.resolve(data) if isinstance(
            data, function.Function) else data
        if not isinstance(data, collections.abc.Mapping):
            return None
        data = data.get(name)
    return function.resolve(data)
