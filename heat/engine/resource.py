"""The base class of all resources: the contract with plugins.

Most of its methods are calls into heat.engine.lifecycle.
"""
import inspect
from typing import Any
import weakref

from heat.common import current_engine
from heat.common import exception
from heat.common import identifier
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import comparable
from heat.engine import function
from heat.engine import rsrc_defn
from heat.engine import status
from heat.engine import support
from heat.engine.language import diagnostics
from heat.engine.language import type_lookup
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import attributes as resource_attributes
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import client_access
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.lifecycle import handler as resource_handler
from heat.engine.lifecycle import naming
from heat.engine.lifecycle import signal as resource_signal
from heat.engine.lifecycle import store as resource_store
from heat.engine.lifecycle import validation as resource_validation
from heat.engine.lifecycle import values as resource_values
from heat.engine.stacks import store as stack_store
from heat.rpc import client as rpc_client

#: Names that plugins import from here.
UpdateReplace = exception.UpdateReplace
PollDelay = resource_handler.PollDelay
NoActionRequired = resource_signal.NoActionRequired


class Resource(client_access.Clients, comparable.Comparable,
               resource_store.Unstored, status.ResourceStatus):
    """Something that a template describes and a service provides.

    Resource(name, definition, stack) makes an object of the class that the
    environment of the stack has for the type of the definition.
    """

    BASE_ATTRIBUTES = (SHOW,) = attributes.BASE_ATTRIBUTES

    LOCK_ACTIONS = (LOCK_NONE, LOCK_ACQUIRE, LOCK_RELEASE, LOCK_RESPECT) = (
        None, 1, -1, 0)

    #: Whether what refers to this resource waits for it.
    strict_dependency = True
    #: Whether it acts later, with the credentials the stack keeps.
    requires_deferred_auth = False
    #: Properties whose values events do not tell.
    secret_properties: tuple[str, ...] = ()
    #: Whether create, update and delete handlers have no effect outside of
    #: the database, so that beginning and outcome can be recorded together,
    #: and with those of other resources. A handler may then run before the
    #: resources it depends on are recorded, and its run may be repeated.
    handlers_are_local = False
    physical_resource_name_limit = 255
    support_status = support.SupportStatus()
    #: The client plugin and the noun that the default handlers use.
    default_client_name: str | None = None
    entity: str | None = None
    #: Extensions of the service that the type needs, in one string.
    required_service_extension: str | None = None
    #: Actions during which signals are refused.
    no_signal_actions: tuple[str, ...] = (
        status.ResourceStatus.SUSPEND, status.ResourceStatus.DELETE)
    signal_needs_metadata_updates = True
    #: Whether other resources wait for our signals.
    signals_are_waited_for = False
    always_replace_on_check_failed = True
    #: Properties that may be updated beside those whose schema says so.
    update_allowed_properties = ()
    update_policy_schema: dict = {}
    properties_schema: dict[str, Any]
    attributes_schema: dict = {}
    base_attributes_schema = {
        SHOW: attributes.Schema(
            _('All attributes of the resource as returned by the service.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.MAP),
    }

    def __new__(cls, name, definition, stack):
        """Make an object of the class registered for the type."""
        if cls is Resource:
            cls = type_lookup.class_of(
                definition, stack, lambda: stack.db_row(name) is not None)
            if not issubclass(cls, Resource):
                raise TypeError('%r is no resource class' % cls)
        return super().__new__(cls)

    def __init__(self, name, definition, stack):
        if '/' in name:
            raise ValueError(_('Resource name may not contain "/"'))
        self.stack = stack
        self.context = stack.context
        self.name = name
        self.t = definition
        self.external_id = definition.external_id()
        row = stack.db_row(name)
        self._begin_with(definition, is_stored=row is not None)
        # The base attributes become part of what the type declares.
        self.attributes_schema.update(self.base_attributes_schema)
        self.attributes = attributes.Attributes(
            name, self.attributes_schema,
            self._make_resolver(weakref.ref(self)))
        self.abandon_in_progress = False
        self.state_before = None
        self.converge = getattr(stack, 'converge', False)
        resource_store.init_state(self, stack)
        if row is not None:
            resource_store.load_row(self, row)

    @classmethod
    def load(cls, context, resource_id, current_traversal, is_update, data):
        """Return (resource, definition of its stack, stack) of a row.

        The stack is to be kept for as long as the resource is used.

        :param data: NodeData by resource name, when known already.
        :raises NotFound: there is no such row.
        """
        row = resource_store.get_row(context, resource_id)
        stack = current_engine.require().load_stack(
            context, row.stack_id, cache_data=data)
        defn = stack_store.definition_of(stack, row)
        return (cls.load_row(row, defn.resource_definition(row.name), stack),
                defn, stack)

    @classmethod
    def load_row(cls, row, definition, stack):
        """Return the resource of a row, which may be one of several."""
        if cls is Resource:
            cls = type_lookup.class_of(definition, stack, lambda: True)
        resource = cls(definition.name, definition, stack)
        resource_store.load_row(resource, row)
        return resource

    @classmethod
    def taking_over(cls, other):
        """Return another resource as an object of this class."""
        resource = cls(other.name, other.t, other.stack)
        resource_store.copy_state(resource, other)
        return resource

    @property
    def stack(self):
        """The stack; the caller must keep it alive."""
        stack = self._stackref()
        if stack is None:
            raise RuntimeError('The stack of resource "%s" is gone'
                               % self.name)
        return stack

    @stack.setter
    def stack(self, stack):
        self._stackref = weakref.ref(stack)

    @property
    def state(self):
        """(action, status)."""
        return self.action, self.status

    @property
    def atomic_key(self):
        """The counter of writes to the row."""
        return self.row_state.atomic_key

    @property
    def engine_id(self):
        """The engine that held the row when it was read."""
        return self.row_state.engine_id

    def type(self):
        """Return the resource type, as the template has it."""
        return self.t.resource_type

    def identifier(self):
        """Return an identifier for this resource."""
        return identifier.ResourceIdentifier(
            resource_name=self.name, **self.stack.identifier())

    def __str__(self):
        where = getattr(self._stackref(), 'name', None)
        return '%s "%s" [%s] Stack "%s"' % (
            type(self).__name__, self.name, self.resource_id, where)

    def __repr__(self):
        return '<%s>' % self

    def has_interface(self, resource_type):
        """Return whether this is of a type, perhaps by another name."""
        return naming.has_interface(self, resource_type)

    def physical_resource_name(self):
        """Return a unique name for what is made, None before there is one.
        """
        return naming.physical_name(self)

    @staticmethod
    def reduce_physical_resource_name(name, limit):
        """Return a name of at most limit characters that is still unique."""
        return naming.reduced(name, limit)

    def physical_resource_name_or_FnGetRefId(self):
        """Return the physical name, or the reference id before it exists."""
        return (self.physical_resource_name() or
                Resource.get_reference_id(self))

    def _begin_with(self, definition, *, is_stored):
        """Read the definition; that of a stored resource may be wrong.

        Actions that need its values call reparse(), which raises the error.
        """
        self.is_readable = not is_stored
        with diagnostics.tolerated(is_stored):
            self._read(definition, client_resolve=False)
            self.is_readable = True
        if not self.is_readable:
            self._read(rsrc_defn.ResourceDefinition(
                self.name, definition.resource_type), client_resolve=False)

    def reparse(self, client_resolve=True):
        """Read properties and update policy from the definition anew."""
        self._read(self.t, client_resolve)
        self.is_readable = True

    def _read(self, definition, client_resolve):
        self.properties = definition.properties(self.properties_schema,
                                                self.context)
        self.translate_properties(self.properties, client_resolve)
        self.update_policy = definition.update_policy(
            self.update_policy_schema, self.context)

    def translate_properties(self, properties, client_resolve=True,
                             ignore_resolve_error=False):
        """Put our translation rules in force for properties."""
        properties.update_translation(
            self.translation_rules(properties) or (),
            client_resolve=client_resolve,
            ignore_resolve_error=ignore_resolve_error)

    def translation_rules(self, properties):
        """Return the TranslationRules for properties; none by default."""
        return None

    def frozen_definition(self):
        """Return our definition with the property values that are stored."""
        if self.row_state.properties is None:
            return self.t.freeze_known()
        return self.t.freeze_known(properties=self.row_state.properties)

    def frozen_properties(self):
        """Return a context in which self.properties are those stored."""
        return resource_handler.frozen_properties(self)

    def _update_stored_properties(self):
        self.row_state.set_properties(
            function.resolve(self.properties.data))

    def add_explicit_dependencies(self, deps):
        """Add the dependencies that our definition has."""
        deps += (self, None)
        try:
            for required in self.t.dependencies(self.stack):
                deps += (self, required)
        except exception.InvalidTemplateReference as error:
            error.place(resource_validation.path_in_template(
                self, error.path[2:]))
            raise

    def add_dependencies(self, deps):
        """Add dependencies that only the plugin knows; none by default."""

    def required_by(self):
        """Return the names of the resources that need this one."""
        return stack_store.required_by(self)

    def regenerate_info_schema(self, definition):
        """Adapt schemata that depend on the definition."""

    def rpc_client(self):
        """Return a client of the engines."""
        return rpc_client.EngineClient()

    @classmethod
    def is_service_available(cls, context):
        """Return (whether the cloud has what the type needs, why not)."""
        return resource_validation.is_service_available(cls, context)

    def validate(self):
        """Check all that can be checked; raise, or return an error text."""
        return self.validate_template()

    def validate_template(self):
        """Check the definition."""
        return resource_validation.validate_template(self)

    def validate_external(self):
        """Check that the thing of an external id exists."""
        resource_validation.validate_external(self)

    @classmethod
    def validate_deletion_policy(cls, policy):
        """Check that the type can follow a deletion policy."""
        resource_validation.validate_deletion_policy(cls, policy)

    def _verify_check_conditions(self, checks):
        resource_validation.check_conditions(checks)

    @classmethod
    def resource_to_template(cls, resource_type, template_type='cfn'):
        """Return a template whose only resource is of our type."""
        return resource_validation.resource_to_template(cls, resource_type,
                                                        template_type)

    @classmethod
    def getdoc(cls):
        """Return the documentation of the type."""
        return inspect.getdoc(cls) or _('No description available')

    def preview(self):
        """Return what a preview of the stack shows of us."""
        return self

    def get_nested_parameters_stack(self):
        """Return a nested stack whose parameters validation shows."""
        return None

    def has_nested(self):
        """Return whether there is a nested stack."""
        return False

    def _needs_update(self, after, before, after_props, before_props,
                      prev_resource, check_init_complete=True):
        return resource_decision.needs_update(
            self, after, before, after_props, before_props,
            check_init_complete)

    def needs_replace(self, after_props):
        """Return whether a replacement is needed whatever changes."""
        return False

    def needs_replace_failed(self):
        """Return whether a failed resource must be replaced."""
        return True

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """Return whether changed properties need a replacement."""
        return False

    def needs_replace_with_tmpl_diff(self, tmpl_diff):
        """Return whether a changed definition needs a replacement."""
        return False

    def calc_update_allowed(self, props):
        """Return the names of properties that an update may change."""
        return set(self.update_allowed_properties) | {
            name for name, prop in props.props.items()
            if prop.update_allowed()}

    def update_template_diff(self, after, before):
        """Return what differs between two definitions."""
        return after - before

    def update_template_diff_properties(self, after_props, before_props):
        """Return {changed name: new value}, or raise UpdateReplace."""
        return resource_decision.property_diff(self, after_props, before_props)

    @classmethod
    def check_is_substituted(cls, new_res_type):
        """Return whether another class may take over without replacement."""
        return cls.support_status.is_substituted(new_res_type)

    @resource_handler.optional_hook
    def prepare_for_replace(self):
        """Make room for a replacement that is about to be created."""

    @resource_handler.optional_hook
    def restore_prev_rsrc(self, convergence=False):
        """Undo prepare_for_replace() when the replacement is given up."""

    def _run(self, action, **kwargs):
        return resource_action.run(self, action, resource_claim.StackOwned(),
                                   **kwargs)

    def create(self):
        """A task to create the resource."""
        return self._run(self.CREATE)

    def adopt(self, resource_data):
        """A task to take over something that exists."""
        return self._run(self.ADOPT, adopt_data=resource_data)

    def update(self, after, before=None, prev_resource=None,
               new_template_id=None, new_requires=None, rollback=False):
        """A task to make the resource as a definition says.

        Raise UpdateReplace when that takes another resource.
        """
        return resource_action.update(
            self, after, template_id=new_template_id, requires=new_requires,
            rollback=rollback)

    def delete(self):
        """A task to delete the resource."""
        return self._run(self.DELETE)

    def destroy(self):
        """A task to delete the resource and forget it."""
        return resource_action.destroy(self)

    def suspend(self):
        """A task to suspend the resource."""
        return self._run(self.SUSPEND)

    def resume(self):
        """A task to resume the resource."""
        return self._run(self.RESUME)

    def check(self):
        """A task to look whether all is well with the resource."""
        return self._run(self.CHECK)

    def snapshot(self):
        """A task to take a snapshot of the resource."""
        return self._run(self.SNAPSHOT)

    def delete_snapshot(self, data):
        """A task to remove what a snapshot consists of."""
        return resource_action.delete_snapshot(self, data)

    def cancel_grace_period(self):
        """Return the seconds we get when another resource failed."""
        return resource_action.cancel_grace_period(self)

    def has_check_handler(self):
        """Return whether the type can be checked."""
        return callable(getattr(self, 'handle_check', None))

    def signal(self, details=None, need_check=True):
        """Take a signal; True when it cleared a breakpoint."""
        return resource_signal.signal(self, details, need_check=need_check)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Change nothing: changed properties need a replacement."""
        if prop_diff:
            raise exception.UpdateReplace(self.name)

    def handle_delete(self):
        """Delete the entity of the default client; it may be gone."""
        if self.entity is None or self.resource_id is None:
            return None
        try:
            getattr(self.client(), self.entity).delete(self.resource_id)
        except Exception as error:
            if not resource_attributes.is_not_found(self, error):
                raise
            return None
        return self.resource_id

    def handle_adopt(self, resource_data=None):
        """Take over the thing that the data describe."""
        resource_values.adopt(self, *self._get_resource_info(resource_data))

    def _get_resource_info(self, resource_data):
        """Return (physical id, resource data, metadata) of adopted data."""
        given = resource_data or {}
        return (given.get('resource_id'), given.get('resource_data') or {},
                given.get('metadata') or {})

    def handle_preempt(self):
        """Hurry: another update waits for this one to end."""

    def handle_metadata_reset(self):
        """Make the metadata good again after the resource was marked."""

    def metadata_update(self, new_metadata=None):
        """Adapt to what a signal to another resource may have changed."""

    def state_set(self, action, new_status, reason='state changed'):
        """Write a state with its event at once."""
        resource_store.state_set(self, action, new_status, reason)

    def store(self, set_metadata=False, lock=LOCK_NONE):
        """Write the row."""
        resource_store.store(self, set_metadata)

    def resource_id_set(self, inst):
        """Record the physical id, None for none."""
        resource_values.physical_id_set(self, inst)

    def data(self):
        """Return the data stored with us: texts by key."""
        return resource_values.data_get(self)

    def data_set(self, key, value, redact=False):
        """Record a text under a key; redacted ones are encrypted."""
        resource_values.data_set(self, key, value, redact)

    def data_delete(self, key):
        """Remove a key; return whether it was there."""
        return resource_values.data_delete(self, key)

    def data_forget(self):
        """Read the data again when they are next asked for."""
        resource_values.data_forget(self)

    def metadata_get(self, refresh=False):
        """Return our metadata."""
        return resource_values.metadata_get(self, refresh)

    def metadata_set(self, metadata, merge_metadata=None):
        """Record our metadata."""
        resource_values.metadata_set(self, metadata, merge_metadata)

    def metadata_change(self, change):
        """Change our metadata by compare-and-swap; return whether we did.

        :param change: called with the stored metadata; returns the new
            ones, or None to leave them.
        """
        return resource_values.metadata_change(self, change)

    def replacement(self):
        """Return (physical id, data) of our replacement, or (None, {})."""
        return resource_values.replacement_of(self)

    def replaced_rows(self):
        """Yield the rows, with data, that we replaced, latest first."""
        return resource_values.replaced_rows(self)

    def update_stored_properties(self, properties):
        """Store property values outside of an action."""
        resource_values.update_stored_properties(self, properties)

    def prepare_abandon(self):
        """Return what is needed to adopt us elsewhere."""
        return {
            'name': self.name,
            'resource_id': self.resource_id,
            'type': self.type(),
            'action': self.action,
            'status': self.status,
            'metadata': self.metadata_get(refresh=True),
            'resource_data': self.data(),
        }

    def get_reference_id(self):
        """Return what get_resource gives for us."""
        return self.name if self.resource_id is None else self.resource_id

    def FnGetRefId(self):
        """Return what get_resource gives for us."""
        return self.get_reference_id()

    def get_attribute(self, key, *path):
        """Return an attribute, or what lies at a path in it."""
        return resource_attributes.get_attribute(self, key, *path)

    def FnGetAtt(self, key, *path):
        """Return what get_attr gives for us."""
        return self.get_attribute(key, *path)

    def referenced_attrs(self, stk_defn=None, in_resources=True,
                         in_outputs=True, load_all=False):
        """Return the attributes that the template refers to."""
        return resource_attributes.referenced(self, stk_defn, in_resources,
                                              in_outputs, load_all)

    def node_data(self, stk_defn=None, for_resources=True,
                  for_outputs=False):
        """Return what the rest of the stack may know of us."""
        return resource_attributes.make_node_data(
            self, stk_defn, for_resources, for_outputs)

    def clear_stored_attributes(self):
        """Forget attribute values that were read earlier."""
        resource_values.clear_stored_attributes(self)

    @staticmethod
    def _make_resolver(ref):
        return resource_attributes.resolver(ref)

    def _resolve_any_attribute(self, attr):
        return resource_attributes.resolve(self, attr)

    def _resolve_attribute(self, name):
        """Return the value of an attribute, None if there is none."""
        return None
