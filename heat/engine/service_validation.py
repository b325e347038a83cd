"""What the validate call answers."""
from heat.common import exception
from heat.engine import api
from heat.engine import parameter_groups
from heat.engine import service_definition
from heat.engine import stack as stack_module

#: Error codes that a client may ask to be ignored, by exception class.
_ERROR_CODES = {'99001': exception.ResourceTypeUnavailable}


def _ignored_classes(codes):
    unknown = codes - _ERROR_CODES.keys()
    if unknown:
        raise exception.Invalid(
            reason=f'Invalid codes in ignore_errors: {sorted(unknown)}')
    return tuple(_ERROR_CODES[code] for code in codes)


def describe(context, definition, *, show_nested, ignorable_errors):
    """Check a definition and describe its parameters.

    Parameters need no values here; resources are checked with what is
    known of them.

    :raises Invalid: a code in ignorable_errors is unknown.
    """
    ignored = _ignored_classes(ignorable_errors)
    tmpl = service_definition.template_of(definition)
    tmpl.validate()
    stack = stack_module.Stack(context, 'dummy', tmpl, strict_validate=False)
    try:
        stack.validate(ignorable_errors=ignored,
                       validate_res_tmpl_only=True)
    except exception.StackValidationFailed as error:
        return {'Error': str(error), 'ErrorPath': error.path}
    return _described(stack, tmpl, show_nested=show_nested)


def _described(stack, tmpl, *, show_nested):
    def formatted(selected):
        return {name: api.format_validate_parameter(
                    stack.parameters.params[name])
                for name in selected if name in stack.parameters}

    schemata = tmpl.param_schemata()
    result = {
        'Description': tmpl[tmpl.DESCRIPTION],
        'Parameters': formatted(schemata),
        'Environment': tmpl.env.user_env_as_dict(),
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
    for name, resource in stack.items():
        inner = resource.get_nested_parameters_stack()
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
