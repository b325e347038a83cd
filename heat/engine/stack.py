"""A stack: identity, definition, resources and outputs.

Verbs are one-line calls into the stack family. Nothing here writes a row.
"""
from collections.abc import Callable, Collection, Mapping, MutableMapping
import datetime
from typing import Any
import weakref

from oslo_config import cfg

from heat.common import identifier
from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine import environment
from heat.engine import parent_rsrc
from heat.engine import resource
from heat.engine import stk_defn
from heat.engine.drivers import select as stack_driver
from heat.engine.language import diagnostics
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import fields as stack_fields
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import rows as stack_rows
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import validation as stack_validation


class Stack(Mapping[str, resource.Resource], stack_fields.StackFields):
    """Resources made from one template, and what is known of them.

    As a mapping it goes from the names of the enabled resources to
    Resource objects, which are made when they are asked for.
    """

    ACTIONS = (
        CREATE, DELETE, UPDATE, ROLLBACK, SUSPEND,
        RESUME, ADOPT, SNAPSHOT, CHECK, RESTORE,
    ) = (
        'CREATE', 'DELETE', 'UPDATE', 'ROLLBACK', 'SUSPEND',
        'RESUME', 'ADOPT', 'SNAPSHOT', 'CHECK', 'RESTORE',
    )
    STATUSES = (
        IN_PROGRESS, FAILED, COMPLETE,
    ) = (
        'IN_PROGRESS', 'FAILED', 'COMPLETE',
    )

    _tags: list[str] | None

    #: When the time of the current action was given anew, if it was.
    resumed_time: datetime.datetime | None = None
    #: The environment an update leads to, whose rules count until then; our
    #: own has the types of both.
    goal_env: environment.Environment | None = None
    #: Called with each resource type when we are validated, to raise an
    #: error for what whoever asks may not use; stacks inside ask it too.
    allow_type: Callable[[str], object] | None = None
    #: Whether validation includes the stacks inside.
    validates_nested = True
    warrant: Any = None  #: What a change set or policy allows, or None.
    #: The template that a rollback of an update leads to, if it is not the
    #: one before.
    rollback_template_id: int | None = None
    retained: Collection[str] = frozenset()  #: Paths a deletion leaves.
    #: The context of a trust made before we were stored.
    trust_context: Any = None
    shares_credentials = False

    def __init__(self, context, stack_name, tmpl, *, tags=None,
                 parent_stack=None, **options):
        """Make a stack; heat.engine.stacks.fields declares the options.

        :param parent_stack: the parent, if it is at hand
        """
        self.context = context
        self.name = stack_name
        self.tags = tags
        for name, value in stack_fields.of_options(options).items():
            setattr(self, name, value)
        self.tenant_id = self.tenant_id or context.project_id
        self.username = self.username or context.username
        self.timeout_mins = self.timeout_mins or None
        self._t = tmpl
        self._root_id = None
        self._dependencies = None
        self._access_handlers = {}
        self._parent_info = None
        self.rows = stack_rows.StackRows(context, self.id)
        self.children = stack_rows.ChildRows(context, self.id)
        if self.use_stored_context:
            self.context = stack_credentials.stored_context(self)
        if parent_stack is not None:
            self._know_parent(parent_stack)
        self.defn = self._make_definition(self.cache_data)
        self.resources = ResourceMap(self)

    # -- definition ---------------------------------------------------------

    def _make_definition(self, resource_data=None):
        if self._t is None:
            return None
        if self._parent_info is None and self.owner_id is not None:
            self._parent_info = parent_rsrc.ParentResourceProxy(
                self.context, self.parent_resource_name, self.owner_id)
        return stk_defn.StackDefinition(
            self.context, self._t, self.identifier(), resource_data or {},
            self._parent_info)

    @property
    def t(self):
        """Return the template."""
        return self._t

    @t.setter
    def t(self, tmpl):
        """Take another template; what was made from the old one goes."""
        self._t = tmpl
        if self.defn is None:
            self.defn = self._make_definition(self.cache_data)
        else:
            self.defn = self.defn.clone_with_new_template(
                tmpl, self.identifier())
        self.reset_dependencies()

    @property
    def env(self):
        """Return the environment of the template."""
        return self._t.env

    @property
    def parameters(self):
        """Return the parameters with their values."""
        return self.defn.parameters

    @property
    def clients(self):
        """Return the cloud clients of the context."""
        return self.context.clients

    @property
    def thread_group_mgr(self):
        """Return what runs tasks for this stack, None outside an engine."""
        return stack_driver.thread_group_mgr()

    @property
    def state(self):
        """Return (action, status)."""
        return self.action, self.status

    @property
    def tags(self):
        """Return the tags, read when they are asked for."""
        if self._tags is None:
            self._tags = stack_store.tags_of(self)
        return self._tags

    @tags.setter
    def tags(self, tags):
        self._tags = list(tags or [])

    def forget_tags(self):
        """Read the tags from the database when they are asked for."""
        self._tags = None

    def read_tags(self):
        """Return the tags, None if they have not been read yet."""
        return self._tags

    def take_tags_of(self, other):
        """Have the tags of another stack, which may not be read yet."""
        tags = other.read_tags()
        self._tags = None if tags is None else list(tags)

    def has_tags_of(self, other):
        """Return whether another stack, of the same id, has the same tags."""
        if self._tags is None and other.read_tags() is None:
            return True
        return self.tags == other.tags

    def identifier(self):
        """Return an identifier for this stack."""
        return identifier.HeatIdentifier(self.tenant_id, self.name, self.id)

    def assign_id(self, stack_id):
        """Take the id of the row; parameters and resources depend on it."""
        self.id = stack_id
        self.rows = stack_rows.StackRows(self.context, stack_id)
        self.children = stack_rows.ChildRows(self.context, stack_id)
        self.defn = self._make_definition()
        self.reset_dependencies()
        self.resources.clear()

    def set_parent_stack(self, parent_stack):
        """Name the parent of a stack that is not stored (validation)."""
        self._know_parent(parent_stack)
        self.defn = self._make_definition(self.cache_data)

    def _know_parent(self, parent_stack):
        self._parent_info = parent_rsrc.use_parent_stack(
            parent_rsrc.ParentResourceProxy(
                self.context, self.parent_resource_name, self.owner_id),
            parent_stack)
        self._root_id = parent_stack.root_stack_id()

    def root_stack_id(self):
        """Return the id of the outermost stack, possibly our own."""
        if self.owner_id is None:
            return self.id
        if self._root_id is None:
            self._root_id = stack_store.root_id(self.context, self.owner_id)
        return self._root_id

    def object_path_in_stack(self):
        """Return [(stack name, resource name)] from the root down to us."""
        return stack_store.path_of(self)

    # -- resources ----------------------------------------------------------

    def __iter__(self):
        return iter(self.resources)

    def __len__(self):
        return len(self.resources)

    def __contains__(self, key):
        return key in self.resources

    def __getitem__(self, key):
        return self.resources[key]

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def db_row(self, name):
        """Return the stored row of a resource, or None."""
        return self.rows.get(name)

    def resource_of(self, row, definition):
        """Return the Resource of a row that the mapping does not give."""
        return resource.Resource.load_row(row, definition, self)

    @property
    def dependencies(self):
        """Return the graph of Resource objects, built on first use."""
        if self._dependencies is None:
            self._dependencies = self.get_dependencies(self.values())
        return self._dependencies

    def get_dependencies(self, resources):
        """Return the graph of these resources of ours.

        What a plugin adds is taken on trust for a stored stack: its
        definition was accepted once, and it must stay deletable.
        """
        is_new = self.id is None or self.action == self.CREATE
        return stack_graph.definition_dependencies(
            resources, ignore_errors=not is_new)

    def reset_dependencies(self):
        """Forget the dependency graph."""
        self._dependencies = None

    def resource_by_refid(self, refid):
        """Return the live resource whose reference id this is, or None."""
        return stack_store.resource_by_refid(self, refid)

    def resource_get(self, name):
        """Return a resource, also one only the database still knows."""
        return stack_store.resource_get(self, name)

    def iter_resources(self, nested_depth=0, filters=None):
        """Yield our resources and those of nested stacks."""
        return stack_store.iter_resources(self, nested_depth, filters)

    def total_resources(self, stack_id=None):
        """Count the resources of the whole tree below a (root) stack."""
        return stack_store.total_resources(self.context, stack_id or self.id)

    def requires_deferred_auth(self):
        """Return whether any resource needs credentials to act later."""
        return any(res.requires_deferred_auth for res in self.values())

    # -- values -------------------------------------------------------------

    def refresh_node_data(self, names=None, **purpose):
        """Give the definition what is known of our resources.

        :param names: only these resources.
        :param purpose: `for_resources` and `for_outputs`, see node_data().
        """
        for name in (self.resources if names is None else names):
            if name in self.resources:
                res = self.resources[name]
                stk_defn.update_resource_data(
                    self.defn, name, res.node_data(self.defn, **purpose))

    @property
    def outputs(self):
        """Return the output definitions by name, ready to be resolved."""
        return self._outputs(self.defn.enabled_output_names())

    def output(self, name):
        """Return one output definition, ready to be resolved."""
        return self._outputs([name])[name]

    def _outputs(self, names):
        definitions = {name: self.defn.output_definition(name)
                       for name in names}
        if self.id is not None and self.cache_data is None:
            needed = set()
            for output in definitions.values():
                needed |= output.required_resource_names()
            self.rows.expect(needed, with_data=True)
            self.refresh_node_data(sorted(needed), for_resources=False,
                                   for_outputs=True)
        return definitions

    # -- time ---------------------------------------------------------------

    def timeout_secs(self):
        """Return the time allowed for one action, in seconds."""
        if self.timeout_mins is None:
            return cfg.CONF.stack_action_timeout
        return self.timeout_mins * 60

    def time_elapsed(self):
        """Return the seconds since the current action began.

        Or since it was resumed, when no engine was there for too long.
        """
        began = self.resumed_time or self.updated_time or self.created_time
        return (heat_timeutils.utcnow() - began).total_seconds()

    def time_remaining(self):
        """Return the seconds left to the current action."""
        return max(0, self.timeout_secs() - self.time_elapsed())

    def has_timed_out(self):
        """Return whether the time of the current action is over."""
        return (self.status == self.IN_PROGRESS
                and self.time_elapsed() > self.timeout_secs())

    # -- storage and state --------------------------------------------------

    @classmethod
    def load(cls, context, stack_id=None, stack=None, show_deleted=True,
             use_stored_context=False, **kwargs):
        """Return the stack with this id, or of this row."""
        return stack_store.load(
            cls, context, stack if stack is not None else stack_id,
            show_deleted=show_deleted,
            use_stored_context=use_stored_context, **kwargs)

    @classmethod
    def load_all(cls, context, *args, **kwargs):
        """Yield the stacks that match; see objects.stack.Stack.get_all."""
        return stack_store.load_all(cls, context, *args, **kwargs)

    def store(self, *, backup=False, stack_id=None):
        """Write the stack and its template; return the id."""
        return stack_store.store(self, backup=backup, stack_id=stack_id)

    def state_set(self, action, status, reason):
        """Move to another state: row, event, notification."""
        return stack_state.transition(self, action, status, reason)

    def stored_context(self):
        """Return a context with the credentials kept for this stack."""
        return stack_credentials.stored_context(self)

    def set_stack_user_project_id(self, project_id):
        """Store the id of the project that holds our users."""
        stack_store.set_stack_user_project_id(self, project_id)

    def create_stack_user_project_id(self):
        """Make the project that holds our users."""
        stack_credentials.create_stack_user_project(self)

    def register_access_allowed_handler(self, credential_id, handler):
        """Have handler(resource name) asked about this credential."""
        self._access_handlers[credential_id] = handler

    def access_allowed(self, credential_id, resource_name):
        """Return whether a credential may use a resource."""
        for res in self.values():
            register = getattr(res, '_register_access_key', None)
            if callable(register):
                register()
        handler = self._access_handlers.get(credential_id)
        return bool(handler and handler(resource_name))

    def prepare_abandon(self, no_resources=False):
        """Return a description from which the stack can be adopted."""
        return stack_store.description_of(self, no_resources=no_resources)

    def set_resource_deletion_policy(self, policy):
        """Give all our resources a deletion policy, and store it."""
        stack_store.set_deletion_policy(self, policy)

    # -- verbs --------------------------------------------------------------

    def validate(self, ignorable_errors=None, validate_res_tmpl_only=False):
        """Raise an error when the stack could not be created."""
        stack_validation.validate(self, ignorable_errors,
                                  validate_res_tmpl_only)

    def preview_resources(self):
        """Return resources as they would be made; a list is a stack."""
        return [res.preview() for res in self.values()]

    def store_and_create(self, stack_id):
        """Store a new stack under an id; begin to create or adopt it."""
        if stack_driver.of(self).create_new(self, stack_id):
            return
        self.store(stack_id=stack_id)
        if self.adopt_stack_data:
            self.adopt()
        else:
            self.create()

    def create(self):
        """Begin to create the stack."""
        self._driver().create(self)

    def adopt(self):
        """Begin to take existing resources over."""
        self._driver().adopt(self, self.adopt_stack_data)

    def update(self, new_stack, action=UPDATE):
        """Begin to become like another stack.

        :param action: CREATE if that is how we begin
        """
        self._driver().update(self, new_stack, action)

    def held(self):
        """Keep operations from beginning while we are idle.

        The context manager gives a function that ends that as part of a
        transaction.
        """
        return stack_driver.of(self).held(self)

    def rollback(self):
        """Begin to go back to the previous definition."""
        self._driver().rollback(self)

    def delete(self, retained=frozenset()):
        """Begin to delete the stack, but not what is retained in it."""
        self._driver().delete(self, retained)

    def suspend(self):
        """Begin to suspend all resources."""
        self._driver().suspend(self)

    def resume(self):
        """Begin to resume all resources."""
        self._driver().resume(self)

    def check(self):
        """Begin to look whether all resources are as they should be."""
        self._driver().check(self)

    def snapshot(self, snapshot):
        """Begin to fill a snapshot."""
        self._driver().snapshot(self, snapshot)

    def restore(self, snapshot, new_stack):
        """Begin to go back to a snapshot."""
        self._driver().restore(self, snapshot, new_stack)

    def cancel(self, *, with_rollback):
        """Stop the running update or creation."""
        stack_driver.of(self).cancel(self, with_rollback)

    def _driver(self):
        """Return who carries us through an operation that begins now."""
        stack_credentials.outlast_token(self)
        return stack_driver.of(self)

    def backup_stack(self):
        """Return the hidden stack of what an update has replaced, or None."""
        return self._backup_stack(create_if_missing=False)

    def _backup_stack(self, create_if_missing=True):
        return stack_store.backup_of(self, create=create_if_missing)

    def __str__(self):
        return _('Stack "%(name)s" [%(id)s]') % {
            'name': self.name, 'id': self.id}


class ResourceMap(MutableMapping[str, resource.Resource]):
    """Resource objects of a stack by name, made when asked for.

    Like its resources, the mapping does not keep the stack alive.
    """

    def __init__(self, stack):
        self._stackref = weakref.ref(stack)
        self._made = {}
        self._impossible = set()

    @property
    def _stack(self):
        stack = self._stackref()
        if stack is None:
            raise RuntimeError('The stack of these resources is gone')
        return stack

    def _definition(self, name):
        names = self._stack.defn.enabled_rsrc_names()
        if name not in names:
            raise KeyError(name)
        return self._stack.defn.resource_definition(name)

    def __getitem__(self, name):
        if name in self._impossible:
            raise diagnostics.DerivedError(cause=name)
        if name not in self._made:
            self._made[name] = resource.Resource(
                name, self._definition(name), self._stack)
        return self._made[name]

    def __setitem__(self, name, res):
        self._made[name] = res

    def __delitem__(self, name):
        self._made.pop(name, None)

    def __contains__(self, name):
        defn = self._stack.defn
        return defn is not None and name in defn.enabled_rsrc_names()

    def __iter__(self):
        if self._stack.defn is None:
            return iter(())
        return iter(list(self._stack.defn.enabled_rsrc_names()))

    def __len__(self):
        return len(self._stack.defn.enabled_rsrc_names())

    def give_up(self, name):
        """Take it that a resource cannot be made, which has been told."""
        self._impossible.add(name)

    def clear(self):
        """Forget the objects; the names stay."""
        self._made.clear()

    def keep(self, names):
        """Forget all objects but some; they are made again when asked for.
        """
        self._made = {name: self._made[name] for name in names
                      if name in self._made}
