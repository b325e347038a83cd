"""The calls of the engine client that are about metrics and alarms."""
from typing import Any

from heat.common import context as heat_context
from heat.rpc import client_base

_VERSION = '1.38'


class WatchCalls(client_base.Calls):
    """Part of EngineClient."""

    def put_metric_data(self, ctxt: heat_context.RequestContext,
                        namespace: str, data: list[dict[str, Any]]) -> None:
        """Store data points of metrics, all or none."""
        return self.call(ctxt, self.make_msg(
            'put_metric_data', namespace=namespace, data=data),
            version=_VERSION)

    def list_metrics(self, ctxt: heat_context.RequestContext,
                     namespace: str | None = None, name: str | None = None,
                     recent: bool = False) -> list[dict[str, Any]]:
        """Return the metrics of the project."""
        return self.call(ctxt, self.make_msg(
            'list_metrics', namespace=namespace, name=name, recent=recent),
            version=_VERSION)

    def get_metric_statistics(self, ctxt: heat_context.RequestContext,
                              metric: dict[str, Any], start: int, end: int,
                              period: int, unit: str | None = None
                              ) -> list[dict[str, Any]]:
        """Return the statistics of a metric by period."""
        return self.call(ctxt, self.make_msg(
            'get_metric_statistics', metric=metric, start=start, end=end,
            period=period, unit=unit), version=_VERSION)

    def describe_alarms(self, ctxt: heat_context.RequestContext, limit: int,
                        marker: str | None = None,
                        names: list[str] | None = None,
                        prefix: str | None = None, state: str | None = None,
                        metric: dict[str, Any] | None = None
                        ) -> list[dict[str, Any]]:
        """Return alarms of the project by name, those after the marker."""
        return self.call(ctxt, self.make_msg(
            'describe_alarms', limit=limit, marker=marker, names=names,
            prefix=prefix, state=state, metric=metric), version=_VERSION)

    def describe_alarm_history(self, ctxt: heat_context.RequestContext,
                               limit: int, filters: dict[str, Any],
                               marker: int | None = None
                               ) -> list[dict[str, Any]]:
        """Return the history of alarms of the project."""
        return self.call(ctxt, self.make_msg(
            'describe_alarm_history', limit=limit, filters=filters,
            marker=marker), version=_VERSION)

    def set_alarm_state(self, ctxt: heat_context.RequestContext, name: str,
                        state: str, reason: str) -> None:
        """Give an alarm a state, and let it act."""
        return self.call(ctxt, self.make_msg(
            'set_alarm_state', name=name, state=state, reason=reason),
            version=_VERSION)
