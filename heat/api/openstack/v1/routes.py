"""The routes of the orchestration API, version 1.

A row is: method, path, controller, action, policy rule, and where they are
not the usual ones, the status of success and what the request may carry.
Paths are tried in the order in which they first appear; a fixed path stands
before a placeholder that would take it for a name.
"""
from collections.abc import Iterable
from typing import Any

from heat.api import routing
from heat.api.openstack.v1 import actions
from heat.api.openstack.v1 import build_info
from heat.api.openstack.v1 import change_sets
from heat.api.openstack.v1 import drift
from heat.api.openstack.v1 import events
from heat.api.openstack.v1 import protection
from heat.api.openstack.v1 import resources
from heat.api.openstack.v1 import services
from heat.api.openstack.v1 import software_configs
from heat.api.openstack.v1 import software_deployments
from heat.api.openstack.v1 import stacks
from heat.api.openstack.v1.schemas import catalogue
from heat.common import identifier
from heat.rpc import client as rpc_client

Body = routing.Body
Route = routing.Route

TENANT = '/{tenant_id}'
STACKS = f'{TENANT}/stacks'
ARN = f'{STACKS}/{{stack_name:{identifier.ARN_PATTERN}.*}}'
NAME = f'{STACKS}/{{stack_name}}'
STACK = f'{NAME}/{{stack_id}}'
RESOURCE = f'{STACK}/resources/{{resource_name}}'
SNAPSHOT = f'{STACK}/snapshots/{{snapshot_id}}'
CHANGE_SETS = f'{TENANT}/change_sets'
CONFIG = f'{TENANT}/software_configs/{{config_id}}'
DEPLOYMENTS = f'{TENANT}/software_deployments'
DEPLOYMENT = f'{DEPLOYMENTS}/{{deployment_id}}'
TYPE = f'{TENANT}/resource_types/{{type_name}}'
VERSIONS = f'{TENANT}/template_versions'
SERVICES = f'{TENANT}/services'

# What may follow the name of a stack where its id belongs. Ids are UUIDs,
# so none of these is one.
REDIRECTED = {
    'GET': ('resources', 'events', 'template', 'outputs', 'actions',
            'environment', 'files'),
    'POST': ('resources', 'events', 'template', 'actions'),
}
LOOKUP_METHODS = ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')


def _lookups(path: str, methods: Iterable[str] = LOOKUP_METHODS
             ) -> tuple[Any, ...]:
    """Return rows that redirect to the full URL of a stack."""
    return tuple(Route(method, path, 'stacks', 'lookup', 'stacks:lookup',
                       302, Body.IGNORED) for method in methods)


def _sub_path(names: Iterable[str]) -> str:
    return f'{NAME}/{{path:{"|".join(names)}}}'


def _change_sets(path: str) -> tuple[Any, ...]:
    """Return the rows of change sets below a stack or the project."""
    one = f'{path}/{{change_set_id}}'
    name = 'change_sets'
    return (
        Route('GET', path, name, 'index', 'change_sets:index'),
        Route('POST', path, name, 'create', 'change_sets:create', 201,
              Body.REQUIRED),
        Route('GET', one, name, 'show', 'change_sets:show'),
        Route('DELETE', one, name, 'delete', 'change_sets:delete', 204),
        Route('POST', f'{one}/execute', name, 'execute',
              'change_sets:execute', 202, Body.OPTIONAL),
    )


ROUTES = (
    # -- Templates and resource types
    Route('POST', f'{TENANT}/validate', 'stacks', 'validate_template',
          'stacks:validate_template', body=Body.REQUIRED),
    Route('GET', f'{TENANT}/resource_types', 'stacks',
          'list_resource_types', 'stacks:list_resource_types'),
    Route('GET', TYPE, 'stacks', 'resource_schema',
          'stacks:resource_schema'),
    Route('GET', f'{TYPE}/template', 'stacks', 'generate_template',
          'stacks:generate_template'),
    Route('GET', VERSIONS, 'stacks', 'list_template_versions',
          'stacks:list_template_versions'),
    Route('GET', f'{VERSIONS}/{{template_version}}/functions', 'stacks',
          'list_template_functions', 'stacks:list_template_functions'),
    # -- Stacks
    Route('GET', STACKS, 'stacks', 'index', 'stacks:index'),
    Route('POST', STACKS, 'stacks', 'create', 'stacks:create', 201,
          Body.REQUIRED),
    Route('POST', f'{STACKS}/preview', 'stacks', 'preview',
          'stacks:preview', body=Body.REQUIRED),
    Route('GET', f'{STACKS}/detail', 'stacks', 'detail', 'stacks:detail'),
    *_lookups(ARN),
    *_lookups(NAME),
    *_lookups(_sub_path(REDIRECTED['POST']), ('GET', 'POST')),
    *_lookups(_sub_path(
        name for name in REDIRECTED['GET']
        if name not in REDIRECTED['POST']), ('GET',)),
    Route('GET', STACK, 'stacks', 'show', 'stacks:show'),
    Route('PUT', STACK, 'stacks', 'update', 'stacks:update', 202,
          Body.REQUIRED),
    # Which rule is checked depends on the body.
    Route('PATCH', STACK, 'stacks', 'update_patch', None, 202,
          Body.REQUIRED),
    Route('DELETE', STACK, 'stacks', 'delete', 'stacks:delete', 204),
    Route('GET', f'{STACK}/template', 'stacks', 'template',
          'stacks:template'),
    Route('GET', f'{STACK}/environment', 'stacks', 'environment',
          'stacks:environment'),
    Route('GET', f'{STACK}/files', 'stacks', 'files', 'stacks:files'),
    Route('GET', f'{STACK}/outputs', 'stacks', 'list_outputs',
          'stacks:list_outputs'),
    Route('GET', f'{STACK}/outputs/{{output_key}}', 'stacks', 'show_output',
          'stacks:show_output'),
    Route('PUT', f'{STACK}/preview', 'stacks', 'preview_update',
          'stacks:preview_update', body=Body.REQUIRED),
    Route('PATCH', f'{STACK}/preview', 'stacks', 'preview_update_patch',
          'stacks:preview_update_patch', body=Body.REQUIRED),
    Route('DELETE', f'{STACK}/abandon', 'stacks', 'abandon',
          'stacks:abandon'),
    Route('GET', f'{STACK}/export', 'stacks', 'export', 'stacks:export'),
    # -- Snapshots
    Route('POST', f'{STACK}/snapshots', 'stacks', 'snapshot',
          'stacks:snapshot', body=Body.OPTIONAL),
    Route('GET', f'{STACK}/snapshots', 'stacks', 'list_snapshots',
          'stacks:list_snapshots'),
    Route('GET', SNAPSHOT, 'stacks', 'show_snapshot',
          'stacks:show_snapshot'),
    Route('DELETE', SNAPSHOT, 'stacks', 'delete_snapshot',
          'stacks:delete_snapshot', 204),
    Route('POST', f'{SNAPSHOT}/restore', 'stacks', 'restore_snapshot',
          'stacks:restore_snapshot', 202),
    # -- Protection
    Route('GET', f'{STACK}/protection', 'protection', 'show',
          'protection:show'),
    Route('PUT', f'{STACK}/protection', 'protection', 'update',
          'protection:update', body=Body.REQUIRED),
    Route('GET', f'{STACK}/policy', 'protection', 'show_policy',
          'protection:show_policy'),
    Route('PUT', f'{STACK}/policy', 'protection', 'update_policy',
          'protection:update_policy', body=Body.REQUIRED),
    # -- Change sets
    *_change_sets(f'{STACK}/change_sets'),
    *_change_sets(CHANGE_SETS),
    # -- Drift
    Route('POST', f'{STACK}/drift', 'drift', 'detect', 'drift:detect', 202,
          Body.OPTIONAL),
    Route('GET', f'{STACK}/drift', 'drift', 'show', 'drift:show'),
    Route('PUT', f'{STACK}/drift', 'drift', 'update', 'drift:update',
          body=Body.REQUIRED),
    # -- Resources
    Route('GET', f'{STACK}/resources', 'resource', 'index',
          'resource:index'),
    Route('GET', RESOURCE, 'resource', 'show', 'resource:show'),
    Route('PATCH', RESOURCE, 'resource', 'mark_unhealthy',
          'resource:mark_unhealthy', body=Body.REQUIRED),
    Route('GET', f'{RESOURCE}/metadata', 'resource', 'metadata',
          'resource:metadata'),
    Route('POST', f'{RESOURCE}/signal', 'resource', 'signal',
          'resource:signal', body=Body.OPTIONAL),
    # -- Events
    Route('GET', f'{STACK}/events', 'events', 'index', 'events:index'),
    Route('GET', f'{RESOURCE}/events', 'events', 'index', 'events:index'),
    Route('GET', f'{RESOURCE}/events/{{event_id}}', 'events', 'show',
          'events:show'),
    Route('GET', f'{STACK}/events/stream', 'events', 'stream',
          'events:stream'),
    Route('GET', f'{TENANT}/events/stream', 'events', 'stream_of_project',
          'events:stream'),
    Route('GET', f'{STACK}/timeline', 'events', 'timeline',
          'events:timeline'),
    # -- Actions; the rule is that of the action in the body.
    Route('POST', f'{STACK}/actions', 'actions', 'action', None,
          body=Body.REQUIRED),
    # -- Software configs and deployments
    Route('GET', f'{TENANT}/software_configs', 'software_configs', 'index',
          'software_configs:index'),
    Route('POST', f'{TENANT}/software_configs', 'software_configs',
          'create', 'software_configs:create', body=Body.REQUIRED),
    Route('GET', CONFIG, 'software_configs', 'show',
          'software_configs:show'),
    Route('DELETE', CONFIG, 'software_configs', 'delete',
          'software_configs:delete', 204),
    Route('GET', DEPLOYMENTS, 'software_deployments', 'index',
          'software_deployments:index'),
    Route('POST', DEPLOYMENTS, 'software_deployments', 'create',
          'software_deployments:create', body=Body.REQUIRED),
    Route('GET', f'{DEPLOYMENTS}/metadata/{{server_id}}',
          'software_deployments', 'metadata',
          'software_deployments:metadata'),
    Route('GET', DEPLOYMENT, 'software_deployments', 'show',
          'software_deployments:show'),
    Route('PUT', DEPLOYMENT, 'software_deployments', 'update',
          'software_deployments:update', body=Body.REQUIRED),
    Route('DELETE', DEPLOYMENT, 'software_deployments', 'delete',
          'software_deployments:delete', 204),
    # -- The service itself
    Route('GET', f'{TENANT}/build_info', 'build_info', 'build_info',
          'build_info:build_info'),
    Route('GET', f'{TENANT}/permissions', 'permissions', 'index',
          'permissions:index'),
    Route('GET', SERVICES, 'service', 'index', 'service:index'),
)

CONTROLLERS = {
    'actions': actions.ActionController,
    'build_info': build_info.BuildInfoController,
    'change_sets': change_sets.ChangeSetController,
    'drift': drift.DriftController,
    'events': events.EventController,
    'permissions': build_info.PermissionController,
    'protection': protection.ProtectionController,
    'resource': resources.ResourceController,
    'service': services.ServiceController,
    'software_configs': software_configs.SoftwareConfigController,
    'software_deployments':
        software_deployments.SoftwareDeploymentController,
    'stacks': stacks.StackController,
}


def build(engine: Any) -> Any:
    """Return the API as a WSGI application.

    :param engine: the client that reaches the engine.
    """
    controllers = {name: controller(engine)
                   for name, controller in CONTROLLERS.items()}
    return routing.Router(ROUTES, controllers,
                          operations=catalogue.OPERATIONS,
                          closed_paths=(SERVICES,))


def app_factory(global_conf: Any, **local_conf: str) -> Any:
    """Make the application api-paste.ini calls apiv1app."""
    return build(rpc_client.EngineClient(is_for_users=True))
