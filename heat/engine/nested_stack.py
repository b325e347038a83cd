"""Operations of a resource on the stack inside it.

No RPC is involved: the engine of the parent creates, changes and deletes
nested stacks. The end of a child wakes its parent's task through the key
that wake_key() returns. Plugins whose resources hold stacks begin with
``heat.engine.resources.stack_resource.StackResource``.
"""
from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common import policy
from heat.common import protection_errors
from heat.common.i18n import _
from heat.engine import stack as stack_module
from heat.engine import status
from heat.engine.drivers import select as stack_driver
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import resource_quota
from heat.engine.stacks import snapshots
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.stacks.redaction import inherited_from  # noqa: F401
from heat.engine.stacks.template_store import read as read_template  # noqa: F401
from heat.engine.stacks.validation import tree_size  # noqa: F401
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_protection
from heat.objects import transaction

LOG = logging.getLogger(__name__)

S = status.StackStatus

#: Actions that begin with the validation of the whole tree.
_VALIDATED = frozenset([S.CREATE, S.UPDATE])

#: What keys begin with that announce ends of stacks.
WAKE_KIND = 'stack'


#: The number of templates of nested stacks that are read together.
_TOGETHER = 50


def wake_key(child_id):
    """Return the key under which the end of a child is announced."""
    return (WAKE_KIND, child_id)


def child_stack(parent, name, tmpl, *, resource_name, **options):
    """Return a stack inside another one, not stored.

    :param resource_name: the resource of the parent that it belongs to.
    :param options: further arguments of Stack.
    """
    taken = dict(stack_store.child_options(parent),
                 parent_resource=resource_name)
    taken.update((key, value) for key, value in options.items()
                 if value is not None)
    return stack_module.Stack(parent.context, name, tmpl,
                              parent_stack=parent, **taken)


def independent_stack(parent, name, tmpl, **options):
    """Return a root stack that belongs to a resource of another stack.

    Nobody but the resource knows: it is listed like any other, and has
    credentials of its own.
    """
    taken = {key: value for key, value
             in stack_store.child_options(parent).items()
             if key in ('tenant_id', 'username', 'convergence',
                        'disable_rollback', 'strict_validate')}
    taken.update((key, value) for key, value in options.items()
                 if value is not None)
    return stack_module.Stack(parent.context, name, tmpl, **taken)


def check_depth(parent):
    """Raise RequestLimitExceeded when nesting goes too deep."""
    limit = cfg.CONF.max_nested_stack_depth
    if parent.nested_depth >= limit:
        raise exception.RequestLimitExceeded(
            message=_('Stacks are nested more than %d deep '
                      '(max_nested_stack_depth). Does a template contain '
                      'itself?') % limit)


def _is_limited():
    """Return whether the number of resources in a tree is limited."""
    return cfg.CONF.max_resources_per_stack != -1


def check_wanted(number):
    """Raise RequestLimitExceeded when so many resources are too many."""
    if _is_limited() and number > cfg.CONF.max_resources_per_stack:
        raise stack_store.limit_error(cfg.CONF.max_resources_per_stack)


def check_size(parent, additional):
    """Raise RequestLimitExceeded when the tree would grow too large.

    :param additional: number of resources to be added to it.
    """
    if _is_limited() and additional > 0:
        resource_quota.take(parent.context, parent.root_stack_id(),
                            cfg.CONF.max_resources_per_stack, additional)


def validate(child, parent, current=None):
    """Raise an error when a child stack cannot be made or changed.

    The types in it may come from values that were unknown when its parent
    was validated, or from a text that has changed since. So policy is
    asked once more, for the user in whose name the stack acts.

    Stacks inside the child are validated when their own operations begin.
    They are also validated here, unless the parent is being created or
    updated: the whole tree was validated before that began.

    :param current: the stack as it is, if there is one
    """
    if child.allow_type is None:
        child.allow_type = policy.type_guard(child.context)
    child.validates_nested = child.owner_id is None or not (
        parent.status == S.IN_PROGRESS and parent.action in _VALIDATED)
    child.validate()
    if child.owner_id is None:
        resource_quota.check_tree(child, current)


def create(child, child_id, beginnings=None, *, creds_id=None):
    """Store a child stack under an id and begin to create it.

    :param creds_id: the credentials of the parent
    :param beginnings: a list to be given what begins it, if it can begin
        together with the action of the resource that it belongs to
    """
    if child.owner_id is None:
        stack_credentials.share(child, creds_id)
    if beginnings is not None and _put(
            beginnings,
            stack_driver.of(child).beginning_of_new(child, child_id)):
        return
    if child.owner_id is None:
        stack_store.check_stacks(child.context, 1)
    child.store(stack_id=child_id)
    if child.adopt_stack_data is not None:
        stack_driver.of(child).adopt(child, child.adopt_stack_data)
    else:
        stack_driver.of(child).create(child)


def _put(beginnings, beginning):
    if beginning is None:
        return False
    beginnings.append(beginning)
    return True


def load(context, child_id):
    """Return a child stack, or None when it is gone."""
    row = stack_objects.Stack.get_by_id(context, child_id)
    return None if row is None else stack_module.Stack.load(context, stack=row)


def row_of(context, child_id):
    """Return the row of a child stack, or None when it is gone."""
    return stack_objects.Stack.get_by_id(context, child_id)


def status_of(context, child_id):
    """Return (action, status, reason, updated at), or None when gone."""
    return stack_objects.Stack.get_status(context, child_id)


def update(child, tmpl, parent, beginnings=None, **changes):
    """Begin to make a child stack like its new template says.

    :param beginnings: as for create()
    """
    wanted = stack_store.wanted_stack(
        child, tmpl, parent_stack=None if child.owner_id is None else parent,
        **changes)
    changed = child.parameters.immutable_params_modified(
        wanted.parameters, wanted.env.params)
    if changed:
        raise exception.ImmutableParameterModified(*changed)
    wanted.allow_type = child.allow_type or parent.allow_type
    wanted.converge = bool(parent.converge)
    if not _is_valid_already(child, wanted):
        validate(wanted, parent, child)
    if child.owner_id is None:
        stack_credentials.renew(child, wanted)
    if parent.warrant is not None and child.owner_id is not None:
        wanted.warrant = parent.warrant.below(child.parent_resource_name)
    driver = stack_driver.of(child)
    if beginnings is None or not _put(
            beginnings, driver.beginning_of_update(child, wanted)):
        driver.update(child, wanted, child.UPDATE)


def _is_valid_already(child, wanted):
    """Return whether an update leaves a child stack unchanged.

    It was validated when it became that, and with the stack above it before
    this operation began. What is nested in it may have changed all the same,
    and is validated when its turn comes.
    """
    return (child.status == S.COMPLETE and child.action != S.DELETE and
            template_store.is_same(wanted.t, child.t))


def begin(context, child_id, verb):
    """Begin an action of a child stack: suspend, resume or check."""
    child = load(context, child_id)
    if child is None:
        raise exception.EntityNotFound(entity='Stack', name=child_id)
    if child.state == (verb.upper(), S.IN_PROGRESS):
        # Begun by an engine that did not live to tell.
        return
    getattr(stack_driver.of(child), verb)(child)


def load_with_others(parent, child_id):
    """Return a child stack, or None when it is gone.

    What is read for it is read for the other children, too: they are about
    to be changed as well. Whoever begins an operation finds out whether
    something has changed since.
    """
    row = None
    if stack_store.is_convergent(parent):
        row = parent.children.take(child_id,
                                   parent.defn.enabled_rsrc_names())
    if row is None:
        return transaction.read(parent.context, lambda: load(parent.context,
                                                             child_id))
    stack_store.know_templates(
        parent.context, [row, *parent.children.next(_TOGETHER, child_id)])
    return stack_module.Stack.load(parent.context, stack=row)


def delete(parent, child_id, beginnings=None):
    """Begin to delete a child stack; return whether there is one.

    :param beginnings: as for create()
    """
    child = transaction.read(parent.context, lambda: _load_to_delete(
        parent, child_id))
    if child is None:
        return False
    if child.state == (S.DELETE, S.IN_PROGRESS):
        return True
    driver = stack_driver.of(child)
    retained = _retained_in(parent, child.parent_resource_name)
    if beginnings is None or not _put(
            beginnings, driver.beginning_of_delete(child, retained)):
        driver.delete(child, retained)
    return True


def _load_to_delete(parent, child_id):
    """Return a child stack, or None when it is gone.

    :raises StackProtected: it is a root stack that a user has protected.
    """
    child = load_with_others(parent, child_id)
    if child is not None and child.owner_id is None and (
            stack_protection.StackProtection.get(
                parent.context, child_id).termination):
        raise protection_errors.StackProtected(stack=child.name,
                                               root=child.name)
    return child


def _retained_in(parent, name):
    """Return the paths, in the stack of a resource, of what is to stay."""
    above = f'{name}/'
    return frozenset(path.removeprefix(above) for path in parent.retained
                     if path.startswith(above))


def abandon(parent, child_id):
    """Begin to forget a child stack whose resources stay.

    That is begun together with the parent's own, unless the child was made
    or changed meanwhile.
    """
    child = load_with_others(parent, child_id)
    if child is not None and child.state != (S.DELETE, S.IN_PROGRESS):
        stack_driver.of(child).abandon(child)


def snapshot(context, child_id, name):
    """Begin to take a snapshot of a child stack; return its id."""
    child = load(context, child_id)
    if child is None:
        raise exception.EntityNotFound(entity='Stack', name=child_id)
    row = snapshots.create_row(context, child, name)
    stack_driver.of(child).snapshot(child, row)
    return row.id


def snapshot_row(context, snapshot_id):
    """Return the row of a snapshot, or None."""
    return snapshot_objects.Snapshot.get_by_id(context, snapshot_id)


def delete_snapshot(context, child_id, snapshot_id):
    """Begin to delete a snapshot of a child stack; it may be gone."""
    child = load(context, child_id)
    row = snapshot_row(context, snapshot_id)
    if child is None or row is None:
        return
    try:
        stack_driver.of(child).delete_snapshot(child, row)
    except exception.ActionInProgress:
        # The snapshots of a stack that is being deleted go with it.
        child = load(context, child_id)
        if child is not None and child.action != S.DELETE:
            raise


def cancel(context, child_id, *, with_rollback):
    """Stop what a child stack is doing, if it is doing anything.

    Its deletion goes on: the stack would stay, though nobody wants it. It
    may have been abandoned before whoever cancels it knew.
    """
    child = load(context, child_id)
    if child is None or child.status != S.IN_PROGRESS or (
            child.action == S.DELETE):
        return
    try:
        stack_driver.of(child).cancel(child, with_rollback)
    except exception.ActionInProgress:
        # What it did came to its end meanwhile, or something else began.
        LOG.debug('There is nothing to cancel of stack %s', child_id)
