"""Engines with both drivers whose services fail when it is due.

It is the world of the convergence tests: one thread, a clock that passes
when nothing else can happen, and dice that say what happens next.
"""
import contextlib
import functools
import logging

from oslo_config import cfg
import oslo_messaging
import sqlalchemy as sa

from heat.db import models
from heat.db import session
from heat.engine import environment
from heat.engine.process import drift_keeper
from heat.engine.process import listener as process_listener
from heat.engine.process import planner
from heat.engine.resources import template_resource
from heat.engine.rpc import change_sets as rpc_change_sets
from heat.engine.rpc import resources as rpc_resources
from heat.engine.rpc import snapshots as rpc_snapshots
from heat.engine.rpc import stacks as rpc_stacks
from heat.engine.rpc.drift import calls as rpc_drift
from heat.engine.stacks import credentials as stack_credentials
from heat.rpc import listener_client
from heat.rpc import worker_client
from tests.convergence import templates
from tests.convergence import world
from tests.fakes import things
from tests.injection import errors
from tests.injection import points
from tests.injection import services

LOG = logging.getLogger(__name__)

#: The records of what engines do beside the operations of stacks.
ASIDE = (models.CHANGE_SET, models.DRIFT_DETECTION)


class Door(rpc_stacks.StackOperations,
           rpc_snapshots.SnapshotOperations,
           rpc_resources.ResourceOperations,
           rpc_change_sets.ChangeSetOperations,
           rpc_drift.DriftOperations):
    """What one engine answers over RPC."""

    def __init__(self, engine):
        self.thread_group_mgr = engine.thread_group_mgr
        self.pool, self.engine_id = engine.pool, engine.id


class Plant(world.World):
    """A world in which things fail.

    :param stack: contextlib.ExitStack that undoes what is changed
    :param patch: pytest.MonkeyPatch
    """

    def __init__(self, stack, patch, dice, *, convergence=True, **options):
        self.injector = points.Injector()
        self.convergence = convergence
        super().__init__(patch, dice, **options)
        self.injector.clock = self.clock
        self.injector.on_death = self.die
        points.install_storage(self.injector, stack)
        points.install_log(self.injector, stack)
        self._use_cloud(patch)
        self.context.auth_token_info = {'token': {}}
        self.context.answer_soon = True
        self._stack = stack
        self.configure('convergence_engine', convergence)
        self.configure('enable_stack_abandon', True)

    def configure(self, name, value):
        """Set an option of the engines."""
        cfg.CONF.set_override(name, value)
        self._stack.callback(cfg.CONF.clear_override, name)

    def _use_cloud(self, patch):
        before, self.cloud = self.cloud, services.Cloud(self.injector)
        patch.setattr(things, 'cloud', self.cloud)
        for name in ('asking', 'is_there', 'is_made'):
            setattr(self.cloud, name, self._unarmed(getattr(before, name)))
        things.register({**services.TYPES, **world.TYPES})
        template_resource.register(environment.global_env())
        self.keystone = services.Keystone(self.injector)
        patch.setattr(stack_credentials, '_keystone', self.keystone.of)

    def _unarmed(self, function):
        def unarmed(*args):
            with self.injector.armed(False):
                return function(*args)
        return unarmed

    # -- engines ------------------------------------------------------------

    def add_engine(self):
        """Start one more engine."""
        engine = super().add_engine()
        engine.door = Door(engine)
        engine.planner = planner.Planner(
            engine.engine_context, functools.partial(
                rpc_change_sets.plan_again, engine.pool))
        engine.drift_keeper = drift_keeper.DriftKeeper(
            engine.engine_context, engine.door)
        engine.listener = process_listener.EngineListener(
            engine.thread_group_mgr)
        return engine

    def clients_of(self, engine):
        """Return clients as engines have, over the wires of the tests."""
        worker = _over(worker_client.WorkerClient, services.Wire(
            self.injector, self._cast))
        listener = _over(listener_client.EngineListenerClient,
                         services.Wire(self.injector, self._ask))
        return worker, listener

    def _cast(self, server, fanout, ctxt, method, arguments):
        servers = [server]
        if fanout:
            servers = [engine.id for engine in self.engines]
        for each in servers:
            self.bus._send(each, method, ctxt, **arguments)

    def _ask(self, server, _fanout, ctxt, method, arguments):
        for engine in self.engines:
            if engine.id == server:
                return getattr(engine.listener, method)(ctxt, **arguments)
        raise oslo_messaging.MessagingTimeout('no answer')

    def is_at_rest(self):
        """Return whether no operation, plan or detection is in progress."""
        return super().is_at_rest() and not self._aside_in_progress()

    @staticmethod
    def _aside_in_progress():
        with session.reader() as connection:
            return any(connection.execute(sa.select(table.c.id).where(
                table.c.status.endswith('IN_PROGRESS'))).all()
                for table in ASIDE)

    # -- steps --------------------------------------------------------------

    @contextlib.contextmanager
    def _armed(self):
        """Have faults happen in a with block, and bury whom they kill."""
        try:
            with self.injector.armed():
                yield
        except (errors.Killed, world.Killed):
            pass
        finally:
            self.bury()

    def step(self):
        """Do one thing that can be done; let time pass if nothing can."""
        with self._armed():
            super().step()

    def wait_armed(self):
        """Let a second pass in which nothing is done but looking around."""
        with self._armed():
            self.wait()

    def look(self, engine):
        """Have an engine look for abandoned work, come what may."""
        self._survive(super().look, engine)
        self._survive(engine.planner.run_once)
        self._survive(engine.drift_keeper.run_once)

    def _deliver(self):
        try:
            with self.injector.call('handle'):
                pass
        except errors.Dropped:
            self.bus.waiting.popleft()
            return
        except errors.Repeated:
            self.bus.waiting.append(self.bus.waiting[0])
        self._survive(super()._deliver)

    @staticmethod
    def _survive(function, *args):
        """Call what a thread or an RPC server of the engine calls."""
        try:
            function(*args)
        except Exception:  # noqa: BLE001
            LOG.debug('%s has failed', function, exc_info=True)

    # -- what users do ------------------------------------------------------

    def ask(self, method, *args, **kwargs):
        """Make a request; return (answer, None) or (None, the error)."""
        door = self._any_engine().door
        try:
            with self._armed():
                return getattr(door, method)(self.context, *args,
                                             **kwargs), None
            return None, oslo_messaging.MessagingTimeout('it was killed')
        except oslo_messaging.ExpectedException as error:
            return None, error.exc_info[1]
        except Exception as error:  # noqa: BLE001
            return None, error

    def identity(self, stack_id):
        """Return what names a stack in requests."""
        return dict(self.load(stack_id).identifier())

    def by_name(self, name):
        """Return the id of the stack of a name, or None."""
        with session.reader() as connection:
            return connection.execute(
                sa.select(models.STACK.c.id).where(
                    models.STACK.c.name == name,
                    models.STACK.c.deleted_at.is_(None))).scalar()

    @staticmethod
    def written(resources):
        """Return (template, files) as users give them."""
        return templates.written(resources)


def _over(client_class, wire):
    """Return a client of ours that sends over a wire of the tests."""
    client = client_class.__new__(client_class)
    client._client = wire
    client._engine_id = None
    return client


