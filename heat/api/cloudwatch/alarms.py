"""The actions on alarms of stacks."""
import json
from typing import Any

from oslo_serialization import jsonutils

from heat.api.aws import exception
from heat.api.aws import protocols
from heat.api.cloudwatch import metrics
from heat.api.cloudwatch import values as parameters
from heat.api.middleware import fault
from heat.common import identifier
from heat.common import watch_words as words
from heat.common.i18n import _
from heat.rpc import client as engine_client

State, Kind = words.State, words.Kind
Values = parameters.Values

#: What AWS calls the states.
_STATES = {State.NORMAL: 'OK', State.ALARM: 'ALARM',
           State.NODATA: 'INSUFFICIENT_DATA',
           State.SUSPENDED: 'INSUFFICIENT_DATA'}
_OURS = {'OK': State.NORMAL, 'ALARM': State.ALARM,
         'INSUFFICIENT_DATA': State.NODATA}
_ACTIONS = {State.NORMAL: 'OKActions', State.ALARM: 'AlarmActions',
            State.NODATA: 'InsufficientDataActions'}
_TYPES = ('MetricAlarm', 'CompositeAlarm', 'LogAlarm')
_ORDERS = ('TimestampDescending', 'TimestampAscending')
_PAGE, _PAGE_MAX, _NAMES_MAX = 50, 100, 100
#: Most alarms that are looked at for those of a metric.
_OF_METRIC_MAX = 1000
_SUMMARY_MAX, _DATA_MAX = 255, 4095


class ResourceNotFoundError(exception.HeatInvalidParameterValueError):
    """The project has no alarm of the name."""

    code = 404
    title = 'ResourceNotFound'
    explanation = _('There is no alarm of this name.')


class InvalidFormatError(exception.HeatInvalidParameterValueError):
    """A text is no JSON."""

    title = 'InvalidFormat'
    explanation = _('StateReasonData must be JSON.')


class AlarmController:
    """Shows alarms by calls of the engine, and sets their states."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def describe_alarms(self, context: Any, given: Values
                        ) -> dict[str, Any]:
        """Show alarms by name, by page."""
        given.refuse('ActionPrefix', 'ChildrenOfAlarmName',
                     'ParentsOfAlarmName')
        names = given.texts('AlarmNames', _NAMES_MAX)
        prefix = (given.text('AlarmNamePrefix')
                  if given.has('AlarmNamePrefix') else None)
        if names and prefix is not None:
            raise exception.HeatInvalidParameterCombinationError(
                _('AlarmNames and AlarmNamePrefix may not be used '
                  'together.'))
        state = (_OURS[given.choice('StateValue', _OURS)]
                 if given.has('StateValue') else None)
        limit, after = _limit(given), given.token()
        if not _wants_alarms(given):
            return {'MetricAlarms': [], 'CompositeAlarms': []}
        found = self.rpc_client.describe_alarms(
            context, limit + 1, marker=after, names=names or None,
            prefix=prefix, state=state)
        result: dict[str, Any] = {
            'MetricAlarms': [_alarm(each, context.project_id)
                             for each in found[:limit]],
            'CompositeAlarms': []}
        if len(found) > limit:
            result['NextToken'] = protocols.token_of(
                found[limit - 1]['name'])
        return result

    def describe_alarms_for_metric(self, context: Any, given: Values
                                   ) -> dict[str, Any]:
        """Show the alarms that watch a metric."""
        given.refuse('ExtendedStatistic')
        metric, unit = given.metric(), given.unit()
        wanted: dict[str, Any] = {}
        if given.has('Statistic'):
            wanted['statistic'] = given.choice('Statistic', words.STATISTICS)
        if given.has('Period'):
            wanted['period'] = given.integer('Period', 1, words.WINDOW_MAX)
        if unit is not None:
            wanted['unit'] = unit
        found = self.rpc_client.describe_alarms(
            context, _OF_METRIC_MAX, metric=metric)
        return {'MetricAlarms': [
            _alarm(each, context.project_id) for each in found
            if all(each[name] == value for name, value in wanted.items())]}

    def describe_alarm_history(self, context: Any, given: Values
                               ) -> dict[str, Any]:
        """Show what has happened to alarms, by page."""
        given.refuse('AlarmContributorId')
        filters: dict[str, Any] = {}
        if given.has('AlarmName'):
            filters['name'] = given.text('AlarmName')
        if given.has('HistoryItemType'):
            filters['kind'] = given.choice('HistoryItemType',
                                           [str(each) for each in Kind])
        for name, key in (('StartDate', 'since'), ('EndDate', 'until')):
            if given.has(name):
                filters[key] = given.moment(name)
        if given.has('ScanBy'):
            filters['ascending'] = given.choice(
                'ScanBy', _ORDERS) == _ORDERS[1]
        limit, after = _limit(given), given.token()
        if after is not None and not (after.isascii() and after.isdigit()
                                      and len(after) < 19):
            raise parameters.InvalidTokenError()
        if not _wants_alarms(given):
            return {'AlarmHistoryItems': []}
        found = self.rpc_client.describe_alarm_history(
            context, limit + 1, filters,
            marker=None if after is None else int(after))
        result: dict[str, Any] = {
            'AlarmHistoryItems': [_entry(each) for each in found[:limit]]}
        if len(found) > limit:
            result['NextToken'] = protocols.token_of(
                str(found[limit - 1]['id']))
        return result

    def set_alarm_state(self, context: Any, given: Values) -> dict[str, Any]:
        """Give an alarm a state until it is evaluated, and let it act."""
        name = given.text('AlarmName')
        state = _OURS[given.choice('StateValue', _OURS)]
        reason = given.any_text('StateReason', words.REASON_MAX)
        if given.has('StateReasonData'):
            _require_json(given.any_text('StateReasonData', 4000))
        try:
            self.rpc_client.set_alarm_state(context, name, state, reason)
        except Exception as error:
            if next(iter(fault.lineage(error)), None) != 'EntityNotFound':
                raise
            raise ResourceNotFoundError() from error
        return {}


def _limit(given: Values) -> int:
    return (given.integer('MaxRecords', 1, _PAGE_MAX)
            if given.has('MaxRecords') else _PAGE)


def _wants_alarms(given: Values) -> bool:
    """Return whether alarms on metrics are among the types asked for."""
    types = given.items('AlarmTypes', len(_TYPES))
    for each in types:
        if each not in _TYPES:
            raise parameters.wrong('AlarmTypes', _('its members must be of %s')
                                   % ', '.join(_TYPES))
    return not types or _TYPES[0] in types


def _require_json(text: str) -> None:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidFormatError() from error


def _alarm(alarm: dict[str, Any], project: str) -> dict[str, Any]:
    """Return an alarm in the form of AWS."""
    shown = {
        'AlarmName': alarm['name'],
        'AlarmArn': f'arn:openstack:heat::{project}:alarms/{alarm["name"]}',
        'AlarmDescription': alarm['description'],
        'ActionsEnabled': alarm['acts'],
        'StateValue': _STATES[alarm['state']],
        'StateReason': alarm['state_reason'] or '',
        'StateUpdatedTimestamp': metrics.moment(alarm['state_at']),
        'Namespace': alarm['namespace'], 'MetricName': alarm['metric'],
        'Dimensions': metrics.dimension_list(alarm['dimensions']),
        'Statistic': alarm['statistic'], 'Period': alarm['period'],
        'EvaluationPeriods': alarm['evaluation_periods'],
        'Threshold': alarm['threshold'],
        'ComparisonOperator': alarm['comparison'],
    }
    if alarm['unit'] is not None:
        shown['Unit'] = alarm['unit']
    for state, name in _ACTIONS.items():
        shown[name] = [_arn(each)
                       for each in alarm['actions'].get(state, ())]
    return shown


def _arn(target: dict[str, Any]) -> str:
    return identifier.ResourceIdentifier(
        **target['stack'], resource_name=target['resource']).arn()


def _entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of the history in the form of AWS."""
    summary, data = entry['summary'] or '', entry['data'] or {}
    if entry['kind'] == Kind.STATE:
        old, new = _STATES[data['old']], _STATES[data['new']]
        summary = f'Alarm updated from {old} to {new}'
        more = {name: data[name] for name in ('values', 'threshold')
                if name in data}
        data = {'version': '1.0', 'type': 'Update',
                'oldState': {'stateValue': old},
                'newState': {'stateValue': new,
                             'stateReason': data['reason'],
                             **({'stateReasonData': more} if more else {})}}
    return {'AlarmName': entry['name'], 'AlarmType': _TYPES[0],
            'Timestamp': metrics.moment(entry['at']),
            'HistoryItemType': entry['kind'],
            'HistorySummary': summary[:_SUMMARY_MAX],
            'HistoryData': jsonutils.dumps(data)[:_DATA_MAX]}
