"""The client of the workflow service, as plugins of resources see it."""
from heat.common import exception
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'mistral'


class MistralClientPlugin(sdk_plugin.SDKClientPlugin):
    """Finds workflows of Mistral by name or id."""

    client_name = CLIENT_NAME
    proxy = 'workflow'
    service_types = [WORKFLOW_V2] = ['workflowv2']

    def get_workflow_by_identifier(self, workflow_identifier):
        """Return a workflow, given its name or id.

        :raises EntityNotFound: there is none.
        """
        found = self.sdk().find_workflow(workflow_identifier,
                                         ignore_missing=True)
        if found is None:
            raise exception.EntityNotFound(entity='Workflow',
                                           name=workflow_identifier)
        return found


class WorkflowConstraint(sdk_plugin.SDKConstraint):
    """A workflow, by name or id."""

    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_workflow_by_identifier'


#: By the names that templates and schemas use.
CONSTRAINTS = {'mistral.workflow': WorkflowConstraint}
