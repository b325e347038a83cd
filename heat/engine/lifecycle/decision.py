"""Find out what a resource needs to become what its template wants.

gather() asks: the definitions, the plugin and perhaps the cloud.  decide()
only thinks.  Neither changes a state; resource_action does.
"""
from collections.abc import Collection, Iterable, Mapping
import dataclasses
import enum
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import drift_words
from heat.common import exception
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import rsrc_defn
from heat.engine import status
from heat.engine.comparison import judgement
from heat.engine.comparison import live as live_state
from heat.engine.language import diagnostics
from heat.engine.language import type_lookup
from heat.engine.lifecycle import handler
from heat.engine.stacks import interface
from heat.engine.stacks import warrant as stack_warrant

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: The values of the deletion policies that keep what was made.
RETAIN_POLICY = 'Retain'

#: Errors of definitions whose values are wrong or cannot be computed.
_WRONG: tuple[type[Exception], ...] = (
    *diagnostics.WRONG_VALUES, exception.HeatException)

#: What a template's author may forbid to happen to a resource.
UPDATE_RESTRICTED, REPLACE_RESTRICTED = 'update', 'replace'


class Kind(enum.StrEnum):
    """The ways to bring a resource to its desired definition."""

    KEEP = 'KEEP'                # it is as it should be
    CREATE = 'CREATE'            # it has never been made
    UPDATE = 'UPDATE'            # change it where it is
    REPLACE = 'REPLACE'          # make another one, then remove this one
    SUBSTITUTE = 'SUBSTITUTE'    # take it over as another type, then decide
    DELETE = 'DELETE'            # remove it
    RETAIN = 'RETAIN'            # forget about it


class Need(enum.StrEnum):
    """The result of the plugin's comparison of definitions."""

    NOTHING = 'NOTHING'
    UPDATE = 'UPDATE'
    REPLACE = 'REPLACE'


@dataclasses.dataclass(frozen=True, slots=True)
class Facts:
    """All that decide() knows.

    The fields after need are gathered only as far as the plugin would be
    asked: once an answer settles the matter, the rest keep their defaults.

    :ivar drift: how the resource differs from its definition in effect, if
        drift is to be reverted
    """

    name: str
    desired: bool = True
    created: bool = True
    failed: bool = False
    retained: bool = False
    external_id: str | None = None
    desired_external_id: str | None = None
    same_class: bool = True
    substitutable: bool = False
    restricted: frozenset[str] = frozenset()
    rollback: bool = False
    need: Need = Need.NOTHING
    invalid: Exception | None = None
    template_replaces: bool = False
    immutable: tuple[str, ...] = ()
    properties_replace: bool = False
    not_updatable: tuple[str, ...] = ()
    prop_diff: dict[str, Any] = dataclasses.field(default_factory=dict)
    tmpl_diff: object = None
    drift: judgement.Judgement | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Decision:
    """A decision, with the arguments of the action.

    :ivar error: why it must not be done; the action is recorded as FAILED
    :ivar repaired: a FAILED resource turned out to be as it should be
    :ivar before_replacement: the plugin's method to call before the
        replacement is made, or None
    """

    kind: Kind
    prop_diff: dict[str, Any] = dataclasses.field(default_factory=dict)
    tmpl_diff: object = None
    reason: str = ''
    error: Exception | None = None
    repaired: bool = False
    before_replacement: str | None = None


def decide(facts: Facts) -> Decision:
    """Return the Decision that follows from the facts."""
    if not facts.desired:
        return _decide_unwanted(facts)
    if not facts.created:
        return Decision(Kind.CREATE, reason='not created')
    if not facts.same_class:
        return _decide_other_class(facts)
    if facts.external_id or facts.desired_external_id:
        return _decide_external(facts)
    if facts.need == Need.REPLACE:
        return _replacement(facts, 'needs replacement')
    if facts.need == Need.NOTHING:
        return Decision(Kind.KEEP, repaired=facts.failed,
                        reason='unchanged')
    return _decide_changed(facts)


def _decide_unwanted(facts: Facts) -> Decision:
    if facts.retained or facts.external_id:
        return Decision(Kind.RETAIN, reason='retained')
    return Decision(Kind.DELETE, reason='not in the template')


def _decide_other_class(facts: Facts) -> Decision:
    if facts.substitutable:
        return Decision(Kind.SUBSTITUTE, reason='type substituted')
    # The plugin of the old type knows nothing of the new one.
    return dataclasses.replace(_replacement(facts, 'type changed'),
                               before_replacement=None)


def _decide_external(facts: Facts) -> Decision:
    if facts.external_id == facts.desired_external_id:
        return Decision(Kind.KEEP, reason='external', repaired=facts.failed)
    return Decision(
        Kind.UPDATE, reason='external_id changed',
        error=exception.NotSupported(
            feature=_('Changing the external_id of resource "%s"')
            % facts.name))


def _replacement(facts: Facts, reason: str) -> Decision:
    error = None
    if REPLACE_RESTRICTED in facts.restricted:
        error = exception.ResourceActionRestricted(
            action=REPLACE_RESTRICTED)
    return Decision(Kind.REPLACE, reason=reason, error=error,
                    before_replacement=('restore_prev_rsrc' if facts.rollback
                                        else 'prepare_for_replace'))


def _decide_changed(facts: Facts) -> Decision:
    """Decide about a resource whose definition or properties changed."""
    update = Decision(Kind.UPDATE, facts.prop_diff, facts.tmpl_diff,
                      reason='changed')
    if UPDATE_RESTRICTED in facts.restricted:
        return dataclasses.replace(
            update, error=exception.ResourceActionRestricted(
                action=UPDATE_RESTRICTED))
    if facts.invalid is not None:
        return dataclasses.replace(update, error=facts.invalid)
    if facts.template_replaces:
        return _replacement(facts, 'template change needs replacement')
    if facts.immutable:
        return dataclasses.replace(
            update, error=immutable_changed(facts.immutable))
    if facts.properties_replace or facts.not_updatable:
        return _replacement(facts, 'properties need replacement: %s'
                            % ', '.join(facts.not_updatable))
    return update


def immutable_changed(names: Iterable[str]) -> exception.NotSupported:
    """Return the error about changed immutable properties."""
    return exception.NotSupported(
        feature=_('Update to properties %s')
        % ', '.join(sorted(names)))


def gather(resource: interface.Resource,
           desired_defn: rsrc_defn.ResourceDefinition | None, *,
           converge: bool = False, rollback: bool = False,
           abandon: bool = False, live: bool = True,
           drift_seen: live_state.LiveState | None = None) -> Facts:
    """Return the Facts about a resource and its desired definition.

    :param desired_defn: None when the resource is not wanted any more
    :param converge: compare with what really exists, not what we stored
    :param rollback: the change goes back to an earlier definition
    :param live: whether clients may be asked (not for a preview)
    :param drift_seen: reads what really exists, for a plan that reverts
        drift; the warrant of its execution says what is to be compared
    """
    created = _was_created(resource)
    if desired_defn is None:
        return Facts(
            resource.name, desired=False, created=created,
            external_id=resource.external_id,
            retained=(abandon or resource.abandon_in_progress or
                      handler.deletion_policy(resource) == RETAIN_POLICY))
    desired_class = _class_of(resource, desired_defn)
    facts = Facts(
        resource.name, created=created,
        failed=resource.status == _R.FAILED,
        external_id=resource.external_id,
        desired_external_id=desired_defn.external_id(),
        restricted=frozenset(restricted_actions(resource)),
        rollback=rollback,
        same_class=desired_class is type(resource),
        substitutable=(desired_class is not type(resource) and
                       resource.check_is_substituted(desired_class)))
    if (not created or not facts.same_class or facts.external_id or
            facts.desired_external_id):
        return facts
    if drift_seen is None and stack_warrant.reverted(resource.stack) is None:
        return _compare(resource, desired_defn, facts,
                        live and (converge or resource.converge or
                                  cfg.CONF.observe_on_update), live)
    facts = dataclasses.replace(facts, drift=_drift_of(resource, drift_seen))
    return _compare(resource, desired_defn, facts, False, live)


def _drift_of(resource: interface.Resource,
              drift_seen: live_state.LiveState | None
              ) -> judgement.Judgement | None:
    """Return how a resource has drifted, None if that does not matter.

    An execution reverts what the plan names, so that a difference that
    arises later changes nothing that nobody has agreed to.
    """
    if drift_seen is None:
        if resource.name not in (
                stack_warrant.reverted(resource.stack) or ()):
            return None
        drift_seen = live_state.LiveState()
    found = judgement.of_resource(resource, drift_seen)
    return found if found.has_drifted else None


def _was_created(resource: interface.Resource) -> bool:
    return (resource.id is not None and resource.action != _R.INIT and
            resource.state != (_R.DELETE, _R.COMPLETE))


def _class_of(resource: interface.Resource,
              definition: rsrc_defn.ResourceDefinition) -> Any:
    """Return the class that a definition of this resource has now."""
    return type_lookup.class_in(
        resource.stack.env, definition,
        lambda: type_lookup.is_stand_in(resource))


def restricted_actions(resource: interface.Resource) -> frozenset[str]:
    """Return what the environment forbids to do to the resource."""
    stack = resource.stack
    registry = (getattr(stack, 'goal_env', None) or stack.env).registry
    actions: frozenset[str] = registry.get_rsrc_restricted_actions(
        resource.name)
    return actions


def _compare(resource: interface.Resource, after: rsrc_defn.ResourceDefinition,
             facts: Facts, observe: bool, live: bool) -> Facts:
    before = resource.frozen_definition()
    try:
        before_props, after_props = update_properties(
            resource, after, before, client_resolve=live)
    except diagnostics.WRONG_VALUES as error:
        # The function that stands for all properties does not return a map.
        request_budget.require()
        if not live:
            raise
        return dataclasses.replace(facts, need=Need.UPDATE, invalid=error)
    if facts.drift is not None:
        if facts.drift.finding == drift_words.Finding.DELETED:
            return dataclasses.replace(facts, need=Need.REPLACE)
        _lay_over(before_props, facts.drift.actual)
    elif observe and resource.resource_id is not None:
        if not observe_live_state(resource, before_props, after_props):
            return dataclasses.replace(facts, need=Need.REPLACE)
    if live and not facts.failed:
        # Dependent resources need not look for what the stack has made.
        resource.remember_id()
    try:
        return _compare_definitions(resource, after, before, after_props,
                                    before_props, facts)
    except exception.UpdateReplace:
        return dataclasses.replace(facts, need=Need.REPLACE)
    except _WRONG as error:
        # A value is missing or wrong.
        request_budget.require()
        return dataclasses.replace(facts, need=Need.UPDATE, invalid=error)


def _compare_definitions(resource: interface.Resource,
                         after: rsrc_defn.ResourceDefinition,
                         before: rsrc_defn.ResourceDefinition,
                         after_props: Any, before_props: Any, facts: Facts
                         ) -> Facts:
    """Add the result of comparing two definitions by the plugin.

    :raises UpdateReplace: the plugin requires a replacement.
    """
    if not resource._needs_update(  # noqa: SLF001 (plugin API)
            after, before, after_props, before_props,
            None) and facts.drift is None:
        return facts
    after_props.validate()
    return _compare_details(resource, after, before, after_props,
                            before_props,
                            dataclasses.replace(facts, need=Need.UPDATE))


def _compare_details(resource: interface.Resource,
                     after: rsrc_defn.ResourceDefinition,
                     before: rsrc_defn.ResourceDefinition, after_props: Any,
                     before_props: Any, facts: Facts) -> Facts:
    """Add what the differences mean to a resource that needs an update."""
    tmpl_diff = resource.update_template_diff(after.freeze(), before)
    facts = dataclasses.replace(facts, tmpl_diff=tmpl_diff)
    if tmpl_diff and resource.needs_replace_with_tmpl_diff(tmpl_diff):
        return dataclasses.replace(facts, template_replaces=True)
    changed = changed_properties(resource, after_props, before_props)
    if facts.drift is not None:
        # What the plugin found to differ may be equal for the schema.
        changed |= facts.drift.actual.keys()
    immutable = immutable_among(resource, changed)
    if immutable:
        return dataclasses.replace(facts, immutable=immutable)
    if changed and resource.needs_replace_with_prop_diff(
            changed, after_props, before_props):
        return dataclasses.replace(facts, properties_replace=True)
    return dataclasses.replace(
        facts,
        not_updatable=tuple(sorted(
            changed - set(resource.calc_update_allowed(after_props)))),
        prop_diff={name: after_props.get(name) for name in changed})


def update_properties(resource: interface.Resource,
                      after: rsrc_defn.ResourceDefinition,
                      before: rsrc_defn.ResourceDefinition,
                      client_resolve: bool = True) -> tuple[Any, Any]:
    """Return translated Properties (before, after) a change."""
    before_props = before.properties(resource.properties_schema,
                                     resource.context)
    resource.translate_properties(before_props, client_resolve,
                                  ignore_resolve_error=True)
    # A schema that depends on the definition is the new one from here on.
    resource.regenerate_info_schema(after)
    after_props = after.properties(resource.properties_schema,
                                   resource.context)
    resource.translate_properties(after_props, client_resolve)
    return before_props, after_props


def observe_live_state(resource: interface.Resource, before_props: Any,
                       after_props: Any) -> bool:
    """Lay live values over the stored ones; False when nothing is there.

    What both definitions leave open stays as the service has chosen it.
    """
    try:
        found = resource.get_live_state(before_props)
    except exception.EntityNotFound:
        return False
    except Exception as error:  # noqa: BLE001
        LOG.warning('The live state of resource "%s" is unknown: %s',
                    resource.name, error)
        return True
    for name, value in (found or {}).items():
        if name in before_props and before_props.get(name) != value and not (
                _is_open(resource, before_props, name, value) and
                _is_open(resource, after_props, name, value)):
            before_props.data[name] = value
    return True


def _is_open(resource: interface.Resource, props: Any, name: str, value: Any
             ) -> bool:
    """Return whether a definition admits a live value without naming it."""
    try:
        if props.get_user_value(name) is not None:
            return False
        return judgement.expected(resource, props, name, value) in (None,
                                                                    value)
    except (ValueError, TypeError, exception.HeatException):
        return False


def _lay_over(before_props: Any, actual: Mapping[str, Any]) -> None:
    """Replace stored values by live ones that the schema can express."""
    for name, value in actual.items():
        stored = before_props.data.get(name)
        before_props.data[name] = value
        try:
            before_props.get(name)
        except (ValueError, TypeError, exception.HeatException):
            before_props.data[name] = stored


def changed_properties(resource: interface.Resource, after_props: Any,
                       before_props: Any) -> set[str]:
    """Return the names of properties whose value changes.

    Those that the type no longer has are not among them.
    """
    return {name for name in after_props.keys()
            if before_props.get(name) != after_props.get(name)}


def immutable_among(resource: interface.Resource, names: Collection[str]
                    ) -> tuple[str, ...]:
    """Return which of the names are immutable properties, in order."""
    return tuple(sorted(
        name for name, prop in resource.properties.props.items()
        if name in names and prop.schema.immutable))


def property_diff(resource: interface.Resource, after_props: Any,
                  before_props: Any) -> dict[str, Any]:
    """Return {changed name: new value} of a change that can be made.

    Raise UpdateReplace or NotSupported when it cannot be made in place.
    """
    changed = changed_properties(resource, after_props, before_props)
    immutable = immutable_among(resource, changed)
    if immutable:
        raise immutable_changed(immutable)
    if changed and resource.needs_replace_with_prop_diff(
            changed, after_props, before_props):
        raise exception.UpdateReplace(resource.name)
    if not changed <= set(resource.calc_update_allowed(after_props)):
        raise exception.UpdateReplace(resource.name)
    return {name: after_props.get(name) for name in changed}


def needs_update(resource: interface.Resource,
                 after: rsrc_defn.ResourceDefinition,
                 before: rsrc_defn.ResourceDefinition, after_props: Any,
                 before_props: Any, check_init_complete: bool = True) -> bool:
    """Return whether definition or properties differ.

    Raise UpdateReplace when the resource has to be replaced whatever they
    are: it failed, was never made, or the plugin says so.
    """
    if resource.status == _R.FAILED and (
            (resource.action == _R.CHECK and
             resource.always_replace_on_check_failed) or
            resource.needs_replace_failed()):
        raise exception.UpdateReplace(resource.name)
    if check_init_complete and resource.state == (_R.INIT, _R.COMPLETE):
        raise exception.UpdateReplace(resource.name)
    if resource.needs_replace(after_props):
        raise exception.UpdateReplace(resource.name)
    if before != after.freeze():
        return True
    try:
        return bool(changed_properties(resource, after_props, before_props))
    except (ValueError, TypeError, exception.HeatException):
        # What cannot be read differs; validation will say what is wrong.
        return True


def substitute(resource: interface.Resource,
               desired_defn: rsrc_defn.ResourceDefinition) -> Any:
    """Return the same resource as an object of its desired class."""
    other = resource.stack.env.get_class_to_instantiate(
        desired_defn.resource_type, resource_name=resource.name)
    return other.taking_over(resource)


def is_allowed(resource: interface.Resource, action: str) -> bool:
    """Return whether the state of a resource admits an action."""
    if action == _R.SUSPEND:
        return resource.action == _R.SUSPEND or (
            resource.status == _R.COMPLETE and
            resource.action not in (_R.DELETE, _R.INIT))
    if action == _R.RESUME:
        return (resource.action == _R.RESUME or
                resource.state == (_R.SUSPEND, _R.COMPLETE))
    return True
