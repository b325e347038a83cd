"""OS::Heat::Value: a value that a template computes once."""
from oslo_serialization import jsonutils
from oslo_utils import strutils

from heat.common import json_text
from heat.common import param_utils
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class Value(resource.Resource):
    """Names a value so that a template can use it repeatedly.

    The value can combine parameters and other resources with functions
    of the template language. The attribute ``value`` returns it,
    converted to the specified type.
    """

    type_name = 'OS::Heat::Value'
    support_status = support.SupportStatus(version='7.0.0')
    handlers_are_local = True

    PROPERTIES = (
        VALUE, TYPE,
    ) = (
        'value', 'type',
    )

    ATTRIBUTES = (
        VALUE_ATTR,
    ) = (
        'value',
    )

    TYPES = (
        STRING, NUMBER, LIST, JSON, BOOLEAN,
    ) = (
        'string', 'number', 'comma_delimited_list', 'json', 'boolean',
    )

    properties_schema = {
        VALUE: properties.Schema(
            properties.Schema.ANY,
            _('Expression that produces the attribute "value".'),
            required=True,
            update_allowed=True),
        TYPE: properties.Schema(
            properties.Schema.STRING,
            _('Type to which the value is converted. If omitted, the value is '
              'not converted.'),
            constraints=[constraints.AllowedValues(list(TYPES))],
            update_allowed=True),
    }

    attributes_schema = {
        VALUE_ATTR: attributes.Schema(
            _('Result of the expression, converted to the type if one is '
              'specified.')),
    }

    def validate(self):
        """Check that the value, as far as it is known, is of the type."""
        super().validate()
        value = self.properties.get_user_value(self.VALUE)
        if value is not None:
            typed(value, self.properties[self.TYPE])

    def handle_create(self):
        """Convert the value, so that an error shows here."""
        typed(self.properties[self.VALUE], self.properties[self.TYPE])
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Convert the new value, so that an error shows here."""
        changed = json_snippet.properties(self.properties_schema,
                                          self.context)
        typed(changed[self.VALUE], changed[self.TYPE])

    def _resolve_attribute(self, name):
        if name != self.VALUE_ATTR:
            return None
        if self.action == self.INIT:
            # Nothing is stored yet; users see what it is going to be.
            return typed(self.properties[self.VALUE],
                         self.properties[self.TYPE])
        stored = self.frozen_definition().properties(
            self.properties_schema, self.context)
        return typed(stored[self.VALUE], stored[self.TYPE])


def typed(value, wanted):
    """Return a value converted to one of the types.

    Raise ValueError when it cannot be; without a type it stays as it is.
    """
    if wanted is None or value is None:
        return value
    return _CONVERTERS[wanted](value)


def _string_from(value):
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return jsonutils.dumps(value, sort_keys=True)
    return str(value)


def _number_from(value):
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(_('"%s" is not a number') % (value,))
    return properties.Schema.str_to_num(value)


def _list_from(value):
    return param_utils.delim_string_to_list(value) if isinstance(
        value, str) else list(value)


def _json_from(value):
    if not isinstance(value, str):
        return value
    try:
        return json_text.loads(value)
    except ValueError as error:
        raise ValueError(_('Value must be valid JSON: %s')
                         % error) from error


def _boolean_from(value):
    return strutils.bool_from_string(value, strict=True)


_CONVERTERS = {
    Value.STRING: _string_from,
    Value.NUMBER: _number_from,
    Value.LIST: _list_from,
    Value.JSON: _json_from,
    Value.BOOLEAN: _boolean_from,
}
