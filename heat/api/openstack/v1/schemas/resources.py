"""Schemas of the API for the resources of stacks."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Error = declaration.Error
Operation = declaration.Operation

_KEYS = {
    'resource_name': common.TEXT,
    'logical_resource_id': common.TEXT,
    'physical_resource_id': common.TEXT_OR_NULL,
    'resource_type': common.TEXT,
    'resource_status': common.TEXT,
    'resource_status_reason': common.TEXT_OR_NULL,
    'creation_time': common.TIME_OR_NULL,
    'updated_time': common.TIME_OR_NULL,
    'required_by': declaration.array(common.TEXT),
    'links': common.LINKS,
}
_OF_NESTED = {'parent_resource': common.TEXT_OR_NULL}
_DETAILS = {
    'description': common.TEXT_OR_NULL,
    'attributes': common.MAP_OR_NULL,
}
COMPONENTS = {
    'ListedResource': declaration.record(_KEYS, {**_OF_NESTED, **_DETAILS}),
    'Resource': declaration.record({**_KEYS, **_DETAILS}, _OF_NESTED),
}
_UNKNOWN = Error(404, 'ResourceNotFound', 'the stack has no such resource')
_FILTERS = {
    'type': 'A part of the type.',
    'status': 'The status, like ``FAILED`` or ``CREATE_FAILED``.',
    'name': 'The name.',
    'action': 'The last action.',
    'id': 'The number of the record.',
    'physical_resource_id': 'The id of the thing in the cloud.',
}

OPERATIONS = {
    'index': Operation(
        'List the resources of a stack',
        'Of deleted stacks, too.',
        query=(
            *(declaration.texts(name, f'Filter. {description}',
                                declaration.Repeat.MIXED)
              for name, description in _FILTERS.items()),
            declaration.natural(
                'nested_depth', 'How far to go down into nested stacks; '
                'never further than max_nested_stack_depth.', default=0),
            declaration.boolean(
                'with_detail', 'Add descriptions and attributes.')),
        closed_query=True,
        response=declaration.wrapped(
            'resources',
            declaration.array(declaration.ref('ListedResource')))),
    'show': Operation(
        'Show a resource',
        'Attributes are what they are now. Where the type has an attribute '
        '``show`` that is a map, it stands for the list of attributes.',
        query=(declaration.texts(
            'with_attr', 'The name of an attribute to add.'),),
        response=declaration.wrapped('resource',
                                     declaration.ref('Resource')),
        errors=(_UNKNOWN,)),
    'metadata': Operation(
        'Show the metadata of a resource',
        'Users of the stack see those of their own resource.',
        response=declaration.wrapped('metadata', common.MAP_OR_NULL),
        errors=(_UNKNOWN,
                Error(403, 'Forbidden',
                      'a user of the stack asks for another resource'))),
    'signal': Operation(
        'Send a signal to a resource',
        'What the body may hold is the business of the resource type. '
        '``{"unset_hook": "pre-create"}`` and the like clear a hook. The '
        'answer does not wait for what the signal starts.',
        body={'type': 'object'}, response=common.NOTHING,
        errors=(
            _UNKNOWN,
            Error(404, 'ResourceNotAvailable',
                  'the resource has not been begun'),
            Error(400, 'NotSupported',
                  'the resource is suspended, or being deleted'),
            Error(400, 'InvalidBreakPointHook',
                  'the resource has no such hook, or does not wait there'),
            Error(400, 'ResourceActionNotSupported',
                  'the type takes no signals'))),
    'mark_unhealthy': Operation(
        'Mark a resource as broken, or as well again',
        'The next update replaces what is broken. The resource may be '
        'named by its physical id.',
        body={
            'type': 'object',
            'properties': {
                'mark_unhealthy': {
                    **common.FLAG, 'type': ['boolean', 'string'],
                    'description': 'Whether it is broken.'},
                'resource_status_reason': {
                    'type': ['string', 'null'],
                    'description': 'Why.'}},
            'required': ['mark_unhealthy'],
            'additionalProperties': False},
        response=common.NOTHING,
        errors=(
            Error(400, 'HTTPBadRequest',
                  'the body has other keys, or lacks one'),
            Error(400, 'PhysicalResourceIDAmbiguity',
                  'several resources have the physical id'),
            _UNKNOWN,
            Error(409, 'ActionInProgress',
                  'the resource, or its stack, is busy'))),
}
