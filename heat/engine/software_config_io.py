"""The inputs and outputs that a software config declares."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties

_Schema = properties.Schema

TYPES = ('String', 'Number', 'CommaDelimitedList', 'Json', 'Boolean')

_COMMON = {
    'name': _Schema(_Schema.STRING, _('The name.'), required=True),
    'description': _Schema(_Schema.STRING, _('What it is for.')),
    'type': _Schema(_Schema.STRING, _('The type of the value.'),
                    default='String',
                    constraints=[constraints.AllowedValues(TYPES)]),
}
INPUT_SCHEMA = {
    **_COMMON,
    'default': _Schema(_Schema.ANY, _('The value if none is given.')),
    'replace_on_change': _Schema(
        _Schema.BOOLEAN, _('Whether another value makes another '
                           'deployment.'), default=False),
}
OUTPUT_SCHEMA = {
    **_COMMON,
    'error_output': _Schema(
        _Schema.BOOLEAN, _('Whether any value means failure.'),
        default=False),
}


def inputs(given):
    """Return the declared inputs, checked and with defaults filled in."""
    return _declared(given, 'inputs', INPUT_SCHEMA)


def outputs(given):
    """Return the declared outputs, checked and with defaults filled in."""
    return _declared(given, 'outputs', OUTPUT_SCHEMA)


def _declared(given, what, schema):
    if given is None:
        return []
    if not isinstance(given, list) or not all(
            isinstance(each, dict) for each in given):
        raise exception.StackValidationFailed(
            path=[what], message=_('This must be a list of maps.'))
    result = []
    for index, each in enumerate(given):
        props = properties.Properties(schema, each, section=str(index))
        try:
            props.validate()
        except exception.StackValidationFailed as error:
            raise exception.StackValidationFailed(
                path=[what, *error.path],
                message=error.error_message) from error
        result.append({name: props[name] for name in schema
                       if props[name] is not None})
    return result
