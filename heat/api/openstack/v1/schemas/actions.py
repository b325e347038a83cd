"""Schemas of the API for actions on a whole stack."""
from typing import Any

from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Error = declaration.Error
Operation = declaration.Operation

ACTIONS = (
    SUSPEND, RESUME, CHECK, CANCEL_UPDATE, CANCEL_WITHOUT_ROLLBACK,
) = (
    'suspend', 'resume', 'check', 'cancel_update',
    'cancel_without_rollback',
)


def _policies_of(body: Any) -> list[str]:
    return [f'actions:{name}' for name in ACTIONS if name in body]


OPERATIONS = {'action': Operation(
    'Start an action on a stack',
    'The body has the action as its one key; the value has no meaning.',
    policies=tuple(_policies_of(ACTIONS)),
    policies_of_body=_policies_of,
    body={
        'type': 'object',
        'properties': {name: {} for name in ACTIONS},
        'additionalProperties': False,
        'minProperties': 1,
        'maxProperties': 1,
    },
    response=common.NOTHING,
    errors=(
        Error(400, 'HTTPBadRequest', 'there is not just one known action'),
        Error(400, 'NotSupported',
              'the stack is not doing what should be cancelled'),
        common.STACK_LOCKED))}
