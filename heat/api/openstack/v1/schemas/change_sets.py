"""Schemas of the API for change sets."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common
from heat.api.openstack.v1.schemas import protection
from heat.api.openstack.v1.schemas import stack_changes
from heat.common import change_words

Error = declaration.Error
Operation = declaration.Operation

_COUNT = {'type': 'integer'}
_FLAG = {'type': 'boolean'}
_ANY: dict = {}
_OTHER_STACK = declaration.record({'id': common.UUID,
                                   'name': {'type': 'string'}})

_SUMMARY: dict = {
    'id': common.UUID,
    'name': common.TEXT_OR_NULL,
    'description': common.TEXT_OR_NULL,
    'creator': common.TEXT_OR_NULL,
    'action': {'type': 'string', 'enum': ['CREATE', 'UPDATE']},
    'stack_id': common.TEXT_OR_NULL,
    'stack_name': common.TEXT_OR_NULL,
    'status': {'type': 'string', 'enum': [
        str(each) for each in change_words.Status]},
    'status_reason': common.TEXT_OR_NULL,
    'creation_time': common.TIME,
    'updated_time': common.TEXT_OR_NULL,
}

COMPONENTS = {
    'ChangeCause': declaration.record({
        'property': {'type': 'string', 'description':
                     'The path of the value inside the properties.'},
        'before': _ANY, 'after': _ANY,
        'source': {'type': 'object', 'description':
                   'Where the new value comes from: a parameter, attribute, '
                   'resource or file, with line and column where they are '
                   'known. If drift is reverted: what has been found.'},
        'forces_replacement': _FLAG,
        'known_after_apply': _FLAG,
    }, {'accept': declaration.ref('Acceptance')}),
    'Acceptance': declaration.record({}, {
        'template': {
            **declaration.array({'type': 'string'}), 'description':
            'The path of what to write, replace or remove in the template '
            'of the stack that the resource is in.'},
        'parameter': {'type': 'string', 'description':
                      'The parameter that holds the value.'},
        'value': {'description': 'The value that exists. Secrets are '
                                 'masked.'},
        'remove': {'type': 'boolean', 'description':
                   'The resource is gone.'},
        'line': _COUNT, 'column': _COUNT}),
    'Change': declaration.record({
        'path': declaration.array({'type': 'string'}),
        'type': common.TEXT_OR_NULL,
        'physical_resource_id': common.TEXT_OR_NULL,
        'action': {'type': 'string', 'enum': [*change_words.ACTIONS]},
        'replacement': {'type': 'string',
                        'enum': [*change_words.REPLACEMENTS]},
        'rank': _COUNT,
        'reason': {'type': 'string'},
        # The last one may be the number of those that are not shown.
        'causes': declaration.array({'anyOf': [
            declaration.ref('ChangeCause'),
            declaration.record({'left_out': _COUNT})]}),
    }, {'contents': {'type': 'string', 'description':
                     'Known after apply, where the stack inside cannot be '
                     'planned.'},
        'refused': {'type': 'array', 'items': {'type': 'string'},
                    'description': 'The actions that the policy of the '
                                   'stack does not allow.'},
        'after_import': {'type': 'string', 'description':
                         'The action that follows the import of the '
                         'resource.'},
        'moved_from': {'type': 'array', 'items': {'type': 'string'},
                       'description': 'The path that the resource had '
                                      'before it is moved.'},
        'moved_from_stack': {
            **_OTHER_STACK, 'description':
            'The other stack that the resource comes from.'}}),
    'ProposedMove': declaration.record({
        'from': {'type': 'string'}, 'to': {'type': 'string'}}),
    'ChangeSet': declaration.record(_SUMMARY),
    'PlannedChangeSet': declaration.record({
        **_SUMMARY,
        'base': declaration.array({'type': 'string'}),
        'changes': declaration.array(declaration.ref('Change')),
        'counts': {'type': 'object', 'description':
                   'The number of changes of each action.'},
        'left_out': {**_COUNT, 'description':
                     'The number of changes that are not shown.'},
        'proposed_moves': {
            **declaration.array(declaration.ref('ProposedMove')),
            'description': 'Deletions and creations that look like moves. '
                           'They take place only if a request names them.'},
        'other_stacks': {
            **declaration.array(declaration.record({
                **_OTHER_STACK['properties'],
                'loses': declaration.array({'type': 'string'})})),
            'description': 'The stacks that resources are moved out of, and '
                           'the paths that these have there.'},
        'progress': declaration.record({
            'planned': {'type': ['integer', 'null'], 'description':
                        'The number of resources that an engine has planned '
                        'in the background so far.'},
            'total': {'type': ['integer', 'null'], 'description':
                      'The number of resources that there will be.'}}),
    }),
}
_SET = declaration.wrapped('change_set',
                           declaration.ref('PlannedChangeSet'))
_UNKNOWN = Error(404, 'ChangeSetNotFound',
                 'there is no such change set in the project')
# What a creation or an update is refused for, its plan is, too.
_REFUSALS = (
    *stack_changes.CREATE_ERRORS,
    Error(400, 'MoveNotPossible',
          'a resource cannot be moved as requested; the text says why'),
    Error(400, 'ImportNotPossible',
          'something cannot be imported as requested; the text says why'),
    Error(400, 'NotSupported',
          'the stack is suspended, or being deleted; a partial update has no '
          'template, and none is known that the stack was well with'))

OPERATIONS = {
    'create': Operation(
        'Plan an update, or the creation, of a stack',
        'The body is that of an update or a creation, with a name and a '
        'description of the change set; existing is true where a PATCH is '
        'meant. The answer shows what would happen to each resource. A large '
        'tree is planned in the background: its status is '
        'CREATE_IN_PROGRESS until that has ended.',
        body=stack_changes.CHANGE_SET_BODY,
        response=_SET,
        errors=(*_REFUSALS,
                Error(409, 'ActionInProgress', 'the stack is busy'))),
    'index': Operation(
        'List change sets, the latest first',
        response=declaration.wrapped(
            'change_sets', declaration.array(declaration.ref('ChangeSet')))),
    'show': Operation('Show a change set', response=_SET,
                      errors=(_UNKNOWN,)),
    'delete': Operation('Delete a change set', errors=(_UNKNOWN,)),
    'execute': Operation(
        'Execute a change set',
        'With strict, which is the default, a resource fails that needs to '
        'be created, replaced or deleted although the change set does not '
        'say so.',
        body={'type': 'object', 'properties': {
            'strict': {'type': ['boolean', 'string', 'null']},
            'override_stack_policy': {
                'type': ['boolean', 'string', 'null']}}},
        errors=(
            *_REFUSALS, _UNKNOWN,
            Error(409, 'ChangeSetNotExecutable',
                  'it was executed before, or has nothing to execute'),
            Error(409, 'ChangeSetStale',
                  'the stack, or one nested in it, has changed since'),
            protection.VIOLATED,
            Error(409, 'ActionInProgress', 'the stack is busy'))),
}
