"""RPC calls about change sets: know what an update does before it does it."""
from collections.abc import Callable, Iterator
import dataclasses
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import change_set_errors
from heat.common import context as heat_context
from heat.common import exception
from heat.common import outage
from heat.common import policy
from heat.common import request_budget
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import stack as stack_module
from heat.engine import status
from heat.engine.comparison import live as live_state
from heat.engine.drivers import select as stack_driver
from heat.engine.plans import background as plan_background
from heat.engine.plans import base as plan_base
from heat.engine.plans import givers as plan_givers
from heat.engine.plans import moves as plan_moves
from heat.engine.plans import new_stack as plan_new_stack
from heat.engine.plans import requested as plan_requested
from heat.engine.plans import tree as change_plan
from heat.engine.rpc import definition as service_definition
from heat.engine.rpc import guards
from heat.engine.rpc import protection
from heat.engine.software import configs as software_configs
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import validation as stack_validation
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import change_set as change_set_objects
from heat.objects import stack as stack_objects
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

_Set = change_set_objects.ChangeSet
_Status = change_set_objects.Status
_States = status.StackStatus

#: How many characters the columns hold.
_NAME_LENGTH, _DESCRIPTION_LENGTH = 255, 4096
#: What an execution is refused with before anything of it has begun.
_REFUSALS = (exception.HeatException, ValueError)
#: The key of stored arguments by which drift is to be reverted.
_REVERT_DRIFT = 'revert_drift'
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
                      proposed_moves=shown.get('proposed_moves', []),
                      other_stacks=shown.get('other_stacks', []),
                      progress={'planned': found.planned,
                                'total': found.total},
                      base=sorted(found.base or {}))
    return result


@dataclasses.dataclass(frozen=True, slots=True)
class _Request:
    """A request to create or update a stack, with its files resolved."""

    definition: service_definition.Definition
    args: dict[str, Any]
    text: str | None = None
    moves: list[Any] | None = None
    imports: list[Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {**dataclasses.asdict(self.definition), 'args': self.args,
                'text': self.text, 'moves': self.moves,
                'imports': self.imports}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> '_Request':
        """Rebuild from as_dict()."""
        given = dict(data)
        args, text = given.pop('args'), given.pop('text', None)
        moves, imports = (given.pop(key, None)
                          for key in ('moves', 'imports'))
        return cls(service_definition.Definition(**given), args, text, moves,
                   imports)


class ChangeSetOperations:
    """Create, list, show, delete and execute change sets."""

    #: Begins what another part of the engine has made ready.
    _begin_new_stack: Callable[[Any], None]
    _store_new_stack: Callable[[Any], None]
    # What the service has.
    pool: Any
    engine_id: str | None

    @heat_context.request_context
    def create_change_set(self, cnxt: Any, stack_identity: Any,
                          stack_name: str | None, template: Any, params: Any,
                          files: Any, args: dict[str, Any],
                          environment_files: Any = None,
                          files_container: Any = None,
                          name: str | None = None,
                          description: str | None = None,
                          template_text: str | None = None,
                          revert_drift: bool = False,
                          moves: list[Any] | None = None,
                          imports: list[Any] | None = None) -> Any:
        """Store a request with its plan, and return both.

        :param stack_identity: the stack to update; None to create one
        :param revert_drift: bring what has drifted back as well
        :param template_text: the template as the client sent it, if it sent
            text: the causes of changes name its lines
        :param moves: {from, to} of resources that an update moves, perhaps
            out of another stack
        :param imports: {resource, id} of what the stack takes over
        :raises MoveNotPossible: one of them cannot be moved there.
        :raises ImportNotPossible: something cannot be taken over.
        :raises ActionInProgress: the stack is busy.
        """
        software_configs.require_length(_NAME_LENGTH, name=name)
        software_configs.require_length(_DESCRIPTION_LENGTH,
                                        description=description)
        if revert_drift:
            args = _reverting(args, stack_identity)
        definition = service_definition.of_request(
            cnxt, template, params, files, environment_files,
            files_container)
        current, base = None, {}
        if stack_identity is not None:
            row = guards.find_stack(cnxt, stack_identity)
            guards.stack_may_be_updated(row)
            _require_idle(row)
            # Read first: what changes while it is planned makes it stale.
            moves = plan_givers.resolved(
                row, moves, lambda name: guards.find_by_name(cnxt, name))
            base = plan_base.of_trees(cnxt, row.id, plan_givers.ids_of(moves))
            current = stack_module.Stack.load(cnxt, stack=row)
            stack_name = row.name
        LOG.info('Planning a change set of stack %s', stack_name)
        request = _Request(definition, args, template_text, moves, imports)
        planning = _Planning(cnxt, current, stack_name, request)
        planned = planning.at_once()
        _Set.delete_older(cnxt, cfg.CONF.change_set_retention)
        found = _Set.create(cnxt, {
            'name': name, 'description': description,
            'creator': cnxt.username or cnxt.user_id,
            'creator_id': cnxt.user_id,
            'stack_name': stack_name, **_of_stack(cnxt, current),
            'base': base, 'definition': request.as_dict(),
            'total': planning.total, **(planned or {
                'status': _Status.CREATE_IN_PROGRESS, 'planned': 0,
                'engine_id': self.engine_id})})
        if planned is None:
            _plan_beside(self.pool, cnxt, found, planning)
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
                           strict: bool = True,
                           disable_rollback: bool | None = None,
                           override_policy: bool = False) -> Any:
        """Begin the operation that a change set describes.

        :param strict: fail what the plan does not foresee
        :param disable_rollback: replaces what the stored request says
        :param override_policy: do what the stack policy does not allow
        :raises Forbidden: another user made it, and that needs a role.
        :raises ChangeSetNotExecutable: it was executed, or cannot be.
        :raises ChangeSetStale: the stack has changed since.
        """
        found = _find_of(cnxt, change_set_id, stack_identity)
        _require_role(cnxt, found)
        _require_executable(found)
        if disable_rollback is not None:
            found.definition['args'][rpc_api.PARAM_DISABLE_ROLLBACK] = (
                disable_rollback)
        if override_policy:
            found.definition['args'][rpc_api.PARAM_OVERRIDE_POLICY] = True
        begin = (self._execute_update if found.action == _States.UPDATE
                 else self._execute_create)
        try:
            return begin(cnxt, found, strict)
        except change_set_errors.ChangeSetStale as error:
            if not _Set.swap(cnxt, found.id, _Status.AVAILABLE, {
                    'status': _Status.STALE,
                    'status_reason': exception.text_of(error)}):
                _require_executable(_find(cnxt, found.id, found.stack_id))
            raise
        except (exception.ActionInProgress, exception.StackExists):
            # Another execution of the change set may have been faster.
            _require_executable(_find(cnxt, found.id, found.stack_id))
            raise

    @staticmethod
    def _execute_update(cnxt: Any, found: Any, strict: bool) -> Any:
        _require_base(cnxt, found)
        row = stack_objects.Stack.get_by_id(cnxt, found.stack_id)
        if row is None:
            raise exception.EntityNotFound(entity='Stack',
                                           name=found.stack_name)
        guards.stack_may_be_updated(row)
        request = _Request.from_dict(found.definition)

        def goal() -> tuple[Any, Any, plan_moves.Moved]:
            current = stack_module.Stack.load(cnxt, stack=row)
            stack_driver.of(current).require_ready(current)
            updated = service_definition.updated_stack(
                cnxt, current, request.definition, request.args)
            return current, updated, _moved(current, updated, request)

        current, updated, moved = goal()
        updated.warrant = dataclasses.replace(
            _warrant_of(found, strict), on_begin=_claim(cnxt, found))
        stack_warrant.check_base(updated, row)
        if not request.args.get(rpc_api.PARAM_OVERRIDE_POLICY):
            protection.require_permitted(cnxt, row, updated, goal)
        stack_credentials.renew(current, updated)
        try:
            plan_moves.update(current, updated, moved)
        except exception.ActionInProgress:
            _require_base(cnxt, found)
            raise
        return dict(current.identifier())

    def _execute_create(self, cnxt: Any, found: Any, strict: bool) -> Any:
        """Create the stack; all that it consists of is in the plan."""
        request = _Request.from_dict(found.definition)
        row = plan_new_stack.interrupted(cnxt, found.stack_id)
        if row is not None:
            return self._execute_import(cnxt, found, strict, row)
        stack = service_definition.new_stack(
            cnxt, found.stack_name, request.definition, request.args,
            may_import=True)
        guards.stack_may_be_adopted(stack)
        if _imports_of_new(stack, request):
            row = self._store_beginning(cnxt, found, stack)
            try:
                return self._execute_import(cnxt, found, strict, row)
            except exception.ActionInProgress:
                # Another execution was faster, or another engine.
                raise
            except _REFUSALS:
                _drop_beginning(cnxt, row)
                raise
        stack.warrant = stack_warrant.Warrant(
            found.id, is_open=True, on_begin=_claim(cnxt, found))
        self._begin_new_stack(stack)
        return dict(stack.identifier())

    def _store_beginning(self, cnxt: Any, found: Any, goal: Any) -> Any:
        """Store the stack that a goal begins as; return its row.

        The change set refers to it from then on: if the engine dies before
        the operation begins, executing the change set again continues.
        """
        stack = plan_new_stack.beginning_of(goal)

        def note(stack_id: str) -> None:
            if not _Set.swap(cnxt, found.id, _Status.AVAILABLE,
                             {'stack_id': stack_id}):
                raise change_set_errors.ChangeSetNotExecutable(
                    change_set=found.id, status=_Status.EXECUTED)

        stack.warrant = stack_warrant.Warrant(found.id, is_open=True,
                                              on_begin=note)
        self._store_new_stack(stack)
        return stack_objects.Stack.get_by_id(cnxt, stack.id)

    @staticmethod
    def _execute_import(cnxt: Any, found: Any, strict: bool, row: Any
                        ) -> Any:
        """Create a stored stack that takes over what exists."""
        request = _Request.from_dict(found.definition)
        current = stack_module.Stack.load(cnxt, stack=row)
        updated = service_definition.updated_stack(
            cnxt, current, request.definition, request.args)
        moved = _moved(current, updated, request, is_new=True)
        updated.warrant = dataclasses.replace(
            _warrant_of(found, strict), on_begin=_claim(cnxt, found))
        plan_moves.update(current, updated, moved, _States.CREATE)
        return dict(current.identifier())


def _reverting(args: dict[str, Any], stack_identity: Any) -> dict[str, Any]:
    """Return arguments of an update that reverts drift, too.

    :raises NotSupported: there is no stack yet.
    """
    if stack_identity is None:
        raise exception.NotSupported(feature=_(
            'Reverting the drift of a stack that does not exist yet'))
    return {**args, rpc_api.PARAM_CONVERGE: True, _REVERT_DRIFT: True}


def _require_role(context: Any, found: Any) -> None:
    """Raise Forbidden if another user made it and the user lacks the role.

    A change set from before users were recorded is taken for another's.
    """
    if found.creator_id is None or found.creator_id != context.user_id:
        policy.get_enforcer().enforce(
            context, 'execute_of_others', scope='change_sets')


def _require_executable(found: Any) -> None:
    """Raise ChangeSetNotExecutable for one that is not AVAILABLE."""
    if found.status != _Status.AVAILABLE:
        raise change_set_errors.ChangeSetNotExecutable(
            change_set=found.id, status=found.status)


def _require_base(context: Any, found: Any) -> None:
    """Raise ChangeSetStale unless the tree is as it was planned for."""
    changed = plan_base.changed_since(found.base, plan_base.of_trees(
        context, found.stack_id, _givers_of(found)))
    if changed:
        raise change_set_errors.ChangeSetStale(change_set=found.id,
                                               changed=changed)


def _givers_of(found: Any) -> list[str]:
    """Return the ids of the stacks that a change set takes resources of."""
    return plan_givers.ids_of(found.definition.get('moves'))


def _claim(context: Any, found: Any) -> Callable[[str], None]:
    """Return what makes a change set EXECUTED where its operation begins.

    Both happen in one transaction, or neither. The stack itself is swapped
    by that transaction; all others are compared here.
    """
    def claim(stack_id: str) -> None:
        changed = found.base and plan_base.others_changed(
            context, stack_id, found.base, _givers_of(found))
        if changed:
            raise change_set_errors.ChangeSetStale(change_set=found.id,
                                                   changed=changed)
        if not _Set.swap(context, found.id, _Status.AVAILABLE, {
                'status': _Status.EXECUTED, 'stack_id': stack_id}):
            present = _Set.get_by_id(context, found.id)
            if present is None:
                raise change_set_errors.ChangeSetNotFound(
                    change_set=found.id)
            raise change_set_errors.ChangeSetNotExecutable(
                change_set=found.id, status=present.status)
    return claim


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


def _of_stack(context: Any, current: Any) -> dict[str, Any]:
    """Return the columns about the stack of a change set, or of a new one.

    A stack without resources is false, so it is compared with None.
    """
    if current is None:
        return {'tenant': context.project_id, 'stack_id': None,
                'action': _States.CREATE}
    return {'tenant': current.tenant_id, 'stack_id': current.id,
            'action': _States.UPDATE}


def _moved(current: Any, updated: Any, request: _Request, *,
           is_new: bool = False) -> plan_moves.Moved:
    """Return what the moves and imports of a request lead to."""
    return plan_moves.of_update(
        current, updated, plan_requested.moves_of(request.moves),
        plan_requested.imports_of(request.imports), is_new=is_new)


def _imports_of_new(goal: Any, request: _Request
                    ) -> list[plan_requested.Import]:
    """Return what a stack to be created takes over.

    :raises MoveNotPossible: the request has moves, and nothing can move.
    """
    for move in plan_requested.moves_of(request.moves):
        raise move.refused(_('the stack must be created first'))
    return plan_new_stack.imports_of(
        goal, plan_requested.imports_of(request.imports))


def _drop_beginning(context: Any, row: Any) -> None:
    """Delete a stored stack whose creation has been refused.

    It has not begun, unless another execution was faster.
    """
    present = plan_new_stack.interrupted(context, row.id)
    if present is not None:
        stack_module.Stack.load(context, stack=present).delete()


class _Planning:
    """The planning of a validated request.

    :param current: the stack to be updated; None to create one
    """

    def __init__(self, context: Any, current: Any, stack_name: str | None,
                 request: _Request) -> None:
        self._context = context
        self._current = current
        self._text = request.text
        self._reverts_drift = bool(request.args.get(_REVERT_DRIFT))
        self._moved: plan_moves.Moved | None = None
        before = current
        if current is None:
            self._goal = service_definition.new_stack(
                context, stack_name, request.definition, request.args,
                may_import=True)
            guards.stack_may_be_adopted(self._goal)
            if _imports_of_new(self._goal, request):
                before = plan_new_stack.planned_beginning_of(self._goal)
                self._moved = _moved(before, self._goal, request,
                                     is_new=True)
        else:
            self._goal = service_definition.updated_stack(
                context, current, request.definition, request.args)
            self._moved = _moved(current, self._goal, request)
        #: The stack as it is, or as its creation with imports begins.
        self._before = before
        #: The number of resources that there will be.
        self.total = stack_validation.tree_size(self._goal)
        self.plan = change_plan.Plan()

    def steps(self) -> Iterator[None]:
        """Plan from the beginning, and yield after each resource."""
        self.plan = change_plan.Plan(live=live_state.LiveState(
            self.total) if self._reverts_drift else None)
        if self._before is None:
            return change_plan.create_steps(self.plan, self._goal)
        return change_plan.update_steps(self.plan, self._before, self._goal,
                                        self._moved, self._text)

    def outcome(self) -> dict[str, Any]:
        """Return the columns that say what the request would do."""
        plan, state, reason = self.plan, _Status.AVAILABLE, ''
        if plan.errors:
            state = _Status.FAILED
            reason = plan.masked('; '.join(plan.errors))
        elif self._current is not None and not plan.has_changes():
            state = _Status.NO_CHANGES
            reason = _('The stack is as the request describes it.')
        if self._current is not None and protection.mark_refused(
                self._context, self._current, plan.changes) and (
                    state == _Status.AVAILABLE):
            reason = _('The policy of the stack does not allow all changes.')
        if self._current is None:
            # What it was planned from is not stored.
            plan.warrant.pop('base', None)
        return {'status': state, 'status_reason': reason,
                'changes': {'shown': plan.shown(), 'warrant': plan.warrant}}

    def at_once(self) -> dict[str, Any] | None:
        """Return the columns of a small tree; None if it takes too long."""
        if self.total > cfg.CONF.change_set_immediate_resources:
            return None
        try:
            for _step in self.steps():
                pass
        except request_budget.Exceeded:
            return None
        return self.outcome()


def plan_again(pool: Any, found: Any) -> None:
    """Begin to plan a change set that a dead engine has left.

    Only the credentials of a stack are stored. Those of a user who wants to
    create one have gone with the engine.
    """
    admin = heat_context.get_admin_context()
    try:
        if found.stack_id is None:
            raise exception.Error(_(
                'The engine that was planning it has stopped. Create the '
                'change set again.'))
        current = stack_module.Stack.load(admin, found.stack_id,
                                          use_stored_context=True)
        planning = _Planning(current.context, current, found.stack_name,
                             _Request.from_dict(found.definition))
    except outage.Unavailable:
        # A later look tries again.
        raise
    except Exception as error:  # noqa: BLE001 (plugins raise anything)
        _Set.swap(admin, found.id, _Status.CREATE_IN_PROGRESS,
                  plan_background.failure(exception.text_of(error)),
                  found.engine_id)
        return
    _plan_beside(pool, current.context, found, planning)


def _plan_beside(pool: Any, context: Any, found: Any, planning: _Planning
                 ) -> None:
    """Begin to plan in the background; the row says which engine does."""
    pool.spawn(plan_background.plan_task(
        context, found.id, found.engine_id, planning.steps(),
        planning.outcome), 'plan change set %s' % found.id)


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
