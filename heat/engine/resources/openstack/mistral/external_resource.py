"""Things outside of the cloud that workflows of Mistral take care of."""
import collections.abc
import json

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support

#: Keys of the resource data: ids of executions, and the last output.
_LAST_EXECUTION, _OUTPUT = 'last_execution', 'outputs'
#: What a workflow finds in its environment.
_ENVIRONMENT, _OUTPUT_BEFORE = 'env', 'heat_extresource_data'

_SUCCESS = 'SUCCESS'
_FAILED = frozenset(['ERROR', 'CANCELLED'])


def _action(description):
    return properties.map(
        description,
        schema={
            'workflow': properties.string(
                _('Workflow, by name or ID.'),
                required=True,
                constraints=[constraints.CustomConstraint(
                    'mistral.workflow')]),
            'params': properties.map(
                _('Additional parameters of the execution, for example the '
                  'environment under the key "env".'),
                default={}),
        })


class MistralExternalResource(resource.Resource):
    """A resource that workflows of Mistral manage.

    Each action runs the workflow that the template specifies for it; an
    action without a workflow does nothing. An output ``resource_id`` of
    a workflow becomes the physical resource ID. The output of the last
    execution is passed to the next one in
    ``env().heat_extresource_data``. A change of the inputs in
    ``replace_on_change_inputs`` replaces the resource.
    """

    type_name = 'OS::Mistral::ExternalResource'
    drift_unsupported = _('It is an execution, which does not last.')
    support_status = support.SupportStatus(version='9.0.0')
    default_client_name = 'mistral'
    entity = 'executions'
    #: How far a workflow is takes a request to find out.
    patient = True

    PROPERTIES = (
        EX_ACTIONS, INPUT, DESCRIPTION, REPLACE_ON_CHANGE, ALWAYS_UPDATE,
    ) = (
        'actions', 'input', 'description', 'replace_on_change_inputs',
        'always_update',
    )

    properties_schema = {
        EX_ACTIONS: properties.map(
            _('Workflow to run for each action.'),
            required=True,
            schema={
                resource.Resource.CREATE: _action(
                    _('Workflow that creates the resource.')),
                resource.Resource.UPDATE: _action(
                    _('Workflow that updates the resource.')),
                resource.Resource.SUSPEND: _action(
                    _('Workflow that suspends the resource.')),
                resource.Resource.RESUME: _action(
                    _('Workflow that resumes the resource.')),
                resource.Resource.DELETE: _action(
                    _('Workflow that deletes the resource.')),
            }),
        INPUT: properties.map(
            _('Input of the workflows.'),
            default={}, update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the executions.'),
            default='Heat managed'),
        REPLACE_ON_CHANGE: properties.list(
            _('Names of the inputs whose change replaces the resource.'),
            default=[]),
        ALWAYS_UPDATE: properties.boolean(
            _('Whether every stack update runs the update workflow, even if '
              'the input is unchanged.'),
            default=False),
    }

    attributes_schema = {
        'output': attributes.Schema(
            _('Output of the last execution.'),
            type=attributes.Schema.MAP),
    }

    # -- executions ---------------------------------------------------------

    def _start(self, action, given=None):
        """Run the workflow of an action; return the id of that, or None."""
        workflow = self.properties[self.EX_ACTIONS][action]
        if workflow is None:
            return None
        params = dict(workflow['params'] or {})
        if action != self.CREATE:
            params[_ENVIRONMENT] = {**(params.get(_ENVIRONMENT) or {}),
                                    _OUTPUT_BEFORE: self._output()}
        execution_id = self.client_plugin().start_execution(
            workflow['workflow'],
            self.properties[self.INPUT] if given is None else given,
            params, self.properties[self.DESCRIPTION])
        self.data_set(_LAST_EXECUTION, execution_id)
        return execution_id

    def _is_over(self, execution_id):
        """Return whether an execution has ended; keep its output.

        :raises Error: it has failed.
        """
        if execution_id is None:
            return True
        execution = self.client_plugin().get_execution(execution_id)
        state = execution['state']
        if state in _FAILED:
            raise exception.Error(_(
                'Execution %(execution)s of workflow "%(workflow)s" is in '
                'state %(state)s: %(reason)s') % {
                    'execution': execution_id,
                    'workflow': execution.get('workflow_name'),
                    'state': state,
                    'reason': execution.get('state_info')})
        if state != _SUCCESS:
            return False
        output = json.loads(execution.get('output') or '{}')
        self.data_set(_OUTPUT, json.dumps(output))
        if output.get('resource_id') is not None and (
                self.action != self.DELETE):
            self.resource_id_set(str(output['resource_id']))
        return True

    def _output(self):
        """Return the output of the last execution that has succeeded."""
        return json.loads(self.data().get(_OUTPUT) or '{}')

    # -- actions ------------------------------------------------------------

    def validate(self):
        """Check that environments are maps."""
        problem = super().validate()
        for action, given in (self.properties[self.EX_ACTIONS] or {}).items():
            environment = given and (given['params'] or {}).get(_ENVIRONMENT)
            if environment is not None and not isinstance(
                    environment, collections.abc.Mapping):
                raise exception.StackValidationFailed(
                    path=[self.stack.t.get_section_name('resources'),
                          self.name, self.stack.t.RES_PROPERTIES,
                          self.EX_ACTIONS, action, 'params', _ENVIRONMENT],
                    message=_('The environment of a workflow must be a map'))
        return problem

    def handle_create(self):
        """Run the workflow that creates the thing."""
        return self._start(self.CREATE)

    def check_create_complete(self, execution_id):
        """Return whether the workflow has created the thing."""
        if not self._is_over(execution_id):
            return False
        if self.resource_id is None:
            self.resource_id_set(self.physical_resource_name())
        return True

    def _needs_update(self, after, before, after_props, before_props,
                      prev_resource, check_init_complete=True):
        return super()._needs_update(
            after, before, after_props, before_props, prev_resource,
            check_init_complete) or bool(after_props[self.ALWAYS_UPDATE])

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """Return whether an input changes that makes a replacement."""
        if self.INPUT not in changed_properties_set:
            return False
        before, after = (values[self.INPUT] or {}
                         for values in (before_props, after_props))
        return any(before.get(name) != after.get(name)
                   for name in after_props[self.REPLACE_ON_CHANGE] or ())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Run the workflow that updates the thing."""
        if self.INPUT in prop_diff:
            return self._start(self.UPDATE, prop_diff[self.INPUT] or {})
        if self.properties[self.ALWAYS_UPDATE]:
            return self._start(self.UPDATE)
        return None

    def check_update_complete(self, execution_id):
        """Return whether the workflow has updated the thing."""
        return self._is_over(execution_id)

    def handle_suspend(self):
        """Run the workflow that suspends the thing."""
        return self._start(self.SUSPEND)

    def check_suspend_complete(self, execution_id):
        """Return whether the workflow has suspended the thing."""
        return self._is_over(execution_id)

    def handle_resume(self):
        """Run the workflow that resumes the thing."""
        return self._start(self.RESUME)

    def check_resume_complete(self, execution_id):
        """Return whether the workflow has resumed the thing."""
        return self._is_over(execution_id)

    def handle_delete(self):
        """Run the workflow that deletes the thing.

        A workflow that has failed to create it may have made a part of it.
        """
        if self.resource_id is None and _LAST_EXECUTION not in self.data():
            return None
        return self._start(self.DELETE)

    def check_delete_complete(self, execution_id):
        """Return whether the workflow has deleted the thing."""
        return self._is_over(execution_id)

    # -- what others see ----------------------------------------------------

    def _show_resource(self):
        execution_id = self.data().get(_LAST_EXECUTION)
        return execution_id and self.client_plugin().get_execution(
            execution_id)

    def _resolve_attribute(self, name):
        return self._output() if self.resource_id is not None else None
