"""What an update would do to each resource of a tree of stacks, and why.

Each resource is decided about as the update itself would; nothing is changed.
"""
from collections.abc import Generator, Iterable, Iterator, Mapping
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
from heat.engine.comparison import live as live_state
from heat.engine.comparison import unchanged
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.plans import acceptance
from heat.engine.plans import causes
from heat.engine.plans import drift_causes
from heat.engine.plans import givers
from heat.engine.plans import likely_moves
from heat.engine.plans import moves
from heat.engine.plans import places
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import redaction
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import resource as resource_objects

_K = resource_decision.Kind

ACTIONS = change_words.ACTIONS
CREATE, UPDATE, REPLACE, DELETE, RETAIN, KEEP, MOVE, IMPORT = ACTIONS
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
    :ivar live: reads what really exists; None if the update does not
        revert drift
    :ivar moved: the resources that move
    :ivar proposed: (path, path) of what looks like the move of a resource
    """

    changes: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    errors: list[str] = dataclasses.field(default_factory=list)
    warrant: dict[str, Any] = dataclasses.field(default_factory=dict)
    secrets: set[str] = dataclasses.field(default_factory=set)
    live: live_state.LiveState | None = None
    moved: moves.Moved | None = None
    proposed: list[tuple[tuple[str, ...], tuple[str, ...]]] = (
        dataclasses.field(default_factory=list))

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
            'proposed_moves': [
                {'from': '/'.join(source), 'to': '/'.join(target)}
                for source, target in self.proposed],
            'other_stacks': [] if self.moved is None else [
                {**_named(giver), 'loses': sorted(
                    '/'.join(path) for path in giver.lost)}
                for giver in self.moved.givers.values()],
            'left_out': max(len(self.changes) - MOST_CHANGES, 0)}


def update_steps(plan: Plan, current: Any, updated: Any,
                 moved: moves.Moved | None = None,
                 text: str | None = None) -> Iterator[None]:
    """Plan an update, and yield after each resource of the goal.

    :param plan: an empty Plan, to be filled
    :param updated: the validated stack that is the goal
    :param moved: what moves; the stacks as they are show it already
    :param text: the text of its template, if the client sent text
    """
    plan.moved = moved or moves.Moved(current, updated)
    lookout = likely_moves.Lookout()
    plan.warrant = yield from _Level(plan, current, updated, text=text,
                                     lookout=lookout).walk()
    plan.warrant['base'] = list(stack_warrant.stamp(current))
    plan.proposed += lookout.found()
    for change in plan.changes:
        path = tuple(change['path'])
        if change['action'] in (DELETE, RETAIN):
            continue
        origin, giver = plan.moved.origin_of(path), plan.moved.giver_of(path)
        if origin is not None:
            change['moved_from'] = list(origin)
        if giver is not None:
            change['moved_from_stack'] = _named(giver)
        if path in plan.moved.origins:
            _note_origin(change, plan.moved.origins[path], giver)
        elif path in plan.moved.imported:
            change['after_import'], change['action'] = (change['action'],
                                                        IMPORT)


def _named(giver: givers.Giver) -> dict[str, Any]:
    return {'id': giver.stack.id, 'name': giver.stack.name}


def _note_origin(change: dict[str, Any], origin: tuple[str, ...],
                 giver: givers.Giver | None) -> None:
    """Say of a change that the resource comes from another path."""
    if change['action'] == KEEP:
        change['action'], change['reason'] = MOVE, 'moved'
    change['causes'] = [causes.of_move(
        origin, change['path'], None if giver is None else giver.stack.name),
        *change['causes']]


def create_steps(plan: Plan, stack: Any) -> Iterator[None]:
    """Plan a creation, and yield after each resource of the root."""
    plan.secrets |= redaction.secrets_of(stack)
    explainer, unsure = causes.Explainer(stack), causes.Unsure()
    for name, rank in _ranks(stack_graph.needs(stack.dependencies)).items():
        resource, first = stack[name], len(plan.changes)
        _whole(plan, (), resource, CREATE, rank)
        _mark_contents(plan.changes[first], resource, explainer, unsure)
        unsure.references.add(resource.name)
        yield


def _mark_contents(change: dict[str, Any], goal: Any,
                   explainer: causes.Explainer, unsure: causes.Unsure
                   ) -> None:
    """Say of a new resource if its contents depend on unknown values."""
    if not hasattr(goal, 'preview_stack'):
        return
    unknown = explainer.unknown_properties(goal.name, unsure)
    inner = _previewed(goal)
    if inner is None or unknown and (
            not unknown <= set(inner.parameters) or
            causes.Explainer(inner).has_conditions() or
            # There may be conditions further inside.
            any(hasattr(each, 'preview_stack') for each in inner.values())):
        change['contents'] = causes.KNOWN_AFTER_APPLY


def _ranks(needs: Mapping[str, list[str]]) -> dict[str, int]:
    """Return the ranks of resources; each follows those that it requires.

    :param needs: see stack_graph.needs()
    """
    ranks: dict[str, int] = {}
    for name, needed in needs.items():
        ranks[name] = 1 + max((ranks.get(other, 0) for other in needed),
                              default=0)
    return ranks


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
    explainer, unsure = causes.Explainer(inner), causes.Unsure()
    unsure.references.update(inner)
    for name in sorted(inner):
        first = len(plan.changes)
        _whole(plan, path, inner[name], action, rank)
        if action == CREATE:
            _mark_contents(plan.changes[first], inner[name], explainer,
                           unsure)


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
                 text: str | None = None,
                 lookout: likely_moves.Lookout | None = None) -> None:
        self._plan = plan
        self._lookout = lookout or likely_moves.Lookout()
        self._current = current
        self._updated = updated
        self._path = path
        self._explainer = causes.Explainer(updated, text)
        unsure = causes.Unsure(parameters=unknown)
        self._unsure = dataclasses.replace(
            unsure,
            conditions=self._explainer.uncertain_conditions(unsure))
        self._conditional = self._explainer.conditional(
            self._unsure.conditions)
        self._live = bool(updated.converge or cfg.CONF.observe_on_update)
        self._may: dict[str, set[str]] = {
            part: set() for part in (CREATE, REPLACE, DELETE)}
        self._inside: dict[str, Any] = {}
        self._reverts: set[str] = set()
        #: Resources that were not compared and whose data the goal lacks.
        self._uncompared: set[str] = set()
        plan.secrets |= redaction.secrets_of(current)
        plan.secrets |= redaction.secrets_of(updated)

    def walk(self) -> Generator[None, None, dict[str, Any]]:
        """Add the changes of the stack; return the data of its warrant.

        It yields after each resource.
        """
        last, needs = 0, stack_graph.needs(self._updated.dependencies)
        rows = self._rows_not_visited(needs)
        for name, rank in _ranks(needs).items():
            last, goal = max(last, rank), self._updated[name]
            if name in rows:
                self._keep(goal, rank, rows[name])
                yield
                continue
            self._provide(needs[name])
            if name in self._current:
                yield from self._existing(self._current[name], goal, rank)
            else:
                self._create(goal, rank)
            yield
        self._absent(last)
        self._removals(last)
        self._leftovers(last)
        result: dict[str, Any] = {
            part: sorted(names) for part, names in self._may.items() if names}
        if self._inside:
            result['inside'] = self._inside
        if self._plan.live is not None:
            result[stack_warrant.REVERTS] = sorted(self._reverts)
        return result

    # -- what certainly stays -------------------------------------------------

    def _rows_not_visited(self, needs: Mapping[str, list[str]]
                          ) -> dict[str, Any]:
        """Return {name: row} of resources that the update would not visit.

        It is empty if more than the definitions decides about them.

        :param needs: see stack_graph.needs()
        """
        plan, current = self._plan, self._current
        if (plan.moved or plan.live is not None or self._conditional or
                self._unsure.parameters):
            return {}
        found = unchanged.names(current, self._updated, needs)
        return {name: row for name, row in current.rows.by_name().items()
                if name in found and unchanged.is_well(row, current.t.id)}

    def _keep(self, goal: Any, rank: int, row: Any) -> None:
        """Add a resource that the update would not visit."""
        self._plan.changes.append(_change(
            (*self._path, goal.name), goal, KEEP, rank, reason='unchanged',
            physical_resource_id=row.physical_resource_id))
        self._uncompared.add(goal.name)

    def _provide(self, names: Iterable[str]) -> None:
        """Give the goal the data of resources that were not compared."""
        defn = self._updated.defn
        for name in self._uncompared.intersection(names):
            self._uncompared.remove(name)
            stk_defn.update_resource_data(
                defn, name, self._current[name].node_data(defn))

    # -- what is to be there --------------------------------------------------

    def _create(self, goal: Any, rank: int, reason: str = '') -> None:
        first = len(self._plan.changes)
        _whole(self._plan, self._path, goal, CREATE, rank, reason)
        change = self._plan.changes[first]
        _mark_contents(change, goal, self._explainer, self._unsure)
        self._note_condition(change)
        self._lookout.note_new((*self._path, goal.name), goal)
        self._may[CREATE].add(goal.name)
        # The row of an earlier attempt goes.
        self._may[DELETE].add(goal.name)
        self._unsure.references.add(goal.name)

    def _note_condition(self, change: dict[str, Any]) -> None:
        """Add that it is known after apply whether a resource is wanted."""
        name = change['path'][-1]
        cause = self._conditional.get(name)
        if cause is None:
            return
        change['causes'] = [*change['causes'], cause]
        if change['action'] == KEEP:
            change['action'] = UPDATE
        for part in self._may.values():
            part.add(name)
        self._unsure.references.add(name)

    def _absent(self, last: int) -> None:
        """Add what unknown conditions leave out as far as is known."""
        for name in sorted(self._conditional.keys() - set(self._updated)):
            path, raw = (*self._path, name), self._explainer.raw(name)
            if name in self._current:
                change = _change(path, self._current[name], UPDATE, last)
            else:
                change = {
                    'path': list(path),
                    'type': raw.get('type', raw.get('Type')),
                    'physical_resource_id': None, 'action': CREATE,
                    'replacement': NEVER, 'rank': last, 'reason': '',
                    'causes': []}
            change['contents'] = causes.KNOWN_AFTER_APPLY
            self._note_condition(change)
            self._plan.changes.append(change)

    def _existing(self, resource: Any, goal: Any, rank: int
                  ) -> Iterator[None]:
        """Add what happens to a resource that is there."""
        desired = places.desired(goal)
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
            if facts.drift is not None:
                change['causes'] += drift_causes.of_judgement(
                    facts.drift, properties, acceptance.Acceptance(
                        self._explainer, goal.name, properties.raw,
                        facts.drift.actual, frozenset(
                            self._explainer.secret_properties(resource))))
                self._reverts.add(resource.name)
        self._note_condition(change)
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
        yield from self._stays(resource, goal, change, properties)

    def _decided(self, resource: Any, desired: Any) -> tuple[Any, Any, Any]:
        """Return (facts, decision, resource of its class to be)."""
        def ask() -> tuple[Any, Any]:
            facts = resource_decision.gather(
                resource, desired, converge=bool(self._updated.converge),
                live=self._live, drift_seen=self._plan.live)
            return facts, resource_decision.decide(facts)

        facts, decision = ask()
        if decision.kind == _K.SUBSTITUTE:
            resource = resource_decision.substitute(resource, desired)
            facts, decision = ask()
        return facts, decision, resource

    def _stays(self, resource: Any, goal: Any, change: dict[str, Any],
               properties: causes.Properties) -> Iterator[None]:
        """Take the data of a resource that is not replaced for certain."""
        if resource.has_nested():
            yield from self._nested(resource, goal, change, properties)
        if change['action'] != KEEP:
            self._unsure.attributes.add(resource.name)
            if resource.has_nested():
                self._unsure.references.add(resource.name)
        stk_defn.update_resource_data(
            goal.stack.defn, goal.name, resource.node_data(goal.stack.defn))

    def _nested(self, resource: Any, goal: Any, change: dict[str, Any],
                properties: causes.Properties) -> Iterator[None]:
        """Add what happens inside a resource that has a stack."""
        before, after = resource.nested(), _previewed(goal)
        if before is None or after is None or not (
                properties.unknown <= set(after.parameters)):
            change['contents'] = causes.KNOWN_AFTER_APPLY
            return
        wanted = stack_store.wanted_stack(before, after.t,
                                          parent_stack=goal.stack)
        wanted.converge = self._updated.converge
        first = len(self._plan.changes)
        url = goal.template_url
        level = _Level(
            self._plan, before, wanted, (*self._path, resource.name),
            frozenset(properties.unknown), text_places.as_written(
                goal.stack.t.files.get(url) if url else None),
            self._lookout)
        self._inside[resource.name] = yield from level.walk()
        if change['action'] == UPDATE and not change['causes'] and not any(
                each['action'] != KEEP
                for each in itertools.islice(self._plan.changes, first,
                                             None)) and (
                    self._plan.moved is None or
                    not self._plan.moved.is_inside(change['path'])):
            change['action'], change['reason'] = KEEP, 'unchanged'

    # -- what is to go --------------------------------------------------------

    def _removals(self, last: int) -> None:
        """Add what no definition wants any more; dependents go first."""
        gone = (set(self._current) - set(self._updated) -
                self._conditional.keys())
        if not gone:
            return
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
            self._lookout.note_gone((*self._path, resource.name),
                                    self._current[resource.name])
            _whole(self._plan, self._path, self._current[resource.name],
                   _ACTION_OF[decision.kind], ranks[resource.name],
                   decision.reason)

    def _leftovers(self, last: int) -> None:
        """Add the rows that an earlier update has replaced and not deleted.
        """
        known = {resource.id for resource in self._current.values()}
        if self._plan.moved is not None:
            known |= self._plan.moved.row_ids
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
