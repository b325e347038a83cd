"""Everything that is checked before a stack may be created or updated."""
import re

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import parameter_groups

LOG = logging.getLogger(__name__)

_NAME = re.compile(r'[a-zA-Z][a-zA-Z0-9_.-]{0,254}\Z')


def check_name(name):
    """Raise StackValidationFailed unless this is a good stack name."""
    if not isinstance(name, str) or not _NAME.match(name):
        raise exception.StackValidationFailed(message=_(
            'Invalid stack name "%s": it must start with a letter, contain '
            'only letters, digits, "_", "-" and ".", and have at most 255 '
            'characters.') % name)


def check_number_of_resources(tmpl):
    """Raise RequestLimitExceeded when one template has too many."""
    limit = cfg.CONF.max_resources_per_stack
    resources = tmpl.section(tmpl.RESOURCES)
    if limit != -1 and len(resources) > limit:
        raise exception.RequestLimitExceeded(
            message=_('The template has %(count)d resources, the limit '
                      '(max_resources_per_stack) is %(limit)d.') % {
                'count': len(resources), 'limit': limit})


def validate(stack, ignorable_errors=None, validate_res_tmpl_only=False):
    """Raise an error when the stack cannot be created as it is.

    :param ignorable_errors: error codes that do not count.
    :param validate_res_tmpl_only: leave out what needs a cloud.
    """
    if stack.owner_id is None:
        check_name(stack.name)
    tmpl = stack.t
    tmpl.validate()
    _check_names(tmpl)
    stack.parameters.validate(validate_value=stack.strict_validate,
                              context=stack.context)
    parameter_groups.ParameterGroups(tmpl).validate()
    if stack.strict_validate:
        # Evaluated, for which the parameters must have values.
        tmpl.validate_condition_definitions(stack.defn)
    else:
        tmpl.conditions(stack.defn)
    tmpl.validate_resource_definitions(stack.defn)
    _make_resources(stack)
    if stack.allow_type is not None:
        for type_name in sorted({res.type() for res in stack.values()}):
            stack.allow_type(type_name)
    for res in _in_order(stack):
        _validate_resource(res, ignorable_errors or (),
                           validate_res_tmpl_only)
    for name in stack.defn.enabled_output_names():
        _validate_output(stack, name)


def _check_names(tmpl):
    parameters = tmpl.section(tmpl.PARAMETERS)
    both = [name for name in tmpl.section(tmpl.RESOURCES)
            if name in parameters]
    if both:
        raise exception.StackValidationFailed(
            path=[tmpl.RESOURCES, both[0]],
            message=_('Duplicate names: %s. A resource may not be called '
                      'like a parameter.') % ', '.join(both))


def _in_order(stack):
    """Return the resources, each after those it requires."""
    try:
        return list(stack.dependencies)
    except exception.CircularDependencyException as error:
        names = error.kwargs.get('names') or ['']
        error.place([stack.t.get_section_name('resources'), names[0]])
        raise


def _make_resources(stack):
    """Make all resources, so that an unknown type is named with its place.
    """
    section = stack.t.get_section_name('resources')
    for name in stack.resources:
        try:
            stack.resources[name]
        except exception.StackValidationFailed as error:
            if section in error.path:
                raise
            path = [section, name] + (list(error.path) or ['type'])
            raise exception.StackValidationFailed(
                error=error.error, path=path,
                message=error.error_message) from error


def _validate_resource(res, ignorable_errors, template_only):
    path = [res.stack.t.get_section_name('resources'), res.name]
    try:
        if template_only:
            result = res.validate_template()
        else:
            result = res.validate()
    except exception.HeatException as error:
        if error.error_code and error.error_code in ignorable_errors:
            LOG.debug('Ignored for %s: %s', res.name, error)
            return
        if not error.path:
            error.place(path)
        raise
    except AssertionError:
        raise
    except Exception as error:
        LOG.debug('Resource %s is invalid', res.name, exc_info=True)
        raise exception.StackValidationFailed(
            error=_kind(error), path=path,
            message=exception.text_of(error)) from error
    if result:
        raise exception.StackValidationFailed(path=path, message=result)


def _validate_output(stack, name):
    path = [stack.t.get_section_name('outputs'), name]
    output = stack.defn.output_definition(name)
    try:
        output.validate()
    except exception.StackValidationFailed as error:
        # The definition speaks of itself in the words of HOT.
        below = list(error.path)[2:]
        if below:
            path += [stack.t.OUTPUT_VALUE, *below[1:]]
        raise exception.StackValidationFailed(
            error=error.error, path=path,
            message=error.error_message) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise exception.StackValidationFailed(
            error=_kind(error), path=path,
            message=exception.text_of(error)) from error


def _kind(error):
    """Return the class name of an error whose text may say little."""
    return None if isinstance(error, ValueError) else (
        exception.type_name(error))
