"""The words for actions and states, and which moves between them are legal.

Pure data and one check for each table: stack_state and resource_store are
the only writers of states and ask here first.
"""


class ResourceStatus:
    """Actions and statuses of a resource, inherited by what has them."""

    ACTIONS = (
        INIT, CREATE, DELETE, UPDATE, ROLLBACK, SUSPEND, RESUME, ADOPT,
        SNAPSHOT, CHECK,
    ) = (
        'INIT', 'CREATE', 'DELETE', 'UPDATE', 'ROLLBACK', 'SUSPEND',
        'RESUME', 'ADOPT', 'SNAPSHOT', 'CHECK',
    )

    STATUSES = (
        IN_PROGRESS, FAILED, COMPLETE,
    ) = (
        'IN_PROGRESS', 'FAILED', 'COMPLETE',
    )


class StackStatus:
    """Actions and statuses of a stack."""

    ACTIONS = (
        CREATE, DELETE, UPDATE, ROLLBACK, SUSPEND, RESUME, ADOPT,
        SNAPSHOT, CHECK, RESTORE,
    ) = (
        'CREATE', 'DELETE', 'UPDATE', 'ROLLBACK', 'SUSPEND', 'RESUME',
        'ADOPT', 'SNAPSHOT', 'CHECK', 'RESTORE',
    )

    STATUSES = (
        IN_PROGRESS, FAILED, COMPLETE,
    ) = (
        'IN_PROGRESS', 'FAILED', 'COMPLETE',
    )


_R = ResourceStatus
_S = StackStatus

#: Status words reached from the same action's earlier status.  FAILED goes
#: to COMPLETE when an update finds nothing to do or a check is revoked.
_WITHIN_ACTION = frozenset([
    (_R.IN_PROGRESS, _R.IN_PROGRESS),   # taken over from a dead engine
    (_R.IN_PROGRESS, _R.COMPLETE),
    (_R.IN_PROGRESS, _R.FAILED),
    (_R.FAILED, _R.COMPLETE),
    (_R.FAILED, _R.FAILED),
    (_R.FAILED, _R.IN_PROGRESS),
    (_R.COMPLETE, _R.COMPLETE),
    (_R.COMPLETE, _R.FAILED),           # marked unhealthy
    (_R.COMPLETE, _R.IN_PROGRESS),
])

#: Resource actions that may begin after which other actions.
_RESOURCE_NEXT = {
    # An update may reach a row that a cancelled create never got to.
    _R.INIT: frozenset([_R.CREATE, _R.ADOPT, _R.DELETE, _R.ROLLBACK,
                        _R.UPDATE, _R.CHECK]),
    _R.CREATE: frozenset([_R.DELETE, _R.UPDATE, _R.SUSPEND, _R.RESUME,
                          _R.SNAPSHOT, _R.CHECK]),
    _R.ADOPT: frozenset([_R.DELETE, _R.UPDATE, _R.SUSPEND, _R.RESUME,
                         _R.SNAPSHOT, _R.CHECK, _R.CREATE]),
    _R.UPDATE: frozenset([_R.DELETE, _R.SUSPEND, _R.RESUME, _R.SNAPSHOT,
                          _R.CHECK]),
    _R.ROLLBACK: frozenset([_R.CREATE, _R.DELETE, _R.UPDATE]),
    _R.SUSPEND: frozenset([_R.DELETE, _R.UPDATE, _R.RESUME, _R.SNAPSHOT,
                           _R.CHECK]),
    _R.RESUME: frozenset([_R.DELETE, _R.UPDATE, _R.SUSPEND, _R.SNAPSHOT,
                          _R.CHECK]),
    _R.SNAPSHOT: frozenset([_R.DELETE, _R.UPDATE, _R.SUSPEND, _R.RESUME,
                            _R.CHECK]),
    _R.CHECK: frozenset([_R.DELETE, _R.UPDATE, _R.SUSPEND, _R.RESUME,
                         _R.SNAPSHOT]),
    # A failed create is undone by a delete and then tried again; what
    # could not be deleted may be wanted again by the next update.
    _R.DELETE: frozenset([_R.CREATE, _R.ADOPT, _R.UPDATE, _R.SNAPSHOT,
                          _R.CHECK]),
}

#: Stack actions that may begin after which other actions.
_ALIVE = frozenset(_S.ACTIONS) - {_S.CREATE, _S.ADOPT}
_STACK_NEXT = {
    None: frozenset([_S.CREATE, _S.ADOPT]),
    _S.CREATE: _ALIVE,
    _S.ADOPT: _ALIVE,
    _S.UPDATE: _ALIVE,
    _S.ROLLBACK: _ALIVE,
    # Users cannot update a suspended stack. A nested one may have been left
    # suspended, as resources may be, by a stack that is not any more.
    _S.SUSPEND: _ALIVE,
    _S.RESUME: _ALIVE,
    _S.SNAPSHOT: _ALIVE,
    _S.CHECK: _ALIVE,
    _S.RESTORE: _ALIVE,
    # What could not be deleted is looked at, and can then be updated.
    _S.DELETE: frozenset([_S.CHECK]),
}


class IllegalMove(Exception):
    """A state change that the tables forbid; a defect of the caller."""

    def __init__(self, what, name, old, new):
        super().__init__(
            '%s "%s" cannot go from %s to %s' % (
                what, name, '_'.join(map(str, old)), '_'.join(new)))


def _is_legal(following, old, new):
    old_action, old_status = old
    action, status = new
    if action == old_action:
        return old_status is None or (old_status, status) in _WITHIN_ACTION
    return action in following.get(old_action, frozenset())


def is_legal_for_resource(old, new):
    """Return whether a resource may go from old to new (action, status)."""
    return _is_legal(_RESOURCE_NEXT, old, new)


def is_legal_for_stack(old, new):
    """Return whether a stack may go from old to new (action, status)."""
    return _is_legal(_STACK_NEXT, old, new)


def check_resource_move(name, old, new):
    """Raise IllegalMove unless the resource may make this move."""
    if not is_legal_for_resource(old, new):
        raise IllegalMove('Resource', name, old, new)


def check_stack_move(name, old, new):
    """Raise IllegalMove unless the stack may make this move."""
    if not is_legal_for_stack(old, new):
        raise IllegalMove('Stack', name, old, new)
