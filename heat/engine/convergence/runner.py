"""Keep the nodes of traversals going in this process.

What becomes ready here runs here while there is room; the rest waits or
goes out to other engines. Each process keeps its own view of a traversal,
which it can lose at any time.
"""
import collections
from collections.abc import Callable, Collection, Iterable
import threading
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.engine.cluster import interface as cluster_interface
from heat.engine.cluster import peers
from heat.engine.convergence import chain
from heat.engine.convergence import end as traversal_end
from heat.engine.convergence import nested_admission
from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import sync_point
from heat.engine.convergence import transitions
from heat.engine.convergence import visit as check_resource
from heat.engine.convergence import visiting
from heat.engine.convergence import worklist
from heat.engine.convergence.worklist import NodeState
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import scheduler
from heat.objects import stack as stack_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

Node = transitions.Node

#: Most nodes in one message to other engines.
NODES_PER_MESSAGE = 50
#: Most ready nodes that one look at the database brings.
NODES_PER_LOOK = 500
#: Most nodes whose rows are read together.
NODES_PER_READ = 500
#: How often, a second apart, a node in hand is tried to be taken over.
_TAKE_OVER_ATTEMPTS = 3
#: Traversals nothing of which runs here, but which are remembered.
_IDLE_KEPT = 64


class TraversalRunner:
    """Runs ready nodes, follows up on their outcomes.

    :param engine_context: stack_driver.EngineContext
    :param ending: has the tasks complete(state) and fail(state, reason),
        which return whether the traversal was still the current one
    """

    def __init__(self, engine_context: cluster_interface.EngineContext,
                 ending: Any, max_inflight: int | None = None) -> None:
        self._engine = engine_context
        self._ending = ending
        self._max_inflight = max_inflight
        self._lock = threading.RLock()
        self._walks: collections.OrderedDict[Any, worklist.Walk] = (
            collections.OrderedDict())
        self._peers = peers.Peers(engine_context.engine_id)
        self._turns = nested_admission.NestedTurns(engine_context.pool,
                                                   self._lock)
        self._handing_over = False
        self.visits = worklist.Visits()
        self._visiting = visiting.Visiting(
            self._lock, self.visits, self._turns, visiting.Hooks(
                self._pump, self._node_task, self._run,
                lambda: not self._handing_over))

    def load(self) -> tuple[int, int, set[str]]:
        """Return (nodes in flight, nodes that wait, ids of their stacks)."""
        with self._lock:
            walks = list(self._walks.values())
            return (sum(walk.number(*worklist.RUNNING) for walk in walks),
                    sum(walk.number(NodeState.QUEUED) for walk in walks),
                    {walk.state.stack.id for walk in walks
                     if not walk.is_idle()})

    # -- what comes in ------------------------------------------------------

    def begin(self, state: traversal_state.TraversalState,
              done: Collection[Node] = frozenset()) -> None:
        """Take up a traversal that this process has just started.

        :param done: nodes that need no visit
        """
        walk = worklist.Walk(state)
        walk.remaining = len(state.graph) - len(done)
        with self._lock:
            for old in self._known(state.stack.id):
                self._close(old)
            self._walks[state.id] = walk
        ready = sync_point.ready_at_first(state.graph, done)
        if ready:
            self._take_up(walk, ready)
        elif not walk.remaining:
            self._spawn(self._complete(walk, is_certain=True),
                        'complete %s' % state.stack.id)
        else:
            self._spawn(self._look_task(state.context, state.stack.id),
                        'complete %s' % state.stack.id)

    def offer(self, context: heat_context.RequestContext, stack_id: str,
              traversal_id: str, nodes: Iterable[Node]) -> None:
        """Consider nodes that somebody says are ready."""
        with self._lock:
            walk = self._walks.get(traversal_id)
            if walk is not None and not walk.closed:
                walk.enqueue(nodes, unverified=True, received=True)
        if walk is not None and not walk.closed:
            self._pump(walk)
            if self._handing_over:
                self._share(walk)
            return
        self._spawn(
            self._offer_task(context, stack_id, traversal_id, nodes),
            'take up %s' % stack_id)

    def look(self, context: heat_context.RequestContext, stack_id: str,
             among: Collection[Node] | None = None) -> None:
        """See what a stack has ready, with the stack's own context.

        :param among: the nodes to look at; None for all there are, and for
            whether there are any left
        """
        self._spawn(self._look_task(context, stack_id, True, among=among),
                    'look at %s' % stack_id)

    def take_over(self, context: heat_context.RequestContext, stack_id: str,
                  row_id: int, dead_engine: str) -> None:
        """Resume the work of a dead engine on a row."""
        self._spawn(self._take_over_task(context, stack_id, row_id,
                                         dead_engine),
                    'take over %s' % row_id)

    def hand_over(self) -> None:
        """Begin nothing more here; leave what is queued to others."""
        with self._lock:
            self._handing_over = True
            walks = [walk for walk in self._walks.values()
                     if not walk.closed]
        for walk in walks:
            self._share(walk)

    def cancel(self, stack_id: str) -> None:
        """Stop what runs for traversals of a stack that are over."""
        with self._lock:
            tasks = [task for walk in self._walks.values()
                     if walk.closed and walk.state.stack.id == stack_id
                     for task in walk.tasks()]
        for task in tasks:
            task.throw(check_resource.VisitCancelled())

    def drop_overtaken(self, context: heat_context.RequestContext,
                       stack_id: str) -> None:
        """Stop what we do for operations of a stack that are over."""
        known = self._known(stack_id)
        row = stack_objects.Stack.get_by_id(context, stack_id)
        self._supersede(known, row.current_traversal if row else None)
        self.cancel(stack_id)

    def working_on(self) -> set[str]:
        """Return the ids of stacks whose nodes wait here for their turn.

        What has begun says nothing of nodes that somebody lost.
        """
        with self._lock:
            return {walk.state.stack.id for walk in self._walks.values()
                    if walk.number(NodeState.QUEUED)}

    def in_flight(self, traversal_id: str) -> frozenset[Node]:
        """Return the nodes of a traversal that are visited here now."""
        with self._lock:
            walk = self._walks.get(traversal_id)
            return frozenset() if walk is None else frozenset(
                walk.nodes_in(*worklist.RUNNING))

    def delegated(self, traversal_id: str) -> frozenset[Node]:
        """Return the nodes of a traversal that others were asked to visit.
        """
        with self._lock:
            walk = self._walks.get(traversal_id)
            return frozenset() if walk is None else frozenset(
                walk.nodes_in(NodeState.DELEGATED))

    # -- traversals ---------------------------------------------------------

    def _walk_of(self, context: heat_context.RequestContext, stack_id: str,
                 traversal_id: str | None = None, stored_context: bool = False
                 ) -> worklist.Walk | None:
        """Return the walk of a current traversal, loading it if need be."""
        with self._lock:
            walk = self._walks.get(traversal_id)
            if walk is not None and not walk.closed:
                self._walks.move_to_end(traversal_id)
                return walk
        known = self._known(stack_id)
        state = traversal_state.load(
            self._engine.stack_class, context, stack_id, traversal_id,
            use_stored_context=stored_context)
        if state is None:
            return None
        with self._lock:
            walk = self._walks.get(state.id)
            if walk is None or walk.closed:
                walk = self._walks[state.id] = worklist.Walk(state)
                self._forget_idle()
        self._supersede(known, state.id)
        return walk

    def _known(self, stack_id: str) -> list[worklist.Walk]:
        """Return the walks of a stack that are known so far."""
        with self._lock:
            return [walk for walk in self._walks.values()
                    if walk.state.stack.id == stack_id]

    def _supersede(self, known: Iterable[worklist.Walk],
                   traversal_id: str | None) -> None:
        """Begin nothing more for walks but that of the given traversal.

        It must have been read after they were known: a traversal that is
        not current then will never be current again.
        """
        with self._lock:
            for walk in known:
                if walk.state.id != traversal_id:
                    self._close(walk)

    def _forget_idle(self) -> None:
        idle = [traversal_id for traversal_id, walk in self._walks.items()
                if walk.is_idle()]
        for traversal_id in idle[:-_IDLE_KEPT]:
            del self._walks[traversal_id]

    def _close(self, walk: worklist.Walk) -> None:
        """Begin nothing more of a traversal.  The lock is held."""
        walk.close()
        if not walk.number(*worklist.RUNNING):
            self._walks.pop(walk.state.id, None)

    def _offer_task(self, context: heat_context.RequestContext, stack_id: str,
                    traversal_id: str, nodes: Iterable[Node]
                    ) -> scheduler.TaskGenerator[None]:
        """A task to consider nodes of a traversal not known here."""
        walk = self._walk_of(context, stack_id, traversal_id)
        if walk is None:
            yield from self._look_task(context, stack_id)
            return
        self.offer(context, stack_id, traversal_id, nodes)

    def _look_task(self, context: heat_context.RequestContext, stack_id: str,
                   stored_context: bool = False,
                   limit: int = NODES_PER_LOOK,
                   among: Collection[Node] | None = None
                   ) -> scheduler.TaskGenerator[None]:
        """A task to find ready nodes, or that there are none left."""
        row = stack_objects.Stack.get_by_id(context, stack_id)
        if row is None or row.status != traversal_state.IN_PROGRESS or (
                not row.current_traversal):
            return
        walk = self._walk_of(context, stack_id, row.current_traversal,
                             stored_context)
        if walk is None:
            return
        # What runs here is ready, too, in the eyes of the database.
        nodes = sync_point.ready(
            context, walk.state.id,
            limit + walk.number(*worklist.RUNNING),
            among and sorted(among)[:limit])
        if nodes:
            # What is known of their rows may be out of date.
            self._take_up(walk, nodes, unverified=True)
            return
        with self._lock:
            idle = walk.is_idle() and not walk.closed and not walk.ending
        if idle:
            yield from self._complete(walk)

    def _complete(self, walk: worklist.Walk, *, is_certain: bool = False
                  ) -> scheduler.TaskGenerator[None]:
        """A task to end an operation all of whose nodes are done."""
        walk.ending = True
        try:
            yield from self._ending.complete(walk.state,
                                             is_certain=is_certain)
        finally:
            walk.ending = False

    def _revisit_task(self, state: traversal_state.TraversalState, node: Node
                      ) -> scheduler.TaskGenerator[None]:
        """A task to see what the current traversal wants of a row.

        Only of the one that we held for the operation before: others may be
        held, too, and whoever holds them does the same.
        """
        context, stack_id = state.context, state.stack.id
        row = stack_objects.Stack.get_by_id(context, stack_id)
        if row is None or row.status != traversal_state.IN_PROGRESS or (
                row.current_traversal in (None, '', state.id)):
            yield from self._look_task(context, stack_id)
            return
        walk = self._walk_of(context, stack_id, row.current_traversal)
        if walk is None:
            return
        # What ours was to replace waits for us if it counts again.
        nodes = walk.state.nodes_of_row(
            state.actual_id(node[0]) if node[1] else node[0])
        ready = sync_point.ready(context, walk.state.id, among=nodes)
        if not ready:
            yield from self._look_task(context, stack_id, limit=1)
            return
        self._take_up(walk, ready, unverified=True)

    def _take_over_task(self, context: heat_context.RequestContext,
                        stack_id: str, row_id: int, dead_engine: str
                        ) -> scheduler.TaskGenerator[None]:
        """A task to visit the node that a dead engine was visiting."""
        walk = self._walk_of(context, stack_id, stored_context=True)
        if walk is None:
            return
        state = walk.state
        ready = sync_point.ready(context, state.id,
                                 among=state.nodes_of_row(row_id))
        if not ready:
            # Its turn comes later; whoever visits it then finds it held.
            return
        node = ready[0]
        for _attempt in range(_TAKE_OVER_ATTEMPTS):
            if self._reserve(walk, node):
                break
            # Somebody visits it and is about to find the row held.
            yield 1
        else:
            return
        visitor = check_resource.Visitor(self._engine.engine_id, dead_engine)
        try:
            state.forget(node)
            state.read([node])
            ready = sync_point.ready(context, state.id, among=[node])
        except BaseException:
            self._dropped(walk, [node])
            raise
        if ready:
            self._start(walk, node, visitor)
        else:
            self._dropped(walk, [node])

    def _reserve(self, walk: worklist.Walk, node: Node) -> bool:
        """Take a node in hand unless it is; return whether it was free."""
        with self._lock:
            return walk.reserve(node)

    # -- the queue ----------------------------------------------------------

    def _take_up(self, walk: worklist.Walk, nodes: Iterable[Node], *,
                 unverified: bool = False) -> None:
        """Run nodes that are ready, or share them with other engines."""
        with self._lock:
            if walk.closed:
                return
            walk.enqueue(nodes, unverified=unverified)
        self._pump(walk)
        self._share(walk)

    def _limit(self) -> int:
        if self._handing_over:
            return 0
        return (self._max_inflight or
                cfg.CONF.convergence_max_inflight_per_stack)

    def _pump(self, walk: worklist.Walk) -> None:
        """Begin as many queued nodes as the stack's share allows."""
        with self._lock:
            nodes = walk.take(self._limit())
            visitor = check_resource.Visitor(self._engine.engine_id)
            unread = []
            for node in nodes:
                if walk.is_unread(node):
                    unread.append(node)
                else:
                    self._start(walk, node, visitor)
            ahead = walk.next_to_read(NODES_PER_READ) if unread else []
            self._turns.count(walk)
        if unread:
            self._spawn(self._read_task(walk, unread, ahead, visitor),
                        'read %s' % walk.state.stack.id)

    def _read_task(self, walk: worklist.Walk, nodes: list[Node],
                   ahead: list[Node], visitor: check_resource.Visitor
                   ) -> scheduler.TaskGenerator[None]:
        """A task to read what is needed for nodes, then to begin them.

        Rows are read first: what happens to a row later makes its claim
        fail, and what has happened before shows in the sync points.

        :param ahead: nodes to be read, too, whose turn comes later
        """
        state, everything = walk.state, nodes + ahead
        try:
            for node in everything:
                if walk.is_unverified(node):
                    state.forget(node)
            state.read(everything)
            ready = set(sync_point.ready(state.context, state.id,
                                         among=everything))
        except BaseException:
            self._put_back(walk, ahead, ())
            self._dropped(walk, nodes)
            raise
        with self._lock:
            walk.checked(everything)
            self._put_back(walk, ahead, ready)
            for node in nodes:
                if node in ready:
                    self._start(walk, node, visitor)
        self._dropped(walk, [node for node in nodes if node not in ready])
        yield 0

    def _put_back(self, walk: worklist.Walk, nodes: list[Node],
                  ready: Collection[Node]) -> None:
        """Queue those nodes again that turned out to be ready."""
        with self._lock:
            walk.put_back(nodes, ready)
        if self._handing_over:
            self._share(walk)

    def _dropped(self, walk: worklist.Walk, nodes: Iterable[Node]) -> None:
        """Let go of nodes that turned out not to be ours to visit."""
        with self._lock:
            walk.drop(nodes)
        self._pump(walk)

    def _start(self, walk: worklist.Walk, node: Node,
               visitor: check_resource.Visitor) -> None:
        """Begin to visit a node."""
        with self._lock:
            walk.start(node)
            self._run(walk, node, visitor,
                      self.visits.begin(walk.state, node))

    def _run(self, walk: worklist.Walk, node: Node,
             visitor: check_resource.Visitor, mark: object,
             begun: chain.Visit | None = None) -> None:
        """Have a node visited, or a visit continued, by a task of its own.

        The lock is held.
        """
        walk.visited_by(node, self._spawn(
            self._node_task(walk, node, visitor, begun),
            'visit %s of %s' % (node, walk.state.stack.id),
            lambda task: self._ended(walk, node, task, mark)))

    def _ended(self, walk: worklist.Walk, node: Node, task: task_pool.Task,
               visit: Any) -> None:
        if task.error is not None:
            LOG.error('Visiting %s of stack %s failed', node,
                      walk.state.stack.id, exc_info=task.error)
        with self._lock:
            self.visits.end(visit)
            again = walk.end(node)
            # What we know of the row is from before the visit.
            walk.state.forget(node)
            if walk.closed:
                self._close(walk)
            elif again:
                walk.enqueue([node], unverified=True)
        self._pump(walk)

    def _spawn(self, task: scheduler.TaskGenerator[Any], name: str,
               on_done: Callable[[task_pool.Task], None] | None = None
               ) -> task_pool.Task:
        return self._engine.pool.spawn(task, name, on_done)

    # -- visits -------------------------------------------------------------

    def _node_task(self, walk: worklist.Walk, node: Node,
                   visitor: check_resource.Visitor,
                   begun: chain.Visit | None = None
                   ) -> scheduler.TaskGenerator[None]:
        """A task to visit a node and to see to what follows.

        :param begun: a visit that is to be continued
        """
        state = walk.state
        step: Any = transitions.Visit(node, node[0])
        try:
            while step is not None:
                if isinstance(step, transitions.Visit):
                    step = yield from self._visiting.visit(
                        walk, node, visitor, begun)
                    begun = None
                else:
                    step = yield from self._follow(walk, node, step)
        except transaction.Unavailable:
            LOG.warning('The database is away; node %s of stack %s is '
                        'left for later', node, state.stack.id)
        except Exception as error:
            LOG.exception('Visiting %s of stack %s failed', node,
                          state.stack.id)
            yield from self._fail(
                state, traversal_end.reason_of_unexpected(state, error))

    def _follow(self, walk: worklist.Walk, node: Node,
                outcome: transitions.Outcome) -> scheduler.TaskGenerator[Any]:
        """A task to carry out what follows from an outcome.

        Return the next outcome or Visit, None when this is the end.
        """
        state = walk.state
        facts = self._facts(walk, node, outcome)
        for instruction in transitions.advance(state.graph, node, outcome,
                                               facts):
            match instruction:
                case transitions.FinishNode():
                    return (yield from check_resource.finish_node(state, node))
                case transitions.Visit():
                    return instruction
                case transitions.RunNodes(nodes=nodes):
                    self._take_up(walk, nodes)
                case transitions.Retrigger():
                    yield from self._revisit_task(state, node)
                case transitions.SeekCompletion():
                    yield from self._complete(
                        walk, is_certain=walk.remaining == 0)
                case transitions.FailStack(reason=reason):
                    yield from self._fail(state, reason)
                case transitions.Leave():
                    LOG.debug('Node %s of stack %s is in other hands', node,
                              state.stack.id)
        return None

    def _fail(self, state: traversal_state.TraversalState, reason: str
              ) -> scheduler.TaskGenerator[None]:
        """A task to mark a stack failed, unless it continued without us."""
        if not (yield from self._ending.fail(state, reason)):
            yield from self._look_task(state.context, state.stack.id)

    def _facts(self, walk: worklist.Walk, node: Node,
               outcome: transitions.Outcome) -> transitions.WalkFacts:
        with self._lock:
            if isinstance(outcome, transitions.Finished):
                walk.finish(node, is_first=outcome.first)
            return transitions.WalkFacts(
                failures=check_resource.failures(walk.state.action),
                is_current=not walk.closed,
                is_idle=walk.is_finished())

    def closed(self, state: traversal_state.TraversalState) -> None:
        """Forget a traversal that has come to its end."""
        with self._lock:
            walk = self._walks.get(state.id)
            if walk is not None:
                self._close(walk)

    # -- other engines ------------------------------------------------------

    def _share(self, walk: worklist.Walk) -> None:
        """Send what we shall not get round to soon to other engines."""
        if (walk.number(NodeState.QUEUED) <= self._limit() or
                self._engine.worker_client is None or
                not self._peers.are_alive(walk.state.context)):
            return
        with self._lock:
            nodes = walk.give_away(self._number_to_send(walk))
        state = walk.state
        for start in range(0, len(nodes), NODES_PER_MESSAGE):
            self._engine.worker_client.check_nodes(
                state.context, state.stack.id, state.id,
                [list(node) for node in
                 nodes[start:start + NODES_PER_MESSAGE]])

    def _number_to_send(self, walk: worklist.Walk) -> int:
        """Return how many others are to have: none, or a full message."""
        if self._handing_over:
            return walk.number(NodeState.QUEUED)
        surplus = walk.surplus(self._limit())
        return surplus if surplus >= min(NODES_PER_MESSAGE,
                                         self._limit()) else 0
