"""The actions of the CloudWatch-compatible API."""
import dataclasses
from typing import Any

import webob

from heat.api import routing
from heat.api.aws import dispatcher
from heat.api.aws import exception
from heat.api.aws import protocols
from heat.api.aws import xml_format
from heat.api.cloudwatch import alarms
from heat.api.cloudwatch import metrics as metric_actions
from heat.api.cloudwatch import requests
from heat.api.cloudwatch import values
from heat.common import context
from heat.common import metrics
from heat.common.i18n import _
from heat.rpc import client as rpc_client

#: Most characters of an unknown name in an error.
_NAME_MAX = 255


@dataclasses.dataclass(frozen=True, slots=True)
class Action:
    """One row: the action and the method that serves it.

    :ivar has_result: whether the answer has a result
    """

    name: str
    method: str
    has_result: bool = True

    @property
    def policy(self) -> str:
        """Return the rule that is checked first."""
        return f'cloudwatch:{self.name}'


ACTIONS = (
    Action('DescribeAlarmHistory', 'describe_alarm_history'),
    Action('DescribeAlarms', 'describe_alarms'),
    Action('DescribeAlarmsForMetric', 'describe_alarms_for_metric'),
    Action('GetMetricStatistics', 'get_metric_statistics'),
    Action('ListMetrics', 'list_metrics'),
    Action('PutMetricData', 'put_metric_data', has_result=False),
    Action('SetAlarmState', 'set_alarm_state', has_result=False),
)


class Dispatcher(dispatcher.Dispatcher):
    """Calls the method of the action that a request names."""

    def __init__(self, *controllers: Any) -> None:
        self._methods = {
            action.name: (action, getattr(controller, action.method))
            for action in ACTIONS for controller in controllers
            if hasattr(controller, action.method)}

    def _answer(self, request: webob.Request) -> Any:
        if request.context.project_id is None:
            raise exception.HeatAccessDeniedError(
                _('The request proves no user of a project.'))
        name, params = requests.action_of(request)
        if not name:
            raise exception.HeatMissingActionError()
        if name not in self._methods:
            raise exception.HeatInvalidActionError(
                _('There is no action %s.') % name[:_NAME_MAX])
        action, method = self._methods[name]
        request.environ[metrics.ROUTE_VARIABLE] = name
        routing.check_policy(request.context, action.policy)
        with context.budget_of_request():
            result = method(request.context, values.Values(params))
        return _response(request, action, result)


def _response(request: webob.Request, action: Action, result: Any) -> Any:
    protocol = protocols.of_request(request.environ)
    if protocol != protocols.Protocol.QUERY:
        return protocols.response(protocol, result)
    content = protocols.converted(
        {f'{action.name}Result': result} if action.has_result else {},
        lambda moment: moment.strftime('%Y-%m-%dT%H:%M:%SZ'))
    return xml_format.response(request, {f'{action.name}Response': content})


def app_factory(global_conf: Any, **local_conf: str) -> Any:
    """Make the application that api-paste.ini calls apicloudwatchapp."""
    client = rpc_client.EngineClient(is_for_users=True)
    return Dispatcher(alarms.AlarmController(client),
                      metric_actions.MetricController(client))
