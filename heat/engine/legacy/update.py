"""The legacy update: make one stack like another, resource by resource.

What is replaced moves to a hidden backup stack, from where a rollback can
take it back; whoever runs the update deletes that stack when all is well.
"""
from collections.abc import Callable, Collection, Iterator, Mapping
import contextlib
from typing import Any

from oslo_log import log as logging

from heat.common import exception
from heat.common import secrecy
from heat.engine import dependencies
from heat.engine import environment
from heat.engine import resource
from heat.engine import rsrc_defn
from heat.engine import status
from heat.engine import stk_defn
from heat.engine import template
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.stacks import interface
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects

LOG = logging.getLogger(__name__)

R = status.ResourceStatus

#: Sections of an environment: what types are made of, and by name.
_REGISTRY, _BY_NAME = 'resource_registry', 'resources'

_UPDATE, _REMOVE = 'update', 'remove'


def working_template(existing: interface.Stack, new: interface.Stack
                     ) -> template.Template:
    """Return the template of a stack whose update has not begun.

    Should the engine die, the stack has this one: it knows the resources
    that exist and those that may have been made.
    """
    return _mixed(existing.defn, existing.t, new.t,
                  keep_old=set(existing.resources))


def _mixed(old_defn: stk_defn.StackDefinition, old: template.Template,
           new: template.Template, keep_old: Collection[str]
           ) -> template.Template:
    """Return the new template, with the old definitions of some names."""
    types = {name: old_defn.resource_definition(name).resource_type
             for name in keep_old}
    mixed = new.copy(env=_merged_environment(old.env, new.env, types))
    mixed.files = {**old.files, **new.files}
    mixed.merge_snippets(old)
    mixed.merge_snippets(new)
    for name in sorted(keep_old):
        if _is_same(old, new, name):
            continue
        mixed.add_resource(old_defn.resource_definition(name), name)
        _drop_condition(mixed, name)
    return mixed


def _is_same(old: template.Template, new: template.Template, name: str
             ) -> bool:
    mine = old.section(old.RESOURCES).get(name)
    return (old.version == new.version and
            mine == new.section(new.RESOURCES).get(name) and
            not _has_condition(mine))


def _has_condition(raw: Any) -> bool:
    return any(key.lower() == 'condition' for key in raw or ())


def _drop_condition(tmpl: template.Template, name: str) -> None:
    """Have a resource that exists be enabled, whatever parameters say."""
    resources = tmpl.section(tmpl.RESOURCES)
    kept = {key: value for key, value in resources[name].items()
            if key.lower() != 'condition'}
    tmpl.t = {**tmpl.t, tmpl.RESOURCES: {**resources, name: kept}}


def _merged_environment(old: Any, new: Any, kept: Any) -> Any:
    """Return the new environment, with the parameters of both.

    :param kept: types by names of resources that are as they were: what
        was mapped for them before still is, but for no other resource
    """
    before, after = old.env_as_dict(), new.env_as_dict()
    mapped = before.pop(_REGISTRY, None) or {}
    registry = dict(after.get(_REGISTRY) or {})
    by_name = {name: dict(each) for name, each in
               (registry.get(_BY_NAME) or {}).items()}
    mapped_by_name = mapped.get(_BY_NAME) or {}
    for name, resource_type in kept.items():
        mine = {**_mappings_for(resource_type, mapped),
                **(mapped_by_name.get(name) or {})}
        if mine and mine != {**_mappings_for(resource_type, registry),
                             **by_name.get(name, {})}:
            by_name[name] = {**by_name.get(name, {}), **mine}
    if by_name:
        registry[_BY_NAME] = by_name
    merged = environment.Environment(before)
    merged.load({**after, _REGISTRY: registry})
    merged.inherited = secrecy.both(old.inherited, new.inherited)
    return merged


def _mappings_for(resource_type: str, registry: Mapping[str, Any]
                  ) -> dict[str, Any]:
    """Return the entries of a registry that decide on a type."""
    return {pattern: target for pattern, target in registry.items()
            if pattern == resource_type or (
                pattern.endswith('*') and
                resource_type.startswith(pattern[:-1]))}


class StackUpdate:
    """A task to make an existing stack like a new one.

    :param grace: function of a resource: seconds it gets to come to an end
        when another one has failed.
    """

    def __init__(
            self, existing: interface.Stack, new: interface.Stack,
            grace: Callable[[interface.Resource], float | None] | None = None,
            rollback: bool = False) -> None:
        self.existing = existing
        self.new = new
        self._rollback = rollback
        self._old_template = existing.t
        # Definitions know their stack's definition only weakly.
        self._old_defn = existing.defn
        self._live = {name: existing.resources[name]
                      for name in existing.resources
                      if _is_live(existing.resources[name])}
        # Rows of what was never made, or is gone, have had their time.
        self._dead = [res.id for name, res in existing.items()
                      if name not in self._live and res.id is not None]
        self._grace = grace
        self._done: set[Any] = set()
        self._removed: set[str] = set()
        self._backup: interface.Stack | None = None
        self._graph = self._dependencies()
        self._take_goal()

    def _take_goal(self) -> None:
        """Have the existing stack see the definitions it will have."""
        goal = _mixed(self._old_defn, self._old_template, self.new.t,
                      keep_old=set(self._live) - set(self.new.resources))
        goal.id = self._old_template.id
        existing = self.existing
        existing.refresh_node_data(self._live)
        existing.t = goal
        existing.goal_env = self.new.env
        existing.resources.clear()
        for name, res in self._live.items():
            existing.resources[name] = res
            stk_defn.update_resource_data(self.new.defn, name,
                                          res.node_data(self.new.defn))

    def reached_template(self) -> template.Template:
        """Return the template that says how far the update has come."""
        untouched = set(self._live) - self._done - self._removed
        reached = _mixed(self._old_defn, self._old_template, self.new.t,
                         keep_old=untouched)
        return reached

    def backup(self, create: bool = True) -> interface.Stack | None:
        """Return the stack that keeps what was replaced."""
        if self._backup is None:
            self._backup = stack_store.backup_of(self.existing,
                                                 create=create)
        return self._backup

    def _dependencies(self) -> dependencies.Dependencies:
        """Return the graph of (what to do, resource name).

        Updates follow the new definitions. A removal waits for the update
        of whatever needed the resource, and for its removal.
        """
        deps = dependencies.Dependencies()
        for name in self.new.resources:
            deps += (_UPDATE, name), None
        for source, target in _named_edges(self.new.dependencies):
            deps += (_UPDATE, source), (_UPDATE, target)
        old_deps = self.existing.get_dependencies(self._live.values())
        for name in self._live:
            deps += (_REMOVE, name), None
            if name in self.new.resources:
                deps += (_REMOVE, name), (_UPDATE, name)
        for source, target in _named_edges(old_deps):
            deps += (_REMOVE, target), (_REMOVE, source)
        return deps

    def __call__(self) -> scheduler.TaskGenerator[None]:
        """A task to do it all."""
        self.backup(create=False)
        if self._dead:
            yield group_commit.Write(lambda: resource_objects.Resource.
                                     delete_many(self.existing.context,
                                                 self._dead))
        group = scheduler.DependencyTaskGroup(
            self._graph, self._visit, error_wait_time=self._grace_of)
        yield from group()

    def _grace_of(self, node: Any) -> float | None:
        res = self.existing.resources[node[1]]
        return self._grace(res) if self._grace is not None else None

    def _visit(self, node: Any) -> Any:
        """Return the task of a node, None when there is nothing to do."""
        what, name = node
        if what == _UPDATE:
            return self._bring_about(name)
        if name not in self.new.resources:
            return self._remove(name)
        return None

    # -- what the new stack has ---------------------------------------------

    def _bring_about(self, name: str) -> scheduler.TaskGenerator[None]:
        """A task to have a resource as the new stack has it."""
        definition = self.new.defn.resource_definition(name)
        res = self._live.get(name)
        if res is None:
            yield from self._take_back_or_create(name, definition)
        else:
            try:
                with _as_failure_of(res):
                    yield from self._change(res, definition)
            except exception.UpdateReplace:
                yield from self._replace(res, definition)
        res = self.existing.resources[name]
        self._done.add(name)
        for stack in (self.existing, self.new):
            stk_defn.update_resource_data(stack.defn, name,
                                          res.node_data(self.existing.defn))

    def _change(self, res: interface.Resource,
                definition: rsrc_defn.ResourceDefinition
                ) -> scheduler.TaskGenerator[Any]:
        """Return a task to update a resource where it is."""
        return res.update(definition, rollback=self._rollback)

    def _replace(self, res: interface.Resource,
                 definition: rsrc_defn.ResourceDefinition
                 ) -> scheduler.TaskGenerator[None]:
        """A task to put another resource in the place of one.

        The old one is kept until nothing refers to it any more.
        """
        kept = self._kept(res.name)
        if kept is None:
            yield from self._to_backup(res)
            yield from self._create(res.name, definition)
        elif self._rollback and _fits(kept, definition):
            yield from self._exchange(res, kept)
            yield from self._change_kept(kept, definition)
        elif res.action == R.CREATE and res.status != R.COMPLETE:
            # A replacement that was never made is needed by nothing; what
            # it was to replace may still be.
            self._live.pop(res.name, None)
            yield from res.destroy()
            yield from self._create(res.name, definition)
        else:
            yield from self._delete_from_backup(kept)
            yield from self._to_backup(res)
            yield from self._create(res.name, definition)

    def _kept(self, name: str) -> interface.Resource | None:
        """Return the resource of this name in the backup, or None."""
        backup = self.backup(create=False)
        if backup is None or name not in backup.resources:
            return None
        return backup.resources[name]

    def _take_back_or_create(self, name: str,
                             definition: rsrc_defn.ResourceDefinition
                             ) -> scheduler.TaskGenerator[None]:
        """A task to make a resource that does not exist here.

        An interrupted update may have left what it replaced.
        """
        kept = self._kept(name)
        if kept is not None and _fits(kept, definition):
            yield from self._from_backup(kept)
            yield from self._change_kept(kept, definition)
            return
        if kept is not None:
            yield from self._delete_from_backup(kept)
        yield from self._create(name, definition)

    def _change_kept(self, kept: interface.Resource,
                     definition: rsrc_defn.ResourceDefinition
                     ) -> scheduler.TaskGenerator[None]:
        """A task to update what was taken back out of the backup."""
        try:
            with _as_failure_of(kept):
                yield from self._change(kept, definition)
        except exception.UpdateReplace:
            yield from kept.destroy()
            yield from self._create(kept.name, definition)

    def _create(self, name: str, definition: rsrc_defn.ResourceDefinition
                ) -> scheduler.TaskGenerator[Any]:
        """Return a task to create a resource in the existing stack."""
        existing = self.existing
        existing.rows.drop(name)
        res: interface.Resource = resource.Resource(name, definition,
                                                    existing)
        existing.resources[name] = res
        return res.create()

    # -- the backup stack ---------------------------------------------------

    def _move(self, res: interface.Resource, target: interface.Stack
              ) -> scheduler.TaskGenerator[None]:
        """A task to let a resource belong to another stack."""
        yield group_commit.Write(lambda: _store_move(res, target))
        _take_along(res, target)

    def _backup_stack(self) -> interface.Stack:
        """Return the stack that keeps what was replaced, made if need be."""
        backup = self.backup()
        assert backup is not None
        return backup

    def _keep_definition(self, res: interface.Resource) -> None:
        """Note in the backup stack what it is about to get.

        Without functions: what they refer to may not be in that stack. The
        names of its requirements stay, for the order of deletion. A condition
        does not: with the parameters of the update it may be false, and the
        resource would be left behind.
        """
        backup = self._backup_stack()
        backup.t.add_resource(res.frozen_definition().freeze(
            depends=sorted(res.t.required_resource_names()),
            condition=None), res.name)
        backup.t = backup.t
        template_store.store(backup.context, backup.t)

    def _forget_definition(self, name: str) -> None:
        backup = self._backup_stack()
        backup.t.remove_resource(name)
        backup.t = backup.t
        backup.rows.drop(name)
        backup.resources.pop(name, None)
        template_store.store(backup.context, backup.t)

    def _to_backup(self, res: interface.Resource
                   ) -> scheduler.TaskGenerator[None]:
        """A task to hand a replaced resource over to the backup stack."""
        self._keep_definition(res)
        yield from self._move(res, self._backup_stack())
        self._live.pop(res.name, None)

    def _from_backup(self, kept: interface.Resource
                     ) -> scheduler.TaskGenerator[None]:
        """A task to take a resource back out of the backup stack."""
        yield from self._move(kept, self.existing)
        self._forget_definition(kept.name)

    def _exchange(self, res: interface.Resource, kept: interface.Resource
                  ) -> scheduler.TaskGenerator[None]:
        """A task to let two resources change places.

        Both at once: a stack never has two rows of a name.
        """
        existing, backup = self.existing, self._backup_stack()

        def write() -> None:
            _store_move(kept, existing)
            _store_move(res, backup)

        yield group_commit.Write(write)
        _take_along(kept, existing)
        _take_along(res, backup)
        existing.resources[kept.name] = kept
        self._live.pop(res.name, None)
        self._keep_definition(res)

    def _delete_from_backup(self, kept: interface.Resource
                            ) -> scheduler.TaskGenerator[None]:
        """A task to delete what an earlier update left behind."""
        yield from kept.destroy()
        self._forget_definition(kept.name)

    # -- what it has no more ------------------------------------------------

    def _remove(self, name: str) -> scheduler.TaskGenerator[None]:
        """A task to delete a resource that is not wanted any more."""
        yield from self._live[name].destroy()
        self._removed.add(name)


def _store_move(res: interface.Resource, target: interface.Stack) -> None:
    """Write that a resource belongs to another stack, in a transaction."""
    resource_objects.Resource.update_by_id(target.context, res.id,
                                           {'stack_id': target.id})


def _take_along(res: interface.Resource, target: interface.Stack) -> None:
    """Let memory follow what _store_move() has written."""
    res.stack.rows.drop(res.name)
    res.stack.resources.pop(res.name, None)
    res.stack = target
    target.resources[res.name] = res


@contextlib.contextmanager
def _as_failure_of(res: interface.Resource) -> Iterator[None]:
    """Let any error in an update be the failure of a resource."""
    try:
        yield
    except (exception.ResourceFailure, exception.UpdateReplace):
        raise
    except Exception as error:
        raise exception.ResourceFailure(error, res, R.UPDATE) from error


def _is_live(res: interface.Resource) -> bool:
    return res.id is not None and res.action != R.INIT and (
        res.state != (R.DELETE, R.COMPLETE))


def _fits(kept: interface.Resource, definition: rsrc_defn.ResourceDefinition
          ) -> bool:
    """Return whether a replaced resource can become what is wanted."""
    if not _is_live(kept) or kept.status != R.COMPLETE:
        return False
    decision = resource_decision.decide(
        resource_decision.gather(kept, definition))
    return decision.kind in (resource_decision.Kind.KEEP,
                             resource_decision.Kind.UPDATE)


def _named_edges(deps: dependencies.Dependencies) -> Iterator[tuple[Any, Any]]:
    """Yield the (requirer, required) edges of a graph, by name."""
    for source, target in deps.graph().edges():
        if target is not None:
            yield source.name, target.name
