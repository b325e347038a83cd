"""Validation of a resource before it is created or updated."""
from collections.abc import Iterable
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import rsrc_defn
from heat.engine.language import diagnostics
from heat.engine.stacks import interface

LOG = logging.getLogger(__name__)


def validate_template(resource: interface.Resource) -> None:
    """Raise an error when the definition of a resource is wrong."""
    check_service(type(resource), resource.context, resource.type())
    if not resource.is_readable:
        resource.reparse(client_resolve=False)
    found = diagnostics.Problems()
    for check in (_functions, _deletion_policy, _update_policy, _properties):
        try:
            check(resource)
        except exception.StackValidationFailed as error:
            # A wrong function makes no right value.
            found.note(error, covered=2)
        except diagnostics.DerivedError:
            continue
        except exception.HeatException as error:
            if not found:
                raise
            found.note(error)
    if found:
        first = found.error()
        raise rsrc_defn.invalid(resource.stack.t, resource.name,
                                first) from first


def _functions(resource: interface.Resource) -> None:
    resource.t.validate()


def _deletion_policy(resource: interface.Resource) -> None:
    resource.validate_deletion_policy(resource.t.deletion_policy())
    try:
        resource.validate_deletion_policy(resource.t.update_replace_policy())
    except exception.StackValidationFailed as error:
        raise exception.StackValidationFailed(
            path=[rsrc_defn.UPDATE_REPLACE_POLICY],
            message=error.error_message) from error


def _update_policy(resource: interface.Resource) -> None:
    resource.t.update_policy(resource.update_policy_schema,
                             resource.context).validate()


def _properties(resource: interface.Resource) -> None:
    if resource.external_id is not None:
        # Those of an object that exists already do not have to be right.
        return
    with_value = getattr(resource.stack, 'strict_validate', True)
    with diagnostics.Problems() as found:
        with found.noting():
            resource.properties.validate(with_value=with_value)
        # What a template takes may come from defaults of an environment.
        if not with_value and not getattr(resource, 'is_template', False):
            with found.noting():
                resource.properties.validate_required()


def path_in_template(resource: interface.Resource, path: Iterable[Any]
                     ) -> list[Any]:
    """Return a path below a resource as one from the top of the template."""
    return rsrc_defn.path_in_template(resource.stack.t, resource.name, path)


def check_service(resource_class: Any, context: heat_context.RequestContext,
                  resource_type: str) -> None:
    """Raise ResourceTypeUnavailable when what the type needs is missing."""
    try:
        available, reason = resource_class.is_service_available(context)
    except Exception as error:  # noqa: BLE001
        LOG.warning('Cannot find out whether %s is available: %s',
                    resource_type, error)
        available, reason = False, str(error)
    if not available:
        raise exception.ResourceTypeUnavailable(
            service_name=resource_class.default_client_name,
            resource_type=resource_type, reason=reason)


def is_service_available(resource_class: Any,
                         context: heat_context.RequestContext
                         ) -> tuple[bool, str | None]:
    """Return (whether the cloud has what the type needs, why not)."""
    name = resource_class.default_client_name
    if name is None:
        return True, None
    plugin = context.clients.client_plugin(name)
    if plugin is None:
        return False, _('There is no client for the service %s') % name
    types = plugin.service_types
    if types and not any(plugin.does_endpoint_exist(
            service_type=service_type, service_name=name)
            for service_type in types):
        return False, _('The service %(name)s has no endpoint of the types '
                        '%(types)s') % {'name': name,
                                        'types': ', '.join(types)}
    wanted = resource_class.required_service_extension or ''
    for extension in wanted.replace(',', ' ').split():
        if not plugin.has_extension(extension):
            return False, _('The service %(name)s lacks the extension '
                            '%(extension)s') % {'name': name,
                                                'extension': extension}
    return True, None


def validate_deletion_policy(resource_class: Any, policy: str) -> None:
    """Raise StackValidationFailed for a policy the type cannot follow."""
    definition = rsrc_defn.ResourceDefinition
    if policy not in definition.DELETION_POLICIES:
        raise exception.StackValidationFailed(
            path=[rsrc_defn.DELETION_POLICY],
            message=_('Invalid deletion policy "%(policy)s", it must be one '
                      'of %(known)s') % {
                'policy': policy,
                'known': ', '.join(definition.DELETION_POLICIES)})
    if policy == definition.SNAPSHOT and not callable(
            getattr(resource_class, 'handle_snapshot_delete', None)):
        raise exception.StackValidationFailed(
            path=[rsrc_defn.DELETION_POLICY],
            message=_('"%s" deletion policy not supported') % policy)


def validate_external(resource: interface.Resource) -> None:
    """Raise StackValidationFailed if nothing has the external id."""
    resource.resource_id = resource.external_id
    try:
        resource.get_live_resource_data()
    except exception.EntityNotFound:
        raise exception.StackValidationFailed(
            path=path_in_template(resource, ['external_id']),
            message=_('Invalid external resource: Resource %(id)s (%(type)s) '
                      'can not be found.') % {
                'id': resource.external_id,
                'type': resource.type()}) from None


def check_conditions(checks: Iterable[Any]) -> None:
    """Raise Error with all checks whose current value is unexpected."""
    def is_as_expected(check: Any) -> Any:
        expected, current = check['expected'], check['current']
        if isinstance(expected, (list, tuple, set, frozenset)):
            return current in expected
        return current == expected

    faults = [_("'%(attr)s': expected '%(expected)s', got '%(current)s'")
              % check for check in checks if not is_as_expected(check)]
    if faults:
        raise exception.Error('; '.join(faults))


def resource_to_template(resource_class: Any, resource_type: str,
                         template_type: str = 'cfn') -> dict[str, Any]:
    """Return a template whose only resource is of a type."""
    parameters, values = (
        properties.Properties.schema_to_parameters_and_properties(
            resource_class.properties_schema, template_type))
    name = resource_class.__name__
    outputs = attributes.Attributes.as_outputs(name, resource_class,
                                               template_type)
    description = _('Initial template of %s') % name
    if template_type == 'hot':
        return {
            'heat_template_version': '2016-10-14',
            'description': description,
            'parameters': parameters,
            'resources': {name: {'type': resource_type,
                                 'properties': values}},
            'outputs': outputs,
        }
    return {
        'HeatTemplateFormatVersion': '2012-12-12',
        'Description': description,
        'Parameters': parameters,
        'Resources': {name: {'Type': resource_type, 'Properties': values}},
        'Outputs': outputs,
    }
