"""Schemas of the API for snapshots of stacks."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Error = declaration.Error
Operation = declaration.Operation

COMPONENTS = {'Snapshot': declaration.record({
    'id': common.UUID,
    'name': common.TEXT_OR_NULL,
    'action': common.TEXT_OR_NULL,
    'status': common.TEXT_OR_NULL,
    'status_reason': common.TEXT_OR_NULL,
    'data': common.MAP_OR_NULL,
    'creation_time': common.TIME,
})}
_UNKNOWN = Error(404, 'SnapshotNotFound|NotFound',
                 'the stack has no such snapshot')

OPERATIONS = {
    'snapshot': Operation(
        'Take a snapshot of a stack',
        'The answer is the snapshot itself; it is not wrapped.',
        body={'type': 'object', 'properties': {
            'name': {'type': ['string', 'null'],
                     'description': 'What to call it.'}}},
        response=declaration.ref('Snapshot'),
        errors=(
            Error(409, 'ActionInProgress', 'the stack is busy'),
            Error(400, 'RequestLimitExceeded',
                  'the stack has as many snapshots as the option '
                  'max_snapshots_per_stack allows'))),
    'list_snapshots': Operation(
        'List the snapshots of a stack',
        response=declaration.wrapped(
            'snapshots', declaration.array(declaration.ref('Snapshot')))),
    'show_snapshot': Operation(
        'Show a snapshot',
        response=declaration.wrapped('snapshot',
                                     declaration.ref('Snapshot')),
        errors=(_UNKNOWN,)),
    'delete_snapshot': Operation(
        'Delete a snapshot',
        errors=(_UNKNOWN, Error(400, 'NotSupported',
                                'the snapshot is still being taken'))),
    'restore_snapshot': Operation(
        'Put a stack back to what it was at a snapshot',
        errors=(_UNKNOWN, common.STACK_LOCKED,
                Error(400, 'NotSupported', 'the snapshot is not complete'))),
}
