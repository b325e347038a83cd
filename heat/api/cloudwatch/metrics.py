"""The actions on metrics and their data."""
import datetime
from typing import Any

from heat.api.aws import exception
from heat.api.aws import protocols
from heat.api.cloudwatch import values as parameters
from heat.common import timeutils
from heat.common import watch_words as words
from heat.common.i18n import _
from heat.rpc import client as engine_client

#: The limits of AWS: data of a request, values of a datum, metrics of a
#: page, dimensions of a filter, points of an answer.
DATA_MAX, VALUES_MAX = 1000, 150
_METRICS_PAGE, _FILTER_MAX, _POINTS_MAX = 500, 10, 1440
#: Seconds by which the time of a datum may lie back, and ahead.
_AGE_MAX, _AHEAD_MAX = 14 * 86400, 2 * 3600
#: Data are kept with the statistics of their values; periods are at least a
#: second.
_PERIOD_MAX = 30 * 86400

Values = parameters.Values


def moment(seconds: int) -> datetime.datetime:
    """Return seconds since 1970 as a time."""
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)


class MetricController:
    """Stores data by calls of the engine, and shows them."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def put_metric_data(self, context: Any, given: Values) -> dict[str, Any]:
        """Store data points, all or none."""
        given.refuse('EntityMetricData')
        namespace = given.namespace()
        data = given.members('MetricData', DATA_MAX)
        if not data:
            given.required('MetricData')
            raise exception.HeatMissingParameterError(
                _('The parameter MetricData is required.'))
        now = int(timeutils.epoch())
        self.rpc_client.put_metric_data(
            context, namespace, [_datum(each, now) for each in data])
        return {}

    def list_metrics(self, context: Any, given: Values) -> dict[str, Any]:
        """List metrics, by page."""
        given.refuse('IncludeLinkedAccounts', 'OwningAccount')
        recent = given.has('RecentlyActive') and bool(
            given.choice('RecentlyActive', ('PT3H',)))
        wanted = given.dimensions(_FILTER_MAX, with_values=False)
        after = given.token()
        found = [_listed(each) for each in self.rpc_client.list_metrics(
            context, given.namespace() if given.has('Namespace') else None,
            given.text('MetricName') if given.has('MetricName') else None,
            recent) if _has(each['dimensions'], wanted)]
        keyed = sorted((_key(each), each) for each in found)
        page = [(key, each) for key, each in keyed
                if after is None or key > after]
        result: dict[str, Any] = {
            'Metrics': [each for _key_, each in page[:_METRICS_PAGE]]}
        if len(page) > _METRICS_PAGE:
            result['NextToken'] = protocols.token_of(
                page[_METRICS_PAGE - 1][0])
        return result

    def get_metric_statistics(self, context: Any, given: Values
                              ) -> dict[str, Any]:
        """Show statistics of a metric by period."""
        given.refuse('ExtendedStatistics')
        metric, unit = given.metric(), given.unit()
        statistics = given.items('Statistics', len(words.STATISTICS))
        if not statistics:
            given.required('Statistics')
        for each in statistics:
            if each not in words.STATISTICS:
                raise parameters.wrong('Statistics', _(
                    'its members must be of %s')
                    % ', '.join(words.STATISTICS))
        period = given.integer('Period', 1, _PERIOD_MAX)
        start, end = given.moment('StartTime'), given.moment('EndTime')
        start -= start % period
        if start >= end:
            raise exception.HeatInvalidParameterValueError(
                _('StartTime must be before EndTime.'))
        if (end - start) // period > _POINTS_MAX:
            raise exception.HeatInvalidParameterCombinationError(
                _('The request asks for more than %d data points; a longer '
                  'Period makes fewer.') % _POINTS_MAX)
        points = [
            {'Timestamp': moment(row['at']), 'Unit': row['unit'] or 'None',
             **{name: row[name] for name in statistics}}
            for row in self.rpc_client.get_metric_statistics(
                context, metric, start, end, period, unit)]
        return {'Label': metric['name'], 'Datapoints': points}


def _datum(given: Values, now: int) -> dict[str, Any]:
    """Return a data point as the engine takes it.

    :param now: what time it is
    """
    # The engine adds the time, by the clock that rules are evaluated by.
    at = given.moment('Timestamp') if given.has('Timestamp') else None
    if at is not None and not now - _AGE_MAX <= at <= now + _AHEAD_MAX:
        raise parameters.wrong(given.full('Timestamp'), _(
            'it must not be two weeks ago, or two hours ahead'))
    if given.has('StorageResolution'):
        given.integer('StorageResolution', 1, 60)
    return {'name': given.text('MetricName'),
            'dimensions': given.dimensions(), 'measured_at': at,
            'unit': given.unit(), **_statistics(given)}


def _statistics(given: Values) -> dict[str, float]:
    """Return the statistics of the values of a data point."""
    kinds = [name for name in ('Value', 'StatisticValues', 'Values')
             if given.has(name)]
    if len(kinds) != 1:
        error = (exception.HeatInvalidParameterCombinationError if kinds
                 else exception.HeatMissingParameterError)
        raise error(_('A member of MetricData must have one of Value, Values '
                      'and StatisticValues: %s') % given.full(''))
    if kinds == ['Value']:
        value = given.number('Value')
        return {'samples': 1.0, 'total': value, 'least': value,
                'greatest': value}
    if kinds == ['Values']:
        return _of_values(given)
    return _of_set(given.member('StatisticValues'))


def _of_set(given: Values) -> dict[str, float]:
    """Return the statistics that a client has computed."""
    found = {'samples': given.number('SampleCount'),
             'total': given.number('Sum'), 'least': given.number('Minimum'),
             'greatest': given.number('Maximum')}
    if found['samples'] <= 0:
        raise parameters.wrong(given.full('SampleCount'),
                               _('it must be positive'))
    if found['least'] > found['greatest']:
        raise parameters.wrong(given.full('Minimum'),
                               _('it must not be more than Maximum'))
    return found


def _of_values(given: Values) -> dict[str, float]:
    """Return the statistics of values, each of which counts some times."""
    values = given.numbers('Values', VALUES_MAX)
    counts = (given.numbers('Counts', VALUES_MAX) if given.has('Counts')
              else [1.0] * len(values))
    if not values or len(values) != len(counts):
        raise parameters.wrong(given.full('Counts'), _(
            'there must be as many as Values, one at least'))
    if min(counts) < 0 or sum(counts) <= 0:
        raise parameters.wrong(given.full('Counts'),
                               _('they must not be negative, or all 0'))
    counted = [(value, count) for value, count in zip(
        values, counts, strict=True) if count]
    total = sum(value * count for value, count in counted)
    if not words.is_storable(total):
        raise parameters.wrong(given.full('Values'),
                               _('their sum is too large'))
    return {'samples': sum(counts), 'total': total,
            'least': min(value for value, _count in counted),
            'greatest': max(value for value, _count in counted)}


def _has(dimensions: dict[str, str], wanted: dict[str, str | None]) -> bool:
    """Return whether dimensions have those that a filter asks for."""
    return all(name in dimensions and value in (None, dimensions[name])
               for name, value in wanted.items())


def _listed(metric: dict[str, Any]) -> dict[str, Any]:
    return {'Namespace': metric['namespace'], 'MetricName': metric['name'],
            'Dimensions': dimension_list(metric['dimensions'])}


def _key(listed: dict[str, Any]) -> str:
    """Return by what metrics are sorted."""
    return '\n'.join((listed['Namespace'], listed['MetricName'], *(
        f'{each["Name"]}={each["Value"]}' for each in listed['Dimensions'])))


def dimension_list(dimensions: dict[str, str]) -> list[dict[str, str]]:
    """Return dimensions in the form of AWS."""
    return [{'Name': name, 'Value': value}
            for name, value in sorted(dimensions.items())]
