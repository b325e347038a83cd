"""Schemas of the API for stacks: lists, one stack, its parts."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common
from heat.api.openstack.v1.schemas import protection

Error = declaration.Error
Operation = declaration.Operation
Repeat = declaration.Repeat

FILTERS = {
    'stack_name': 'The name.',
    'stack_action': 'The last action, like ``CREATE``.',
    'stack_status': 'The status, like ``COMPLETE`` or ``CREATE_COMPLETE``.',
    'stack_status_reason': 'The reason of the status.',
    'disable_rollback': 'Whether rollback is off.',
    'timeout_mins': 'The time-out.',
    'stack_owner': 'The user who made the stack.',
    'parent': 'The id of the stack that a nested one belongs to.',
    'stack_user_project_id': 'The project of the users of the stack.',
    # Older clients use the names of the columns.
    'id': 'The id.',
    'name': 'The same as ``stack_name``.',
    'status': 'The same as ``stack_status``.',
    'action': 'The same as ``stack_action``.',
    'tenant': 'The project.',
    'username': 'The same as ``stack_owner``.',
    'owner_id': 'The same as ``parent``.',
}
PAGING = (
    declaration.text('marker', common.MARKER),
    declaration.natural('limit', common.LIMIT),
    declaration.texts(
        'sort_keys', 'What to sort by: ``stack_name``, ``stack_status``, '
        '``creation_time`` or ``updated_time``; others are ignored.'),
    common.SORT_DIR,
)
SELECTION = (
    declaration.boolean('show_deleted', 'List deleted stacks as well.'),
    declaration.boolean('show_nested', 'List nested stacks as well.'),
    declaration.boolean(
        'show_hidden', 'List stacks as well that a tag hides.'),
    declaration.comma_separated('tags', 'Stacks that have all these tags.'),
    declaration.comma_separated(
        'tags_any', 'Stacks that have one of these tags.'),
    declaration.comma_separated(
        'not_tags', 'Stacks that lack one of these tags.'),
    declaration.comma_separated(
        'not_tags_any', 'Stacks that have none of these tags.'),
    *(declaration.texts(name, f'Filter. {description}', Repeat.MIXED)
      for name, description in FILTERS.items()),
)

_LISTED = {
    'id': common.UUID,
    'stack_name': common.TEXT,
    'description': common.TEXT_OR_NULL,
    'stack_status': common.TEXT,
    'stack_status_reason': common.TEXT_OR_NULL,
    'creation_time': common.TIME,
    'updated_time': common.TIME_OR_NULL,
    'deletion_time': common.TIME_OR_NULL,
    'stack_owner': common.TEXT_OR_NULL,
    'parent': common.TEXT_OR_NULL,
    'stack_user_project_id': common.TEXT_OR_NULL,
    'tags': {'type': ['array', 'null'], 'items': common.TEXT},
    'links': common.LINKS,
}
#: What is shown of a stack besides.
DETAILS = {
    'template_description': common.TEXT_OR_NULL,
    'capabilities': declaration.array(common.TEXT),
    'notification_topics': declaration.array(common.TEXT),
    'disable_rollback': {'type': 'boolean'},
    'timeout_mins': {'type': ['integer', 'null']},
    'parameters': {'type': 'object', 'additionalProperties': common.TEXT},
}
OUTPUT = declaration.record({
    'output_key': common.TEXT,
    'description': common.TEXT_OR_NULL,
}, {
    'output_value': common.ANY,
    'output_error': common.TEXT,
})
OUTPUTS = declaration.array(declaration.ref('Output'))
#: A stack that is not there yet has no status.
PREVIEWED = {
    **{key: schema for key, schema in _LISTED.items()
       if key not in ('stack_status', 'stack_status_reason', 'id',
                      'creation_time')},
    **DETAILS,
    'id': common.TEXT,
    'creation_time': common.TIME_OR_NULL,
}
COMPONENTS = {
    'ListedStack': declaration.record(_LISTED, {'project': common.TEXT}),
    'Stack': declaration.record({**_LISTED, **DETAILS},
                                {'outputs': OUTPUTS}),
    'Output': OUTPUT,
}
ABANDONED = declaration.record({
    'name': common.TEXT,
    'id': common.TEXT,
    'action': common.TEXT,
    'status': common.TEXT,
    'template': common.MAP,
    'resources': common.MAP,
    'environment': common.MAP,
    'files': common.MAP,
    'project_id': common.TEXT,
    'stack_user_project_id': common.TEXT_OR_NULL,
    'tags': {'type': ['array', 'null'], 'items': common.TEXT},
})
_NOT_ENABLED = Error(400, 'NotSupported',
                     'the option enable_stack_abandon is off')

OPERATIONS = {
    'index': Operation(
        'List stacks',
        'A full page has a link ``next`` to the page that follows. Filters '
        'may be given several times: one of the values has to fit.',
        query=(
            *PAGING, *SELECTION,
            declaration.boolean('with_count', 'Count the stacks that fit.'),
            common.global_tenant('stacks:global_index')),
        response=declaration.record(
            {'stacks': declaration.array(declaration.ref('ListedStack'))},
            {'links': common.LINKS, 'count': common.NUMBER}),
        errors=(
            Error(400, 'Invalid', 'a filter is not of the type of a number '
                                  'or boolean that it is compared with'),
            Error(403, 'Forbidden', '``global_tenant`` is not for you'))),
    'detail': Operation(
        'List stacks with all that is known of them',
        'There is no paging, and there are no filters.',
        response=declaration.wrapped(
            'stacks', declaration.array(declaration.ref('ListedStack')))),
    'lookup': Operation(
        'Find a stack by its name',
        'The answer redirects to the full URL of the stack; the query of '
        'the request is kept. A UUID is taken for an id first, then for a '
        'name. ARNs are understood as well.',
        errors=(Error(404, 'EntityNotFound', 'there is no such stack'),)),
    'show': Operation(
        'Show a stack',
        'Deleted stacks are shown, too. Name and id have to belong '
        'together.',
        query=(declaration.boolean(
            'resolve_outputs', 'Show the outputs with their values.',
            default=True),),
        response=declaration.wrapped('stack', declaration.ref('Stack'))),
    'template': Operation(
        'Show the template of a stack',
        'As it was given; of deleted stacks, too.', response=common.MAP),
    'environment': Operation(
        'Show the environment of a stack',
        'Hidden parameters are shown as ``******``.',
        response=declaration.record({}, {
            'parameters': common.MAP,
            'parameter_defaults': common.MAP,
            'resource_registry': common.MAP,
            'encrypted_param_names': declaration.array(common.TEXT),
            'event_sinks': declaration.array(common.MAP),
            'moves': declaration.array(common.MAP),
        })),
    'files': Operation(
        'Show the files of a stack',
        response={'type': 'object', 'additionalProperties': common.TEXT}),
    'list_outputs': Operation(
        'List the outputs of a stack', 'Values are left out.',
        response=declaration.wrapped('outputs', OUTPUTS)),
    'show_output': Operation(
        'Show an output',
        'Where there is no value, ``output_error`` says why.',
        response=declaration.wrapped('output', declaration.ref('Output')),
        errors=(Error(404, 'NotFound', 'there is no such output'),)),
    'delete': Operation(
        'Delete a stack',
        query=(declaration.texts(
            'retain', 'A resource that is to stay: its name, behind those '
            'of the resources that hold the nested stacks it is in, divided '
            'by slashes.'),),
        errors=(
            Error(404, 'ResourceNotFound',
                  'there is no resource to retain of that name'),
            Error(409, 'ActionInProgress',
                  'the deletion has begun without what is to be retained'),
            protection.PROTECTED,
            Error(404, 'EntityNotFound',
                  'the stack is unknown, or deleted already'),
            Error(500, 'StopActionFailed|EventSendFailed',
                  'what the stack is doing could not be stopped'))),
    'abandon': Operation(
        'Forget a stack and leave its resources',
        'The answer is what adopts the stack elsewhere.',
        response=declaration.ref('ExportedStack'),
        errors=(_NOT_ENABLED, protection.PROTECTED, common.STACK_LOCKED)),
    'export': Operation(
        'Show what adopts a stack elsewhere',
        response=declaration.ref('ExportedStack'), errors=(_NOT_ENABLED,)),
}
COMPONENTS['ExportedStack'] = ABANDONED
