"""Schemas of the API for drift."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common
from heat.common import drift_words

Error = declaration.Error
Operation = declaration.Operation

_COUNT = {'type': 'integer'}
_COUNT_OR_NULL = {'type': ['integer', 'null']}

#: Seconds between two detections that nobody asks for.
_SHORTEST, _LONGEST = 60, 10 * 365 * 86400
_INTERVAL = {'anyOf': [
    {'type': 'integer', 'minimum': _SHORTEST, 'maximum': _LONGEST},
    {'enum': [0, None]}], 'description':
    'Seconds after which engines compare the stack again; 0 for never, null '
    'for the interval that the operator has set.'}

_BRIEF: dict = {
    'id': common.UUID,
    'stack_id': common.UUID,
    'stack_name': common.TEXT,
    'status': {'type': 'string',
               'enum': [str(each) for each in drift_words.Status]},
    'status_reason': common.TEXT_OR_NULL,
    'drift': {'enum': [*map(str, drift_words.Drift), None], 'description':
              'DRIFTED if a resource has been modified or deleted; null '
              'before that is known.'},
    'creator': {**common.TEXT_OR_NULL, 'description':
                'Who asked for it; null if it was due.'},
    'counts': {'type': 'object', 'description':
               'The number of resources of each status.'},
    'creation_time': common.TIME,
    'completion_time': common.TIME_OR_NULL,
    'progress': declaration.record({
        'examined': {**_COUNT_OR_NULL, 'description':
                     'The number of resources compared so far.'},
        'total': {**_COUNT_OR_NULL, 'description':
                  'The number of resources of the tree; 0 if it is not '
                  'known.'}}),
}

COMPONENTS = {
    'DriftDifference': declaration.record({
        'property': {'type': 'string', 'description':
                     'The path of the value inside the properties.'},
        'expected': common.ANY, 'actual': common.ANY}),
    'ResourceDrift': declaration.record({
        'path': declaration.array({'type': 'string'}),
        'type': common.TEXT_OR_NULL,
        'physical_resource_id': common.TEXT_OR_NULL,
        'status': {'type': 'string',
                   'enum': [str(each) for each in drift_words.Finding]},
        'reason': {'type': 'string', 'description':
                   'Why the resource cannot be compared.'},
        # The last one may be the number of those that are not shown.
        'differences': declaration.array({'anyOf': [
            declaration.ref('DriftDifference'),
            declaration.record({'left_out': _COUNT})]}),
    }),
    'DriftDetection': declaration.record(_BRIEF),
    'Drift': declaration.record({
        **_BRIEF,
        'resources': declaration.array(declaration.ref('ResourceDrift')),
        'left_out': {**_COUNT, 'description':
                     'The number of resources that are not shown.'},
        'interval': _INTERVAL}),
}

OPERATIONS = {
    'detect': Operation(
        'Find out how a stack differs from its definition',
        'An engine compares the resources of the stack, and of those nested '
        'in it, with what really exists. Neither the stack nor its status '
        'changes. If that is being done already, it is not begun again.',
        body={'type': ['object', 'null'], 'properties': {},
              'additionalProperties': False},
        response=declaration.wrapped('drift',
                                     declaration.ref('DriftDetection')),
        errors=(Error(400, 'HTTPBadRequest', 'the body has another form'),
                Error(400, 'NotSupported', 'the stack is being deleted'))),
    'show': Operation(
        'Show what the last detection has found',
        response=declaration.wrapped('drift', declaration.ref('Drift')),
        errors=(Error(404, 'DriftDetectionNotFound',
                      'the stack has not been compared'),)),
    'update': Operation(
        'Set how often a stack is compared with what really exists',
        'It holds until it is set again, whatever updates the stack. Nested '
        'stacks are compared with their root.',
        body={'type': 'object', 'properties': {'interval': _INTERVAL},
              'additionalProperties': False, 'required': ['interval']},
        response=declaration.record({'drift_schedule': declaration.record({
            'interval': _INTERVAL})}),
        errors=(Error(400, 'HTTPBadRequest', 'the body has another form'),
                Error(400, 'NotSupported', 'the stack is nested'))),
}
