"""The inputs and outputs that a software config declares."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties

_Schema = properties.Schema

TYPES = ('String', 'Number', 'CommaDelimitedList', 'Json', 'Boolean')

_COMMON = {
    'name': _Schema(_Schema.STRING, _('Name of the value.'), required=True),
    'description': _Schema(_Schema.STRING, _('Description of the value.')),
    'type': _Schema(_Schema.STRING, _('Type of the value.'),
                    default='String',
                    constraints=[constraints.AllowedValues(TYPES)]),
}
input_config_schema = {
    **_COMMON,
    'default': _Schema(_Schema.ANY, _('Default value of the input.')),
    'replace_on_change': _Schema(
        _Schema.BOOLEAN, _('Whether a change of the value replaces the '
                           'deployment.'), default=False),
}
output_config_schema = {
    **_COMMON,
    'error_output': _Schema(
        _Schema.BOOLEAN, _('Whether a value of this output marks the '
                           'deployment as failed.'),
        default=False),
}


def inputs(given):
    """Return the declared inputs, checked and with defaults filled in."""
    return _declared(given, 'inputs', input_config_schema)


def outputs(given):
    """Return the declared outputs, checked and with defaults filled in."""
    return _declared(given, 'outputs', output_config_schema)


def _declared(given, what, schema):
    if given is None:
        return []
    if not isinstance(given, list) or not all(
            isinstance(each, dict) for each in given):
        raise exception.StackValidationFailed(
            path=[what], message=_('This must be a list of maps.'))
    result = []
    for index, each in enumerate(given):
        each = dict(each)
        # The copy that a deployment has gives inputs their values.
        valued = {'value': each.pop('value')} if (
            what == 'inputs' and 'value' in each) else {}
        props = properties.Properties(schema, each, section=str(index))
        try:
            props.validate()
        except exception.StackValidationFailed as error:
            invalid = exception.StackValidationFailed(
                path=[what, *error.path], message=error.error_message)
            invalid.tell_others([other.placed([what, *other.path])
                                 for other in error.problems[1:]])
            raise invalid from error
        result.append({**{name: props[name] for name in schema
                          if props[name] is not None}, **valued})
    return result


#: Stands for a value that is not given; None is one.
_no_value = object()


class IOConfig:
    """An input or output of a software config, as plugins handle it."""

    schema: dict = {}

    def __init__(self, /, **config):
        self._props = properties.Properties(self.schema, config)
        try:
            self._props.validate()
        except exception.StackValidationFailed as error:
            raise ValueError(str(error)) from error

    def name(self):
        """Return the name of the input or output."""
        return self._props['name']

    def as_dict(self):
        """Return what is declared, as it is stored."""
        return {name: self._props[name] for name in self.schema
                if self._props[name] is not None}


class InputConfig(IOConfig):
    """An input, with its value in the copy that a deployment has."""

    schema = input_config_schema

    def __init__(self, /, value=_no_value, **config):
        super().__init__(**config)
        self._value = value

    def default(self):
        """Return the value if none is given."""
        return self._props['default']

    def replace_on_change(self):
        """Return whether another value makes another deployment."""
        return self._props['replace_on_change']

    def as_dict(self):
        """Return what is declared, and the value if there is one."""
        known = super().as_dict()
        if self._value is not _no_value:
            known['value'] = self._value
        return known

    def input_data(self):
        """Return the pair (name, value in force)."""
        return self.name(), (self.default() if self._value is _no_value
                             else self._value)


class OutputConfig(IOConfig):
    """An output that a deployment signals."""

    schema = output_config_schema

    def error_output(self):
        """Return whether any value means failure."""
        return self._props['error_output']
