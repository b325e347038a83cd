"""Load, list and store stacks, and make stacks out of other stacks."""
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
import uuid

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import stk_defn
from heat.engine import template
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import exports as stack_exports
from heat.engine.stacks import fields as stack_fields
from heat.engine.stacks import interface
from heat.engine.stacks import rows as stack_rows
from heat.engine.stacks import template_store
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import sync_point as sync_point_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

BACKUP_SUFFIX = '*'
#: The traversal of a stack whose adoption has not begun.
_ADOPTION = 'adoption'

StackT = TypeVar('StackT', bound=interface.Stack)


# -- reading ----------------------------------------------------------------

def parsed_template(context: heat_context.RequestContext, raw_template_id: Any
                    ) -> template.Template:
    """Return the stored template, parsed once; it must not be changed."""
    return template_store.parsed(context, raw_template_id)


def _template_of(context: heat_context.RequestContext, row: Any
                 ) -> template.Template:
    # A legacy operation changes the template row it works on, so that
    # nothing is lost when the engine dies; such a row is not cached.
    changing = not row.convergence and (
        row.backup or row.status == 'IN_PROGRESS')
    if changing:
        return template_store.load(context, row.raw_template_id)
    return template_store.parsed(context, row.raw_template_id)


def know_templates(context: heat_context.RequestContext, rows: Iterable[Any]
                   ) -> None:
    """Read the templates of stacks together, unless the first is known."""
    template_store.know(context, [
        row.raw_template_id for row in rows if row.convergence])


def _with_template(context: heat_context.RequestContext, row: Any
                   ) -> tuple[Any, template.Template]:
    """Return the row of a stack and its template, from the same time.

    An update that ends between the two reads deletes the template that the
    row had before.
    """
    while True:
        try:
            return row, _template_of(context, row)
        except exception.EntityNotFound:
            present = get_row(context, row.id)
            if present.raw_template_id == row.raw_template_id:
                raise
            row = present


def get_row(context: heat_context.RequestContext, stack_id: str,
            show_deleted: bool = True) -> Any:
    """Return the row of a stack; raise EntityNotFound without one."""
    row = stack_objects.Stack.get_by_id(context, stack_id,
                                        show_deleted=show_deleted)
    if row is None:
        raise exception.EntityNotFound(entity='Stack', name=stack_id)
    return row


def load(stack_class: type[StackT], context: heat_context.RequestContext,
         stack: Any, *, show_deleted: bool = True,
         use_stored_context: bool = False, template: Any = None,
         cache_data: Any = None, load_template: bool = True) -> StackT:
    """Return the stack with this id, or of this row; see Stack.load().

    :param template: the template to use instead of the stored one.
    :param cache_data: NodeData by resource name, when known already.
    """
    row = stack
    if isinstance(stack, str):
        row = get_row(context, stack, show_deleted)
    elif row is None:
        raise exception.EntityNotFound(entity='Stack', name=None)
    tmpl = template
    if tmpl is None and load_template:
        row, tmpl = _with_template(context, row)
    loaded = stack_class(
        context, row.name, tmpl, tags=row.tags, cache_data=cache_data,
        use_stored_context=use_stored_context, **stack_fields.of_row(row))
    if row.tags is None:
        loaded.forget_tags()
    return loaded


def load_all(stack_class: type[StackT], context: heat_context.RequestContext,
             *args: Any, **kwargs: Any) -> Iterator[StackT]:
    """Yield the stacks whose rows objects.stack.Stack.get_all gives."""
    for row in stack_objects.Stack.get_all(context, *args, **kwargs):
        try:
            yield load(stack_class, context, row)
        except exception.EntityNotFound:
            LOG.debug('Stack %s went away while we listed it', row.id)


def root_id(context: heat_context.RequestContext, stack_id: str) -> str:
    """Return the id of the outermost stack above (or equal to) one."""
    return stack_objects.Stack.get_root_id(context, stack_id) or stack_id


def path_of(stack: interface.Stack) -> list[tuple[str | None, str | None]]:
    """Return [(stack name, name of our resource in it)] from the root."""
    path: list[tuple[str | None, str | None]] = []
    name = stack.parent_resource_name
    owner_id = stack.owner_id
    while owner_id is not None:
        row = stack_objects.Stack.get_by_id(stack.context, owner_id)
        if row is None:
            break
        path.insert(0, (row.name, name))
        owner_id, name = row.owner_id, row.parent_resource_name
    return path + [(stack.name, None)]


def tags_of(stack: interface.Stack) -> list[str]:
    """Return the stored tags of a stack."""
    if stack.id is None:
        return []
    return list(stack_objects.Stack.tags_for(
        stack.context, [stack.id]).get(stack.id, ()))


def total_resources(context: heat_context.RequestContext, stack_id: Any
                    ) -> int:
    """Count the resources in the tree of a root stack."""
    return stack_objects.Stack.count_total_resources(context, stack_id)


def is_convergent(stack: interface.Stack | stack_objects.Stack) -> bool:
    """Tell which driver a stack, or the row of one, belongs to."""
    return bool(stack.convergence)


def keeps_requirements(stack: interface.Stack) -> bool:
    """Return whether the rows of a stack say what each resource requires.

    Convergence writes it with each resource that it visits; when all have
    been visited, it is what the template says and plugins add.
    """
    return is_convergent(stack) and stack.id is not None and (
        stack.status == stack.COMPLETE and stack.action != 'DELETE')


def required_by(resource: interface.Resource) -> list[str]:
    """Return the names of the resources that need one."""
    stack = resource.stack
    if resource.id is not None and keeps_requirements(stack):
        found: list[str] = stack.rows.names_requiring(resource.id)
        return found
    try:
        return [str(other.name) for other in
                stack.dependencies.required_by(resource)]
    except KeyError:
        # It is in the database only, or lost its place in the template.
        return []


def resource_get(stack: interface.Stack, name: str
                 ) -> interface.Resource | None:
    """Return a resource; also one that is only in the database.

    A resource the template lost is still shown while it is cleaned up; its
    definition is that of the template it last belonged to.
    """
    if name in stack.resources:
        return stack.resources[name]
    row = stack.db_row(name)
    if row is None or (row.action, row.status) == ('DELETE', 'COMPLETE'):
        return None
    defn = definition_of(stack, row)
    if name not in defn.all_rsrc_names():
        return None
    return stack.resource_of(row, defn.resource_definition(name))


def definition_of(stack: interface.Stack, row: Any
                  ) -> stk_defn.StackDefinition:
    """Return the definition of the stack that a resource row belongs to."""
    tmpl = stack.t
    if row.current_template_id is not None:
        tmpl = parsed_template(stack.context, row.current_template_id)
    return stack.defn.clone_with_new_template(tmpl, stack.identifier())


_ALIVE = frozenset(
    (action, status) for action in ('CREATE', 'UPDATE', 'RESUME', 'CHECK',
                                    'ADOPT')
    for status in ('IN_PROGRESS', 'COMPLETE'))


def resource_by_refid(stack: interface.Stack, refid: Any
                      ) -> interface.Resource | None:
    """Return the live resource with this reference id, or None."""
    for name in stack.resources:
        res = stack.resources[name]
        if res.state in _ALIVE and res.FnGetRefId() == refid:
            return res
    return _resource_by_stored_refid(stack, refid)


def _resource_by_stored_refid(stack: interface.Stack, refid: Any
                              ) -> interface.Resource | None:
    """Return a live resource that was made since the stack was loaded.

    While an operation runs, another engine may have made it, or it took
    the place of one that we know.
    """
    if stack.id is None:
        return None
    rows = stack_rows.StackRows(stack.context, stack.id).by_name()
    for name in stack.resources:
        row = rows.get(name)
        if row is None or (row.action, row.status) not in _ALIVE:
            continue
        res = stack.resource_of(row, stack.defn.resource_definition(name))
        if res.FnGetRefId() == refid:
            return res
    return None


def iter_resources(stack: interface.Stack, nested_depth: int = 0,
                   filters: Any = None) -> Iterator[interface.Resource]:
    """Yield the resources of a stack and of those nested in it.

    :param filters: column values that the rows must have.
    """
    wanted = None
    if filters:
        wanted = set(resource_objects.Resource.get_all_by_stack(
            stack.context, stack.id, filters))
    for name in stack.resources:
        res = stack.resources[name]
        if wanted is None or name in wanted:
            yield res
        if nested_depth and res.has_nested():
            nesting: Any = res
            child = nesting.nested()
            if child is not None:
                yield from iter_resources(child, nested_depth - 1, filters)


# -- writing ----------------------------------------------------------------

def columns(stack: interface.Stack) -> dict[str, Any]:
    """Return the columns of a stack's row, but for its template."""
    return {'name': stack.name, **stack_fields.columns(stack)}


def store(stack: interface.Stack, *, backup: bool = False,
          stack_id: str | None = None) -> str:
    """Write a stack with its template and credentials; return its id.

    :param stack_id: the id that a new stack shall have.
    :raises StackExists: the project has a live root stack of the name.
    """
    context = stack.context
    stack.backup = stack.backup or backup
    if stack.action is None and not stack.backup:
        # From here on the stack can be seen; should we die before its
        # creation begins, it is one that was interrupted.
        stack.action = (stack.ADOPT if stack.adopt_stack_data is not None
                        else stack.CREATE)
        stack.status = stack.IN_PROGRESS
    stack_credentials.prepare(stack)
    new = stack.id is None
    # Chosen first: after a lost connection it tells whether the stack has
    # been stored.
    stack_id = stack_id or str(uuid.uuid4())

    def write() -> tuple[Any, Any, Any]:
        written = template_store.write(context, stack.t)
        creds_id = stack_credentials.store(stack)
        values = dict(columns(stack), raw_template_id=written[0],
                      user_creds_id=creds_id)
        if new:
            row = stack_objects.Stack.create(
                context, dict(values, id=stack_id, tags=stack.tags))
            stack_exports.claim(stack, stack_id)
            stack_warrant.begin(stack, stack_id)
            if stack.adopt_stack_data is not None:
                _keep_adopt_data(context, row.id, stack.adopt_stack_data)
        else:
            row = None
            # A nested stack may have stored it since we were loaded.
            values.pop('stack_user_project_id')
            stack_objects.Stack.update_by_id(context, stack.id, values)
            stack_objects.Stack.set_tags(context, stack.id, stack.tags)
        return written, creds_id, row

    written, stack.user_creds_id, row = (
        _inserted(stack, stack_id, write) if new
        else transaction.run(context, write))
    template_store.mark_stored(stack.t, written, share=not stack.backup)
    if new:
        stack.created_time = row.created_at
        stack.assign_id(row.id)
    stored_id: str = stack.id
    return stored_id


def store_with(stack: interface.Stack, begin: Callable[[], object]) -> None:
    """Store a root stack together with what begins its first operation.

    :param begin: writes the stack, which has been given its id, with its
        template and the operation; called in a transaction, and called
        again when that is repeated
    :raises StackExists: the project has a live root stack of the name.
    """
    stack_credentials.prepare(stack)
    given = stack.user_creds_id

    def write() -> tuple[Any, Any, Any]:
        stack.user_creds_id = given
        stack.user_creds_id = stack_credentials.store(stack)
        begin()
        if stack.tags:
            stack_objects.Stack.set_tags(stack.context, stack.id, stack.tags)
        return None, stack.user_creds_id, None

    _written, stack.user_creds_id, _row = _inserted(stack, stack.id, write)


def insert_all(context: heat_context.RequestContext,
               new: Mapping[interface.Stack, Mapping[str, Any]],
               independent: Sequence[interface.Stack]) -> None:
    """Insert new stacks; inside a transaction that begins their creation.

    :param new: further columns of each stack, with its id
    :param independent: the root stacks among them that resources make; a
        request that makes one has counted, and stored its credentials
    :raises StackConflict: one of several conflicts with a stack.
    :raises StackExists: the project has a live root stack of the name.
    :raises RequestLimitExceeded: a project has too many stacks now.
    """
    stack_credentials.store_all(context, independent)
    try:
        stack_objects.Stack.create_many(context, [
            {**columns(stack), **values} for stack, values in new.items()])
    except stack_objects.StackConflict:
        if len(new) > 1 or not independent:
            raise
        raise exception.StackExists(
            stack_name=independent[0].name) from None
    for one in {stack.tenant_id: stack for stack in independent}.values():
        check_stacks(one.context, 0)


def check_stacks(context: heat_context.RequestContext, additional: int
                 ) -> None:
    """Raise RequestLimitExceeded when a project has too many stacks.

    Administrators have no limit.

    :param additional: how many are to be added to those that are stored
    """
    limit = cfg.CONF.max_stacks_per_tenant
    if context.is_admin or limit == -1:
        return
    if stack_objects.Stack.count_all(context) + additional > limit:
        raise exception.RequestLimitExceeded(message=_(
            'You have reached the maximum stacks per tenant, %d. Please '
            'delete some stacks.') % limit)


def _inserted(stack: interface.Stack, stack_id: str, write: Callable[[], Any]
              ) -> Any:
    """Return what write() returns, which inserts a stack.

    If it did so before the connection was lost, that counts.

    :raises StackExists: another stack has the name.
    """
    context = stack.context
    while True:
        try:
            return transaction.run(context, write)
        except stack_objects.StackConflict:
            row = stack_objects.Stack.get_by_id(context, stack_id, eager=True)
            if row is not None:
                assert row.raw_template is not None     # read with it
                return ((row.raw_template_id, row.raw_template.files_id),
                        row.user_creds_id, row)
            if not stack_objects.Stack.release_name(
                    context, stack.tenant_id, stack.name):
                stack_credentials.withdraw(stack)
                raise exception.StackExists(
                    stack_name=stack.name) from None


def _keep_adopt_data(context: heat_context.RequestContext, stack_id: str,
                     data: Any) -> None:
    """Keep what is adopted until that has begun, in the same transaction.
    """
    sync_point_objects.SyncPoint.create_many(context, [{
        'entity_id': stack_id, 'traversal_id': _ADOPTION,
        'is_update': True, 'stack_id': stack_id,
        'extra_data': {'adopt': data}}])


def adopt_data_of(stack: interface.Stack) -> dict[str, Any] | None:
    """Return what a stored stack was to adopt; None once that has begun."""
    point = sync_point_objects.SyncPoint.get_by_key(
        stack.context, stack.id, _ADOPTION, True)
    return None if point is None else point.extra_data['adopt']


def forget_adopt_data(stack: interface.Stack) -> None:
    """Drop what was kept for the adoption, which has begun."""
    sync_point_objects.SyncPoint.delete_all_of_stacks(stack.context,
                                                      [stack.id])


def set_stack_user_project_id(stack: interface.Stack, project_id: str) -> None:
    """Store the id of the project that holds the users of a stack."""
    stack.stack_user_project_id = project_id
    stack_objects.Stack.update_by_id(
        stack.context, stack.id, {'stack_user_project_id': project_id})


def set_deletion_policy(stack: interface.Stack, policy: str) -> None:
    """Give all resources of a stack a deletion policy, and store it."""
    tmpl = stack.t.copy()
    key = ('deletion_policy' if 'heat_template_version' in tmpl.t
           else 'DeletionPolicy')
    tmpl.t = {**tmpl.t, tmpl.RESOURCES: {
        name: {**defn, key: policy}
        for name, defn in tmpl.section(tmpl.RESOURCES).items()}}
    template_store.store(stack.context, tmpl, share=True)
    stack_objects.Stack.update_by_id(stack.context, stack.id,
                                     {'raw_template_id': tmpl.id})
    stack.t = tmpl
    stack.resources.clear()


def description_of(stack: interface.Stack, no_resources: bool = False
                   ) -> dict[str, Any]:
    """Return what is needed to adopt the stack or go back to it."""
    resources = {} if no_resources else {
        name: stack.resources[name].prepare_abandon()
        for name in stack.resources}
    return {
        'name': stack.name,
        'id': stack.id,
        'action': stack.action,
        'environment': stack.env.user_env_as_dict(),
        'files': dict(stack.t.files),
        'status': stack.status,
        'template': stack.t.source,
        'resources': resources,
        'project_id': stack.tenant_id,
        'stack_user_project_id': stack.stack_user_project_id,
        'tags': list(stack.tags),
    }


# -- stacks made from stacks ------------------------------------------------

def child_options(parent: interface.Stack) -> dict[str, Any]:
    """Return the options that a nested stack takes from its parent."""
    return {
        'owner_id': parent.id,
        'user_creds_id': parent.user_creds_id,
        'stack_user_project_id': parent.stack_user_project_id,
        'tenant_id': parent.tenant_id,
        'username': parent.username,
        'strict_validate': parent.strict_validate,
        'nested_depth': parent.nested_depth + 1,
        'convergence': parent.convergence,
        # What fails inside is undone by whoever undoes the parent.
        'disable_rollback': True,
    }


def wanted_stack(stack: interface.Stack, tmpl: template.Template,
                 **changes: Any) -> interface.Stack:
    """Return a stack like this one as another template would have it.

    It has the same id, but no resource of it exists: it says what is
    wanted, not what is.

    :param changes: arguments of Stack that differ.
    """
    options = dict(stack_fields.of_stack(stack),
                   strict_validate=stack.strict_validate, **changes)
    wanted = type(stack)(stack.context, stack.name, tmpl, **options)
    if 'tags' not in changes:
        wanted.take_tags_of(stack)
    wanted.rows.use(())
    return wanted


def backup_of(stack: interface.Stack, *, create: bool = True
              ) -> interface.Stack | None:
    """Return the hidden stack that keeps what an update has replaced.

    :param create: make one if there is none; otherwise None is returned.
    """
    name = stack.name + BACKUP_SUFFIX
    for row in stack_objects.Stack.get_all_by_owner_id(stack.context,
                                                       stack.id):
        if row.backup and row.name == name:
            return load(type(stack), stack.context, row)
    return _new_backup(stack, name) if create else None


def _new_backup(stack: interface.Stack, name: str) -> interface.Stack:
    tmpl = template.Template.create_empty_template(from_template=stack.t)
    options = {field: value for field, value in child_options(stack).items()
               if field not in ('nested_depth', 'convergence')}
    backup = type(stack)(
        stack.context, name, tmpl, nested_depth=stack.nested_depth,
        timeout_mins=stack.timeout_mins, backup=True,
        action=stack.CREATE, status=stack.COMPLETE, **options)
    store(backup, backup=True)
    LOG.debug('Made backup stack %s', name)
    return backup


def limit_error(limit: int) -> exception.RequestLimitExceeded:
    """Return the error for a tree that has grown too large."""
    return exception.RequestLimitExceeded(
        message=_('Maximum resources per stack exceeded (%d).') % limit)
