"""Many engines over one database, in one thread and under a fake clock.

Everything that can happen next, in any engine, is one step; whoever drives
the world chooses the steps, so every interleaving can be tried and every
one can be repeated.
"""
import collections
import datetime
import itertools
import sys

from oslo_utils import timeutils as oslo_timeutils
import sqlalchemy as sa

from heat.common import context as heat_context
from heat.common import current_engine
from heat.common import exception
from heat.common import timeutils
from heat.db import models
from heat.db import session
from heat.engine import environment
from heat.engine import stack as stack_module
from heat.engine import template
from heat.engine.convergence import nested_admission
from heat.engine.drivers import select as stack_driver
from heat.engine.process import recovery
from heat.engine.process import worker
from heat.engine.resources import template_resource
from heat.engine.resources.openstack.heat import resource_group
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import stack_tasks
from heat.objects import resource as resource_objects
from heat.objects import service as service_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import sync_point as sync_point_objects
from tests.convergence import templates
from tests.fakes import database
from tests.fakes import things

#: Steps after which a world that does not come to rest is broken.
PATIENCE = 20000
#: What there is beside things.
TYPES = {templates.GROUP: resource_group.ResourceGroup}
#: How likely an engine is to commit rather than to go on with a task.
COMMITS = 0.2
#: Seconds between two looks of an engine for abandoned work.
SCAN_INTERVAL = 5
#: Seconds after which a message that nobody took arrives.
_EPOCH = datetime.datetime(2026, 1, 1)

# Generators of crashed engines. Were they collected, they would be closed
# and get a last word, which a killed process does not have. Frames are kept
# with them: where a task dies, its frames alone know the tasks within it.
_graveyard = []


class Clock:
    """Time that passes when somebody says so."""

    def __init__(self):
        self.now = 0.0

    def install(self, monkeypatch):
        """Have everybody look at this clock."""
        monkeypatch.setattr(timeutils, 'wallclock', lambda: self.now)
        monkeypatch.setattr(timeutils, 'sleep', self.advance)
        for module in (timeutils, oslo_timeutils):
            monkeypatch.setattr(module, 'utcnow', self.utcnow)
        epoch = timeutils.epoch
        monkeypatch.setattr(timeutils, 'epoch', lambda moment=None: epoch(
            moment or self.utcnow()))

    def advance(self, seconds):
        """Let time pass."""
        self.now += seconds

    def utcnow(self):
        """Return the date and time of this clock."""
        return _EPOCH + datetime.timedelta(seconds=self.now)


class Bus:
    """Messages between engines; they arrive when the driver says so."""

    def __init__(self, engines):
        self.engines = engines
        self.waiting = collections.deque()
        self.sent = 0

    def check_nodes(self, ctxt, stack_id, traversal_id, nodes):
        """Send nodes to whichever engine takes the message."""
        self._send(None, 'check_nodes', ctxt, stack_id=stack_id,
                   traversal_id=traversal_id, nodes=nodes)

    def cancel_check_resource(self, ctxt, stack_id, engine_id):
        """Send a cancellation to one engine."""
        self._send(engine_id, 'cancel_check_resource', ctxt,
                   stack_id=stack_id)

    def wake(self, ctxt, keys):
        """Tell all engines of events."""
        for engine in self.engines():
            self._send(engine.id, 'wake', ctxt, keys=keys)

    def _send(self, server, method, ctxt, **arguments):
        self.sent += 1
        self.waiting.append((server, method, ctxt, arguments))


class Killed(BaseException):
    """Raised wherever an engine is that has just been killed."""


class Batches:
    """Carries writes out when told to, all that came until then."""

    def __init__(self):
        self._requests = []

    def submit(self, writes, on_results):
        """Keep writes until the next commit()."""
        self._requests.append((list(writes), on_results))

    def has_any(self):
        """Tell whether something is to be written."""
        return bool(self._requests)

    def commit(self):
        """Carry out what came; tell if there was anything."""
        requests, self._requests = self._requests, []
        results = iter(group_commit.commit(
            [write for writes, _told in requests for write in writes]))
        for writes, told in requests:
            told(list(itertools.islice(results, len(writes))))
        return bool(requests)


class Engine:
    """One engine process."""

    def __init__(self, world, number):
        self.id = 'engine-%d' % number
        self.world = world
        self.batches = Batches()
        self.pool = task_pool.InlinePool(
            self.batches if world.shares_commits else None, world.choose)
        self.thread_group_mgr = stack_tasks.ThreadGroupManager(self.pool)
        worker_client, listener_client = world.clients_of(self)
        self.engine_context = engine_context = stack_driver.EngineContext(
            self.id, self.pool, self.pool.group_commit, self.thread_group_mgr,
            worker_client, listener_client, stack_class=stack_module.Stack)
        self.engine = stack_driver.RunningEngine(engine_context)
        self.driver = self.engine.drivers[True]
        self.driver.runner._max_inflight = world.max_inflight
        self.legacy = self.engine.drivers[False]
        self.worker = worker.WorkerService(engine_context, self.driver.runner)
        self.recovery = recovery.Recovery(engine_context, self.engine)
        self.service = service_objects.Service.create(world.context, {
            'engine_id': self.id, 'host': 'h', 'hostname': 'h',
            'binary': 'heat-engine', 'topic': 'engine',
            # By the clock of this world, not by that of the database; so
            # the lease has to last.
            'created_at': world.clock.utcnow(),
            'report_interval': 10 ** 8})

    def is_alive(self, ctxt, engine_id):
        """Answer as the listener of an engine would."""
        return any(engine.id == engine_id for engine in self.world.engines)

    def step(self):
        """Run one ready task up to its next wait, or commit what was written.

        Tell if there was anything to do.
        """
        self.world.enter(self)
        if self.batches.has_any() and self.world.dice.random() < COMMITS:
            return self.batches.commit()
        stepped = self.pool.step()
        self.world.bury()
        for walk in list(self.driver.runner._walks.values()):
            walk.validate()
        return stepped or self.batches.commit()


class World:
    """Engines, a database, a cloud, messages and a clock."""

    def __init__(self, monkeypatch, dice, *, engines=2, max_inflight=3,
                 nested_at_once=None, shares_commits=False):
        database.emptied_sqlite()
        template_store.forget_all()
        things.register(TYPES)
        template_resource.register(environment.global_env())
        self._monkeypatch = monkeypatch
        self.dice = dice
        self.cloud = things.new_cloud()
        self.clock = Clock()
        self.clock.install(monkeypatch)
        self.context = heat_context.RequestContext(
            user_id='u', username='u', project_id='p', roles=['member'],
            is_admin=False)
        self.bus = Bus(lambda: self.engines)
        self.max_inflight = max_inflight
        #: Whether writes wait for others to share a commit with.
        self.shares_commits = shares_commits
        self._born = 0
        self.engines = []
        self.loses_messages = False
        #: Whether a dead engine may leave templates, which are purged later.
        self.leaves_templates = False
        #: Whether an engine dies at its next change of the cloud.
        self.deadly = False
        self._running = self._dying = None
        self.cloud.on_change = self._perhaps_die
        self.cloud.asking = lambda: self._running
        self.cloud.is_there = lambda engine: engine in self.engines
        self.cloud.is_made = lambda other: (
            self._is_stack_made(other) or self._is_row_made(other))
        monkeypatch.setattr(session, '_open', self._guarded(session._open))
        if nested_at_once is not None:
            monkeypatch.setattr(nested_admission, 'STACKS', nested_at_once)
            monkeypatch.setattr(nested_admission, 'NODES', nested_at_once)
        for _number in range(engines):
            self.add_engine()

    # -- engines ------------------------------------------------------------

    def clients_of(self, engine):
        """Return what an engine reaches workers and engines by."""
        return self.bus, engine

    def add_engine(self):
        """Start one more engine."""
        self._born += 1
        engine = Engine(self, self._born)
        self.engines.append(engine)
        return engine

    def enter(self, engine):
        """Let an engine's code find its own driver."""
        self._running = engine
        self._monkeypatch.setattr(current_engine, '_engine', engine.engine)

    def beat(self):
        """Have all engines report that they are there."""
        for engine in self.engines:
            service_objects.Service.update_by_id(self.context,
                                                 engine.service.id, {})

    def crash(self, engine):
        """Kill an engine wherever it is; nothing of it runs any more."""
        self.engines.remove(engine)
        _graveyard.append(engine)
        if not self.engines:
            self.add_engine()

    def _perhaps_die(self):
        """Kill the engine that has just changed the cloud, unrecorded."""
        if self.deadly:
            self.deadly = False
            self.die()
            raise Killed()

    def die(self):
        """Kill the engine that runs, once its step is over; see bury()."""
        self._dying = self._running
        frame = sys._getframe()
        while frame is not None:
            _graveyard.append(frame)
            frame = frame.f_back

    def _guarded(self, open_database):
        def guarded(writing):
            if self._dying is not None:
                # It has no last word either.
                raise Killed()
            return open_database(writing)

        return guarded

    def bury(self):
        """Be done with an engine that has died in its last step."""
        if self._dying is not None:
            engine, self._dying = self._dying, None
            self.crash(engine)

    def choose(self, tasks):
        """Pick the task that an engine steps next."""
        return self.dice.choice(tasks)

    # -- steps --------------------------------------------------------------

    def step(self):
        """Do one thing that can be done; let time pass if nothing can."""
        doors = [self._deliver] if self.bus.waiting else []
        doors += [engine.step for engine in self.engines]
        self.dice.shuffle(doors)
        for door in doors:
            if door() is not False:
                return
        self.wait()

    def wait(self):
        """Let the time to the next scan pass, and have it done."""
        self.clock.advance(1)
        if self.clock.now % SCAN_INTERVAL < 1:
            for engine in list(self.engines):
                self.enter(engine)
                self.look(engine)

    def look(self, engine):
        """Have an engine look for abandoned work."""
        engine.recovery.run_once()

    def _deliver(self):
        """Deliver some message, perhaps twice or never."""
        place = self.dice.randrange(len(self.bus.waiting))
        server, method, ctxt, arguments = self.bus.waiting[place]
        fate = self.dice.random() if self.loses_messages else 0.5
        if fate > 0.2:
            # Below that the message stays, and so comes twice.
            del self.bus.waiting[place]
        if fate > 0.9:
            return
        takers = [engine for engine in self.engines
                  if server in (None, engine.id)]
        if takers:
            engine = self.dice.choice(takers)
            self.enter(engine)
            getattr(engine.worker, method)(ctxt, **arguments)

    def run(self, until=None, steps=PATIENCE):
        """Do steps until something is true, by default: all is at rest."""
        done = until or self.is_at_rest
        for _step in range(steps):
            if done():
                return
            self.step()
        raise AssertionError('No end after %d steps: %s' % (
            steps, self.describe()))

    def run_steps(self, number):
        """Do so many steps, unless all is at rest before."""
        for _step in range(number):
            if self.is_at_rest():
                return
            self.step()

    def is_at_rest(self):
        """Whether no operation is under way and nothing runs."""
        return (not any(engine.pool.active() for engine in self.engines) and
                not any(stack_objects.Stack.get_ids_in_progress(
                    self.context, kind) for kind in (True, False)) and
                not snapshot_objects.Snapshot.stacks_deleting(self.context))

    # -- what users do ------------------------------------------------------

    def template(self, resources):
        """Return a template of things and nested stacks by name."""
        tmpl, files = templates.written(resources)
        return template.Template(tmpl, files=files,
                                 env=environment.Environment({}))

    def create(self, resources, name='s', **options):
        """Create a stack; return its id."""
        engine = self._any_engine()
        stack = stack_module.Stack(
            self.context, name, self.template(resources), convergence=True,
            **options)
        stack.validate()
        stack.store()
        if stack.adopt_stack_data:
            engine.driver.adopt(stack)
        else:
            engine.driver.create(stack)
        return stack.id

    def _any_engine(self):
        engine = self.dice.choice(self.engines)
        self.enter(engine)
        return engine

    def load(self, stack_id):
        """Return a stack as it is stored."""
        return stack_module.Stack.load(self.context, stack_id)

    def update(self, stack_id, resources, **changes):
        """Update a stack; tell whether that was accepted."""
        stack = self.load(stack_id)
        return self._begin('update', stack,
                           self.target(stack, resources, **changes))

    def target(self, stack, resources, **changes):
        """Return a stack as an update is to make it."""
        return stack_store.wanted_stack(stack, self.template(resources),
                                        **changes)

    def act(self, stack_id, verb, *arguments, **keywords):
        """Begin another operation; tell whether that was accepted."""
        return self._begin(verb, self.load(stack_id), *arguments,
                           **keywords)

    def _begin(self, verb, stack, *arguments, **keywords):
        driver = self._any_engine().driver
        try:
            getattr(driver, verb)(stack, *arguments, **keywords)
        except (exception.ActionInProgress, exception.NotFound):
            return False
        return True

    # -- what is there ------------------------------------------------------

    def _is_stack_made(self, reference):
        """Tell whether a nested stack has been created, by its id or ARN.
        """
        row = stack_objects.Stack.get_by_id(
            self.context, reference.rpartition('/')[2])
        return row is not None and (
            row.action != 'CREATE' or row.status == 'COMPLETE')

    @staticmethod
    def _is_row_made(reference):
        """Tell whether something is made that is only in the database."""
        table = models.RESOURCE
        with session.reader() as connection:
            return bool(connection.execute(sa.select(table.c.id).where(
                table.c.physical_resource_id == reference,
                table.c.action != 'INIT', sa.or_(
                    table.c.action.not_in(('CREATE', 'ADOPT')),
                    table.c.status == 'COMPLETE'))).all())

    def resources(self, stack_id):
        """Return the resources that a stack is to have."""
        tmpl = self.load(stack_id).t
        return templates.read(tmpl.t.get('resources'), tmpl.files)

    def children(self, stack_id):
        """Return the rows of the nested stacks of a stack, by resource."""
        return {row.parent_resource_name: row for row in
                stack_objects.Stack.get_all_by_owner_id(self.context,
                                                        stack_id)}

    def state(self, stack_id):
        """Return ACTION_STATUS of a stack."""
        action, status, _reason, _when = stack_objects.Stack.get_status(
            self.context, stack_id)
        return '%s_%s' % (action, status)

    def reason(self, stack_id):
        """Return why a stack is in its state."""
        return stack_objects.Stack.get_status(self.context, stack_id)[2]

    def rows(self, stack_id):
        """Return all resource rows of a stack."""
        return list(resource_objects.Resource.get_all_rows_by_stack(
            self.context, stack_id).values())

    def rows_of_tree(self, stack_id):
        """Return all resource rows of a stack and what is nested in it."""
        nested = stack_objects.Stack.get_all_by_root_owner_id(self.context,
                                                              stack_id)
        return [row for each in [stack_id, *(row.id for row in nested)]
                for row in self.rows(each)]

    def points(self, traversal_id):
        """Return the sync points of a traversal."""
        return sync_point_objects.SyncPoint.get_all_by_traversal(
            self.context, traversal_id)

    def describe(self):
        """Return what there is, for a failed test to show."""
        lines = []
        for stack_id in [
                stack_id for kind in (True, False) for stack_id in
                stack_objects.Stack.get_ids_in_progress(self.context, kind)]:
            row = stack_objects.Stack.get_by_id(self.context, stack_id)
            lines.append('%s_%s %s %s' % (row.action, row.status,
                                          row.current_traversal,
                                          row.current_deps))
            lines += ['  %s %s %s_%s %s held by %s key %s replaces %s by %s'
                      % (r.id, r.name, r.action, r.status, r.status_reason,
                         r.engine_id, r.atomic_key, r.replaces,
                         r.replaced_by) for r in self.rows(stack_id)]
            lines += ['  point %s %s pending %s done %s' % (
                p.entity_id, p.is_update, p.pending, p.done)
                for p in self.points(row.current_traversal)]
        lines += ['%s: %s' % (engine.id, engine.pool.active())
                  for engine in self.engines]
        return '\n'.join(lines)

    def values(self):
        """Return {name: (value, size)} of what is in the cloud."""
        found = collections.defaultdict(list)
        for thing in self.cloud.things.values():
            found[thing['name']].append((thing['value'], thing['size']))
        return {name: sorted(values) for name, values in found.items()}
