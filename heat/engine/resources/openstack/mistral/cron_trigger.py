"""Times at which Mistral runs workflows."""
import json

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class CronTrigger(sdk_resource.SDKResource):
    """A trigger that runs a workflow of Mistral at specified times.

    The times are specified by a cron expression, a first execution
    time, or both.
    """

    type_name = 'OS::Mistral::CronTrigger'
    support_status = support.SupportStatus(version='5.0.0')
    default_client_name = 'mistral'
    entity = 'cron_triggers'
    noun = 'cron_trigger'

    PROPERTIES = (
        NAME, PATTERN, WORKFLOW, FIRST_TIME, COUNT,
    ) = (
        'name', 'pattern', 'workflow', 'first_time', 'count',
    )
    _WORKFLOW_NAME, _WORKFLOW_INPUT = 'name', 'input'

    properties_schema = {
        NAME: properties.string(_('Name of the trigger.')),
        PATTERN: properties.string(
            _('Schedule of the workflow, as a cron expression.'),
            constraints=[constraints.CustomConstraint('cron_expression')]),
        WORKFLOW: properties.map(
            _('Workflow to run.'),
            required=True,
            schema={
                _WORKFLOW_NAME: properties.string(
                    _('Workflow, by name or ID.'),
                    required=True,
                    constraints=[constraints.CustomConstraint(
                        'mistral.workflow')]),
                _WORKFLOW_INPUT: properties.map(
                    _('Input of the workflow.')),
            }),
        FIRST_TIME: properties.string(
            _('Time of the first execution, in the format YYYY-MM-DD HH:MM.')),
        COUNT: properties.integer(
            _('Number of executions. By default the number is unlimited.')),
    }

    attributes_schema = {
        'next_execution_time': attributes.Schema(
            _('Time of the next execution.'),
            type=attributes.Schema.STRING),
        'remaining_executions': attributes.Schema(
            _('Number of remaining executions.'),
            type=attributes.Schema.INTEGER),
    }

    rename = {COUNT: 'remaining_executions',
              FIRST_TIME: 'first_execution_time'}

    def validate(self):
        """Check that there is a time."""
        problem = super().validate()
        # What refers to another resource has no value yet.
        if all(self.properties.data.get(name) is None
               for name in (self.PATTERN, self.FIRST_TIME)):
            raise exception.PropertyUnspecifiedError(self.PATTERN,
                                                     self.FIRST_TIME)
        return problem

    def prepare_create(self, body):
        """Describe the workflow as Mistral wants it."""
        workflow = body.pop(self.WORKFLOW)
        found = self.client_plugin().get_workflow_by_identifier(
            workflow[self._WORKFLOW_NAME])
        return {**body, 'workflow_id': found.id, 'workflow_input':
                json.dumps(workflow[self._WORKFLOW_INPUT] or {})}
