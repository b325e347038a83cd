"""What an update would do to each resource of a tree of stacks, and why.

Each resource is decided about as the update itself would; nothing is changed.
"""
import dataclasses
import itertools
from typing import Any

from oslo_config import cfg

from heat.common import change_words
from heat.common import exception
from heat.common import text_places
from heat.common.i18n import _
from heat.engine import resource as resource_module
from heat.engine import stk_defn
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.plans import causes
from heat.engine.stacks import redaction
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import resource as resource_objects

_K = resource_decision.Kind

CREATE, UPDATE, REPLACE, DELETE, RETAIN, KEEP = ACTIONS = change_words.ACTIONS
NEVER, MAYBE, ALWAYS = change_words.REPLACEMENTS

#: Number of changes that are kept; of the rest there is a count.
MOST_CHANGES = 2000

_ACTION_OF = {_K.KEEP: KEEP, _K.CREATE: CREATE, _K.UPDATE: UPDATE,
              _K.REPLACE: REPLACE, _K.DELETE: DELETE, _K.RETAIN: RETAIN}


@dataclasses.dataclass(slots=True)
class Plan:
    """What an update of a tree would do.

    :ivar changes: a dict for each resource
    :ivar errors: texts of what would make the update fail
    :ivar warrant: data of the warrant, without the change set's id
    :ivar secrets: the texts to be masked in the changes
    """

    changes: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    errors: list[str] = dataclasses.field(default_factory=list)
    warrant: dict[str, Any] = dataclasses.field(default_factory=dict)
    secrets: set[str] = dataclasses.field(default_factory=set)

    def has_changes(self) -> bool:
        """Return whether anything happens at all."""
        return any(each['action'] != KEEP for each in self.changes)

    def masked(self, text: str) -> Any:
        """Return a text without hidden values."""
        return redaction.struck_out(text, self.secrets)

    def shown(self) -> dict[str, Any]:
        """Return the changes as users may see them, with their counts."""
        counts = dict.fromkeys(ACTIONS, 0)
        for each in self.changes:
            counts[each['action']] += 1
        # What is kept is the first to be left out.
        first = sorted(self.changes, key=lambda each: each['action'] == KEEP)
        kept = {id(each) for each in first[:MOST_CHANGES]}
        return {
            'changes': redaction.struck_out(
                [each for each in self.changes if id(each) in kept],
                self.secrets),
            'counts': counts,
            'left_out': max(len(self.changes) - MOST_CHANGES, 0)}


def of_update(current: Any, updated: Any, text: str | None = None) -> Plan:
    """Return the plan of an update.

    :param updated: the validated stack that is the goal
    :param text: the text of its template, if the client sent text
    """
    plan = Plan()
    plan.warrant = _Level(plan, current, updated, text=text).walk()
    return plan


def of_create(stack: Any) -> Plan:
    """Return the plan of a creation."""
    plan = Plan(secrets=redaction.secrets_of(stack))
    for resource, rank in _ranked(stack):
        _whole(plan, (), resource, CREATE, rank)
    return plan


def _ranked(stack: Any) -> list[tuple[Any, int]]:
    """Return (resource, rank); each follows those that it requires."""
    deps, found = stack.dependencies, []
    ranks: dict[str, int] = {}
    for resource in deps:
        ranks[resource.name] = 1 + max(
            (ranks.get(other.name, 0) for other in deps.requires(resource)),
            default=0)
        found.append((resource, ranks[resource.name]))
    return found


def _change(path: tuple[str, ...], resource: Any, action: str, rank: int,
            replacement: str = NEVER, reason: str = '', **more: Any
            ) -> dict[str, Any]:
    return {'path': list(path), 'type': resource.type(),
            'physical_resource_id': resource.resource_id,
            'action': action, 'replacement': replacement, 'rank': rank,
            'reason': reason, 'causes': [], **more}


def _whole(plan: Plan, above: tuple[str, ...], resource: Any, action: str,
           rank: int, reason: str = '') -> None:
    """Add a resource that is created or deleted, with all that is inside."""
    path = (*above, resource.name)
    plan.changes.append(_change(path, resource, action, rank, reason=reason))
    _inside(plan, path, resource, action, rank)


def _inside(plan: Plan, path: tuple[str, ...], resource: Any, action: str,
            rank: int) -> None:
    inner = None
    if action == CREATE:
        if hasattr(resource, 'preview_stack'):
            inner = _previewed(resource)
    elif resource.has_nested():
        inner = resource.nested()
    if inner is None:
        return
    plan.secrets |= redaction.secrets_of(inner)
    for name in sorted(inner):
        _whole(plan, path, inner[name], action, rank)


def _previewed(resource: Any) -> Any:
    """Return the stack that a resource would have inside, None if unknown."""
    try:
        return resource.preview_stack()
    except exception.RequestLimitExceeded:
        raise
    except causes.ERRORS:
        # It depends on a value that is not there yet.
        return None


class _Level:
    """One stack of the tree.

    :param path: names of the resources that it is nested in
    :param unknown: parameters whose values are known after apply
    """

    def __init__(self, plan: Plan, current: Any, updated: Any,
                 path: tuple[str, ...] = (),
                 unknown: frozenset[str] = frozenset(),
                 text: str | None = None) -> None:
        self._plan = plan
        self._current = current
        self._updated = updated
        self._path = path
        self._unsure = causes.Unsure(parameters=unknown)
        self._explainer = causes.Explainer(updated, text)
        self._live = bool(updated.converge or cfg.CONF.observe_on_update)
        self._may: dict[str, set[str]] = {
            part: set() for part in (CREATE, REPLACE, DELETE)}
        self._inside: dict[str, Any] = {}
        plan.secrets |= redaction.secrets_of(current)
        plan.secrets |= redaction.secrets_of(updated)

    def walk(self) -> dict[str, Any]:
        """Add the changes of the stack; return the data of its warrant."""
        last = 0
        for goal, rank in _ranked(self._updated):
            last = max(last, rank)
            if goal.name in self._current:
                self._existing(self._current[goal.name], goal, rank)
            else:
                self._create(goal, rank)
        self._removals(last)
        self._leftovers(last)
        result: dict[str, Any] = {
            part: sorted(names) for part, names in self._may.items() if names}
        result['base'] = list(stack_warrant.stamp(self._current))
        if self._inside:
            result['inside'] = self._inside
        if self._unsure.parameters and self._has_conditions():
            result['is_open'] = True
        return result

    def _has_conditions(self) -> bool:
        template = self._updated.t
        key = getattr(template, 'CONDITIONS', None)
        return bool(key and template.t.get(key))

    # -- what is to be there --------------------------------------------------

    def _create(self, goal: Any, rank: int, reason: str = '') -> None:
        _whole(self._plan, self._path, goal, CREATE, rank, reason)
        self._may[CREATE].add(goal.name)
        # The row of an earlier attempt goes.
        self._may[DELETE].add(goal.name)
        self._unsure.references.add(goal.name)

    def _existing(self, resource: Any, goal: Any, rank: int) -> None:
        """Add what happens to a resource that is there."""
        desired = goal.stack.defn.resource_definition(resource.name)
        facts, decision, resource = self._decided(resource, desired)
        if decision.kind == _K.CREATE:
            self._create(goal, rank, decision.reason)
            return
        properties = causes.Properties(
            resource, desired, self._explainer.raw(goal.name), self._unsure,
            self._explainer.names, self._live)
        action, replacement = _judged(facts, decision, properties)
        if decision.error is not None and not properties.unknown:
            self._plan.errors.append(_('Resource "%(path)s": %(error)s') % {
                'path': '/'.join((*self._path, resource.name)),
                'error': exception.text_of(decision.error)})
        change = _change(
            (*self._path, resource.name), resource, action, rank,
            replacement, decision.reason)
        self._plan.changes.append(change)
        if action != KEEP:
            change['causes'] = self._explainer.causes(
                resource.name, properties, facts.properties_replace)
        if replacement != NEVER:
            self._may[REPLACE].add(resource.name)
        if action == REPLACE:
            self._unsure.references.add(resource.name)
            _inside(self._plan, (*self._path, resource.name), goal, CREATE,
                    rank)
            _inside(self._plan, (*self._path, resource.name), resource,
                    DELETE, rank)
            return
        if replacement == MAYBE:
            self._unsure.references.add(resource.name)
        self._stays(resource, goal, change, properties)

    def _decided(self, resource: Any, desired: Any) -> tuple[Any, Any, Any]:
        """Return (facts, decision, resource of its class to be)."""
        def ask() -> tuple[Any, Any]:
            facts = resource_decision.gather(
                resource, desired, converge=bool(self._updated.converge),
                live=self._live)
            return facts, resource_decision.decide(facts)

        facts, decision = ask()
        if decision.kind == _K.SUBSTITUTE:
            resource = resource_decision.substitute(resource, desired)
            facts, decision = ask()
        return facts, decision, resource

    def _stays(self, resource: Any, goal: Any, change: dict[str, Any],
               properties: causes.Properties) -> None:
        """Take the data of a resource that is not replaced for certain."""
        if resource.has_nested():
            self._nested(resource, goal, change, properties)
        if change['action'] != KEEP:
            self._unsure.attributes.add(resource.name)
            if resource.has_nested():
                self._unsure.references.add(resource.name)
        stk_defn.update_resource_data(
            goal.stack.defn, goal.name, resource.node_data(goal.stack.defn))

    def _nested(self, resource: Any, goal: Any, change: dict[str, Any],
                properties: causes.Properties) -> None:
        """Add what happens inside a resource that has a stack."""
        before, after = resource.nested(), _previewed(goal)
        if before is None or after is None or not (
                properties.unknown <= set(after.parameters)):
            change['contents'] = causes.KNOWN_AFTER_APPLY
            return
        wanted = stack_store.wanted_stack(before, after.t)
        wanted.set_parent_stack(goal.stack)
        wanted.converge = self._updated.converge
        first = len(self._plan.changes)
        url = goal.template_url
        self._inside[resource.name] = _Level(
            self._plan, before, wanted, (*self._path, resource.name),
            frozenset(properties.unknown), text_places.as_written(
                goal.stack.t.files.get(url) if url else None)).walk()
        if change['action'] == UPDATE and not change['causes'] and not any(
                each['action'] != KEEP
                for each in itertools.islice(self._plan.changes, first,
                                             None)):
            change['action'], change['reason'] = KEEP, 'unchanged'

    # -- what is to go --------------------------------------------------------

    def _removals(self, last: int) -> None:
        """Add what no definition wants any more; dependents go first."""
        gone = set(self._current) - set(self._updated)
        deps = self._current.dependencies
        ranks: dict[str, int] = {}
        for resource in reversed(list(deps)):
            if resource.name not in gone:
                continue
            ranks[resource.name] = 1 + max(
                (ranks.get(other.name, last)
                 for other in deps.required_by(resource)), default=last)
            decision = resource_decision.decide(
                resource_decision.gather(self._current[resource.name], None))
            self._may[DELETE].add(resource.name)
            _whole(self._plan, self._path, self._current[resource.name],
                   _ACTION_OF[decision.kind], ranks[resource.name],
                   decision.reason)

    def _leftovers(self, last: int) -> None:
        """Add the rows that an earlier update has replaced and not deleted.
        """
        known = {resource.id for resource in self._current.values()}
        for row in resource_objects.Resource.get_all_rows_by_stack(
                self._current.context, self._current.id).values():
            if row.id in known or row.action == 'INIT' or (
                    row.action, row.status) == ('DELETE', 'COMPLETE'):
                continue
            self._may[DELETE].add(row.name)
            self._plan.changes.append({
                'path': [*self._path, row.name], 'type': None,
                'physical_resource_id': row.physical_resource_id,
                'action': DELETE, 'replacement': NEVER, 'rank': last + 1,
                'reason': 'replaced earlier', 'causes': []})


def _judged(facts: Any, decision: Any, properties: causes.Properties
            ) -> tuple[str, str]:
    """Return (action, replacement), as far as the values are known."""
    unknown = properties.unknown
    if not unknown and not properties.unknown_parts:
        action = _ACTION_OF[decision.kind]
        return action, ALWAYS if action == REPLACE else NEVER
    if facts.need == resource_decision.Need.REPLACE or not facts.same_class:
        return REPLACE, ALWAYS
    if facts.external_id or facts.desired_external_id:
        return _ACTION_OF[decision.kind], NEVER
    if any(properties.forces(name)
           for name, _before, _after in properties.changed()):
        return REPLACE, ALWAYS
    may = (any(map(properties.forces, unknown)) or
           facts.template_replaces or facts.properties_replace or
           _asks_plugin(properties.resource))
    return UPDATE, MAYBE if may else NEVER


def _asks_plugin(resource: Any) -> bool:
    """Return whether the plugin judges changed values itself."""
    base = resource_module.Resource
    return any(getattr(type(resource), name) is not getattr(base, name)
               for name in ('needs_replace', 'needs_replace_with_prop_diff'))
