"""The client of the workflow service, as plugins of resources see it."""
import json

from heat.common import exception
from heat.engine.clients import sdk
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'mistral'


class MistralClientPlugin(sdk_plugin.ListingPlugin):
    """Defines workflows of Mistral, finds them by name or id, and runs them.

    The class of openstacksdk for workflows sends definitions as forms.
    """

    client_name = CLIENT_NAME
    proxy = 'workflow'
    service_types = [WORKFLOW_V2] = ['workflowv2']

    def get_workflow_by_identifier(self, workflow_identifier):
        """Return a workflow, given its name or id.

        :raises EntityNotFound: there is none.
        """
        try:
            return self.sdk().find_workflow(workflow_identifier,
                                            ignore_missing=False)
        except sdk.exceptions.NotFoundException as error:
            raise exception.EntityNotFound(
                entity='Workflow', name=workflow_identifier) from error

    def create_workflow(self, definition):
        """Create the workflow of a definition, a text, and return it."""
        return self._define(self.sdk().post, definition)

    def update_workflow(self, definition):
        """Give a workflow, found by its name, a new definition."""
        return self._define(self.sdk().put, definition)

    def _define(self, request, definition):
        [workflow] = self.answer(request(
            'workflows', data=definition.encode(),
            headers={'Content-Type': 'text/plain'}))['workflows']
        return workflow

    def start_execution(self, workflow_identifier, workflow_input, params,
                        description=''):
        """Run a workflow, given its name or id; return the id of the run."""
        workflow = self.get_workflow_by_identifier(workflow_identifier)
        return self.answer(self.sdk().post('executions', json={
            'workflow_id': workflow.id, 'description': description,
            'input': json.dumps(workflow_input),
            'params': json.dumps(params)}))['id']

    def get_execution(self, execution_id):
        """Return what is known of a run of a workflow.

        :raises EntityNotFound: there is none.
        """
        return self.shown('executions', execution_id)

    def delete_execution(self, execution_id):
        """Delete what is known of a run of a workflow; it may be gone."""
        with self.ignore_not_found:
            self.answer(self.sdk().delete(f'executions/{execution_id}',
                                          params={'force': 'true'}))

    @property
    def executions_url(self):
        """The URL at which workflows are run."""
        return self.sdk().get_endpoint().rstrip('/') + '/executions'


class WorkflowConstraint(sdk_plugin.SDKConstraint):
    """A workflow, by name or id."""

    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_workflow_by_identifier'


#: By the names that templates and schemas use.
CONSTRAINTS = {'mistral.workflow': WorkflowConstraint}
