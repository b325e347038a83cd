"""The calls of the engine client that are about change sets."""
from typing import Any

from heat.common import context as heat_context
from heat.rpc import client_base


class ChangeSetCalls(client_base.Calls):
    """Part of EngineClient."""

    def create_change_set(self, ctxt: heat_context.RequestContext,
                          stack_identity: client_base.Identity | None,
                          stack_name: str | None,
                          template: dict[str, Any] | None,
                          params: dict[str, Any], files: dict[str, str],
                          args: dict[str, Any],
                          environment_files: list[str] | None = None,
                          files_container: str | None = None,
                          name: str | None = None,
                          description: str | None = None,
                          template_text: str | None = None) -> dict[str, Any]:
        """Store a request and its plan; return both.

        :param stack_identity: the stack to update; None to create one.
        """
        return self.call(ctxt, self.make_msg(
            'create_change_set', stack_identity=stack_identity,
            stack_name=stack_name, template=template, params=params,
            files=files, args=args, environment_files=environment_files,
            files_container=files_container, name=name,
            description=description, template_text=template_text),
            version='1.37')

    def list_change_sets(self, ctxt: heat_context.RequestContext,
                         stack_identity: client_base.Identity | None = None
                         ) -> list[dict[str, Any]]:
        """Return the change sets of a stack, or of the project."""
        return self.call(ctxt, self.make_msg(
            'list_change_sets', stack_identity=stack_identity),
            version='1.37')

    def show_change_set(self, ctxt: heat_context.RequestContext,
                        change_set_id: str,
                        stack_identity: client_base.Identity | None = None
                        ) -> dict[str, Any]:
        """Return a change set with its changes."""
        return self.call(ctxt, self.make_msg(
            'show_change_set', change_set_id=change_set_id,
            stack_identity=stack_identity), version='1.37')

    def delete_change_set(self, ctxt: heat_context.RequestContext,
                          change_set_id: str,
                          stack_identity: client_base.Identity | None = None
                          ) -> None:
        """Forget a change set."""
        return self.call(ctxt, self.make_msg(
            'delete_change_set', change_set_id=change_set_id,
            stack_identity=stack_identity), version='1.37')

    def execute_change_set(self, ctxt: heat_context.RequestContext,
                           change_set_id: str,
                           stack_identity: client_base.Identity | None = None,
                           strict: bool = True) -> client_base.Identity:
        """Begin what a change set describes; return the stack's identity."""
        return self.call(ctxt, self.make_msg(
            'execute_change_set', change_set_id=change_set_id,
            stack_identity=stack_identity, strict=strict), version='1.37')
