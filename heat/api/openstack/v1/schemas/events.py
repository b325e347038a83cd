"""Schemas of the API for events."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Error = declaration.Error
Operation = declaration.Operation

_KEYS = {
    'id': common.TEXT,
    'event_time': common.TIME,
    'resource_name': common.TEXT_OR_NULL,
    'logical_resource_id': common.TEXT_OR_NULL,
    'physical_resource_id': common.TEXT_OR_NULL,
    'resource_status': common.TEXT,
    'resource_status_reason': common.TEXT_OR_NULL,
    'links': common.LINKS,
}
COMPONENTS = {
    'ListedEvent': declaration.record(_KEYS),
    'Event': declaration.record({
        **_KEYS,
        'resource_type': common.TEXT_OR_NULL,
        'resource_properties': common.MAP_OR_NULL,
    }),
}
_FILTERS = {
    'resource_status': 'The status.',
    'resource_action': 'The action.',
    'resource_name': 'The name of the resource.',
    'resource_type': 'The type of the resource.',
}

OPERATIONS = {
    'index': Operation(
        'List events',
        'Of a stack, or of one of its resources.',
        query=(
            *(declaration.texts(name, f'Filter. {description}',
                                declaration.Repeat.MIXED)
              for name, description in _FILTERS.items()),
            declaration.text('marker', common.MARKER),
            declaration.natural('limit', common.LIMIT),
            declaration.texts(
                'sort_keys', 'What to sort by: ``event_time`` or '
                '``resource_type``; others are ignored.'),
            common.SORT_DIR,
            declaration.natural(
                'nested_depth', 'How far to go down into nested stacks. '
                'Each event then has a link ``root_stack``.')),
        response=declaration.wrapped(
            'events', declaration.array(declaration.ref('ListedEvent'))),
        errors=(Error(404, 'HTTPNotFound',
                      'the resource that is named has no events'),)),
    'show': Operation(
        'Show an event',
        response=declaration.wrapped('event', declaration.ref('Event')),
        errors=(Error(404, 'HTTPNotFound', 'there is no such event'),)),
}
