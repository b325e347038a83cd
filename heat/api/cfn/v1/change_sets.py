"""The actions of the CloudFormation API on change sets.

A change set of AWS belongs to a stack, also one that it is to create. Here
the latter belongs to the project until it is executed.
"""
from typing import Any

import webob

from heat.api.aws import exception
from heat.api.cfn.v1 import change_set_views
from heat.api.cfn.v1 import query
from heat.api.cfn.v1 import stacks
from heat.api.cfn.v1 import views
from heat.api.middleware import fault
from heat.common import change_words
from heat.common.i18n import _
from heat.rpc import client as engine_client

_TYPES = (_CREATE, _UPDATE) = ('CREATE', 'UPDATE')
_NAME = 'ChangeSetName'


class ChangeSetController:
    """Carries out the actions by calls of the engine.

    :param stack_controller: reads what an update is to be.
    """

    def __init__(self, stack_controller: stacks.StackController) -> None:
        self.stacks = stack_controller

    @property
    def rpc_client(self) -> engine_client.EngineClient:
        """Return the client that reaches the engine."""
        return self.stacks.rpc_client

    def create(self, request: webob.Request) -> dict[str, Any]:
        """CreateChangeSet: plan an update of a stack, or its creation."""
        asked = query.Query(request)
        name, stack_name = asked.required(_NAME), asked.required('StackName')
        kind = asked.get('ChangeSetType') or _UPDATE
        if kind not in _TYPES:
            raise exception.HeatInvalidParameterValueError(
                _('ChangeSetType must be one of %s.') % ', '.join(_TYPES))
        identity = None
        if kind == _UPDATE:
            identity = self.stacks.identity(request, asked, stack_name)
            template, options = self.stacks.goal(request, asked, identity)
        else:
            template, options = asked.required_template(), asked.options()
        self._require_free(request, asked, name)
        with asked.texts.locating():
            found = self.rpc_client.create_change_set(
                request.context, identity,
                None if identity is not None else stack_name, template,
                asked.environment(), {}, options, name=name,
                description=asked.get('Description'),
                template_text=asked.texts.template)
        tenant = request.context.project_id
        result = {'Id': change_set_views.arn(tenant, found)}
        if identity is not None:
            result['StackId'] = views.arn(identity)
        return result

    def _require_free(self, request: webob.Request, asked: Any, name: str
                      ) -> None:
        """Raise AlreadyExistsError if a change set to be executed has a name.
        """
        if any(each['status'] == change_words.Status.AVAILABLE
               for each in self._candidates(request, asked)
               if each['name'] == name):
            raise exception.AlreadyExistsError(
                _('ChangeSet %s already exists.') % name)

    def describe(self, request: webob.Request) -> dict[str, Any]:
        """DescribeChangeSet: a change set with its changes."""
        asked = query.Query(request)
        found = self.rpc_client.show_change_set(
            request.context, self._id_of(request, asked))
        return change_set_views.described(
            request.context.project_id, found,
            with_values=bool(asked.flag('IncludePropertyValues')))

    def list(self, request: webob.Request) -> dict[str, Any]:
        """ListChangeSets: the change sets of a stack, in brief.

        :raises HeatStackNotFoundError: there is neither a stack of the name
            nor a change set that would create one.
        """
        asked = query.Query(request)
        found = self._candidates(request, asked)
        if not found:
            # Its absence is an error, its having none is not.
            self.rpc_client.show_stack(
                request.context, self.stacks.named(request, asked),
                resolve_outputs=False)
        return {'Summaries': [
            change_set_views.summary(request.context.project_id, each)
            for each in found]}

    def execute(self, request: webob.Request) -> dict[str, Any]:
        """ExecuteChangeSet: begin what a change set describes."""
        asked = query.Query(request)
        disable = asked.flag('DisableRollback')
        self.rpc_client.execute_change_set(
            request.context, self._id_of(request, asked),
            disable_rollback=disable)
        return {}

    def delete(self, request: webob.Request) -> dict[str, Any]:
        """DeleteChangeSet: forget a change set, which may be gone."""
        asked = query.Query(request)
        try:
            self.rpc_client.delete_change_set(
                request.context, self._id_of(request, asked))
        except Exception as error:
            if fault.lineage(error)[0] != 'ChangeSetNotFound':
                raise
        return {}

    # -- finding ------------------------------------------------------------

    def _id_of(self, request: webob.Request, asked: Any) -> str:
        """Return the id of the change set that a request names.

        Of several of one name the latest is meant.
        """
        name = asked.required(_NAME)
        if name.startswith('arn:'):
            return change_set_views.id_from_arn(request.context.project_id,
                                                name)
        asked.required('StackName')
        for each in self._candidates(request, asked):
            if name in (each['name'], each['id']):
                return each['id']
        raise exception.HeatChangeSetNotFoundError(
            _('ChangeSet [%s] does not exist') % name)

    def _candidates(self, request: webob.Request, asked: Any) -> Any:
        """Return the change sets of a stack, the latest first.

        Those of an earlier stack of the name are not among them.
        """
        name = asked.required('StackName')
        found = self.rpc_client.list_change_sets(request.context)
        try:
            stack_id = self.stacks.named(request, asked)['stack_id']
        except Exception as error:
            if fault.lineage(error)[0] != 'EntityNotFound':
                raise
            stack_id = None
        return [each for each in found if (
            each['stack_name'] == name if each['stack_id'] is None
            else each['stack_id'] == stack_id)]
