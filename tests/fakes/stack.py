"""A stack as a resource needs it, on a database of its own.

Its time passes only when somebody waits.
"""
import collections.abc
import contextlib
import datetime
import uuid

from heat.common import config  # noqa: F401 (registers options)
from heat.common import context as heat_context
from heat.common import identifier
from heat.common import timeutils
from heat.engine import environment
from heat.engine import resource
from heat.engine import stk_defn
from heat.engine import template
from heat.engine.lifecycle import store as resource_store
from heat.objects import event as event_objects
from heat.objects import raw_template as template_objects
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from tests.fakes import database


class Clock:
    """Time that stands still unless somebody sleeps."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        self.slept = []
        monkeypatch.setattr(timeutils, 'wallclock', lambda: self.now)
        monkeypatch.setattr(timeutils, 'epoch', lambda moment=None: (
            self.now if moment is None else moment.timestamp()))
        monkeypatch.setattr(timeutils, 'utcnow', lambda: (
            datetime.datetime.fromtimestamp(self.now)))
        monkeypatch.setattr(timeutils, 'sleep', self.sleep)

    def sleep(self, seconds):
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


def context(**kwargs):
    """Return a request context with clients."""
    return heat_context.RequestContext(**{
        'username': 'anna', 'project_id': 'project', 'is_admin': False,
        'overwrite': False, **kwargs})


class FakeStack(collections.abc.Mapping):
    """Identity, template and rows; no life cycle."""

    def __init__(self, resources, params=None, env=None, name=None,
                 outputs=None, parameters=None, types=None):
        self.backup = False
        self.context = context()
        self.name = name or database.free_name(self.context)
        self.action, self.status = 'CREATE', 'IN_PROGRESS'
        self.converge = False
        self.stack_user_project_id = None
        self.owner_id = self.parent_resource_name = None
        below = environment.Environment({}, user_env=False)
        for type_name, resource_class in (types or {}).items():
            below.register_class(type_name, resource_class)
        environment.set_global_env(below)
        self.id = str(uuid.uuid4())
        self._store_rows()
        self.t = self.template(resources, params, env, outputs, parameters)
        self.defn = stk_defn.StackDefinition(
            self.context, self.t, self.identifier(), {})
        self.parameters = self.defn.parameters
        self.resources = {}
        self.timed_out = False
        self.access_handlers = {}

    def _store_rows(self):
        raw = template_objects.RawTemplate.create(
            self.context, {'template': {}, 'files': {}, 'environment': {}})
        row = stack_objects.Stack.create(self.context, {
            'name': self.name, 'raw_template_id': raw.id,
            'tenant': 'project', 'action': 'CREATE',
            'status': 'IN_PROGRESS', 'status_reason': '',
            'disable_rollback': True})
        self.id = row.id

    def template(self, resources, params=None, env=None, outputs=None,
                 parameters=None):
        """Return a template with these resources."""
        data = {'heat_template_version': '2018-08-31',
                'resources': resources}
        if outputs:
            data['outputs'] = outputs
        if parameters:
            data['parameters'] = parameters
        return template.Template(data, env=environment.Environment(
            {'parameters': params or {}, **(env or {})}))

    def definition(self, name, **changed):
        """Return the definition a resource has, or would have."""
        if not changed:
            return self.defn.resource_definition(name)
        snippet = {**self.t.t['resources'][name], **changed}
        # Functions do not keep their definition alive.
        self.other = stk_defn.StackDefinition(
            self.context, self.template({name: snippet}), self.identifier(),
            {})
        return self.other.resource_definition(name)

    @property
    def env(self):
        return self.t.env

    @property
    def clients(self):
        return self.context.clients

    def identifier(self):
        return identifier.HeatIdentifier('project', self.name, self.id)

    def root_stack_id(self):
        return self.id

    def create_stack_user_project_id(self):
        self.stack_user_project_id = self.clients.sdk(
            'keystone').create_stack_domain_project(self.id)

    def register_access_allowed_handler(self, credential_id, handler):
        self.access_handlers[credential_id] = handler

    def resource_by_refid(self, refid):
        return next((self[name] for name in self
                     if self[name].FnGetRefId() == refid), None)

    def time_remaining(self):
        return 3600

    def timeout_secs(self):
        return 3600

    def has_timed_out(self):
        return self.timed_out

    def db_row(self, name):
        rows = resource_objects.Resource.get_all_by_stack(self.context,
                                                          self.id)
        return rows.get(name)

    def __getitem__(self, name):
        if name not in self.resources:
            self.resources[name] = resource.Resource(
                name, self.defn.resource_definition(name), self)
        return self.resources[name]

    def __iter__(self):
        return iter(self.defn.enabled_rsrc_names())

    def __len__(self):
        return len(self.defn.enabled_rsrc_names())

    def __str__(self):
        return self.name

    def stored(self, name):
        """Return a resource with a row, not yet created."""
        res = self[name]
        if res.id is None:
            resource_store.store(res)
        return res

    def reload(self, name):
        """Return a resource as the database has it."""
        self.resources.pop(name, None)
        return self[name]

    def row(self, name):
        """Return the row of a resource."""
        return self.db_row(name)

    def events(self):
        """Return [(resource, action, status)] of all events."""
        return [(event.resource_name, event.resource_action,
                 event.resource_status) for event in self.event_rows()]

    def event_rows(self):
        """Return all events, oldest first."""
        return event_objects.Event.get_all_by_stack(
            self.context, self.id, sort_keys='created_at')


@contextlib.contextmanager
def type_named(stack, name, resource_class):
    """Let a type be of another class for a while."""
    env = environment.global_env()
    before = env.get_class(name)
    env.register_class(name, resource_class)
    try:
        yield
    finally:
        env.register_class(name, before)
