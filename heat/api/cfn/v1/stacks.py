"""The actions of the CloudFormation API on stacks.

Each method is one action: the request in, the content of the result out.
"""
from collections.abc import Collection, Iterator
import contextlib
from typing import Any

from oslo_serialization import jsonutils
import webob

from heat.api.aws import exception
from heat.api.cfn.v1 import query
from heat.api.cfn.v1 import views
from heat.api.middleware import fault
from heat.common import identifier
from heat.common.i18n import _
from heat.rpc import api as rpc_api
from heat.rpc import client as engine_client

#: Stacks cost nothing; AWS's action wants a page that says so.
_COST_URL = 'http://en.wikipedia.org/wiki/Gratis'
_SIGNAL_STATUSES = ('SUCCESS', 'FAILURE')


@contextlib.contextmanager
def reporting_absence(request: webob.Request) -> Iterator[None]:
    """Report a stack that does not exist as AWS does.

    :raises HeatStackNotFoundError: the engine knows no stack of the name or
        ARN that the request has as StackName.
    """
    try:
        yield
    except Exception as error:
        name = query.Query(request).get('StackName')
        # Errors about other things that are missing are derived from it.
        kind = next(iter(fault.lineage(error)), None)
        if name is None or kind != 'EntityNotFound':
            raise
        raise exception.HeatStackNotFoundError(
            _('Stack with id %s does not exist') % name) from error


class StackController:
    """Carries out the actions by calls of the engine."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def identity(self, request: webob.Request, asked: Any, name: str) -> Any:
        """Return the identity of the stack with a name or an ARN."""
        identity = asked.identity(request.context.project_id, name)
        return identity or self.rpc_client.identify_stack(request.context,
                                                          name)

    def named(self, request: webob.Request, asked: Any) -> Any:
        """Return the identity of the stack that a request is about."""
        return self.identity(request, asked, asked.required('StackName'))

    def _asked_for(self, request: webob.Request, asked: Any) -> Any:
        """Return the identity of a stack, None when all are asked for."""
        name = asked.get('StackName')
        return None if name is None else self.identity(request, asked, name)

    # -- looking ------------------------------------------------------------

    def list(self, request: webob.Request) -> dict[str, Any]:
        """ListStacks: the stacks of the project, in brief.

        StackStatusFilter leaves those in other states out.
        """
        states = query.Query(request).texts_of('StackStatusFilter')
        summaries = map(views.summary,
                        self.rpc_client.list_stacks(request.context))
        return {'StackSummaries': [
            each for each in summaries
            if not states or each['StackStatus'] in states]}

    def describe(self, request: webob.Request) -> dict[str, Any]:
        """DescribeStacks: one stack, or all."""
        identity = self._asked_for(request, query.Query(request))
        stacks = self.rpc_client.show_stack(request.context, identity)
        if identity is None:
            protected = self.rpc_client.list_protected_stacks(request.context)
        else:
            found = self.rpc_client.show_stack_protection(request.context,
                                                          identity)
            protected = [identity['stack_id']] if found[
                rpc_api.PARAM_PROTECTED] else []
        return {'Stacks': [views.stack(stack, protected)
                           for stack in stacks]}

    def get_template(self, request: webob.Request) -> dict[str, Any]:
        """GetTemplate: the template as it was given."""
        asked = query.Query(request)
        template = self.rpc_client.get_template(
            request.context, self.named(request, asked))
        if template is None:
            raise exception.HeatInvalidParameterValueError(
                _('The stack has no template.'))
        return {'TemplateBody': template}

    def estimate_template_cost(self, request: webob.Request) -> dict[str, Any]:
        """EstimateTemplateCost: where to read that it is free."""
        query.Query(request).required_template()
        return {'Url': _COST_URL}

    def validate_template(self, request: webob.Request) -> dict[str, Any]:
        """ValidateTemplate: the parameters of a template that is valid."""
        asked = query.Query(request)
        template = asked.required_template()
        found = self._validated(request, asked, template)
        return {
            'Capabilities': [],
            'CapabilitiesReason': '',
            'Description': found.get('Description') or '',
            'Parameters': [views.template_parameter(name, parameter)
                           for name, parameter in
                           (found.get('Parameters') or {}).items()],
        }

    def get_template_summary(self, request: webob.Request) -> dict[str, Any]:
        """GetTemplateSummary: what a template, or that of a stack, needs.
        """
        asked = query.Query(request)
        given = asked.template()
        identity = self._asked_for(request, asked)
        if (given is None) == (identity is None):
            raise exception.HeatInvalidParameterCombinationError(
                _('Exactly one of StackName, TemplateBody and TemplateURL '
                  'is needed.'))
        template, options = given, {}
        if identity is not None:
            template, options = self._stored(request, identity)
        found = self._validated(request, asked, template, **options)
        return views.template_summary(template, found)

    def _validated(self, request: webob.Request, asked: Any, template: Any,
                   **options: Any) -> Any:
        """Return what the engine says of a template that is valid."""
        with asked.texts.locating():
            found = self.rpc_client.validate_template(request.context,
                                                      template, **options)
        if 'Error' in found:
            raise exception.HeatInvalidParameterValueError(
                found['Error'] + asked.texts.position_text(
                    found.get('ErrorPath')))
        return found

    def _stored(self, request: webob.Request, identity: Any) -> Any:
        """Return a stack's template, and with which values it is valid."""
        return (self.rpc_client.get_template(request.context, identity),
                {'params': self.rpc_client.get_environment(request.context,
                                                           identity),
                 'files': self.rpc_client.get_files(request.context,
                                                    identity)})

    # -- events and resources -----------------------------------------------

    def events_list(self, request: webob.Request) -> dict[str, Any]:
        """DescribeStackEvents: the events of one stack, or of all."""
        identity = self._asked_for(request, query.Query(request))
        events = self.rpc_client.list_events(request.context, identity)
        return {'StackEvents': [views.event(event) for event in events]}

    def describe_stack_resource(self, request: webob.Request
                                ) -> dict[str, Any]:
        """DescribeStackResource: all of one resource."""
        asked = query.Query(request)
        identity = self.named(request, asked)
        resource = self.rpc_client.describe_stack_resource(
            request.context, identity, asked.required('LogicalResourceId'))
        return {'StackResourceDetail': views.resource_detail(resource)}

    def describe_stack_resources(self, request: webob.Request
                                 ) -> dict[str, Any]:
        """DescribeStackResources: resources of a stack, or the stack of a
        physical resource.
        """
        asked = query.Query(request)
        name, physical = (asked.get('StackName'),
                          asked.get('PhysicalResourceId'))
        if name is not None and physical is not None:
            raise exception.HeatInvalidParameterCombinationError(
                _('StackName and PhysicalResourceId may not be used '
                  'together.'))
        if name is not None:
            identity = self.identity(request, asked, name)
        elif physical is not None:
            found = self.rpc_client.find_physical_resource(
                request.context, physical)
            identity = dict(identifier.ResourceIdentifier(**found).stack())
        else:
            raise exception.HeatMissingParameterError(
                _('StackName or PhysicalResourceId is needed.'))
        resources = self.rpc_client.describe_stack_resources(
            request.context, identity, asked.get('LogicalResourceId'))
        return {'StackResources': [views.resource(each)
                                   for each in resources]}

    def list_stack_resources(self, request: webob.Request) -> dict[str, Any]:
        """ListStackResources: the resources of a stack, in brief."""
        asked = query.Query(request)
        resources = self.rpc_client.list_stack_resources(
            request.context, self.named(request, asked))
        return {'StackResourceSummaries': [views.resource_summary(each)
                                           for each in resources]}

    def signal_resource(self, request: webob.Request) -> dict[str, Any]:
        """SignalResource: tell a wait condition's handle how it went."""
        asked = query.Query(request)
        identity = self.named(request, asked)
        name, status = (asked.required('LogicalResourceId'),
                        asked.required('Status'))
        unique_id = asked.required('UniqueId')
        if status not in _SIGNAL_STATUSES:
            raise exception.HeatInvalidParameterValueError(
                _('Status must be one of %s.') % ', '.join(_SIGNAL_STATUSES))
        resource = self.rpc_client.describe_stack_resource(
            request.context, identity, name)
        self.rpc_client.resource_signal(
            request.context, identity, name,
            views.signal(resource, status, unique_id), sync_call=True)
        return {}

    # -- values of other stacks ---------------------------------------------

    def list_exports(self, request: webob.Request) -> dict[str, Any]:
        """ListExports: the values that stacks of the project export."""
        asked = query.Query(request)
        exports = self.rpc_client.list_exports(request.context,
                                               marker=asked.marker())
        result: dict[str, Any] = {
            'Exports': [views.export(each) for each in exports]}
        if len(exports) >= rpc_api.EXPORTS_PAGE:
            result['NextToken'] = asked.token_after(
                exports[-1][rpc_api.EXPORT_NAME])
        return result

    def list_imports(self, request: webob.Request) -> dict[str, Any]:
        """ListImports: the stacks that import a value."""
        asked = query.Query(request)
        return {'Imports': self.rpc_client.list_imports(
            request.context, asked.required('ExportName'))}

    # -- changing -----------------------------------------------------------

    def create(self, request: webob.Request) -> Any:
        """CreateStack: begin to create a stack."""
        asked = query.Query(request)
        name, options = asked.required('StackName'), asked.options()
        protected = asked.flag('EnableTerminationProtection')
        if protected is not None:
            options[rpc_api.PARAM_PROTECTED] = protected
        with asked.texts.locating():
            identity = self.rpc_client.create_stack(
                request.context, name, asked.required_template(),
                asked.environment(), {}, options)
        return {'StackId': views.arn(identity)}

    def update(self, request: webob.Request) -> dict[str, Any]:
        """UpdateStack: begin to update a stack."""
        asked = query.Query(request)
        identity = self.named(request, asked)
        template, options = self.goal(request, asked, identity)
        with asked.texts.locating():
            identity = self.rpc_client.update_stack(
                request.context, identity, template, asked.environment(), {},
                options)
        return {'StackId': views.arn(identity)}

    def goal(self, request: webob.Request, asked: Any, identity: Any
             ) -> tuple[Any, dict[str, Any]]:
        """Return the template and the options of an update."""
        options, kept = asked.options(), asked.kept_parameters()
        if kept or asked.flag('UsePreviousTemplate'):
            options.update(self._keeping(request, identity, asked, kept))
        template = asked.template()
        if template is None and not asked.flag('UsePreviousTemplate'):
            template = asked.required_template()
        return template, options

    def _keeping(self, request: webob.Request, identity: Any, asked: Any,
                 kept: Collection[str]) -> Any:
        """Return the options of an update that keeps part of the stack.

        A parameter that is neither given nor to be kept takes its default.
        """
        stored = self.rpc_client.get_environment(request.context, identity)
        cleared = (stored.get('parameters') or {}).keys() - kept
        return {rpc_api.PARAM_EXISTING: True,
                rpc_api.PARAM_CLEAR_PARAMETERS: sorted(
                    cleared - asked.parameters().keys())}

    def cancel_update(self, request: webob.Request) -> dict[str, Any]:
        """CancelUpdateStack: stop the update and roll it back."""
        asked = query.Query(request)
        self.rpc_client.stack_cancel_update(
            request.context, self.named(request, asked),
            cancel_with_rollback=True)
        return {}

    def delete(self, request: webob.Request) -> dict[str, Any]:
        """DeleteStack: begin to delete a stack."""
        asked = query.Query(request)
        retain = asked.texts_of('RetainResources')
        identity = self.named(request, asked)
        if retain:
            self.rpc_client.delete_stack_but(request.context, identity,
                                             retain)
        else:
            self.rpc_client.delete_stack(request.context, identity,
                                         cast=False)
        return {}

    def continue_rollback(self, request: webob.Request) -> dict[str, Any]:
        """ContinueUpdateRollback: continue a failed rollback."""
        asked = query.Query(request)
        skip = asked.texts_of('ResourcesToSkip')
        self.rpc_client.stack_continue_rollback(
            request.context, self.named(request, asked), skip)
        return {}

    def get_stack_policy(self, request: webob.Request) -> dict[str, Any]:
        """GetStackPolicy: which resources updates may change."""
        asked = query.Query(request)
        found = self.rpc_client.show_stack_policy(
            request.context, self.named(request, asked))
        return {} if found is None else {
            'StackPolicyBody': jsonutils.dumps(found)}

    def set_stack_policy(self, request: webob.Request) -> dict[str, Any]:
        """SetStackPolicy: limit which resources updates may change."""
        asked = query.Query(request)
        try:
            policy = jsonutils.loads(asked.required('StackPolicyBody'))
        except ValueError as error:
            raise exception.HeatInvalidParameterValueError(
                _('StackPolicyBody is not valid JSON: %s') % error) from error
        if policy is None:
            raise exception.HeatInvalidParameterValueError(
                _('StackPolicyBody has no policy.'))
        self.rpc_client.update_stack_policy(
            request.context, self.named(request, asked), policy)
        return {}

    def update_termination_protection(self, request: webob.Request
                                      ) -> dict[str, Any]:
        """UpdateTerminationProtection: let a stack be deleted, or not."""
        asked = query.Query(request)
        name = 'EnableTerminationProtection'
        asked.required(name)
        wanted = bool(asked.flag(name))
        identity = self.named(request, asked)
        self.rpc_client.update_stack_protection(request.context, identity,
                                                wanted)
        return {'StackId': views.arn(identity)}
