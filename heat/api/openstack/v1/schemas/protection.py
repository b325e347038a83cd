"""Schemas of the API for the protection of stacks."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Error = declaration.Error
Operation = declaration.Operation

COMPONENTS = {
    'Protection': declaration.record({
        'termination_protection': {'type': 'boolean'},
        'root_stack_id': {**common.UUID, 'description':
                          'The stack that has the protection: the root of '
                          'the tree that the stack is in.'},
        'root_stack_name': common.TEXT,
    }),
}
_PROTECTION = declaration.wrapped('protection',
                                  declaration.ref('Protection'))

OPERATIONS = {
    'show': Operation(
        'Show whether a stack may be deleted',
        'A nested stack has the protection of its root.',
        response=_PROTECTION),
    'update': Operation(
        'Set or lift the termination protection of a stack',
        'A stack with termination protection, and a stack nested in it, is '
        'neither deleted nor abandoned. Updates may still remove resources.',
        body={
            'type': 'object',
            'properties': {'termination_protection': {
                'type': ['boolean', 'string']}},
            'additionalProperties': False,
            'required': ['termination_protection']},
        response=_PROTECTION,
        errors=(
            Error(400, 'HTTPBadRequest', 'the body has another form'),
            Error(400, 'NotSupported',
                  'the stack is nested: its root has the protection'),
            Error(409, 'ActionInProgress', 'the stack is being deleted'))),
}
_POLICY = declaration.record({'stack_policy': {
    'type': ['object', 'null'], 'description':
    'Statements with Effect, Action (``Update:Modify``, ``Update:Replace``, '
    '``Update:Delete``, ``Update:*``), Resource '
    '(``LogicalResourceId/NAME``) and Condition, as in AWS '
    'CloudFormation.'}})
OPERATIONS.update({
    'show_policy': Operation(
        'Show which resources updates may change',
        'A nested stack has the policy of its root. Null stands for none.',
        response=_POLICY),
    'update_policy': Operation(
        'Set or remove the policy of a stack',
        'What no statement allows is refused as soon as there is a policy.',
        body={
            'type': 'object',
            'properties': {'stack_policy': {'type': ['object', 'null']}},
            'additionalProperties': False, 'required': ['stack_policy']},
        response=_POLICY,
        errors=(
            Error(400, 'HTTPBadRequest', 'the body has another form'),
            Error(400, 'Invalid', 'it is no policy; the text says why'),
            Error(400, 'NotSupported',
                  'the stack is nested: its root has the policy'))),
})
VIOLATED = Error(409, 'StackPolicyViolated',
                 'the policy of the stack does not allow all changes')
PROTECTED = Error(409, 'StackProtected',
                  'the stack, or the root of its tree, has termination '
                  'protection')
