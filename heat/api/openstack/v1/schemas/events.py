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
_SECONDS = {'type': 'number', 'minimum': 0}
_SECONDS_OR_NULL = {'type': ['number', 'null'], 'minimum': 0}
COMPONENTS.update({
    'TimelinePhase': declaration.record({
        'phase': {'type': 'string', 'enum': [
            'dependencies', 'turn', 'acting', 'polling'], 'description':
            'Waiting for dependencies, waiting for a free slot, running the '
            'handler, or polling for completion. ``acting`` includes polling '
            'if the two were not measured separately.'},
        'started_at': common.TIME,
        'finished_at': common.TIME,
    }),
    'TimelineEntry': declaration.record({
        'path': {**common.TEXT, 'description':
                 'The names of resources from the stack down, separated by '
                 '"/".'},
        'name': common.TEXT,
        'type': common.TEXT,
        'action': common.TEXT,
        'status': {**common.TEXT, 'description':
                   '``INIT`` for a resource whose creation has not begun.'},
        'ready_at': {**common.TIME_OR_NULL, 'description':
                     'When all dependencies had finished.'},
        'started_at': common.TIME_OR_NULL,
        'finished_at': common.TIME_OR_NULL,
        'dependency_seconds': {**_SECONDS, 'description':
                               'Time spent waiting for dependencies.'},
        'waiting_seconds': {**_SECONDS_OR_NULL, 'description':
                            'Time between being ready and starting.'},
        'acting_seconds': {**_SECONDS, 'description':
                           'Time spent in the handler, over all attempts. '
                           'Includes polling if ``polling_seconds`` is '
                           '``null``.'},
        'polling_seconds': {**_SECONDS_OR_NULL, 'description':
                            'Time spent polling for completion, over all '
                            'attempts; ``null`` while the first attempt '
                            'runs, and for events of earlier releases.'},
        'phases': {**declaration.array(declaration.ref('TimelinePhase')),
                   'description': 'The phases in order. Pauses between '
                   'attempts belong to no phase.'},
        'attempts': common.NUMBER,
        'is_critical': {'type': 'boolean'},
        'physical_resource_id': common.TEXT_OR_NULL,
    }),
    'Timeline': declaration.record({
        'stack_id': common.UUID,
        'stack_name': common.TEXT,
        'action': common.TEXT,
        'status': common.TEXT,
        'started_at': common.TIME,
        'finished_at': common.TIME_OR_NULL,
        'precision': {'type': 'string', 'enum': ['microseconds', 'seconds'],
                      'description': 'Of the times, as the database has '
                      'them.'},
        'resources': declaration.array(declaration.ref('TimelineEntry')),
        'critical_path': {**declaration.array(common.TEXT), 'description':
                          'Paths of the resources that the end of the '
                          'operation waited for, the first one first.'},
    }),
})
_FILTERS = {
    'resource_status': 'The status.',
    'resource_action': 'The action.',
    'resource_name': 'The name of the resource.',
    'resource_type': 'The type of the resource.',
}

_STREAM_QUERY = (
    *(declaration.texts(name, f'Filter. {description}',
                        declaration.Repeat.MIXED)
      for name, description in _FILTERS.items()),
    declaration.natural(
        'nested_depth', 'How far to go down into nested stacks.'),
    declaration.choice(
        'from', 'Send stored events first; without it, and without the id '
        'of an event, the stream has new ones only.', ('start',)),
    declaration.text(
        'last_event_id', 'The id of the last event that the client has; '
        'the header ``Last-Event-ID`` replaces it.'))
_STREAM_TYPE = 'text/event-stream'
_STREAM_TEXT = (
    'Server-sent events (``text/event-stream``), until the client closes '
    'the connection. Their types are ``resource``, ``stack``, and ``end`` '
    'when the stack has been deleted. The data are a JSON object with the '
    'keys of a listed event and ``stack_id``, ``stack_name``, '
    '``root_stack_id`` and ``path``, the names of resources from the top '
    'down. The id of an event is a position: a client that names it gets '
    'all that follows, once. A comment comes after 15 seconds of silence. '
    'The stream ends when the token expires.')
_STREAM_ERRORS = (
    Error(503, 'HTTPServiceUnavailable',
          'max_event_listeners clients listen already'),)

OPERATIONS = {
    'stream': Operation(
        'Follow the events of a stack', _STREAM_TEXT, query=_STREAM_QUERY,
        response=common.TEXT, media_type=_STREAM_TYPE,
        errors=_STREAM_ERRORS),
    'stream_of_project': Operation(
        'Follow the events of a project', _STREAM_TEXT, query=_STREAM_QUERY,
        response=common.TEXT, media_type=_STREAM_TYPE,
        errors=_STREAM_ERRORS),
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
    'timeline': Operation(
        'Show the timeline of the last operation of a stack',
        'One entry for each resource and action. All is computed from '
        'events: of a stack whose events are purged there is none.',
        query=(declaration.natural(
            'nested_depth', 'How far to go down into nested stacks.'),),
        response=declaration.wrapped('timeline',
                                     declaration.ref('Timeline')),
        errors=(Error(404, 'NotFound',
                      'no events are left of its last operation'),)),
    'show': Operation(
        'Show an event',
        response=declaration.wrapped('event', declaration.ref('Event')),
        errors=(Error(404, 'HTTPNotFound', 'there is no such event'),)),
}
