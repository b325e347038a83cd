"""Schemas of the API for the service itself."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Operation = declaration.Operation


def _number(description: str, kind: str | list[str] = 'integer') -> dict:
    return {'type': kind, 'description': description}


_REVISION = declaration.wrapped('revision', common.TEXT)
COMPONENTS = {'Service': declaration.record({
    'id': common.TEXT,
    'engine_id': common.TEXT,
    'binary': common.TEXT,
    'host': common.TEXT,
    'hostname': common.TEXT,
    'topic': common.TEXT,
    'status': {'enum': ['up', 'down']},
    'report_interval': common.NUMBER,
    'created_at': common.TIME,
    'updated_at': common.TIME_OR_NULL,
    'deleted_at': common.TIME_OR_NULL,
}, {
    'load': {'anyOf': [declaration.ref('EngineLoad'), {'type': 'null'}],
             'description': 'With ``with_load``; null if the engine does not '
                            'answer.'},
}), 'EngineLoad': declaration.record({
    'tasks_ready': _number('Tasks that run or wait for a thread.'),
    'tasks_waiting': _number('Tasks that wait for a time or an event.'),
    'resources_in_flight': _number('Resources that are being visited.'),
    'resources_queued': _number(
        'Resources that are ready and wait for their turn.'),
    'writes_queued': _number('Writes that wait for the next commit.'),
    'stacks': _number('Stacks that the engine works on.'),
}, {
    'metrics': declaration.ref('EngineMetrics'),
}), 'EngineMetrics': declaration.record({
    'actions_done': _number('Resource actions that succeeded.'),
    'actions_failed': _number('Resource actions that failed or timed out.'),
    'actions_per_second': _number(
        'Resource actions that ended per second, within the last minute.',
        'number'),
    'action_seconds': _number(
        'Mean time of a resource action; null before the first one ends.',
        ['number', 'null']),
    'sql_statements': _number('SQL statements executed.'),
    'cloud_requests': _number('Requests to cloud services.'),
    'cloud_requests_failed': _number(
        'Requests to cloud services that got no answer or a server error.'),
    'cpu_seconds': _number('CPU time used.', 'number'),
    'memory_bytes': _number(
        'Resident memory; null on systems that do not report it.',
        ['integer', 'null']),
}, description='Figures of the engine process since it started.')}

BUILD_INFO = {'build_info': Operation(
    'Show which build answers',
    response=declaration.record({'api': _REVISION, 'engine': _REVISION}))}
PERMISSIONS = {'index': Operation(
    'List what the policy allows the user',
    'Clients need not offer anything else. A rule may still refuse a certain '
    'stack, and each request is checked by itself.',
    response=declaration.wrapped('permissions', declaration.array({
        'type': 'string', 'description':
        'The name of a policy rule, such as stacks:delete.'})))}
OPERATIONS = {'index': Operation(
    'List the engines',
    query=(declaration.boolean(
        'with_load', 'Include the load and the metrics of each engine that '
        'is up.'),),
    response=declaration.wrapped(
        'services', declaration.array(declaration.ref('Service'))),
    errors=(declaration.Error(503, 'HTTPServiceUnavailable',
                              'no engine answers'),))}
