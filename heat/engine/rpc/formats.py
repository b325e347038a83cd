"""The format of engine objects in RPC answers.

Key names are those of :mod:`heat.rpc.api`; the REST and CloudFormation
front ends translate them further.
"""
import json
from typing import Any

from oslo_log import log as logging

from heat.common import exception
from heat.common import identifier
from heat.common import param_utils
from heat.common import request_budget
from heat.common import template_format
from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine import constraints as constr
from heat.engine import parameters
from heat.engine import status
from heat.engine.hot import parameters as hot_parameters
from heat.engine.sandbox import result_size
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

#: To write an item of a list or map takes as long as this many bytes.
_ITEM = 512
#: How many times its length a part of an answer counts: there are several
#: copies of it, and while one is written nothing else runs under eventlet.
_WEIGHT = 8
_SCALARS = (str, int, float, bool, type(None))
NO_DESCRIPTION = 'No description'


def extract_args(params):
    """Return the arguments of a stack operation, converted and checked.

    :param params: the ``args`` mapping of a create or update call.
    :raises ValueError: a value has the wrong form; the text names the key.
    """
    kwargs = {}
    timeout = params.get(rpc_api.PARAM_TIMEOUT)
    if timeout:
        timeout_mins = param_utils.extract_int(
            rpc_api.PARAM_TIMEOUT, timeout)
        if timeout_mins:
            kwargs[rpc_api.PARAM_TIMEOUT] = timeout_mins
    for name in (rpc_api.PARAM_DISABLE_ROLLBACK, rpc_api.PARAM_CONVERGE):
        if params.get(name) is not None:
            kwargs[name] = param_utils.extract_bool(name, params[name])
    adopt_data = params.get(rpc_api.PARAM_ADOPT_STACK_DATA)
    if adopt_data:
        adopted = template_format.simple_parse(adopt_data)
        if not isinstance(adopted, dict):
            raise ValueError(_('Unexpected adopt data "%s". Adopt data must '
                               'be a map.') % type(adopted).__name__)
        kwargs[rpc_api.PARAM_ADOPT_STACK_DATA] = adopted
    tags = params.get(rpc_api.PARAM_TAGS)
    if tags:
        if not isinstance(tags, list):
            raise ValueError(_('Invalid tags, not a list: %s') % tags)
        kwargs[rpc_api.PARAM_TAGS] = tags
    return kwargs


#: Names of list filters of the API, by what the table calls them.
_FILTER_COLUMNS = {
    rpc_api.STACK_NAME: 'name',
    rpc_api.STACK_ACTION: 'action',
    rpc_api.STACK_STATUS: 'status',
    rpc_api.STACK_STATUS_DATA: 'status_reason',
    rpc_api.STACK_DISABLE_ROLLBACK: 'disable_rollback',
    rpc_api.STACK_TIMEOUT: 'timeout',
    rpc_api.STACK_OWNER: 'username',
    rpc_api.STACK_PARENT: 'owner_id',
    rpc_api.STACK_USER_PROJECT_ID: 'stack_user_project_id',
}
_FILTER_VALUES = {
    'disable_rollback': lambda value: param_utils.extract_bool(
        rpc_api.STACK_DISABLE_ROLLBACK, value),
    'timeout': lambda value: param_utils.extract_int(
        rpc_api.STACK_TIMEOUT, value),
}


def translate_filters(params):
    """Return the filters of a list of stacks, by column: [values].

    A status like CREATE_FAILED is one of action and one of status; several
    of them therefore match each combination of theirs.
    :raises Invalid: a value has the wrong form.
    """
    filters: dict[str, list[Any]] = {}
    for name, given in (params or {}).items():
        column = _FILTER_COLUMNS.get(name, name)
        convert = _FILTER_VALUES.get(column, str)
        values = given if isinstance(given, (list, tuple)) else [given]
        try:
            filters.setdefault(column, []).extend(
                convert(value) for value in values)
        except ValueError as error:
            raise exception.Invalid(reason=str(error)) from error
    for value in filters.pop('status', []):
        action, underscore, rest = value.partition('_')
        if underscore and value not in status.StackStatus.STATUSES:
            filters.setdefault('action', []).append(action)
            value = rest
        filters.setdefault('status', []).append(value)
    return filters


def format_time(value):
    """Return an ISO 8601 text in UTC, or None."""
    return heat_timeutils.isotime(value) if value is not None else None


def format_stack_outputs(outputs, resolve_value=False):
    """Return the list form of a stack's output definitions."""
    return [format_stack_output(outputs[key], resolve_value=resolve_value)
            for key in outputs]


def format_stack_output(output_defn, resolve_value=True):
    """Return one output; a failure to resolve it becomes output_error."""
    result = {
        rpc_api.OUTPUT_KEY: output_defn.name,
        rpc_api.OUTPUT_DESCRIPTION: output_defn.description(),
    }
    if resolve_value:
        value = None
        try:
            value = _written(output_defn.get_value())
        except Exception as ex:  # noqa: BLE001 (an output may fail alone)
            error = exception.TemplateOutputError
            text = str(ex) if isinstance(ex, error) else (
                f'{type(ex).__name__}: {ex}')
            LOG.debug('Output %s could not be resolved: %s',
                      output_defn.name, type(ex).__name__)
            result[rpc_api.OUTPUT_ERROR] = text
        result[rpc_api.OUTPUT_VALUE] = value
    return result


def _written(value):
    """Return a value, having counted what an answer with it takes.

    References to one large value are written out in full. Small values are
    shown even beside an output that exceeds the budget.

    :raises Exceeded: the answers of the request become too large.
    """
    if isinstance(value, _SCALARS) and len(str(value)) <= _ITEM:
        return value
    with request_budget.work():
        size, items = result_size.measured(value)
        if size <= result_size.MAX_SIZE:
            # A character may take twelve bytes.
            size = len(json.dumps(value, default=str, skipkeys=True))
        request_budget.take(_WEIGHT * size + _ITEM * items)
    return value


def format_stack(req_context, stack, resolve_outputs=True):
    """Return all that is shown of one stack."""
    updated = format_time(stack.updated_time)
    info = {
        rpc_api.STACK_NAME: stack.name,
        rpc_api.STACK_ID: dict(stack.identifier()),
        rpc_api.STACK_CREATION_TIME: format_time(stack.created_time),
        rpc_api.STACK_UPDATED_TIME: updated,
        rpc_api.STACK_DELETION_TIME: format_time(stack.deleted_time),
        rpc_api.STACK_NOTIFICATION_TOPICS: [],
        rpc_api.STACK_PARAMETERS: stack.parameters.map(str),
        rpc_api.STACK_DESCRIPTION: stack.t[stack.t.DESCRIPTION],
        rpc_api.STACK_TMPL_DESCRIPTION: stack.t[stack.t.DESCRIPTION],
        rpc_api.STACK_CAPABILITIES: [],
        rpc_api.STACK_ACTION: stack.action or '',
        rpc_api.STACK_STATUS: stack.status or '',
        rpc_api.STACK_STATUS_DATA: stack.status_reason,
        rpc_api.STACK_DISABLE_ROLLBACK: stack.disable_rollback,
        rpc_api.STACK_TIMEOUT: stack.timeout_mins,
        rpc_api.STACK_OWNER: stack.username,
        rpc_api.STACK_PARENT: stack.owner_id,
        rpc_api.STACK_USER_PROJECT_ID: stack.stack_user_project_id,
        rpc_api.STACK_TAGS: list(stack.tags or []),
    }
    deleted = (stack.action, stack.status) == (stack.DELETE, stack.COMPLETE)
    if resolve_outputs and not deleted:
        info[rpc_api.STACK_OUTPUTS] = format_stack_outputs(
            stack.outputs, resolve_value=True)
    return info


def format_stack_db_object(row, tags):
    """Return what a list shows of a stack, from its row alone."""
    return {
        rpc_api.STACK_NAME: row.name,
        rpc_api.STACK_ID: dict(identifier.HeatIdentifier(
            row.tenant, row.name, row.id)),
        rpc_api.STACK_DESCRIPTION: '',
        rpc_api.STACK_CREATION_TIME: format_time(row.created_at),
        rpc_api.STACK_UPDATED_TIME: format_time(row.updated_at),
        rpc_api.STACK_DELETION_TIME: format_time(row.deleted_at),
        rpc_api.STACK_ACTION: row.action or '',
        rpc_api.STACK_STATUS: row.status or '',
        rpc_api.STACK_STATUS_DATA: row.status_reason,
        rpc_api.STACK_OWNER: row.username,
        rpc_api.STACK_PARENT: row.owner_id,
        rpc_api.STACK_USER_PROJECT_ID: row.stack_user_project_id,
        rpc_api.STACK_TAGS: tags,
    }


def _attribute_names(resource, with_attr):
    names = set(resource.attributes_schema) | set(with_attr or [])
    names -= set(resource.base_attributes_schema)
    return sorted(names | set(with_attr or []))


def format_resource_attributes(resource, with_attr=None):
    """Return the attributes of a resource, live where not stored.

    When the `show` attribute gives a mapping it replaces the list of
    attributes, with those of `with_attr` added.
    """
    with_attr = with_attr or []

    def value_of(name):
        try:
            return resource.attributes[name]
        except KeyError:
            return None
        except Exception as error:  # noqa: BLE001 (plugins raise anything)
            # The rest can be shown all the same.
            LOG.warning('Attribute %s of %s is not available: %s', name,
                        resource, error)
            return None

    show = value_of(resource.SHOW) if (
        resource.SHOW in resource.attributes) else None
    if isinstance(show, dict):
        return {**show, **{name: value_of(name) for name in with_attr}}
    return {name: value_of(name)
            for name in _attribute_names(resource, with_attr)}


def format_resource_properties(resource):
    """Return the property values of a resource as the template gives them.

    A value that cannot be resolved yet shows as None.
    """
    def value_of(name):
        try:
            return resource.properties[name]
        except ValueError:
            return None

    return {name: value_of(name) for name in resource.properties_schema}


def format_stack_resource(resource, detail=True, with_props=False,
                          with_attr=None):
    """Return what is shown of one resource.

    :param detail: add description, metadata and attributes.
    :param with_props: add the property values (for previews).
    :param with_attr: names of further attributes; False leaves attributes
        out.
    """
    stack = resource.stack
    updated = resource.updated_time or resource.created_time
    info = {
        rpc_api.RES_UPDATED_TIME: format_time(updated),
        rpc_api.RES_CREATION_TIME: format_time(resource.created_time),
        rpc_api.RES_NAME: resource.name,
        rpc_api.RES_PHYSICAL_ID: resource.resource_id or '',
        rpc_api.RES_ACTION: resource.action,
        rpc_api.RES_STATUS: resource.status,
        rpc_api.RES_STATUS_DATA: resource.status_reason,
        rpc_api.RES_TYPE: resource.type(),
        rpc_api.RES_ID: dict(resource.identifier()),
        rpc_api.RES_STACK_ID: dict(stack.identifier()),
        rpc_api.RES_STACK_NAME: stack.name,
        rpc_api.RES_REQUIRED_BY: list(resource.required_by()),
    }
    if resource.has_nested():
        info[rpc_api.RES_NESTED_STACK_ID] = dict(
            resource.nested_identifier())
    if stack.parent_resource_name:
        info[rpc_api.RES_PARENT_RESOURCE] = stack.parent_resource_name
    if detail:
        info[rpc_api.RES_DESCRIPTION] = resource.t.description
        info[rpc_api.RES_METADATA] = resource.metadata_get()
        if with_attr is not False:
            info[rpc_api.RES_ATTRIBUTES] = format_resource_attributes(
                resource, with_attr)
    if with_props:
        info[rpc_api.RES_PROPERTIES] = format_resource_properties(resource)
    return _written(info) if detail else info


def format_stack_preview(stack):
    """Return what creating a stack would make, nested stacks included."""
    def formatted(item):
        if isinstance(item, list):
            return [formatted(each) for each in item]
        return format_stack_resource(item, with_props=True)

    info = format_stack(None, stack)
    info['resources'] = [formatted(item)
                         for item in stack.preview_resources()]
    return info


def format_event(event, stack_identifier, root_stack_identifier=None,
                 include_rsrc_prop_data=True):
    """Return one event row."""
    event_identifier = identifier.EventIdentifier(
        event_id=event.uuid or event.id,
        **identifier.ResourceIdentifier(
            resource_name=event.resource_name, **stack_identifier))
    result = {
        rpc_api.EVENT_ID: dict(event_identifier),
        rpc_api.EVENT_STACK_ID: dict(stack_identifier),
        rpc_api.EVENT_STACK_NAME: stack_identifier.stack_name,
        rpc_api.EVENT_TIMESTAMP: format_time(event.created_at),
        rpc_api.EVENT_RES_NAME: event.resource_name,
        rpc_api.EVENT_RES_PHYSICAL_ID: event.physical_resource_id,
        rpc_api.EVENT_RES_ACTION: event.resource_action,
        rpc_api.EVENT_RES_STATUS: event.resource_status,
        rpc_api.EVENT_RES_STATUS_DATA: event.resource_status_reason,
        rpc_api.EVENT_RES_TYPE: event.resource_type,
    }
    if root_stack_identifier:
        result[rpc_api.EVENT_ROOT_STACK_ID] = dict(root_stack_identifier)
    if include_rsrc_prop_data:
        result[rpc_api.EVENT_RES_PROPERTIES] = event.resource_properties
    return result


_PARAM_TYPES = {
    getattr(schema, kind): text
    for schema in (parameters.Schema, hot_parameters.HOTParamSchema)
    for kind, text in (
        ('STRING', rpc_api.PARAM_TYPE_STRING),
        ('NUMBER', rpc_api.PARAM_TYPE_NUMBER),
        ('LIST', rpc_api.PARAM_TYPE_COMMA_DELIMITED_LIST),
        ('MAP', rpc_api.PARAM_TYPE_JSON),
        ('BOOLEAN', rpc_api.PARAM_TYPE_BOOLEAN))}


def _add_constraint(result, constraint):
    bounds: tuple[tuple[str, Any], ...]
    if isinstance(constraint, constr.Length):
        bounds = ((rpc_api.PARAM_MIN_LENGTH, constraint.min),
                  (rpc_api.PARAM_MAX_LENGTH, constraint.max))
    elif isinstance(constraint, constr.Range):
        bounds = ((rpc_api.PARAM_MIN_VALUE, constraint.min),
                  (rpc_api.PARAM_MAX_VALUE, constraint.max))
    elif isinstance(constraint, constr.Modulo):
        bounds = ((rpc_api.PARAM_STEP, constraint.step),
                  (rpc_api.PARAM_OFFSET, constraint.offset))
    elif isinstance(constraint, constr.AllowedValues):
        bounds = ((rpc_api.PARAM_ALLOWED_VALUES, list(constraint.allowed)),)
    elif isinstance(constraint, constr.AllowedPattern):
        bounds = ((rpc_api.PARAM_ALLOWED_PATTERN, constraint.pattern),)
    elif isinstance(constraint, constr.CustomConstraint):
        bounds = ((rpc_api.PARAM_CUSTOM_CONSTRAINT, constraint.name),)
    else:
        bounds = ()
    result.update((key, value) for key, value in bounds
                  if value is not None)


def _value_as_given(param):
    """Return the value of a parameter, as it came if it is of no use."""
    try:
        return param.value()
    except ValueError:
        return param.user_value


def format_validate_parameter(param):
    """Return the description of a parameter that `validate` answers.

    The value and default of a hidden parameter are left out.
    """
    schema = param.schema
    result = {
        rpc_api.PARAM_TYPE: _PARAM_TYPES.get(schema.type, schema.type),
        rpc_api.PARAM_DESCRIPTION: param.description(),
        rpc_api.PARAM_NO_ECHO: (
            'true' if parameters.is_hidden(schema.hidden) else 'false'),
        rpc_api.PARAM_LABEL: param.label(),
    }
    if param.tags():
        result[rpc_api.PARAM_TAG] = param.tags()
    if param.has_default() and not param.hidden():
        result[rpc_api.PARAM_DEFAULT] = param.default()
    if param.user_value is not None and not param.hidden():
        result[rpc_api.PARAM_VALUE] = _value_as_given(param)
    messages = []
    for constraint in schema.constraints:
        if constraint.description:
            messages.append(str(constraint.description))
        _add_constraint(result, constraint)
    if messages:
        result[rpc_api.PARAM_CONSTRAINT_DESCRIPTION] = ' '.join(messages)
    return result


def format_snapshot(snapshot, data=None):
    """Return one snapshot row, with what it keeps of the stack."""
    return {
        rpc_api.SNAPSHOT_ID: snapshot.id,
        rpc_api.SNAPSHOT_NAME: snapshot.name,
        rpc_api.SNAPSHOT_ACTION: snapshot.action,
        rpc_api.SNAPSHOT_STATUS: snapshot.status,
        rpc_api.SNAPSHOT_STATUS_REASON: snapshot.status_reason,
        rpc_api.SNAPSHOT_DATA: data,
        rpc_api.SNAPSHOT_CREATION_TIME: format_time(snapshot.created_at),
    }


def format_software_config(row, detail=True, include_project=False):
    """Return a software config row; the list form has no configuration."""
    if row is None:
        return None
    result = {
        rpc_api.SOFTWARE_CONFIG_ID: row.id,
        rpc_api.SOFTWARE_CONFIG_NAME: row.name,
        rpc_api.SOFTWARE_CONFIG_GROUP: row.group,
        rpc_api.SOFTWARE_CONFIG_CREATION_TIME: format_time(row.created_at),
    }
    if detail:
        config = row.config or {}
        result[rpc_api.SOFTWARE_CONFIG_CONFIG] = config.get(
            rpc_api.SOFTWARE_CONFIG_CONFIG)
        result[rpc_api.SOFTWARE_CONFIG_INPUTS] = config.get(
            rpc_api.SOFTWARE_CONFIG_INPUTS)
        result[rpc_api.SOFTWARE_CONFIG_OUTPUTS] = config.get(
            rpc_api.SOFTWARE_CONFIG_OUTPUTS)
        result[rpc_api.SOFTWARE_CONFIG_OPTIONS] = config.get(
            rpc_api.SOFTWARE_CONFIG_OPTIONS)
    if include_project:
        result[rpc_api.SOFTWARE_CONFIG_PROJECT] = row.tenant
    return result


def format_software_deployment(row):
    """Return a software deployment row."""
    if row is None:
        return None
    result = {
        rpc_api.SOFTWARE_DEPLOYMENT_ID: row.id,
        rpc_api.SOFTWARE_DEPLOYMENT_SERVER_ID: row.server_id,
        rpc_api.SOFTWARE_DEPLOYMENT_INPUT_VALUES: row.input_values,
        rpc_api.SOFTWARE_DEPLOYMENT_OUTPUT_VALUES: row.output_values,
        rpc_api.SOFTWARE_DEPLOYMENT_ACTION: row.action,
        rpc_api.SOFTWARE_DEPLOYMENT_STATUS: row.status,
        rpc_api.SOFTWARE_DEPLOYMENT_STATUS_REASON: row.status_reason,
        rpc_api.SOFTWARE_DEPLOYMENT_CONFIG_ID: row.config_id,
        rpc_api.SOFTWARE_DEPLOYMENT_CREATION_TIME: format_time(
            row.created_at),
    }
    if row.updated_at:
        result[rpc_api.SOFTWARE_DEPLOYMENT_UPDATED_TIME] = format_time(
            row.updated_at)
    return result
