"""All declarations, by controller and action, and the named schemas."""
from heat.api.openstack.v1.schemas import actions
from heat.api.openstack.v1.schemas import change_sets
from heat.api.openstack.v1.schemas import common
from heat.api.openstack.v1.schemas import drift
from heat.api.openstack.v1.schemas import events
from heat.api.openstack.v1.schemas import protection
from heat.api.openstack.v1.schemas import resources
from heat.api.openstack.v1.schemas import services
from heat.api.openstack.v1.schemas import snapshots
from heat.api.openstack.v1.schemas import software_configs
from heat.api.openstack.v1.schemas import software_deployments
from heat.api.openstack.v1.schemas import stack_changes
from heat.api.openstack.v1.schemas import stacks
from heat.api.openstack.v1.schemas import templates

#: What readers find together: title, controller, its actions.
GROUPS = (
    ('Stacks', 'stacks', stacks.OPERATIONS),
    ('Creation and update', 'stacks', stack_changes.OPERATIONS),
    ('Actions', 'actions', actions.OPERATIONS),
    ('Change sets', 'change_sets', change_sets.OPERATIONS),
    ('Protection', 'protection', protection.OPERATIONS),
    ('Drift', 'drift', drift.OPERATIONS),
    ('Snapshots', 'stacks', snapshots.OPERATIONS),
    ('Resources', 'resource', resources.OPERATIONS),
    ('Events', 'events', events.OPERATIONS),
    ('Templates and resource types', 'stacks', templates.OPERATIONS),
    ('Software configs', 'software_configs', software_configs.OPERATIONS),
    ('Software deployments', 'software_deployments',
     software_deployments.OPERATIONS),
    ('Services', 'service', services.OPERATIONS),
    ('Build', 'build_info', services.BUILD_INFO),
    ('Permissions', 'permissions', services.PERMISSIONS),
)
OPERATIONS = {
    (controller, action): operation
    for _title, controller, operations in GROUPS
    for action, operation in operations.items()}
TITLES = {
    (controller, action): title
    for title, controller, operations in GROUPS
    for action in operations}

COMPONENTS = {
    name: schema
    for module in (common, stacks, stack_changes, change_sets, protection,
                   drift, snapshots, templates, resources, events,
                   software_configs, software_deployments, services)
    for name, schema in module.COMPONENTS.items()}
