"""Schemas of the API for the service itself."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Operation = declaration.Operation

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
})}

BUILD_INFO = {'build_info': Operation(
    'Show which build answers',
    response=declaration.record({'api': _REVISION, 'engine': _REVISION}))}
OPERATIONS = {'index': Operation(
    'List the engines',
    response=declaration.wrapped(
        'services', declaration.array(declaration.ref('Service'))),
    errors=(declaration.Error(503, 'HTTPServiceUnavailable',
                              'no engine answers'),))}
