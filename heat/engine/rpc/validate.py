"""The answer of the validate call."""
from oslo_log import log as logging

from heat.common import exception
from heat.common import request_budget
from heat.engine import parameter_groups
from heat.engine import stack as stack_module
from heat.engine.language import diagnostics
from heat.engine.rpc import definition as service_definition
from heat.engine.rpc import formats
from heat.engine.rpc import queries
from heat.engine.stacks import redaction
from heat.rpc import api as rpc_api

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
    with request_budget.work():
        return _described(stack, tmpl, redaction.secrets_of(stack),
                          show_nested=show_nested)


def _parameter(param, default, secrets):
    """Return the description of a parameter.

    A default in the template is text that the caller has sent: it is shown
    of hidden parameters, too.

    :param default: what the template gives, None where nothing.
    """
    described = formats.format_validate_parameter(param)
    result = {**redaction.struck_out(described, secrets),
              # A hidden value such as "true" may equal what these say.
              **{key: described[key] for key in (
                  rpc_api.PARAM_TYPE, rpc_api.PARAM_NO_ECHO)}}
    if default is not None and param.default() == default:
        result[rpc_api.PARAM_DEFAULT] = default
    return result


def _described(stack, tmpl, secrets, *, show_nested):
    schemata = tmpl.param_schemata()

    def formatted(selected):
        return {name: _parameter(stack.parameters.params[name],
                                 schemata[name].default, secrets)
                for name in selected if name in stack.parameters}

    result = {
        'Description': tmpl[tmpl.DESCRIPTION],
        'Parameters': formatted(schemata),
        'Environment': redaction.struck_out(
            queries.masked(stack, tmpl.env.user_env_as_dict()),
            secrets),
    }
    groups = parameter_groups.ParameterGroups(tmpl)
    if groups.parameter_groups:
        result['ParameterGroups'] = groups.parameter_groups
    if show_nested:
        nested = _nested_parameters(stack, secrets)
        if nested:
            result['NestedParameters'] = nested
    return result


def _nested_parameters(stack, secrets):
    """Return {resource: description} of resources with a stack inside."""
    result = {}
    # Parameters need no values here, inside no more than outside.
    stack.t.conditions(stack.defn).lenient = True
    for name, resource in stack.items():
        try:
            inner = resource.get_nested_parameters_stack()
        except diagnostics.WRONG_VALUES as error:
            # How many members a group has, say.
            request_budget.require()
            LOG.debug('What is inside %s depends on values: %s', name,
                      type(error).__name__)
            continue
        if inner is None:
            continue
        described = _described(inner, inner.t, secrets, show_nested=True)
        described.pop('Environment')
        described['Type'] = resource.type()
        if 'NestedParameters' in described and (
                not described['NestedParameters']):
            described.pop('NestedParameters')
        result[name] = described
    return result
