"""What the validate call answers."""
from oslo_log import log as logging

from heat.common import exception
from heat.engine import api
from heat.engine import parameter_groups
from heat.engine import service_definition
from heat.engine import service_queries
from heat.engine import stack as stack_module
from heat.engine import stack_redaction

LOG = logging.getLogger(__name__)

#: Codes of errors that a client may ask to be ignored.
_ERROR_CODES = frozenset([exception.ResourceTypeUnavailable.error_code])


def _check_codes(codes):
    unknown = codes - _ERROR_CODES
    if unknown:
        raise exception.Invalid(
            reason=f'Invalid codes in ignore_errors: {sorted(unknown)}')


def describe(context, definition, *, show_nested, ignorable_errors):
    """Check a definition and describe its parameters.

    Parameters need no values here; resources are checked with what is
    known of them.

    :raises Invalid: a code in ignorable_errors is unknown.
    """
    _check_codes(ignorable_errors)
    tmpl = service_definition.template_of(definition)
    stack = stack_module.Stack(context, 'dummy', tmpl, strict_validate=False)
    try:
        stack.validate(ignorable_errors=ignorable_errors,
                       validate_res_tmpl_only=True)
    except exception.StackValidationFailed as error:
        # Who has the text makes the error again, to say the lines.
        return {'Error': str(error), 'ErrorPath': error.path,
                'ErrorArguments': error.kwargs}
    return stack_redaction.struck_out(
        _described(stack, tmpl, show_nested=show_nested),
        stack_redaction.secrets_of(stack))


def _described(stack, tmpl, *, show_nested):
    def formatted(selected):
        return {name: api.format_validate_parameter(
                    stack.parameters.params[name])
                for name in selected if name in stack.parameters}

    schemata = tmpl.param_schemata()
    result = {
        'Description': tmpl[tmpl.DESCRIPTION],
        'Parameters': formatted(schemata),
        'Environment': service_queries.masked(
            tmpl.env.user_env_as_dict(), stack.parameters),
    }
    groups = parameter_groups.ParameterGroups(tmpl)
    if groups.parameter_groups:
        result['ParameterGroups'] = groups.parameter_groups
    if show_nested:
        nested = _nested_parameters(stack)
        if nested:
            result['NestedParameters'] = nested
    return result


def _nested_parameters(stack):
    """Return {resource: description} of resources with a stack inside."""
    result = {}
    # Parameters need no values here, inside no more than outside.
    stack.t.conditions(stack.defn).lenient = True
    for name, resource in stack.items():
        try:
            inner = resource.get_nested_parameters_stack()
        except ValueError as error:
            # How many members a group has, say.
            LOG.debug('What is inside %s depends on values: %s', name, error)
            continue
        if inner is None:
            continue
        described = _described(inner, inner.t, show_nested=True)
        described.pop('Environment')
        described['Type'] = resource.type()
        if 'NestedParameters' in described and (
                not described['NestedParameters']):
            described.pop('NestedParameters')
        result[name] = described
    return result
