"""Schemas of the API for deployments of software configs."""
from typing import Any

from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Error = declaration.Error
Operation = declaration.Operation

COMPONENTS = {'SoftwareDeployment': declaration.record({
    'id': common.UUID,
    'config_id': common.TEXT,
    'server_id': common.TEXT,
    'action': common.TEXT_OR_NULL,
    'status': common.TEXT_OR_NULL,
    'status_reason': common.TEXT_OR_NULL,
    'input_values': common.MAP_OR_NULL,
    'output_values': common.MAP_OR_NULL,
    'creation_time': common.TIME,
}, {'updated_time': common.TIME})}
_ONE = declaration.wrapped('software_deployment',
                           declaration.ref('SoftwareDeployment'))
_UNKNOWN = Error(404, 'NotFound', 'there is no such deployment')


def _text(description: str) -> dict[str, Any]:
    return {'type': ['string', 'null'], 'description': description}


_VALUES = {
    'config_id': _text('The id of the config.'),
    'action': _text('The action of the stack that it belongs to.'),
    'status': _text('``IN_PROGRESS``, ``COMPLETE`` or ``FAILED``.'),
    'status_reason': _text('The reason of the status.'),
    'input_values': {'type': ['object', 'null'],
                     'description': 'The values of the inputs.'},
    'output_values': {'type': ['object', 'null'],
                      'description': 'The values of the outputs.'},
}

OPERATIONS = {
    'index': Operation(
        'List software deployments',
        query=(declaration.text('server_id', 'Those of this server.'),),
        response=declaration.wrapped(
            'software_deployments',
            declaration.array(declaration.ref('SoftwareDeployment')))),
    'metadata': Operation(
        'List the configs for a server',
        'Agents on servers ask for it again and again. Inputs have their '
        'values; the order is that of the names of the configs.',
        response=declaration.wrapped(
            'metadata',
            declaration.array(declaration.ref('SoftwareConfig')))),
    'show': Operation('Show a software deployment', response=_ONE,
                      errors=(_UNKNOWN,)),
    'create': Operation(
        'Deploy a software config to a server',
        body={'type': 'object', 'properties': {
            **_VALUES,
            'server_id': _text('The id of the server.'),
            'stack_user_project_id': _text(
                'The project of the user that signals, of at most 64 '
                'characters.')}},
        response=_ONE,
        errors=(
            Error(404, 'NotFound', 'there is no such config'),
            Error(400, 'HTTPBadRequest', 'a part is of another type'),
            Error(400, 'Invalid',
                  'there is no server, or stack_user_project_id is too '
                  'long'),
            Error(400, 'RequestLimitExceeded',
                  'the project has as many as the option '
                  'max_software_deployments_per_tenant allows'))),
    'update': Operation(
        'Record the progress of a software deployment',
        body={'type': 'object', 'properties': _VALUES}, response=_ONE,
        errors=(_UNKNOWN,
                Error(400, 'HTTPBadRequest', 'a part is of another type'))),
    'delete': Operation('Delete a software deployment', errors=(_UNKNOWN,)),
}
