"""Stacks and resources as the core of the engine sees them.

heat.engine.stack and heat.engine.resource, which have all this, import the
core; so it asks for these interfaces.
"""
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
import contextlib
import datetime
from typing import Any, Protocol

from heat.common import context as heat_context
from heat.common import identifier as identifiers
from heat.engine import attributes as resource_attributes
from heat.engine import dependencies as graph
from heat.engine import environment
from heat.engine import parameters as stack_parameters
from heat.engine import rsrc_defn
from heat.engine import stk_defn
from heat.engine import template
from heat.engine.stacks import fields as stack_fields
from heat.engine.stacks import rows as stack_rows
from heat.engine.tasks import scheduler


class Resource(Protocol):
    """A resource: its row, its definition, and the contract with plugins."""

    INIT: str
    #: What the plugin declares.
    attributes_schema: dict[str, Any]
    base_attributes_schema: dict[str, Any]
    properties_schema: dict[str, Any]
    update_policy_schema: dict[str, Any]
    always_replace_on_check_failed: bool
    default_client_name: str | None
    entity: str | None
    handlers_are_local: bool
    no_signal_actions: tuple[str, ...]
    physical_resource_name_limit: int
    required_service_extension: str | None
    requires_deferred_auth: bool
    secret_properties: tuple[str, ...]
    signal_needs_metadata_updates: bool
    signals_are_waited_for: bool
    strict_dependency: bool
    support_status: Any

    #: What the row says; row_state is a lifecycle.row_state.RowState.
    row_state: Any
    id: Any
    uuid: Any
    action: str
    status: str
    status_reason: str
    resource_id: Any
    requires: set[int]
    replaces: Any
    replaced_by: Any
    current_template_id: Any
    old_template_id: Any
    root_stack_id: Any
    created_time: Any
    updated_time: Any

    #: What the template says.
    name: str
    t: rsrc_defn.ResourceDefinition
    external_id: Any
    properties: Any
    update_policy: Any
    is_readable: bool
    attributes: resource_attributes.Attributes

    context: heat_context.RequestContext
    abandon_in_progress: bool
    #: (action, status) in which the action that runs has found it.
    state_before: Any
    converge: bool

    @property
    def stack(self) -> Any:
        """The Stack that the resource is of."""

    @stack.setter
    def stack(self, stack: Any) -> None:
        """Let the resource belong to another stack."""

    @property
    def state(self) -> tuple[str, str]:
        """(action, status)."""

    @property
    def atomic_key(self) -> int | None:
        """The counter of writes to the row."""

    @property
    def engine_id(self) -> str | None:
        """The engine that held the row when it was read."""

    def type(self) -> str:
        """Return the resource type, as the template has it."""

    def identifier(self) -> identifiers.ResourceIdentifier:
        """Return an identifier for this resource."""

    def physical_resource_name(self) -> str | None:
        """Return a unique name for what is made, None before there is one.
        """

    def reparse(self, client_resolve: bool = True) -> None:
        """Read properties and update policy from the definition anew."""

    def translate_properties(self, properties: Any,
                             client_resolve: bool = True,
                             ignore_resolve_error: bool = False) -> None:
        """Put the translation rules in force for properties."""

    def frozen_definition(self) -> rsrc_defn.ResourceDefinition:
        """Return the definition with the property values that are stored."""

    def frozen_properties(self) -> contextlib.AbstractContextManager[Any]:
        """Return a context in which the properties are those stored."""

    def add_explicit_dependencies(self, deps: graph.Dependencies
                                  ) -> None:
        """Add the dependencies that the definition has."""

    def add_dependencies(self, deps: graph.Dependencies) -> None:
        """Add dependencies that only the plugin knows."""

    def regenerate_info_schema(self, definition: rsrc_defn.ResourceDefinition
                               ) -> None:
        """Adapt schemata that depend on the definition."""

    def client(self, name: str | None = None, version: Any = None) -> Any:
        """Return a client, of the default service unless named."""

    def client_plugin(self, name: str | None = None) -> Any:
        """Return a client plugin, None if there is none of the name."""

    def validate(self) -> Any:
        """Check all that can be checked; raise, or return an error text."""

    def validate_template(self) -> Any:
        """Check the definition."""

    def validate_external(self) -> None:
        """Check that the thing of an external id exists."""

    @classmethod
    def validate_deletion_policy(cls, policy: str) -> None:
        """Check that the type can follow a deletion policy."""

    def has_nested(self) -> bool:
        """Return whether there is a nested stack, which nested() returns.
        """

    def needs_replace(self, after_props: Any) -> bool:
        """Return whether a replacement is needed whatever changes."""

    def needs_replace_failed(self) -> bool:
        """Return whether a failed resource must be replaced."""

    def needs_replace_with_prop_diff(self, changed_properties_set: set[str],
                                     after_props: Any, before_props: Any
                                     ) -> bool:
        """Return whether changed properties need a replacement."""

    def needs_replace_with_tmpl_diff(self, tmpl_diff: Any) -> bool:
        """Return whether a changed definition needs a replacement."""

    def calc_update_allowed(self, props: Any) -> set[str]:
        """Return the names of properties that an update may change."""

    def update_template_diff(self, after: Any, before: Any) -> Any:
        """Return what differs between two definitions."""

    def update_template_diff_properties(self, after_props: Any,
                                        before_props: Any) -> dict[str, Any]:
        """Return {changed name: new value}, or raise UpdateReplace."""

    @classmethod
    def check_is_substituted(cls, new_res_type: Any) -> bool:
        """Return whether another class may take over without replacement."""

    def get_live_state(self, resource_properties: Any) -> dict[str, Any]:
        """Return {property: value} of what really exists."""

    def get_live_resource_data(self) -> Any:
        """Return what the service knows, or raise EntityNotFound."""

    def remember_id(self) -> None:
        """Take the physical ID for that of an object that exists."""

    def create(self) -> scheduler.TaskGenerator[Any]:
        """A task to create the resource."""

    def adopt(self, resource_data: Any) -> scheduler.TaskGenerator[Any]:
        """A task to take over something that exists."""

    def update(self, after: rsrc_defn.ResourceDefinition, before: Any = None,
               prev_resource: Any = None, new_template_id: Any = None,
               new_requires: Any = None, rollback: bool = False
               ) -> scheduler.TaskGenerator[Any]:
        """A task to make the resource as a definition says."""

    def delete(self) -> scheduler.TaskGenerator[Any]:
        """A task to delete the resource."""

    def destroy(self) -> scheduler.TaskGenerator[Any]:
        """A task to delete the resource and forget it."""

    def check(self) -> scheduler.TaskGenerator[Any]:
        """A task to look whether all is well with the resource."""

    def snapshot(self) -> scheduler.TaskGenerator[Any]:
        """A task to take a snapshot of the resource."""

    def delete_snapshot(self, data: Any) -> scheduler.TaskGenerator[Any]:
        """A task to remove what a snapshot consists of."""

    def cancel_grace_period(self) -> float | None:
        """Return the seconds it gets when another resource failed."""

    def has_check_handler(self) -> bool:
        """Return whether the type can be checked."""

    def metadata_update(self, new_metadata: Any = None) -> None:
        """Adapt to what a signal to another resource may have changed."""

    def resource_id_set(self, inst: str | None) -> None:
        """Record the physical id, None for none."""

    def data(self) -> dict[str, str]:
        """Return the data stored with the resource: texts by key."""

    def data_set(self, key: str, value: str, redact: bool = False) -> None:
        """Record a text under a key; redacted ones are encrypted."""

    def metadata_set(self, metadata: Any, merge_metadata: Any = None) -> None:
        """Record the metadata."""

    def prepare_abandon(self) -> dict[str, Any]:
        """Return what is needed to adopt the resource elsewhere."""

    def _needs_update(self, after: Any, before: Any, after_props: Any,
                      before_props: Any, prev_resource: Any,
                      check_init_complete: bool = True) -> bool:
        """Return whether definition or properties differ."""

    def _resolve_any_attribute(self, attr: str) -> Any:
        """Return the value of an attribute, also of one all types have."""

    def _resolve_attribute(self, name: str) -> Any:
        """Return the value of an attribute, None if there is none."""

    def _show_resource(self) -> Any:
        """Return all that the service knows of the thing."""

    def FnGetRefId(self) -> Any:
        """Return what get_resource gives for the resource."""

    def FnGetAtt(self, key: str, *path: Any) -> Any:
        """Return what get_attr gives for the resource."""

    def node_data(self, stk_defn: Any = None, for_resources: bool = True,
                  for_outputs: bool = False) -> Any:
        """Return what the rest of the stack may know of the resource."""


class Resources(Protocol):
    """The resources of a stack by name, made when they are asked for."""

    def __iter__(self) -> Iterator[str]:
        """Return the names of the enabled resources."""

    def __contains__(self, name: object, /) -> bool:
        """Return whether a resource is enabled."""

    def __getitem__(self, name: str, /) -> Resource:
        """Return a resource, made unless it has been made before."""

    def __setitem__(self, name: str, resource: Any, /) -> None:
        """Have a name stand for a resource."""

    def values(self) -> Iterable[Resource]:
        """Return the enabled resources."""

    def pop(self, name: str, default: Any, /) -> Any:
        """Forget the object of a name."""

    def give_up(self, name: str) -> None:
        """Take it that a resource cannot be made, which has been told."""

    def clear(self) -> None:
        """Forget the objects; the names stay."""

    def keep(self, names: Any) -> None:
        """Forget all objects but some; they are made again if need be."""


class Stack(stack_fields.StackFields, Protocol):
    """A stack: its row, its definition and its resources by name."""

    ADOPT: str
    CREATE: str
    COMPLETE: str
    IN_PROGRESS: str

    name: str
    context: heat_context.RequestContext
    resumed_time: datetime.datetime | None
    goal_env: environment.Environment | None
    allow_type: Any
    validates_nested: bool
    warrant: Any
    rollback_template_id: int | None
    retained: Collection[str]
    #: The context of a trust made for a stack that is not stored yet.
    trust_context: Any
    shares_credentials: bool
    rows: stack_rows.StackRows
    children: stack_rows.ChildRows
    defn: stk_defn.StackDefinition
    t: template.Template
    tags: list[str]

    def __init__(self, context: heat_context.RequestContext, stack_name: str,
                 tmpl: template.Template | None, *,
                 tags: Iterable[str] | None = None, **options: Any) -> None:
        """Make a stack; StackFields declares the options."""

    @property
    def resources(self) -> Resources:
        """The resources by name."""

    @property
    def env(self) -> environment.Environment:
        """The environment of the template."""

    @property
    def parameters(self) -> stack_parameters.Parameters:
        """The parameters with their values."""

    @property
    def clients(self) -> Any:
        """The cloud clients of the context."""

    @property
    def thread_group_mgr(self) -> Any:
        """What runs tasks for this stack, None outside an engine."""

    @property
    def state(self) -> tuple[str, str]:
        """(action, status)."""

    @property
    def dependencies(self) -> graph.Dependencies:
        """The graph of Resource objects."""

    def __iter__(self) -> Iterator[str]:
        """Return the names of the enabled resources."""

    def __len__(self) -> int:
        """Return the number of enabled resources."""

    def __contains__(self, key: object, /) -> bool:
        """Return whether a resource is enabled."""

    def __getitem__(self, key: str, /) -> Resource:
        """Return a resource by its name."""

    def items(self) -> Iterable[tuple[str, Resource]]:
        """Return the enabled resources with their names."""

    def values(self) -> Iterable[Resource]:
        """Return the enabled resources."""

    def forget_tags(self) -> None:
        """Read the tags from the database when they are asked for."""

    def read_tags(self) -> list[str] | None:
        """Return the tags, None if they have not been read yet."""

    def take_tags_of(self, other: Any) -> None:
        """Have the tags of another stack, which may not be read yet."""

    def has_tags_of(self, other: Any) -> bool:
        """Return whether another stack, of the same id, has the same tags."""

    @classmethod
    def load(cls, context: heat_context.RequestContext, stack_id: Any = None,
             stack: Any = None, show_deleted: bool = True,
             use_stored_context: bool = False, **kwargs: Any) -> Any:
        """Return the stack with this id, or of this row."""

    def identifier(self) -> identifiers.HeatIdentifier:
        """Return an identifier for this stack."""

    def assign_id(self, stack_id: str) -> None:
        """Take the id of the row."""

    def set_parent_stack(self, parent_stack: Any) -> None:
        """Name the parent of a stack that is not stored."""

    def root_stack_id(self) -> Any:
        """Return the id of the outermost stack, possibly this one's."""

    def db_row(self, name: str) -> Any:
        """Return the stored row of a resource, or None."""

    def resource_of(self, row: Any, definition: rsrc_defn.ResourceDefinition
                    ) -> Resource:
        """Return the Resource of a row that the mapping does not give."""

    def get_dependencies(self, resources: Iterable[Any]
                         ) -> graph.Dependencies:
        """Return the graph of some resources of the stack."""

    def reset_dependencies(self) -> None:
        """Forget the dependency graph."""

    def requires_deferred_auth(self) -> bool:
        """Return whether any resource needs credentials to act later."""

    def refresh_node_data(self, names: Iterable[str] | None = None,
                          **purpose: Any) -> None:
        """Give the definition what is known of the resources."""

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The output definitions by name, ready to be resolved."""

    def output(self, name: str) -> Any:
        """Return one output definition, ready to be resolved."""

    def timeout_secs(self) -> float:
        """Return the time allowed for one action, in seconds."""

    def time_remaining(self) -> float:
        """Return the seconds left to the current action."""

    def has_timed_out(self) -> bool:
        """Return whether the time of the current action is over."""

    def set_stack_user_project_id(self, project_id: str | None) -> None:
        """Store the id of the project that holds the stack's users."""

    def resource_get(self, name: str) -> Resource | None:
        """Return a resource, also one only the database still knows."""

    def prepare_abandon(self, no_resources: bool = False) -> dict[str, Any]:
        """Return a description from which the stack can be adopted."""

    def create(self) -> None:
        """Begin to create the stack."""

    def adopt(self) -> None:
        """Begin to take existing resources over."""

    def held(self) -> contextlib.AbstractContextManager[
            Callable[[], None]]:
        """Keep operations from beginning while the stack is idle."""

    def update(self, new_stack: Any, action: str = 'UPDATE') -> None:
        """Begin to become like another stack."""

    def delete(self, retained: Collection[str] = frozenset()) -> None:
        """Begin to delete the stack, and leave some resources."""

    def snapshot(self, snapshot: Any) -> None:
        """Begin to fill a snapshot."""

    def restore(self, snapshot: Any, new_stack: Any) -> None:
        """Begin to go back to a snapshot."""

    def cancel(self, *, with_rollback: bool) -> None:
        """Stop the running update or creation."""
