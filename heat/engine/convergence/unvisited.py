"""Find resources and nested stacks that an update need not visit.

A resource needs no visit if its definition is unchanged. A nested stack needs
none if its definition in the parent stack is unchanged and each of its
resources matches its definition. The update of such a nested stack is recorded
in the transaction that begins the update of the parent, with the usual states
and events. In case of doubt the nested stack is visited.
"""
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
import dataclasses
import json
from typing import Any
import uuid

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import environment_format as env_fmt
from heat.common import metrics
from heat.common import timeutils
from heat.engine import environment
from heat.engine import lifecycle_plugin
from heat.engine import notification
from heat.engine import status
from heat.engine.cluster import event_wakeup
from heat.engine.comparison import unchanged
from heat.engine.language import environment_registry
from heat.engine.lifecycle import record
from heat.engine.stacks import events as stack_events
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import interface
from heat.engine.stacks import redaction
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.objects import raw_template as template_objects
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus
_S = status.StackStatus

#: The maximum number of nested stacks that are recorded in one transaction,
#: which takes about a second. If there are more, the direct children are
#: visited, and the stacks in each of them are recorded when its update begins.
MOST = 3000
#: The maximum number of resources that are compared for one stack.
MOST_RESOURCES = 30000
#: The maximum number of different templates that are analyzed for one stack.
_MOST_KINDS = 50
#: The resources of a template that contains one of these texts may depend on
#: parameters.
_CHOOSING = ('ondition', '"if"', 'Fn::If')
#: Sections of an environment that nested stacks take from it.
_PASSED_ON = env_fmt.PARAMETER_DEFAULTS, env_fmt.EVENT_SINKS
#: Actions after which a nested stack does not match its template.
_AWAY = frozenset([_S.DELETE, _S.SUSPEND])


@dataclasses.dataclass(frozen=True, slots=True)
class NestedStack:
    """A nested stack that needs no change.

    :ivar stack: the row of the nested stack
    :ivar holder: the row of the resource that contains it
    :ivar type: the type of that resource
    """

    stack: stack_objects.Stack
    holder: resource_objects.ResourceState
    type: str


#: The stacks inside resources, at all depths, by resource name. Parents
#: precede their children.
Trees = dict[str, list[NestedStack]]


@dataclasses.dataclass(frozen=True, slots=True)
class _Kind:
    """The properties that stacks made from the same template share.

    :ivar names: the names of the resources
    :ivar nested: {name: type} of the resources that contain stacks
    """

    names: frozenset[str]
    nested: dict[str, str]


def find(stack: interface.Stack, target: Any,
         needs: Mapping[str, Iterable[str]]) -> tuple[frozenset[str], Trees]:
    """Return the names of resources that need no visit, and their trees.

    keep() and changed() must confirm the result in the transaction that begins
    the update.

    :param target: the stack with the new definitions
    :param needs: {name: names of required resources} of the target
    """
    comparison = unchanged.Comparison(stack, target)
    trees = _trees(stack, target, comparison)
    return comparison.names(needs, trees), trees


def keep(names: Collection[str], needs: Mapping[str, Iterable[str]],
         rows: Mapping[str, resource_objects.Resource],
         templates: tuple[int, int]) -> list[resource_objects.Resource]:
    """Return the rows that need no visit, assigned to the new template.

    :param names: names of resources whose definitions are unchanged
    :param rows: rows by resource name
    :param templates: ids of the old and the new template
    """
    old, new = templates
    kept: dict[str, resource_objects.Resource] = {}
    for name, needed in needs.items():
        row = rows.get(name)
        if (name in names and row is not None and
                unchanged.is_well(row, old) and kept.keys() >= set(needed)):
            kept[name] = row
            row.current_template_id = new
    return list(kept.values())


def _trees(stack: interface.Stack, target: Any,
           comparison: unchanged.Comparison) -> Trees:
    """Return the trees of nested stacks that need no change."""
    types = comparison.nested()
    if not types or not _may_have_any(stack, target):
        return {}
    try:
        trees: Trees = transaction.read(
            stack.context, lambda: _Search(stack).trees(types))
    except _TooMany:
        return {}
    return trees


def _may_have_any(stack: interface.Stack, target: Any) -> bool:
    """Return whether definitions alone decide if nested stacks are visited.

    Event sinks, lifecycle plugins and notifications receive every step of an
    operation, so nested stacks are visited where these are in use.
    """
    before, env, warrant = stack.env, target.env, target.warrant
    return ((warrant is None or
             not warrant.skipped and warrant.reverts is None) and
            target.timeout_mins == stack.timeout_mins and
            _passed_on(env) == _passed_on(before) and
            env.inherited == before.inherited and
            not env.registry.as_dict()[environment_registry.RESOURCES] and
            not env.get_event_sinks() and
            template_store.has_same_files(target.t, stack.t) and
            not lifecycle_plugin.plugins() and
            not notification.is_sent() and
            _secrets_of(target) == _secrets_of(stack))


def _passed_on(env: environment.Environment) -> str:
    """Return the sections that nested stacks take from an environment.

    The resource registry, which is one of them, is compared elsewhere.
    """
    sections = env.user_env_as_dict()
    return json.dumps([sections[name] for name in _PASSED_ON])


def _secrets_of(stack: interface.Stack) -> tuple[set[str], set[str]]:
    """Return the names and values that nested stacks have to hide."""
    return redaction.hidden_parameters(stack), redaction.secrets_of(stack)


class _TooMany(Exception):
    """The limit of nested stacks, or that of their resources, is exceeded."""


class _Search:
    """Reads the stacks nested in a stack level by level and compares them."""

    def __init__(self, stack: interface.Stack) -> None:
        self._stack = stack
        self._context = stack.context
        self._kinds: dict[str, _Kind | None] = {}
        self._kind_of: dict[str, _Kind | None] = {}
        self._children: dict[str, stack_objects.Stack] = {}
        self._rows: dict[str, dict[str, resource_objects.ResourceState]] = {}
        # Stacks with two rows for a resource.
        self._in_doubt: set[str] = set()

    def trees(self, types: Mapping[str, str]) -> Trees:
        """Return the trees inside resources, which are given as {name: type}.
        """
        self._read_rows([self._stack.id])
        holders = [row for name, row in self._rows[self._stack.id].items()
                   if name in types]
        owners = [self._stack.id]
        while owners:
            children = self._read_children(owners, holders)
            if len(self._children) > MOST:
                raise _TooMany
            self._read_rows([row.id for row in children])
            inner = [row for row in children if self._nested_in(row)]
            owners = [row.id for row in inner]
            holders = [self._rows[row.id][name] for row in inner
                       for name in self._nested_in(row)
                       if name in self._rows[row.id]]
        found = {}
        for name, resource_type in types.items():
            holder = self._rows[self._stack.id].get(name)
            if holder is None or not unchanged.is_well(holder,
                                                       self._stack.t.id):
                continue
            tree = self._tree(holder, resource_type)
            if tree is not None:
                found[name] = tree
        return found

    def _read_children(self, owners: list[str],
                       holders: list[resource_objects.ResourceState]
                       ) -> list[stack_objects.Stack]:
        """Read the stacks in `holders`; return those that may be unchanged."""
        wanted = {row.physical_resource_id: row for row in holders}
        rows = [row for row in stack_objects.Stack.get_all_by_owner_ids(
            self._context, owners, graph=stack_objects.Graph.NONE)
            if row.id in wanted and self._is_at_rest(row, wanted[row.id])]
        self._find_kinds(rows)
        children = [row for row in rows if self._kind_of[row.id] is not None]
        self._children.update((row.id, row) for row in children)
        return children

    def _is_at_rest(self, row: stack_objects.Stack,
                    holder: resource_objects.ResourceState) -> bool:
        """Return whether the parent stack made the last change to a stack.

        An update by the parent gives the stack and its resource the same time.
        """
        return bool(row.owner_id == holder.stack_id and
                    row.status == _S.COMPLETE and row.action not in _AWAY and
                    stack_store.is_convergent(row) and
                    row.current_traversal and not row.backup and
                    row.timeout == self._stack.timeout_mins and
                    row.updated_at in (None, holder.updated_at))

    def _read_rows(self, stack_ids: list[str]) -> None:
        self._rows.update((stack_id, {}) for stack_id in stack_ids)
        left = MOST_RESOURCES - sum(map(len, self._rows.values()))
        states = resource_objects.Resource.get_states(
            self._context, stack_ids, left + 1)
        if len(states) > left:
            raise _TooMany
        for row in states:
            rows = self._rows[row.stack_id]
            if row.name in rows:
                self._in_doubt.add(row.stack_id)
            rows[row.name] = row

    def _nested_in(self, row: stack_objects.Stack) -> Mapping[str, str]:
        kind = self._kind_of[row.id]
        return {} if kind is None else kind.nested

    def _tree(self, holder: resource_objects.ResourceState, resource_type: str
              ) -> list[NestedStack] | None:
        """Return the stacks inside a resource; None if one needs a visit."""
        child = self._children.get(holder.physical_resource_id or '')
        if child is None:
            return None
        kind, rows = self._kind_of[child.id], self._rows[child.id]
        if kind is None or child.id in self._in_doubt or (
                rows.keys() != kind.names) or not all(
                unchanged.is_well(row, child.raw_template_id)
                for row in rows.values()):
            return None
        tree = [NestedStack(child, holder, resource_type)]
        for name, inner_type in kind.nested.items():
            inner = self._tree(rows[name], inner_type)
            if inner is None:
                return None
            tree += inner
        return tree

    # -- templates ----------------------------------------------------------

    def _find_kinds(self, rows: list[stack_objects.Stack]) -> None:
        """Determine the kinds of stacks; analyze each template once."""
        definitions = template_objects.RawTemplate.get_definitions(
            self._context, {row.raw_template_id for row in rows})
        for row in rows:
            # A template is deleted when its stack gets another one.
            template, environment = definitions.get(row.raw_template_id,
                                                    (None, None))
            text = json.dumps(template)
            chooses = any(word in text for word in _CHOOSING)
            text += json.dumps(environment if chooses or not environment
                               else environment.get(
                                   env_fmt.RESOURCE_REGISTRY))
            if text not in self._kinds:
                self._kinds[text] = (
                    self._look_into(row)
                    if template and len(self._kinds) < _MOST_KINDS else None)
            self._kind_of[row.id] = self._kinds[text]

    def _look_into(self, row: stack_objects.Stack) -> _Kind | None:
        """Return the kind of a stack; None if its template requires a visit.
        """
        try:
            stack = stack_store.load(type(self._stack), self._context, row)
            if stack.t.shares_values():
                return None
            needs = stack_graph.needs(stack.dependencies)
            comparison = unchanged.Comparison(stack, stack)
            nested = comparison.nested()
            if comparison.names(needs, nested) != needs.keys():
                return None
            return _Kind(frozenset(needs), nested)
        except Exception:
            # Plugins raise any exception; the visit reports it.
            LOG.debug('Stack %s is not compared with its template', row.id,
                      exc_info=True)
            return None


# -- recording --------------------------------------------------------------

def changed(context: heat_context.RequestContext, trees: Iterable[Trees]
            ) -> set[str]:
    """Return the ids of nested stacks that have changed since find().

    The other nested stacks stay locked until the transaction ends.
    """
    found = {each.stack.id: each.stack for some in trees
             for tree in some.values() for each in tree}
    if not found:
        return set()
    states = stack_objects.Stack.lock_many(context, sorted(found))
    return {stack_id for stack_id, row in found.items()
            if states.get(stack_id) != stack_objects.StackState.of_row(row)}


def still(trees: Trees, rows: Mapping[str, resource_objects.Resource],
          changed_below: AbstractSet[str]) -> Trees:
    """Return the trees that have not changed since find().

    :param rows: the rows of the resources, by name
    :param changed_below: the result of changed()
    """
    return {name: tree for name, tree in trees.items()
            if name in rows and rows[name].id == tree[0].holder.id and
            changed_below.isdisjoint(each.stack.id for each in tree)}


def write(context: heat_context.RequestContext,
          trees: Sequence[Collection[NestedStack]]) -> None:
    """Record the updates of nested stacks, from start to completion.

    :param trees: nested stacks; parents precede their children
    """
    every = [each for tree in trees for each in tree]
    if not every:
        return
    now = timeutils.utcnow()
    completed = stack_state.completion_reason(_S.UPDATE)
    state = {'action': _S.UPDATE, 'status': _S.COMPLETE, 'updated_at': now}
    stack_objects.Stack.set_many(
        context, [each.stack.id for each in every],
        {**state, 'status_reason': completed, 'prev_raw_template_id': None,
         # Operations that loaded a stack earlier are refused.
         'current_traversal': str(uuid.uuid4())})
    resource_objects.Resource.update_many(
        context, [each.holder.id for each in every],
        {**state, 'status_reason': record.REASON})
    started = stack_state.start_reason(_S.UPDATE)
    events = []
    for tree in trees:
        for each in tree:
            events += [
                stack_events.row_values(each.holder, each.type, _R.UPDATE,
                                        _R.IN_PROGRESS, record.REASON),
                stack_events.stack_values(each.stack, _S.UPDATE,
                                          _S.IN_PROGRESS, started)]
        for each in reversed(list(tree)):
            events += [
                stack_events.stack_values(each.stack, _S.UPDATE, _S.COMPLETE,
                                          completed),
                stack_events.row_values(each.holder, each.type, _R.UPDATE,
                                        _R.COMPLETE, record.REASON)]
    stack_events.add_many(context, events)


def note(row: resource_objects.Resource) -> None:
    """Update the record of a resource to match what write() stores."""
    row.action, row.status = _R.UPDATE, _R.COMPLETE
    row.status_reason = record.REASON


def announce(stack: interface.Stack, number: int) -> None:
    """Count recorded updates in metrics, and wake clients of event streams."""
    if not number:
        return
    LOG.info('Stack %s (%s): %d nested stacks are unchanged', stack.name,
             stack.id, number)
    metrics.STACK_ACTIONS.labels(_S.UPDATE, _S.COMPLETE).inc(number)
    for _each in range(number):
        metrics.count_action(metrics.TEMPLATE, _R.UPDATE, _R.COMPLETE, 0)
    event_wakeup.stored()
