"""RPC calls about metrics and alarms, of the project of the context."""
from typing import Any

from oslo_config import cfg

from heat.common import context as heat_context
from heat.common import exception
from heat.common import watch_words as words
from heat.common.i18n import _
from heat.engine.watch import evaluation
from heat.engine.watch import rules as watch_rules
from heat.objects import watch_data
from heat.objects import watch_rule

State = words.State
Rule = watch_rule.WatchRule

#: Most changes of state whose actions wait to be carried out.
_PENDING_MAX = 8
#: Seconds within which a metric has data, for ListMetrics with RecentlyActive.
_RECENT = 3 * 3600


def _require_enabled() -> None:
    if not watch_rules.is_enabled():
        raise exception.NotSupported(
            feature=_('CloudWatch without [cloudwatch] enabled in heat.conf'))


class WatchOperations:
    """Store data of metrics; show and change alarms."""

    @heat_context.request_context
    def put_metric_data(self, cnxt: Any, namespace: str,
                        data: list[dict[str, Any]]) -> None:
        """Store data points in one transaction.

        :param data: each with `name`, `dimensions`, `measured_at` (None for
            now), `unit`, and the statistics of its values
        :raises RequestLimitExceeded: the project has too many.
        """
        _require_enabled()
        metrics, points, now = {}, [], watch_rules.now()
        for each in data:
            key = watch_data.metric_key(cnxt.project_id, namespace,
                                        each['name'], each['dimensions'])
            metrics[key] = {'namespace': namespace, 'name': each['name'],
                            'dimensions': each['dimensions']}
            at = each['measured_at']
            points.append({
                'metric_key': key, 'measured_at': now if at is None else at,
                **{name: each[name] for name in (
                    'unit', 'samples', 'total', 'least', 'greatest')}})
        options = cfg.CONF.cloudwatch
        watch_data.WatchData.put(
            cnxt, cnxt.project_id, now, metrics, points,
            (options.max_metrics_per_project,
             options.max_data_points_per_project))

    @heat_context.request_context
    def list_metrics(self, cnxt: Any, namespace: str | None = None,
                     name: str | None = None, recent: bool = False
                     ) -> list[dict[str, Any]]:
        """Return the metrics of the project."""
        _require_enabled()
        filters = {key: value for key, value in (
            ('namespace', namespace), ('name', name)) if value is not None}
        return [{'namespace': metric.namespace, 'name': metric.name,
                 'dimensions': metric.dimensions}
                for metric in watch_data.WatchMetric.get_all(
                    cnxt, cnxt.project_id,
                    cfg.CONF.cloudwatch.max_metrics_per_project, filters,
                    watch_rules.now() - _RECENT if recent else None)]

    @heat_context.request_context
    def get_metric_statistics(self, cnxt: Any, metric: dict[str, Any],
                              start: int, end: int, period: int,
                              unit: str | None = None
                              ) -> list[dict[str, Any]]:
        """Return the statistics of a metric by period.

        :param metric: `namespace`, `name` and `dimensions`
        """
        _require_enabled()
        key = watch_data.metric_key(cnxt.project_id, metric['namespace'],
                                    metric['name'], metric['dimensions'])
        return [{'at': start + row.place * period, 'unit': row.unit,
                 **{name: evaluation.value_of(name, row)
                    for name in words.STATISTICS}}
                for row in watch_data.WatchData.statistics(
                    cnxt, key, start, end, period, unit)]

    @heat_context.request_context
    def describe_alarms(self, cnxt: Any, limit: int,
                        marker: str | None = None,
                        names: list[str] | None = None,
                        prefix: str | None = None, state: str | None = None,
                        metric: dict[str, Any] | None = None
                        ) -> list[dict[str, Any]]:
        """Return alarms of the project by name.

        :param state: NORMAL, ALARM or NODATA, which includes SUSPENDED
        :param metric: the `namespace`, `name` and `dimensions` they watch
        """
        _require_enabled()
        filters: dict[str, Any] = {}
        if names:
            filters['name'] = names
        if state is not None:
            filters['state'] = ([state, State.SUSPENDED]
                                if state == State.NODATA else state)
        if metric is not None:
            filters['metric_key'] = watch_data.metric_key(
                cnxt.project_id, metric['namespace'], metric['name'],
                metric['dimensions'])
        return [_formatted(rule) for rule in Rule.get_all(
            cnxt, cnxt.project_id, limit, marker, prefix, filters)]

    @heat_context.request_context
    def describe_alarm_history(self, cnxt: Any, limit: int,
                               filters: dict[str, Any],
                               marker: int | None = None
                               ) -> list[dict[str, Any]]:
        """Return the history of alarms of the project, the latest first.

        :param filters: `name`, `kind`, `since`, `until` and `ascending`
        """
        _require_enabled()
        return [{'id': entry.id, 'name': entry.name,
                 'at': entry.happened_at, 'kind': entry.kind,
                 'summary': entry.summary, 'data': entry.data}
                for entry in watch_rule.WatchHistory.get_all(
                    cnxt, cnxt.project_id, limit, filters, marker)]

    @heat_context.request_context
    def set_alarm_state(self, cnxt: Any, name: str, state: str, reason: str
                        ) -> None:
        """Give an alarm a state, until it is evaluated, and let it act.

        :raises EntityNotFound: the project has no alarm of the name.
        :raises NotSupported: the alarm is suspended.
        """
        _require_enabled()
        while not self._swap_state(cnxt, name, State(state), reason):
            pass

    @staticmethod
    def _swap_state(cnxt: Any, name: str, state: State, reason: str) -> bool:
        """Return whether nobody else has changed the rule meanwhile."""
        found = Rule.get_all(cnxt, cnxt.project_id, 1,
                             filters={'name': name})
        if not found:
            raise exception.EntityNotFound(entity='Alarm', name=name)
        [rule] = found
        if rule.state == State.SUSPENDED:
            raise exception.NotSupported(
                feature=_('Setting the state of a suspended alarm'))
        moment = watch_rules.now()
        values: dict[str, Any] = {
            'state': state, 'state_reason': reason, 'state_at': moment}
        if rule.state != state and rule.definition['acts'] and (
                rule.definition['actions'].get(state)):
            pending = [*rule.pending.split(), f'{rule.state}:{state}']
            if len(pending) > _PENDING_MAX:
                raise exception.RequestLimitExceeded(
                    message=_('the actions of the alarm have not run yet'))
            values |= {'pending': ' '.join(pending), 'due_at': moment,
                       'claim': None}
        done = Rule.update_by_id(cnxt, rule.id, values, {
            'state': rule.state, 'pending': rule.pending,
            'claim': rule.claim})
        if done and rule.state != state:
            watch_rule.WatchHistory.add(cnxt, watch_rules.state_entry(
                rule.id, rule.state, state, reason, at=moment))
        return done


def _formatted(rule: Rule) -> dict[str, Any]:
    return {'id': rule.id, 'name': rule.name, 'state': rule.state,
            'state_reason': rule.state_reason, 'state_at': rule.state_at,
            'stack_id': rule.stack_id,
            **rule.definition, 'acts': (rule.definition['acts'] and
                                        rule.state != State.SUSPENDED)}
