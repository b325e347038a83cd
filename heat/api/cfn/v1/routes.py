"""The actions and paths of the CloudFormation-compatible API.

There is one path for the actions, the query says which one is meant; and
two that signals are sent to.
"""
import dataclasses
from typing import Any

import webob
import webob.exc

from heat.api import routing
from heat.api.aws import dispatcher
from heat.api.aws import exception
from heat.api.aws import utils
from heat.api.aws import xml_format
from heat.api.cfn.v1 import change_sets
from heat.api.cfn.v1 import drift
from heat.api.cfn.v1 import signal
from heat.api.cfn.v1 import stacks
from heat.common import context
from heat.common import metrics
from heat.common import wsgi
from heat.common.i18n import _
from heat.rpc import client as rpc_client


@dataclasses.dataclass(frozen=True, slots=True)
class Action:
    """One row: the action, the method that serves it, its policy rule.

    `rule` is the policy rule that is checked first, where it is not named
    after the action. `controller` is the attribute of the dispatcher that
    has the method.
    """

    name: str
    method: str
    rule: str | None = None
    controller: str = 'stacks'

    @property
    def policy(self) -> str:
        """Return the rule that is checked first."""
        return self.rule or f'cloudformation:{self.name}'


@dataclasses.dataclass(frozen=True, slots=True)
class SignalRoute:
    """One row: where signals go, and the method that passes them on."""

    method: str
    path: str
    action: str


ACTIONS = (
    Action('CancelUpdateStack', 'cancel_update'),
    Action('ContinueUpdateRollback', 'continue_rollback'),
    Action('CreateChangeSet', 'create', controller='change_sets'),
    Action('CreateStack', 'create'),
    Action('DeleteChangeSet', 'delete', controller='change_sets'),
    Action('DeleteStack', 'delete'),
    Action('DescribeChangeSet', 'describe', controller='change_sets'),
    Action('DescribeStackDriftDetectionStatus', 'describe_detection',
           controller='drift'),
    Action('DescribeStackEvents', 'events_list'),
    Action('DescribeStackResource', 'describe_stack_resource'),
    Action('DescribeStackResourceDrifts', 'describe_resources',
           controller='drift'),
    Action('DescribeStackResources', 'describe_stack_resources'),
    Action('DescribeStacks', 'describe'),
    Action('DetectStackDrift', 'detect', controller='drift'),
    Action('EstimateTemplateCost', 'estimate_template_cost'),
    Action('ExecuteChangeSet', 'execute', controller='change_sets'),
    Action('GetStackPolicy', 'get_stack_policy'),
    Action('GetTemplate', 'get_template'),
    Action('GetTemplateSummary', 'get_template_summary',
           rule='cloudformation:ValidateTemplate'),
    Action('ListChangeSets', 'list', controller='change_sets'),
    Action('ListExports', 'list_exports'),
    Action('ListImports', 'list_imports'),
    Action('ListStackResources', 'list_stack_resources'),
    Action('ListStacks', 'list'),
    Action('SetStackPolicy', 'set_stack_policy'),
    Action('SignalResource', 'signal_resource', rule='resource:signal'),
    Action('UpdateStack', 'update'),
    Action('UpdateTerminationProtection', 'update_termination_protection'),
    Action('ValidateTemplate', 'validate_template'),
)
SIGNALS = (
    SignalRoute('PUT', '/waitcondition/{arn:.+}', 'update_waitcondition'),
    SignalRoute('POST', '/signal/{arn:.+}', 'signal'),
)


class Dispatcher(dispatcher.Dispatcher):
    """Calls the method that a query or a path names."""

    def __init__(self, stack_controller: Any, signal_controller: Any) -> None:
        self.stacks = stack_controller
        self.change_sets = change_sets.ChangeSetController(stack_controller)
        self.drift = drift.DriftController(stack_controller)
        self.signals = signal_controller
        self.actions = {action.name: action for action in ACTIONS}
        self.routes = {route.path: route for route in SIGNALS}
        self.paths = routing.PathTable(self.routes)

    def _answer(self, request: webob.Request) -> Any:
        path = request.readable_path()
        if not path.strip('/'):
            return self._act(request)
        template, values = self.paths.match(path)
        if template is None:
            return webob.exc.HTTPNotFound()
        route = self.routes[template]
        request.environ[metrics.ROUTE_VARIABLE] = template
        if request.method != route.method:
            return webob.exc.HTTPMethodNotAllowed(
                headers={'Allow': route.method})
        return self._signal(request, route, values['arn'])

    def _act(self, request: webob.Request) -> Any:
        """Carry out the action that the query names."""
        name = utils.params_of(request).get('Action')
        if not name:
            raise exception.HeatMissingActionError()
        action = self.actions.get(name)
        if action is None:
            raise exception.HeatInvalidActionError(
                _('There is no action %s.') % name)
        request.environ[metrics.ROUTE_VARIABLE] = name
        _require_identity(request.context)
        routing.check_policy(request.context, action.policy)
        with context.budget_of_request(), stacks.reporting_absence(request):
            controller = getattr(self, action.controller)
            result = getattr(controller, action.method)(request)
        return xml_format.response(
            request, {f'{name}Response': {f'{name}Result': result}})

    def _signal(self, request: webob.Request, route: Any, arn: str) -> Any:
        """Pass a signal on; whoever sends one may not say that it is JSON.
        """
        _require_identity(request.context)
        deserializer = wsgi.JSONRequestDeserializer()
        text = deserializer.bounded_body(request)
        with context.budget_of_request():
            body = deserializer.from_json(text) if text.strip() else None
            result = getattr(self.signals, route.action)(request, arn=arn,
                                                         body=body)
        response = webob.Response()
        wsgi.JSONResponseSerializer().default(response, result)
        return response


def _require_identity(context: Any) -> None:
    """Refuse a request that no filter has found the user of.

    There are pipelines that leave it to a filter that they do not have.
    """
    if context.project_id is None and not context.is_admin:
        raise exception.HeatAccessDeniedError(
            _('The request proves no user of a project.'))


def app_factory(global_conf: Any, **local_conf: str) -> Any:
    """Make the application api-paste.ini calls apicfnv1app."""
    client = rpc_client.EngineClient(is_for_users=True)
    return Dispatcher(stacks.StackController(client),
                      signal.SignalController(client))
