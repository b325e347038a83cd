"""The old and the new resource, as restore_prev_rsrc() needs them."""


def replaced_and_replacement(resource, convergence):
    """Return what was replaced, and (physical id, data) of the replacement.

    :param resource: what restore_prev_rsrc() was called of: the one of the
        two that the driver has at hand.
    :returns: None and (None, {}) for what there is none of. What was
        replaced may have lost its stack: others have to ask the cloud.
    """
    if convergence:
        return resource, resource.replacement()
    backup = resource.stack.backup_stack()
    previous = backup.get(resource.name) if backup is not None else None
    return previous, (resource.resource_id, resource.data())
