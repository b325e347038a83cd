"""Schemas of the API for actions on a whole stack."""
from typing import Any

from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Error = declaration.Error
Operation = declaration.Operation

ACTIONS = (
    SUSPEND, RESUME, CHECK, CANCEL_UPDATE, CANCEL_WITHOUT_ROLLBACK,
    RETRY, CONTINUE_ROLLBACK,
) = (
    'suspend', 'resume', 'check', 'cancel_update',
    'cancel_without_rollback', 'retry', 'continue_rollback',
)


def _policies_of(body: Any) -> list[str]:
    return [f'actions:{name}' for name in ACTIONS if name in body]


OPERATIONS = {'action': Operation(
    'Start an action on a stack',
    'The body has the action as its one key; the value has no meaning, '
    'except that of ``continue_rollback``.',
    policies=tuple(_policies_of(ACTIONS)),
    policies_of_body=_policies_of,
    body={
        'type': 'object',
        'properties': {**{name: {} for name in ACTIONS}, CONTINUE_ROLLBACK: {
            'type': ['object', 'null'], 'additionalProperties': False,
            'properties': {'skip': {
                'type': ['array', 'null'], 'items': common.TEXT,
                'description': 'Resources that are left as they are: their '
                               'names, or paths of names.'}}}},
        'additionalProperties': False,
        'minProperties': 1,
        'maxProperties': 1,
    },
    response=common.NOTHING,
    errors=(
        Error(400, 'HTTPBadRequest', 'there is not just one known action'),
        Error(400, 'NotSupported',
              'the stack is not doing what should be cancelled, or has not '
              'failed in what should be retried'),
        Error(404, 'ResourceNotFound',
              'there is no resource to skip of that name'),
        Error(409, 'StackProtected',
              'the deletion of a stack with termination protection cannot '
              'be retried'),
        common.STACK_LOCKED))}
