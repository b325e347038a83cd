"""The calls of the engine client that are about protection of stacks."""
from typing import Any

from heat.common import context as heat_context
from heat.rpc import client_base


class ProtectionCalls(client_base.Calls):
    """Part of EngineClient."""

    def show_stack_protection(self, ctxt: heat_context.RequestContext,
                              stack_identity: client_base.Identity
                              ) -> dict[str, Any]:
        """Return the protection of a stack, and the root that gives it."""
        return self.call(ctxt, self.make_msg(
            'show_stack_protection', stack_identity=stack_identity),
            version='1.39')

    def delete_stack_but(self, ctxt: heat_context.RequestContext,
                         stack_identity: client_base.Identity,
                         retain: list[str]) -> None:
        """Begin to delete a stack; leave the resources of some paths."""
        return self.call(ctxt, self.make_msg(
            'delete_stack', stack_identity=stack_identity, retain=retain),
            version='1.39')

    def show_stack_policy(self, ctxt: heat_context.RequestContext,
                          stack_identity: client_base.Identity
                          ) -> dict[str, Any] | None:
        """Return the policy of a stack, None if it has none."""
        return self.call(ctxt, self.make_msg(
            'show_stack_policy', stack_identity=stack_identity),
            version='1.39')

    def update_stack_policy(self, ctxt: heat_context.RequestContext,
                            stack_identity: client_base.Identity,
                            policy: dict[str, Any] | None
                            ) -> dict[str, Any] | None:
        """Set the policy of a stack; None removes it."""
        return self.call(ctxt, self.make_msg(
            'update_stack_policy', stack_identity=stack_identity,
            policy=policy), version='1.39')

    def stack_retry(self, ctxt: heat_context.RequestContext,
                    stack_identity: client_base.Identity
                    ) -> client_base.Identity:
        """Begin a failed operation of a stack again."""
        return self.call(ctxt, self.make_msg(
            'stack_retry', stack_identity=stack_identity), version='1.39')

    def stack_continue_rollback(self, ctxt: heat_context.RequestContext,
                                stack_identity: client_base.Identity,
                                skip: list[str]) -> client_base.Identity:
        """Continue a failed rollback, leaving some resources."""
        return self.call(ctxt, self.make_msg(
            'stack_continue_rollback', stack_identity=stack_identity,
            skip=skip), version='1.39')

    def list_protected_stacks(self, ctxt: heat_context.RequestContext
                              ) -> list[str]:
        """Return the ids of the project's stacks that may not be deleted."""
        return self.call(ctxt, self.make_msg('list_protected_stacks'),
                         version='1.39')

    def update_stack_protection(self, ctxt: heat_context.RequestContext,
                                stack_identity: client_base.Identity,
                                termination: bool) -> dict[str, Any]:
        """Set or lift the termination protection of a stack."""
        return self.call(ctxt, self.make_msg(
            'update_stack_protection', stack_identity=stack_identity,
            termination=termination), version='1.39')
