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
                          template_text: str | None = None,
                          revert_drift: bool = False,
                          moves: list[dict[str, Any]] | None = None,
                          imports: list[dict[str, str]] | None = None
                          ) -> dict[str, Any]:
        """Store a request and its plan; return both.

        :param stack_identity: the stack to update; None to create one.
        :param revert_drift: bring what has drifted back
        :param moves: {from, to} of resources that an update moves; from
            may be {stack, resource}
        :param imports: {resource, id} of what the stack takes over
        """
        version = '1.40' if revert_drift else '1.37'
        more: dict[str, Any] = (
            {'revert_drift': True} if revert_drift else {})
        for key, value in (('moves', moves), ('imports', imports)):
            if value:
                more[key], version = value, '1.41'
        if isinstance(moves, list) and any(
                isinstance(each, dict) and isinstance(each.get('from'), dict)
                for each in moves):
            # Engines before this take "from" for a path.
            version = '1.46'
        return self.call(ctxt, self.make_msg(
            'create_change_set', stack_identity=stack_identity,
            stack_name=stack_name, template=template, params=params,
            files=files, args=args, environment_files=environment_files,
            files_container=files_container, name=name,
            description=description, template_text=template_text, **more),
            version=version)

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
                           strict: bool = True,
                           disable_rollback: bool | None = None,
                           override_policy: bool = False
                           ) -> client_base.Identity:
        """Begin what a change set describes; return the stack's identity.

        :param disable_rollback: replaces what the stored request says
        :param override_policy: do what the stack policy does not allow
        """
        more: dict[str, Any] = {}
        if disable_rollback is not None:
            more['disable_rollback'] = disable_rollback
        if override_policy:
            more['override_policy'] = True
        return self.call(ctxt, self.make_msg(
            'execute_change_set', change_set_id=change_set_id,
            stack_identity=stack_identity, strict=strict, **more),
            version='1.39' if more else '1.37')
