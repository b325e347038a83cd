"""The actions of the CloudFormation-compatible API.

There is one path; the query says which action is meant.
"""
import dataclasses

import webob
import webob.exc

from heat.api.aws import exception
from heat.common.i18n import _


@dataclasses.dataclass(frozen=True, slots=True)
class Action:
    """One row: the action, the method that serves it, its policy rule."""

    name: str
    method: str

    @property
    def policy(self):
        """Return the rule that is checked first."""
        return f'cloudformation:{self.name}'


ACTIONS = (
    Action('CancelUpdateStack', 'cancel_update'),
    Action('CreateStack', 'create'),
    Action('DeleteStack', 'delete'),
    Action('DescribeStackEvents', 'events_list'),
    Action('DescribeStackResource', 'describe_stack_resource'),
    Action('DescribeStackResources', 'describe_stack_resources'),
    Action('DescribeStacks', 'describe'),
    Action('EstimateTemplateCost', 'estimate_template_cost'),
    Action('GetTemplate', 'get_template'),
    Action('ListStackResources', 'list_stack_resources'),
    Action('ListStacks', 'list'),
    Action('UpdateStack', 'update'),
    Action('ValidateTemplate', 'validate_template'),
)


class Dispatcher:
    """Calls the method a query names.

    :param controller: has a method for each action that is served.
    """

    def __init__(self, controller=None):
        self.controller = controller
        self.actions = {action.name: action for action in ACTIONS}

    def __call__(self, environ, start_response):
        try:
            response = self._answer(webob.Request(environ))
        except webob.exc.HTTPException as exc:
            response = exc
        return response(environ, start_response)

    def _answer(self, request):
        if request.environ.get('PATH_INFO', '').strip('/'):
            return webob.exc.HTTPNotFound()
        try:
            name = request.params.get('Action')
        except UnicodeDecodeError as exc:
            raise exception.HeatInvalidParameterValueError(
                _('The query is not valid UTF-8.')) from exc
        if not name:
            raise exception.HeatMissingActionError()
        if name not in self.actions:
            raise exception.HeatInvalidActionError(
                _('There is no action %s.') % name)
        method = getattr(self.controller, self.actions[name].method, None)
        if method is None:
            raise exception.HeatAPINotImplementedError()
        return method(request)


def app_factory(global_conf, **local_conf):
    """Make the application api-paste.ini calls apicfnv1app."""
    return Dispatcher()
