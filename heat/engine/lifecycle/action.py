"""Begin actions on resources: the entrance for drivers and plugins.

What happens in an action is in run.
"""
from typing import Any

from oslo_config import cfg

from heat.common import exception
from heat.engine import rsrc_defn
from heat.engine import status
from heat.engine.lifecycle import breakpoints
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.lifecycle import handler as resource_handler
from heat.engine.lifecycle import record as resource_record
from heat.engine.lifecycle import run as resource_run
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import interface
from heat.engine.tasks import scheduler

_R = status.ResourceStatus

#: Names that drivers use from here.
ActionRun = resource_run.ActionRun
Outcome = resource_record.Outcome
ActionResult = resource_record.ActionResult
Notes = resource_record.Notes
Target = resource_record.Target
REASON = resource_record.REASON


def takes_back(resource: interface.Resource) -> bool:
    """Return whether a resource takes back what its replacement has."""
    return resource_handler.is_overridden(resource,
                                          resource_run.RESTORE)


def run(resource: interface.Resource, action: str, claim: resource_claim.Claim,
        also: resource_run.Also | None = None, **options: Any
        ) -> scheduler.TaskGenerator[Any]:
    """A task to take a resource through an action and record it.

    :param also: see ActionRun, as are the other options
    Return an ActionResult that is COMPLETE or REPLACED.
    :raises ResourceFailure: once FAILED has been recorded
    """
    action_run = ActionRun(resource, claim, **options)
    return action_run.finish(action_run.perform(action), also)


def execute(resource: interface.Resource, decision: resource_decision.Decision,
            claim: resource_claim.Claim, also: resource_run.Also | None = None,
            **options: Any) -> scheduler.TaskGenerator[Any]:
    """A task to do what was decided and record it, as run() does."""
    action_run = ActionRun(resource, claim, **options)
    return action_run.finish(action_run.execute(decision), also)


def update(resource: interface.Resource, after: rsrc_defn.ResourceDefinition,
           *, rollback: bool = False, **target: Any
           ) -> scheduler.TaskGenerator[Any]:
    """A task to make a resource of a locked stack as a definition says.

    :param target: template_id and requires of a resource_record.Target
    Raise UpdateReplace when that takes another resource.  When its type
    was substituted, the object that stands for it afterwards is the one in
    the stack's mapping.
    """
    kinds = resource_decision.Kind
    decision = resource_decision.decide(resource_decision.gather(
        resource, after, rollback=rollback))
    if decision.kind == kinds.SUBSTITUTE:
        resource = resource_decision.substitute(resource, after)
        resource.stack.resources[resource.name] = resource
        decision = resource_decision.decide(resource_decision.gather(
            resource, after, rollback=rollback))
    result = yield from execute(
        resource, decision, resource_claim.StackOwned(),
        target=Target(after, **target))
    if result.kind == Outcome.REPLACED:
        raise exception.UpdateReplace(resource.name)
    return result


def destroy(resource: interface.Resource) -> scheduler.TaskGenerator[Any]:
    """A task to delete a resource of a locked stack, and its row."""
    return run(resource, _R.DELETE, resource_claim.StackOwned(),
               lambda result: (resource_store.delete_row(resource)
                               if result.kind == Outcome.COMPLETE else None))


def delete_snapshot(resource: interface.Resource, data: Any
                    ) -> scheduler.TaskGenerator[None]:
    """A task to remove what a snapshot of the resource consists of."""
    yield from resource_handler.Call(resource, 'delete_snapshot',
                                     data).task()


def cancel_grace_period(resource: interface.Resource) -> float | None:
    """Return the seconds a running action gets when another one failed.

    A plugin that can be told to cancel is told at once: None. So is what
    waits at a breakpoint: nothing is under way.
    """
    cancel = getattr(resource, 'handle_%s_cancel' % resource.action.lower(),
                     None)
    if callable(cancel) or breakpoints.is_waiting(resource):
        return None
    grace: float = cfg.CONF.error_wait_time
    return grace
