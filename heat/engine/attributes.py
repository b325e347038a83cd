"""Attributes of resources: schemata and cached values."""
import collections.abc
from collections.abc import Callable, Iterator, Mapping, Sequence
import functools
import logging
from typing import Any

from oslo_utils import strutils

from heat.common.i18n import _
from heat.engine import constraints as constr
from heat.engine import support

LOG = logging.getLogger(__name__)

#: In a set of referenced attributes: every attribute is wanted.
ALL_ATTRIBUTES = '*'

#: Attributes that every resource type has.
BASE_ATTRIBUTES = (SHOW_ATTR,) = ('show',)


class Schema(constr.Schema):
    """The schema of an attribute: description, type and caching."""

    KEYS = (
        DESCRIPTION, TYPE,
    ) = (
        'description', 'type',
    )

    CACHE_MODES = (
        CACHE_LOCAL, CACHE_NONE,
    ) = (
        'cache_local', 'cache_none',
    )

    TYPES = (  # type: ignore[assignment]
        UNKNOWN, STRING, MAP, LIST, INTEGER, BOOLEAN,
    ) = (
        None, 'String', 'Map', 'List', 'Integer', 'Boolean',
    )

    def __init__(self, description: Any = None,
                 support_status: Any = support.SupportStatus(),  # noqa: B008
                 cache_mode: str = CACHE_LOCAL,
                 type: str | None = UNKNOWN) -> None:
        # NOTE: the parameter's name is public and hides a builtin.
        self._len = None
        self.label = None
        self.description = description
        self.support_status = support_status
        self.cache_mode = cache_mode
        self.type = type  # type: ignore[assignment]
        self.constraints = []

    def __getitem__(self, key: str) -> Any:
        value = None
        if key == self.DESCRIPTION:
            value = self.description
        elif key == self.TYPE and self.type is not None:
            value = self.type.lower()
        if value is None:
            raise KeyError(key)
        return value

    @classmethod
    def from_attribute(cls, schema_dict: Any) -> 'Schema':
        """Return a Schema for what a plugin declares: one, or a text."""
        if isinstance(schema_dict, cls):
            return schema_dict
        return cls(schema_dict)


class Attribute:
    """An attribute of a resource type and its schema."""

    def __init__(self, attr_name: str, schema: Any) -> None:
        self.name = attr_name
        self.schema = Schema.from_attribute(schema)

    def support_status(self) -> support.SupportStatus:
        """Return the support status."""
        return self.schema.support_status

    def as_output(self, resource_name: str, template_type: str = 'cfn'
                  ) -> dict[str, Any]:
        """Return a template output that gives this attribute."""
        if template_type == 'hot':
            return {'value': {'get_attr': [resource_name, self.name]},
                    'description': self.schema.description}
        return {'Value': {'Fn::GetAtt': [resource_name, self.name]},
                'Description': self.schema.description}


def _make_attributes(schema: Mapping[str, Any]) -> dict[str, Attribute]:
    return {name: Attribute(name, value) for name, value in schema.items()}


#: The output of a template inside that stands for its resource.
STACK_ID_OUTPUT = 'OS::stack_id'


class Attributes(collections.abc.Mapping[str, Any]):
    """The attribute values of one resource, each asked for when needed.

    resolver(name) asks the resource. Values are kept until
    reset_resolved_values(); None is not, nor what the schema marks
    CACHE_NONE.
    """

    def __init__(self, res_name: str, schema: Mapping[str, Any],
                 resolver: Callable[[str], Any]) -> None:
        self._resource_name = res_name
        self._resolver = resolver
        self.set_schema(schema)
        self.reset_resolved_values()

    def set_schema(self, schema: Mapping[str, Any]) -> None:
        """Replace the schemata; values that are known stay."""
        self._attributes = _make_attributes(schema)

    def reset_resolved_values(self) -> None:
        """Forget every value."""
        self._has_new_resolved = False
        self._resolved_values: dict[str, Any] = {}

    def get_cache_mode(self, attribute_name: str) -> str:
        """Return the cache mode of an attribute; local if it is unknown."""
        attribute = self._attributes.get(attribute_name)
        if attribute is None:
            return Schema.CACHE_LOCAL
        return attribute.schema.cache_mode

    @property
    def cached_attrs(self) -> dict[str, Any]:
        """The values that are known."""
        return self._resolved_values

    @cached_attrs.setter
    def cached_attrs(self, cached: Mapping[str, Any] | None) -> None:
        self._resolved_values = {} if cached is None else dict(cached)
        self._has_new_resolved = False

    def set_cached_attr(self, key: str, value: Any) -> None:
        """Remember a value that was found out elsewhere."""
        self._resolved_values[key] = value
        self._has_new_resolved = True

    def has_new_cached_attrs(self) -> bool:
        """Return whether values came in since the cache was last set."""
        return self._has_new_resolved

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(
                _('%(resource)s: Invalid attribute %(key)s') % {
                    'resource': self._resource_name, 'key': key})
        if key in self._resolved_values:
            return self._resolved_values[key]
        attribute = self._attributes[key]
        value = self._resolver(key)
        if value is not None:
            self._check_type(attribute, value)
            if attribute.schema.cache_mode != Schema.CACHE_NONE:
                self.set_cached_attr(key, value)
        return value

    def _check_type(self, attribute: Attribute, value: Any) -> None:
        """Log a value that is not of its type; a template may still use it.
        """
        fits = _TYPE_CHECKS.get(attribute.schema.type)
        if fits is not None and not fits(value):
            LOG.warning('Attribute %(name)s of resource %(resource)s is not '
                        'of type %(type)s',
                        {'name': attribute.name,
                         'resource': self._resource_name,
                         'type': attribute.schema.type})

    def __len__(self) -> int:
        return len(self._attributes)

    def __contains__(self, key: object) -> bool:
        return key in self._attributes

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __repr__(self) -> str:
        return 'Attributes for %s: %s' % (
            self._resource_name, ', '.join(self._attributes))

    @staticmethod
    def as_outputs(resource_name: str, resource_class: Any,
                   template_type: str = 'cfn') -> dict[str, Any]:
        """Return template outputs for all attributes of a type."""
        schema = dict(resource_class.attributes_schema)
        schema.update(resource_class.base_attributes_schema)
        reference = ({'value': {'get_resource': resource_name}}
                     if template_type == 'hot' else
                     {'Value': {'Ref': resource_name}})
        return {
            # What a reference to a resource of this template gives.
            STACK_ID_OUTPUT: reference,
            **{name: attribute.as_output(resource_name, template_type)
               for name, attribute in _make_attributes(schema).items()
               if attribute.support_status().status != support.HIDDEN}}

    @staticmethod
    def schema_from_outputs(json_snippet: Mapping[str, Any] | None
                            ) -> dict[str, Schema]:
        """Return the attributes that output definitions become."""
        return {name: Schema(output.description())
                for name, output in (json_snippet or {}).items()}


def _is_boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return True
    try:
        strutils.bool_from_string(value, strict=True)
    except ValueError:
        return False
    return True


def _is_integer(value: Any) -> bool:
    try:
        int(value)
    except (ValueError, TypeError):
        return False
    return True


def _is_list(value: Any) -> bool:
    return (isinstance(value, collections.abc.Sequence) and
            not isinstance(value, str))


_TYPE_CHECKS: dict[str | None, Callable[[Any], bool]] = {
    Schema.STRING: lambda value: isinstance(value, str),
    Schema.LIST: _is_list,
    Schema.MAP: lambda value: isinstance(value, collections.abc.Mapping),
    Schema.INTEGER: _is_integer,
    Schema.BOOLEAN: _is_boolean,
}


def _component(collection: Any, key: Any) -> Any:
    if not isinstance(collection, (collections.abc.Mapping,
                                   collections.abc.Sequence)):
        raise TypeError(_('Cannot follow a path into %r') % (collection,))
    if not isinstance(key, (str, int)):
        raise TypeError(_('A path consists of names and indices'))
    return collection[key]  # type: ignore[index]


def select_from_attribute(attribute_value: Any, path: Sequence[Any]) -> Any:
    """Return what lies at path inside a value; None if nothing does."""
    try:
        return functools.reduce(_component, path, attribute_value)
    except (KeyError, IndexError, TypeError):
        return None
