"""RPC calls about change sets: know what an update does before it does it."""
from collections.abc import Callable
import dataclasses
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import change_set_errors
from heat.common import context as heat_context
from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import status
from heat.engine.drivers import select as stack_driver
from heat.engine.plans import tree as change_plan
from heat.engine.rpc import definition as service_definition
from heat.engine.rpc import guards
from heat.engine.software import configs as software_configs
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import change_set as change_set_objects
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

_Set = change_set_objects.ChangeSet
_Status = change_set_objects.Status
_States = status.StackStatus

#: How many characters the columns hold.
_NAME_LENGTH, _DESCRIPTION_LENGTH = 255, 4096
#: Number of change sets that a list shows, the latest first.
_MOST_LISTED = 1000


def _find(context: Any, change_set_id: str, stack_id: str | None) -> Any:
    """Return a change set of a stack, or of the project.

    Administrators reach those of other projects by way of a stack only: the
    stack that a change set creates belongs to the project of who executes it.

    :raises ChangeSetNotFound: there is none.
    """
    found = _Set.get_by_id(context, change_set_id)
    if found is None or (
            found.tenant != context.project_id if stack_id is None
            else found.stack_id != stack_id):
        raise change_set_errors.ChangeSetNotFound(change_set=change_set_id)
    return found


def _formatted(found: Any, *, whole: bool = True) -> dict[str, Any]:
    """Return a change set as users see it."""
    result = {
        'id': found.id, 'name': found.name,
        'description': found.description, 'creator': found.creator,
        'action': found.action, 'stack_id': found.stack_id,
        'stack_name': found.stack_name, 'status': found.status,
        'status_reason': found.status_reason,
        'creation_time': timeutils.isotime(found.created_at),
        'updated_time': None if found.updated_at is None else
        timeutils.isotime(found.updated_at)}
    if whole:
        shown = (found.changes or {}).get('shown') or {}
        result.update(changes=shown.get('changes', []),
                      counts=shown.get('counts', {}),
                      left_out=shown.get('left_out', 0),
                      base=sorted(found.base or {}))
    return result


def _base_of(context: Any, stack_id: str) -> dict[str, list[Any]]:
    """Return {stack id: [name, stamp]} of a stack and those inside it."""
    root = stack_objects.Stack.get_by_id(context, stack_id)
    rows = [] if root is None else [
        root, *stack_objects.Stack.get_all_by_root_owner_id(
            context, stack_id)]
    return {row.id: [row.name, list(stack_warrant.stamp(row))]
            for row in rows if row.deleted_at is None}


#: What each part of a stamp is called in messages.
_PARTS = (_('template'), _('traversal'), _('time of update'), _('action'),
          _('status'))


def _changed_since(base: Any, now: Any) -> str:
    """Return a text that says how a tree differs from a base; '' if not."""
    texts = []
    for stack_id in sorted({*base, *now}):
        if stack_id not in now:
            texts.append(_('stack %s is gone') % base[stack_id][0])
        elif stack_id not in base:
            texts.append(_('stack %s is new') % now[stack_id][0])
        else:
            parts = [part for part, old, new in zip(
                _PARTS, base[stack_id][1], now[stack_id][1], strict=True)
                if old != new]
            if parts:
                texts.append(_('stack %(name)s has changed (%(parts)s)') % {
                    'name': now[stack_id][0], 'parts': ', '.join(parts)})
    return '; '.join(texts)


@dataclasses.dataclass(frozen=True, slots=True)
class _Request:
    """A request to create or update a stack, with its files resolved."""

    definition: service_definition.Definition
    args: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {**dataclasses.asdict(self.definition), 'args': self.args}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> '_Request':
        """Rebuild from as_dict()."""
        given = dict(data)
        args = given.pop('args')
        return cls(service_definition.Definition(**given), args)


class ChangeSetOperations:
    """Create, list, show, delete and execute change sets."""

    #: One of the other calls of the engine.
    create_stack: Callable[..., Any]

    @heat_context.request_context
    def create_change_set(self, cnxt: Any, stack_identity: Any,
                          stack_name: str | None, template: Any, params: Any,
                          files: Any, args: dict[str, Any],
                          environment_files: Any = None,
                          files_container: Any = None,
                          name: str | None = None,
                          description: str | None = None,
                          template_text: str | None = None) -> Any:
        """Store a request with its plan, and return both.

        :param stack_identity: the stack to update; None to create one
        :param template_text: the template as the client sent it, if it sent
            text: the causes of changes name its lines
        :raises ActionInProgress: the stack is busy.
        """
        software_configs.require_length(_NAME_LENGTH, name=name)
        software_configs.require_length(_DESCRIPTION_LENGTH,
                                        description=description)
        request = _Request(service_definition.of_request(
            cnxt, template, params, files, environment_files,
            files_container), args)
        current, base = None, {}
        if stack_identity is not None:
            row = guards.find_stack(cnxt, stack_identity)
            guards.stack_may_be_updated(row)
            _require_idle(row)
            # Read first: what changes while it is planned makes it stale.
            base = _base_of(cnxt, row.id)
            current = stack_store.load(cnxt, row)
            stack_name = row.name
        LOG.info('Planning a change set of stack %s', stack_name)
        _Set.delete_older(cnxt, cfg.CONF.change_set_retention)
        found = _Set.create(cnxt, {
            'name': name, 'description': description,
            'creator': cnxt.username or cnxt.user_id,
            'tenant': current.tenant_id if current else cnxt.project_id,
            'stack_id': current and current.id, 'stack_name': stack_name,
            'action': _States.UPDATE if current else _States.CREATE,
            'base': base, 'definition': request.as_dict(),
            **_planned(cnxt, current, stack_name, request, template_text)})
        return _formatted(found)

    @heat_context.request_context
    def list_change_sets(self, cnxt: Any, stack_identity: Any = None) -> Any:
        """Return the change sets of a stack or of the project."""
        stack_id, tenant = None, cnxt.project_id
        if stack_identity is not None:
            row = guards.find_stack(cnxt, stack_identity)
            stack_id, tenant = row.id, row.tenant
        return [_formatted(each, whole=False) for each in
                _Set.get_all(cnxt, tenant, stack_id, _MOST_LISTED)]

    @heat_context.request_context
    def show_change_set(self, cnxt: Any, change_set_id: str,
                        stack_identity: Any = None) -> Any:
        """Return one change set with its changes."""
        return _formatted(_find_of(cnxt, change_set_id, stack_identity))

    @heat_context.request_context
    def delete_change_set(self, cnxt: Any, change_set_id: str,
                          stack_identity: Any = None) -> None:
        """Forget a change set; what it began goes on."""
        found = _find_of(cnxt, change_set_id, stack_identity)
        _Set.delete(cnxt, found.id)

    @heat_context.request_context
    def execute_change_set(self, cnxt: Any, change_set_id: str,
                           stack_identity: Any = None,
                           strict: bool = True) -> Any:
        """Begin the operation that a change set describes.

        :param strict: fail what the plan does not foresee
        :raises ChangeSetNotExecutable: it was executed, or cannot be.
        :raises ChangeSetStale: the stack has changed since.
        """
        found = _find_of(cnxt, change_set_id, stack_identity)
        if found.status != _Status.AVAILABLE:
            raise change_set_errors.ChangeSetNotExecutable(
                change_set=found.id, status=found.status)
        if found.action == _States.UPDATE:
            self._require_base(cnxt, found)
        if not _Set.swap(cnxt, found.id, _Status.AVAILABLE,
                         {'status': _Status.EXECUTED}):
            raise change_set_errors.ChangeSetNotExecutable(
                change_set=found.id,
                status=_find(cnxt, found.id, found.stack_id).status)
        begin = (self._execute_update if found.action == _States.UPDATE
                 else self._execute_create)
        try:
            return begin(cnxt, found, strict)
        except change_set_errors.ChangeSetStale as error:
            _Set.swap(cnxt, found.id, _Status.EXECUTED, {
                'status': _Status.STALE,
                'status_reason': exception.text_of(error)})
            raise
        except BaseException:
            # Nothing has begun.
            _Set.swap(cnxt, found.id, _Status.EXECUTED,
                      {'status': _Status.AVAILABLE})
            raise

    @staticmethod
    def _require_base(cnxt: Any, found: Any) -> None:
        """Raise ChangeSetStale unless the tree is as it was planned for."""
        changed = _changed_since(found.base, _base_of(cnxt, found.stack_id))
        if not changed:
            return
        error = change_set_errors.ChangeSetStale(change_set=found.id,
                                         changed=changed)
        _Set.swap(cnxt, found.id, _Status.AVAILABLE, {
            'status': _Status.STALE,
            'status_reason': exception.text_of(error)})
        raise error

    @staticmethod
    def _execute_update(cnxt: Any, found: Any, strict: bool) -> Any:
        row = stack_objects.Stack.get_by_id(cnxt, found.stack_id)
        if row is None:
            raise exception.EntityNotFound(entity='Stack',
                                           name=found.stack_name)
        guards.stack_may_be_updated(row)
        current = stack_store.load(cnxt, row)
        stack_driver.of(current).require_ready(current)
        request = _Request.from_dict(found.definition)
        updated = service_definition.updated_stack(
            cnxt, current, request.definition, request.args)
        updated.warrant = _warrant_of(found, strict)
        stack_warrant.check_base(updated, row)
        stack_credentials.renew(current, updated)
        current.update(updated)
        return dict(current.identifier())

    def _execute_create(self, cnxt: Any, found: Any, strict: bool) -> Any:
        """Create the stack; all that it consists of is in the plan."""
        request = _Request.from_dict(found.definition)
        given = request.definition
        identity = self.create_stack(
            cnxt, found.stack_name, given.template, given.params,
            given.files, request.args, given.environment_files)
        _Set.swap(cnxt, found.id, _Status.EXECUTED,
                  {'stack_id': identity['stack_id'],
                   'status': _Status.EXECUTED})
        return identity


def _find_of(context: Any, change_set_id: str, stack_identity: Any) -> Any:
    """Return a change set that was asked for by way of a stack, or not."""
    stack_id = None
    if stack_identity is not None:
        stack_id = guards.find_stack(context, stack_identity).id
    return _find(context, change_set_id, stack_id)


def _require_idle(row: Any) -> None:
    """Raise ActionInProgress for a stack that is changing."""
    if row.status == _States.IN_PROGRESS:
        raise exception.ActionInProgress(stack_name=row.name,
                                         action=row.action)


def _planned(context: Any, current: Any, stack_name: str | None,
             request: _Request, text: str | None) -> dict[str, Any]:
    """Return the columns that say what a request would do."""
    if current is None:
        plan = change_plan.of_create(service_definition.new_stack(
            context, stack_name, request.definition, request.args))
    else:
        updated = service_definition.updated_stack(
            context, current, request.definition, request.args)
        plan = change_plan.of_update(current, updated, text)
    state, reason = _Status.AVAILABLE, ''
    if plan.errors:
        state = _Status.FAILED
        reason = plan.masked('; '.join(plan.errors))
    elif current is not None and not plan.has_changes():
        state = _Status.NO_CHANGES
        reason = _('The stack is as the request describes it.')
    return {'status': state, 'status_reason': reason,
            'changes': {'shown': plan.shown(), 'warrant': plan.warrant}}


def _warrant_of(found: Any, strict: bool) -> Any:
    """Return the Warrant of an execution.

    Whether the stacks are those of the plan is checked in any case.
    """
    data = _named(found.changes['warrant'], found.id, strict)
    return stack_warrant.Warrant.from_dict(data)


def _named(data: dict[str, Any], change_set_id: str, strict: bool
           ) -> dict[str, Any]:
    """Return the data of a warrant, and of those inside, with an id."""
    result = {**data, 'change_set': change_set_id, 'inside': {
        name: _named(below, change_set_id, strict)
        for name, below in (data.get('inside') or {}).items()}}
    if not strict:
        result['is_open'] = True
    return result
