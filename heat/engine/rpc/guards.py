"""Checks of RPC calls before they change a stack."""
from oslo_config import cfg

from heat.common import exception
from heat.common import identifier
from heat.common.i18n import _
from heat.engine import status
from heat.objects import stack as stack_objects

_States = status.StackStatus
_Graph = stack_objects.Graph


def find_stack(context, stack_identity, *, show_deleted=False):
    """Return the row of the stack that an identifier names.

    The row has its graph if an operation on the stack has not completed.

    :param show_deleted: also of one that is deleted. Calls that only read
        ask for it; their row has no graph.
    :raises InvalidTenant: it belongs to another project.
    :raises EntityNotFound: there is none, or its name is another.
    """
    identity = identifier.HeatIdentifier(**stack_identity)
    row = stack_objects.Stack.get_by_id(
        context, identity.stack_id, show_deleted=show_deleted,
        graph=_Graph.NONE if show_deleted else _Graph.UNFINISHED)
    if not (context.is_admin or context.project_id == identity.tenant or
            # A user of the stack, by a signed URL that names the stack.
            (row is not None and
             row.stack_user_project_id == context.project_id)):
        raise exception.InvalidTenant(target=identity.tenant,
                                      actual=context.project_id)
    if row is None or identity.path or row.name != identity.stack_name:
        raise exception.EntityNotFound(entity='Stack',
                                       name=identity.stack_name)
    return row


def find_by_name(context, stack_name):
    """Return the row of a stack by its name or id; None when unknown."""
    return (stack_objects.Stack.get_by_name(context, stack_name)
            or stack_objects.Stack.get_by_id(context, stack_name,
                                             show_deleted=True,
                                             graph=_Graph.NONE))


def name_is_free(context, stack_name):
    """Raise StackExists when a stack of this project has the name."""
    if stack_objects.Stack.get_by_name(context, stack_name):
        raise exception.StackExists(stack_name=stack_name)


def template_has_room(context, template, definition):
    """Raise RequestLimitExceeded when a template has too many resources."""
    limit = cfg.CONF.max_resources_per_stack
    if limit == -1:
        return
    count = len(template[template.RESOURCES] or {})
    if count > limit:
        raise exception.RequestLimitExceeded(message=_(
            'The template has %(count)d resources, max_resources_per_stack '
            'allows %(limit)d.') % {'count': count, 'limit': limit})


def stack_may_be_updated(row):
    """Raise NotSupported for a stack that is suspended or going away."""
    if row.action == _States.SUSPEND:
        raise exception.NotSupported(
            feature=_('Updating a stack when it is suspended'))
    if row.action == _States.DELETE:
        raise exception.NotSupported(
            feature=_('Updating a stack when it is deleting'))


def stack_may_be_adopted(stack):
    """Raise NotSupported for one that adopts, where that is not allowed."""
    if stack.adopt_stack_data and not cfg.CONF.enable_stack_adopt:
        raise exception.NotSupported(feature=_('Stack Adopt'))


def stack_may_be_restored(row):
    """Raise NotSupported for a stack that is going away."""
    if row.action == _States.DELETE:
        raise exception.NotSupported(
            feature=_('Restoring a stack when it is deleting'))


def stack_may(row, action):
    """Raise NotSupported for an action that makes no sense for a stack.

    One that is in progress is left to the driver, which knows whether it
    can begin something else.
    """
    if row.status == _States.IN_PROGRESS or action == _States.CHECK:
        return
    if row.action == _States.DELETE:
        raise exception.NotSupported(
            feature=_('%s of a stack whose deletion failed') % action)
    if action == _States.RESUME and row.action not in (
            _States.SUSPEND, _States.RESUME):
        raise exception.NotSupported(
            feature=_('Resuming a stack that is not suspended'))


def immutable_parameters_kept(current, updated):
    """Raise ImmutableParameterModified when one gets another value."""
    changed = current.parameters.immutable_params_modified(
        updated.parameters, updated.env.params)
    if changed:
        raise exception.ImmutableParameterModified(*changed)
