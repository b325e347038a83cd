"""RPC calls about templates, resource types and template versions."""
import re

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common import policy
from heat.common.i18n import _
from heat.engine import environment
from heat.engine import template as templatem
from heat.engine.rpc import definition as service_definition
from heat.engine.rpc import types as service_types
from heat.engine.rpc import validate as service_validation

LOG = logging.getLogger(__name__)


class TemplateOperations:
    """Validate templates; describe types, versions and functions."""

    @heat_context.request_context
    def validate_template(self, cnxt, template, params=None, files=None,
                          environment_files=None, files_container=None,
                          show_nested=False, ignorable_errors=None):
        """Check a template without making a stack; describe parameters.

        A template that is invalid is described by {'Error': text}.
        """
        LOG.info('validate_template')
        if template is None:
            return {'Error': _('No Template provided.')}
        return service_validation.describe(
            cnxt, service_definition.of_request(
                cnxt, template, params, files, environment_files,
                files_container),
            show_nested=show_nested,
            ignorable_errors=frozenset(ignorable_errors or ()))

    @heat_context.request_context
    def list_resource_types(self, cnxt, support_status=None, type_name=None,
                            heat_version=None, with_description=False):
        """Return the names of the resource types the caller may use."""
        found = service_types.available(
            cnxt, environment.global_env(), policy.get_resource_enforcer(),
            support_status=support_status, type_name=type_name,
            version=heat_version, unusable=cfg.CONF.list_unavailable_types)
        if not with_description:
            return sorted(found)
        return [{'resource_type': name,
                 'description': service_types.description(
                     cnxt, found[name])}
                for name in sorted(found)]

    @heat_context.request_context
    def resource_schema(self, cnxt, type_name, with_description=False):
        """Return properties and attributes of a resource type."""
        lenient = cfg.CONF.list_unavailable_types
        cls = service_types.find(cnxt, environment.global_env(), type_name,
                                 policy.get_resource_enforcer(),
                                 needs_service=not lenient)
        result = service_types.schema(type_name, cls, with_description)
        missing = service_types.missing_service(
            cnxt, cls) if lenient else ''
        if missing:
            status = result['support_status']
            status['message'] = ' '.join(filter(None, (
                missing, status['message'])))
        return result

    @heat_context.request_context
    def generate_template(self, cnxt, type_name, template_type='cfn'):
        """Return a template with one resource of a type.

        Each property is a parameter, each attribute an output.
        """
        cls = service_types.find(cnxt, environment.global_env(), type_name,
                                 policy.get_resource_enforcer(),
                                 needs_service=False)
        return cls.resource_to_template(type_name, template_type)

    @heat_context.request_context
    def list_template_versions(self, cnxt):
        """Return the template versions with their type and aliases."""
        classes: dict[tuple[str, type], list[str]] = {}
        for (kind, version), cls in templatem.template_classes().items():
            classes.setdefault((kind, cls), []).append(version)
        versions = []
        for (kind, _cls), names in classes.items():
            names.sort(key=lambda name: (not re.match(r'\d', name), name))
            versions.append({
                'version': f'{kind}.{names[0]}',
                'type': ('hot' if kind == 'heat_template_version'
                         else 'cfn'),
                'aliases': [f'{kind}.{name}' for name in names[1:]],
            })
        return sorted(versions, key=lambda each: each['version'])

    @heat_context.request_context
    def list_template_functions(self, cnxt, template_version,
                                with_condition=False):
        """Return the functions of a template version.

        :raises NotFound: there is no such version.
        """
        kind, _dot, version = template_version.partition('.')
        cls = templatem.template_classes().get((kind, version))
        if cls is None:
            raise exception.NotFound(
                _('Template with version %s not found') % template_version)
        functions = dict(cls.functions)
        if with_condition:
            functions.update(cls.condition_functions)
        return [{'functions': name,
                 'description': service_types.summary(function)}
                for name, function in sorted(functions.items())
                if not templatem.is_removed(function)]
