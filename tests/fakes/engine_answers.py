"""What an engine answers to each call, one sample of each."""
from tests.fakes import rest


def _texts(*keys):
    return dict.fromkeys(keys, 'x')


IDENTITY = rest.IDENTITY
RESOURCE_IDENTITY = {**IDENTITY, 'path': '/resources/r'}
EVENT_ID = '5fecdcae-8e3f-4f4b-9a52-6d3b1f6e5d10'
EVENT_IDENTITY = {**IDENTITY, 'path': f'/resources/r/events/{EVENT_ID}'}
NESTED_IDENTITY = {**IDENTITY, 'stack_name': 's-r-x',
                   'stack_id': 'a0b0c0d0-0000-4000-8000-000000000000'}
TIME = '2026-11-20T16:31:09Z'

LISTED_STACK = {
    'stack_identity': IDENTITY,
    'stack_name': 's',
    'description': 'd',
    'stack_action': 'CREATE',
    'stack_status': 'COMPLETE',
    'stack_status_reason': 'done',
    'creation_time': TIME,
    'updated_time': TIME,
    'deletion_time': None,
    'stack_owner': 'u',
    'parent': None,
    'stack_user_project_id': 'x',
    'tags': ['t'],
}
STACK = {
    **LISTED_STACK,
    'capabilities': [],
    'disable_rollback': True,
    'notification_topics': [],
    'outputs': [{'description': 'd', 'output_key': 'k',
                 'output_value': 'v'}],
    'parameters': {'a': 'b'},
    'template_description': 'd',
    'timeout_mins': 1,
}
RESOURCE = {
    'attributes': {'a': 1},
    'creation_time': TIME,
    'description': 'd',
    'metadata': {'m': 1},
    'nested_stack_id': NESTED_IDENTITY,
    'parent_resource': 'q',
    'physical_resource_id': 'i',
    'required_by': [],
    'resource_action': 'CREATE',
    'resource_identity': RESOURCE_IDENTITY,
    'resource_name': 'r',
    'resource_status': 'COMPLETE',
    'resource_status_reason': 'done',
    'resource_type': 'T',
    'stack_identity': IDENTITY,
    'stack_name': 's',
    'updated_time': TIME,
}
PREVIEW = {
    **{key: value for key, value in STACK.items()
       if not key.startswith('stack_status') and key != 'stack_action'},
    'resources': [{**RESOURCE, 'properties': {'p': 1}}],
}
EVENT = {
    'event_identity': EVENT_IDENTITY,
    'stack_identity': IDENTITY,
    'stack_name': 's',
    'event_time': TIME,
    'resource_name': 'r',
    'physical_resource_id': 'i',
    'resource_action': 'CREATE',
    'resource_status': 'COMPLETE',
    'resource_status_reason': 'done',
    'resource_type': 'T',
    'resource_properties': {'p': 1},
}
EXPORT = _texts(
    'action', 'environment', 'files', 'id', 'name', 'project_id',
    'resources', 'stack_user_project_id', 'status', 'tags', 'template')
SNAPSHOT = _texts(
    'action', 'creation_time', 'data', 'id', 'name', 'status',
    'status_reason')
LISTED_CONFIG = _texts(
    'creation_time', 'group', 'id', 'name', 'project')
CONFIG = _texts(
    'config', 'creation_time', 'group', 'id', 'inputs', 'name', 'options',
    'outputs')
DEPLOYMENT = _texts(
    'action', 'config_id', 'creation_time', 'id', 'input_values',
    'output_values', 'server_id', 'status', 'status_reason',
    'updated_time')
SERVICE = _texts(
    'binary', 'created_at', 'deleted_at', 'engine_id', 'host', 'hostname',
    'id', 'report_interval', 'status', 'topic', 'updated_at')
CHANGES = {'added': [RESOURCE], 'deleted': [RESOURCE],
           'replaced': [RESOURCE], 'unchanged': [RESOURCE],
           'updated': [RESOURCE]}

PROTECTION = {'termination_protection': True, 'root': IDENTITY}

TIMELINE = {
    'stack_id': IDENTITY['stack_id'], 'stack_name': 's', 'action': 'CREATE',
    'status': 'IN_PROGRESS', 'started_at': TIME, 'finished_at': None,
    'precision': 'seconds', 'critical_path': ['r'],
    'resources': [{
        'path': 'r', 'name': 'r', 'type': 'T', 'action': 'CREATE',
        'status': 'IN_PROGRESS', 'ready_at': TIME, 'started_at': TIME,
        'finished_at': None, 'waiting_seconds': 0.0, 'acting_seconds': 1.5,
        'attempts': 1, 'is_critical': True, 'physical_resource_id': 'p'}],
}

ANSWERS = {
    'abandon_stack': EXPORT,
    'count_stacks': 1,
    'create_software_config': CONFIG,
    'create_software_deployment': DEPLOYMENT,
    'create_stack': IDENTITY,
    'delete_snapshot': None,
    'delete_software_config': None,
    'delete_software_deployment': None,
    'delete_stack': None,
    'delete_stack_but': None,
    'describe_stack_resource': RESOURCE,
    'export_stack': EXPORT,
    'generate_template': {
        'HeatTemplateFormatVersion': '2012-12-12', 'Description': 'd',
        'Parameters': {}, 'Resources': {}, 'Outputs': {}},
    'get_environment': {
        'encrypted_param_names': [], 'event_sinks': [],
        'parameter_defaults': {}, 'parameters': {},
        'resource_registry': {}},
    'get_files': {'f': 'text'},
    'get_revision': 'r1',
    'get_template': {'t': 1},
    'identify_stack': IDENTITY,
    'list_events': [EVENT],
    'list_events_between': {'events': [], 'stacks': {}, 'reached': None,
                            'is_deleted': False},
    'list_events_since': {'events': [], 'stacks': {}, 'more': False,
                          'unseen': [[1, 2 ** 62]]},
    'list_outputs': [{'description': 'd', 'output_key': 'k'}],
    'list_protected_stacks': [],
    'list_resource_types': ['OS::Heat::Value'],
    'list_services': [SERVICE],
    'list_software_configs': [LISTED_CONFIG],
    'list_software_deployments': [DEPLOYMENT],
    'list_stack_resources': [RESOURCE],
    'list_metrics': [{'namespace': 'n', 'name': 'm', 'dimensions': {}}],
    'list_stacks': [LISTED_STACK],
    'list_template_functions': [{'functions': 'f', 'description': 'd'}],
    'list_template_versions': [
        {'version': 'v', 'type': 'hot', 'aliases': []}],
    'metadata_software_deployments': [CONFIG],
    'preview_stack': PREVIEW,
    'preview_update_stack': CHANGES,
    'resource_mark_unhealthy': None,
    'resource_schema': {
        'resource_type': 'T', 'properties': {}, 'attributes': {},
        'support_status': {'status': 'SUPPORTED', 'version': None,
                           'message': None, 'previous_status': None}},
    'resource_signal': None,
    'show_output': {'description': 'd', 'output_key': 'k',
                    'output_value': 1},
    'show_stack_protection': PROTECTION,
    'update_stack_protection': PROTECTION,
    'show_stack_policy': None,
    'stack_continue_rollback': IDENTITY,
    'stack_retry': IDENTITY,
    'stack_timeline': TIMELINE,
    'update_stack_policy': None,
    'show_snapshot': SNAPSHOT,
    'show_software_config': CONFIG,
    'show_software_deployment': DEPLOYMENT,
    'show_stack': [STACK],
    'stack_cancel_update': None,
    'stack_check': None,
    'stack_list_snapshots': [SNAPSHOT],
    'stack_restore': None,
    'stack_resume': None,
    'stack_snapshot': SNAPSHOT,
    'stack_suspend': None,
    'update_software_deployment': DEPLOYMENT,
    'update_stack': IDENTITY,
    'validate_template': {
        'Description': 'd', 'Environment': {}, 'NestedParameters': {},
        'ParameterGroups': [],
        'Parameters': {'p': {
            'Type': 'String', 'Description': 'd', 'Label': 'p',
            'NoEcho': 'false', 'Default': 'x'}}},
}
