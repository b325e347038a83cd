"""The calls of the engine client that follow events."""
from typing import Any

from heat.common import context as heat_context
from heat.rpc import client_base


class HistoryCalls(client_base.Calls):
    """Part of EngineClient."""

    def list_events_since(self, ctxt: heat_context.RequestContext,
                          last: int | None = None,
                          holes: list[list[int]] | None = None,
                          tenants: list[str] | None = None,
                          limit: int = 1000) -> dict[str, Any]:
        """Return the events of projects beyond a position, and the next
        position.

        :param last: the greatest id that has been seen; None returns only
            the position of the newest event
        :param holes: ranges of lower ids that have not been seen
        """
        return self.call(ctxt, self.make_msg(
            'list_events_since', last=last, holes=holes, tenants=tenants,
            limit=limit), version='1.42')

    def list_events_between(self, ctxt: heat_context.RequestContext,
                            ranges: list[list[int]], limit: int,
                            tenant: str | None = None,
                            stack_identity: client_base.Identity | None = None
                            ) -> dict[str, Any]:
        """Return stored events of a tree, or of a project, by ids.

        :param ranges: the first and the last id
        :param tenant: the project, where it is not that of the context
        :param stack_identity: the stack at the top of the tree
        """
        return self.call(ctxt, self.make_msg(
            'list_events_between', ranges=ranges, limit=limit,
            tenant=tenant, stack_identity=stack_identity), version='1.42')

    def stack_timeline(self, ctxt: heat_context.RequestContext,
                       stack_identity: client_base.Identity,
                       nested_depth: int = 0) -> dict[str, Any]:
        """Return when each resource worked in the last operation."""
        return self.call(ctxt, self.make_msg(
            'stack_timeline', stack_identity=stack_identity,
            nested_depth=nested_depth), version='1.43')
