"""The view that one process has of one traversal of a stack.

The definition and the graph are read once; rows and node data come in as
nodes become ready, many at a time. All of it can be lost at any moment:
the database has the truth.
"""
from collections.abc import Collection, Iterable
import dataclasses
import datetime
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.engine import rsrc_defn
from heat.engine import status
from heat.engine import stk_defn
from heat.engine.convergence import sync_point
from heat.engine.convergence import transitions
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import interface
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

Node = stack_graph.Node

_R = status.ResourceStatus
_S = status.StackStatus

IN_PROGRESS = _S.IN_PROGRESS

#: Actions that bring resources to what a template says of them.
CONVERGING = frozenset([_S.CREATE, _S.UPDATE, _S.ROLLBACK, _S.ADOPT,
                        _S.RESTORE])


#: Actions that begin with no node done.
_VISITING_ALL = frozenset([_S.CREATE, _S.DELETE])


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """Facts about an operation that every engine working on it needs.

    They are kept with the sync point of the stack.

    :ivar templates: ids of those that may be of no use afterwards
    :ivar reinstated: (row, its replacement), where the former counts again
    :ivar held: (row, engine) as held for the operation before this one
    :ivar failure: why the operation has failed, before the stack is told
    :ivar engine: who began the operation, and sees to it
    :ivar warrant: data of the Warrant of a change set, or None
    :ivar retained: paths of the resources that a deletion leaves
    """

    adopt: dict[str, Any] | None = None
    converge: bool = False
    abandon: bool = False
    snapshot_id: str | None = None
    templates: tuple[int, ...] = ()
    reinstated: tuple[tuple[int, int], ...] = ()
    held: tuple[tuple[int, str], ...] = ()
    failure: str | None = None
    resumed: str | None = None
    engine: str | None = None
    warrant: dict[str, Any] | None = None
    retained: tuple[str, ...] = ()

    def resumed_at(self) -> datetime.datetime | None:
        """Return when the time of the operation was given anew."""
        if self.resumed is None:
            return None
        return datetime.datetime.fromisoformat(self.resumed)

    def as_dict(self) -> dict[str, Any]:
        """Return what differs from the defaults, as JSON can hold it."""
        return {field.name: value for field in dataclasses.fields(self)
                if (value := getattr(self, field.name)) != field.default}

    @classmethod
    def from_dict(cls, data: dict[str, Any] | None) -> 'Options':
        """Rebuild from as_dict(); what is not known is left out."""
        known = {field.name for field in dataclasses.fields(cls)}
        given = {name: value for name, value in (data or {}).items()
                 if name in known}
        for name in ('templates', 'retained'):
            given[name] = tuple(given.get(name) or ())
        for name in ('reinstated', 'held'):
            given[name] = tuple(
                (row_id, other) for row_id, other in given.get(name, ()))
        return cls(**given)

    @classmethod
    def of(cls, stack: interface.Stack | stack_objects.Stack, point: Any
           ) -> 'Options':
        """Return the facts about the operation of a stack, or of its row.

        Heat stores none. They follow from the stack: a traversal that takes
        a snapshot has its id, and one template may be of no use afterwards.

        :param point: the sync point of the stack, or None
        """
        if point is None or point.extra_data is not None:
            return cls.from_dict(point and point.extra_data)
        before = stack.prev_raw_template_id
        return cls(
            snapshot_id=(stack.current_traversal
                         if stack.action == _S.SNAPSHOT else None),
            templates=() if before is None else (before,))


class TraversalState:
    """A traversal: its stack, graph and what is known of its resources.

    Nodes are named by the id of the row they started with; when that row
    is replaced during the traversal, row_of() follows.
    """

    def __init__(self, stack: interface.Stack, graph: stack_graph.StackGraph,
                 options: Options, done: Collection[Node] | None = None
                 ) -> None:
        """Make the state of a stack's current traversal.

        :param done: nodes that need no visit, if they are known
        """
        self.stack = stack
        if done is None and stack.action in _VISITING_ALL:
            done = frozenset()
        self._done = done
        # Whether the stack has snapshots, if that is known.
        self.has_snapshots: bool | None = None
        self.graph = graph
        self.options = options
        stack.warrant = stack_warrant.Warrant.from_dict(options.warrant)
        # Nested stacks look at what is there, too.
        stack.converge = options.converge
        stack.retained = options.retained
        #: {row that counts again: its replacement}, 0 if it was never made.
        self.reinstated = dict(options.reinstated)
        #: The id of the traversal.
        self.id: Any = stack.current_traversal
        self._rows: dict[Node, resource_objects.Resource] = {}
        self._resources: dict[int, interface.Resource] = {}
        self._actual: dict[int, int] = {}
        self._published: set[int] = set()
        self._definitions: dict[int, stk_defn.StackDefinition] = {}

    @property
    def context(self) -> heat_context.RequestContext:
        """Return the context that the work is done with."""
        return self.stack.context

    @property
    def action(self) -> str:
        """Return the action of the stack's operation."""
        return self.stack.action

    def finish_of(self, node: Node) -> transitions.FinishNode:
        """Return what is recorded with the good outcome of a node."""
        return transitions.finish_of(self.graph, node, self._done)

    def needed_no_visit(self, node: Node) -> bool:
        """Return whether a node is known to have been done at first."""
        return self._done is not None and node in self._done

    # -- rows and resources -------------------------------------------------

    def know_rows(self, rows: Iterable[resource_objects.Resource]) -> None:
        """Remember rows as they were when the traversal began."""
        for row in rows:
            node = (row.id, True)
            self._rows[node if node in self.graph else (row.id, False)] = row

    def know_resource(self, key: int, resource: interface.Resource) -> None:
        """Remember the resource to be made for a node."""
        self._resources[key] = resource

    def replaced(self, key: int, row: resource_objects.Resource) -> None:
        """Continue with another row under the same update node."""
        self._resources.pop(key, None)
        self._actual[key] = row.id
        self._rows[key, True] = row

    def forget(self, node: Node) -> None:
        """Drop what was read of a node's row: it is out of date."""
        self._rows.pop(node, None)
        if node[1]:
            self._resources.pop(node[0], None)

    def actual_id(self, key: int) -> int:
        """Return the row that stands for an update node, if known."""
        return self._actual.get(key, key)

    def knows(self, node: Node) -> bool:
        """Return whether a node can be worked on without reading its row."""
        key, is_update = node
        if node in self._rows:
            return True
        if is_update:
            return key in self._resources
        return key in self._published and self.is_wanted(node)

    def row_of(self, node: Node) -> resource_objects.Resource | None:
        """Return the row that stands for a node; None when it is gone."""
        return self._rows.get(node)

    def resource_of(self, node: Node) -> interface.Resource | None:
        """Return the resource of a node, as its row says it was last.

        None when the row is gone, or nothing defines such a resource.
        """
        if node[1] and node[0] in self._resources:
            return self._resources[node[0]]
        row = self.row_of(node)
        return None if row is None else self._resource_of_row(row)

    def _resource_of_row(self, row: resource_objects.Resource
                         ) -> interface.Resource | None:
        definition = self._definition_of(row)
        if definition is None:
            return None
        return self.stack.resource_of(row, definition)

    def _definition_of(self, row: resource_objects.Resource
                       ) -> rsrc_defn.ResourceDefinition | None:
        """Return the definition a row was made from, or will be."""
        defns = [self._defn(row.current_template_id), self.stack.defn]
        if row.action == _R.INIT or stack_graph.is_gone(row):
            defns.reverse()
        for defn in defns:
            if defn is not None and row.name in defn.all_rsrc_names():
                definition = defn.resource_definition(row.name)
                if defn is not self.stack.defn:
                    definition.note_origin(defn.t)
                return definition
        return None

    def _defn(self, template_id: int | None
              ) -> stk_defn.StackDefinition | None:
        stack = self.stack
        if template_id is None or template_id == stack.t.id:
            return stack.defn
        if template_id not in self._definitions:
            try:
                tmpl = stack_store.parsed_template(stack.context, template_id)
            except exception.NotFound:
                LOG.warning('Template %s of stack %s is gone', template_id,
                            stack.id)
                return None
            self._definitions[template_id] = (
                stack.defn.clone_with_new_template(tmpl, stack.identifier()))
        return self._definitions[template_id]

    def nodes_of_row(self, row_id: int) -> list[Node]:
        """Return the nodes that can be at work on a row.

        A row that replaced others goes by the node of the first of them.
        """
        nodes = [(row_id, True), (row_id, False)]
        seen = {row_id}
        row = resource_objects.Resource.get_obj(self.context, row_id)
        elder = row.replaces if row is not None else None
        while elder is not None and elder not in seen:
            seen.add(elder)
            nodes.append((elder, True))
            row = resource_objects.Resource.get_obj(self.context, elder)
            elder = row.replaces if row is not None else None
        return [node for node in nodes if node in self.graph]

    def desired(self, name: str) -> rsrc_defn.ResourceDefinition:
        """Return the definition that a resource is to have."""
        return self.stack.defn.resource_definition(name)

    def required_ids(self, node: Node) -> set[int]:
        """Return the rows that the resource of an update node needs."""
        return {self.actual_id(key)
                for key, is_update in self.graph.requires(node) if is_update}

    def is_wanted(self, node: Node) -> bool:
        """Return whether the row of a clean-up node has its place in the goal.

        It has when there is an update node for it, unless that made a
        replacement.
        """
        key = node[0]
        row = self.row_of(node)
        return ((key, True) in self.graph and
                self.actual_id(key) == key and
                (row is None or row.replaced_by is None))

    # -- what others may know -----------------------------------------------

    def tell(self, key: int, resource: interface.Resource,
             node_data: Any = None) -> None:
        """Let the definition know the results of a resource."""
        if node_data is None:
            node_data = resource.node_data(self.stack.defn)
        stk_defn.update_resource_data(self.stack.defn, resource.name,
                                      node_data)
        self._published.add(key)

    def take_back(self, key: int) -> None:
        """Forget the results of a resource: they are not what is stored."""
        self._published.discard(key)

    def is_ready_to_visit(self, node: Node) -> bool:
        """Return whether the node can be visited without reading anything."""
        return self.knows(node) and not self.unpublished(node)

    def unpublished(self, node: Node) -> set[int]:
        """Return the nodes whose results the node's definition may use."""
        if not node[1] or self.action not in CONVERGING:
            return set()
        return {key for key, is_update in self.graph.requires(node)
                if is_update and key not in self._published}

    def read(self, nodes: Collection[Node]) -> None:
        """Read the rows that working on nodes takes, in bulk."""
        unknown = [node for node in nodes if not self.knows(node)]
        needed = {key for node in nodes for key in self.unpublished(node)}
        updates = {key for key, is_update in unknown if is_update} | needed
        rows = self._fetch({key for key, _is_update in unknown} |
                           set(map(self.actual_id, updates)))
        latest = self._follow(updates, rows)
        for node in unknown:
            row = latest.get(node[0]) if node[1] else rows.get(node[0])
            if row is not None:
                self._rows[node] = row
        for key in needed & latest.keys():
            resource = self._resource_of_row(latest[key])
            if resource is not None:
                self.tell(key, resource)

    def _follow(self, keys: Iterable[int], rows: dict[int, Any]
                ) -> dict[int, Any]:
        """Return {key: row} of update nodes, past all replacements."""
        latest = {key: rows[self.actual_id(key)] for key in keys
                  if self.actual_id(key) in rows}
        while True:
            todo = {key: row.replaced_by for key, row in latest.items()
                    if row.replaced_by is not None}
            found = self._fetch(todo.values()) if todo else {}
            if not found:
                return latest
            for key, row_id in todo.items():
                if row_id in found:
                    self._actual[key] = row_id
                    latest[key] = found[row_id]

    def _fetch(self, ids: Iterable[int]) -> dict[int, Any]:
        return {row.id: row for row in resource_objects.Resource.get_many(
            self.context, sorted(set(ids)))}


def load(stack_class: type[interface.Stack],
         context: heat_context.RequestContext, stack_id: str,
         traversal_id: str | None = None, *, use_stored_context: bool = False
         ) -> TraversalState | None:
    """Read a traversal that is in progress; None when there is none.

    :param stack_class: has load(); its stack is part of the state.
    :param traversal_id: the one meant; None for whichever is current.
    """
    row = stack_objects.Stack.get_by_id(context, stack_id)
    if row is None or row.status != _S.IN_PROGRESS or (
            not row.current_traversal) or (
            traversal_id is not None and
            row.current_traversal != traversal_id):
        return None
    point = sync_point.of_stack(context, stack_id, row.current_traversal)
    if point is None:
        return None
    state = of_row(stack_class, context, row, Options.of(row, point),
                   use_stored_context=use_stored_context)
    if point.pending is None and not sync_point.take_over(
            context, stack_id, state.id, state.graph):
        return None
    return state


def of_row(stack_class: type[interface.Stack],
           context: heat_context.RequestContext, row: Any, options: Options, *,
           use_stored_context: bool = False) -> TraversalState:
    """Return what a stack's row says of its current traversal."""
    stack = stack_class.load(context, stack=row,
                             use_stored_context=use_stored_context)
    stack.resumed_time = options.resumed_at()
    return TraversalState(stack, stack_graph.graph_from_deps(
        row.current_deps), options)
