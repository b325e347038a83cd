"""Workflows of Mistral, which signals run."""
import json

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.clients import sdk
from heat.engine.resources import found_by_name
from heat.engine.resources import signal_responder
from heat.engine.resources.openstack.mistral import definition

#: The key of the resource data with the ids of executions, newest first.
_EXECUTIONS = 'executions'
#: The most executions that are remembered: data is limited to 64 kB.
_MAX_EXECUTIONS = 1000
#: What an execution shows in the attribute.
_SHOWN = ('id', 'workflow_name', 'created_at', 'updated_at', 'state')


class Workflow(found_by_name.FoundByName, signal_responder.SignalResponder):
    """A workflow of Mistral that runs when the resource receives a signal.

    The values of ``input`` are the default input of an execution. A
    signal with a map ``input`` overrides some of them, and a signal
    with a map ``params`` adds parameters.
    """

    type_name = 'OS::Mistral::Workflow'
    drift_unsupported = _('Mistral shows workflows in another form.')
    support_status = support.SupportStatus(version='2015.1')
    default_client_name = 'mistral'
    entity = 'workflows'
    always_replace_on_check_failed = False

    PROPERTIES = (
        NAME, TYPE, DESCRIPTION, INPUT, OUTPUT, TASKS, PARAMS,
        TASK_DEFAULTS, USE_REQUEST_BODY_AS_INPUT, TAGS,
    ) = (
        'name', 'type', 'description', 'input', 'output', 'tasks', 'params',
        'task_defaults', 'use_request_body_as_input', 'tags',
    )

    ATTRIBUTES = (
        WORKFLOW_DATA, ALARM_URL, EXECUTIONS,
    ) = (
        'data', 'alarm_url', 'executions',
    )

    properties_schema = {
        NAME: properties.string(_('Name of the workflow.')),
        **definition.PROPERTIES,
        PARAMS: properties.map(
            _('Parameters of the executions. A workflow of the type "reverse" '
              'requires "task_name", the target task.'),
            update_allowed=True),
        USE_REQUEST_BODY_AS_INPUT: properties.boolean(
            _('Whether the body of a signal is used as the input of the '
              'execution. Otherwise it must be a map with "input" and '
              '"params".'),
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
    }

    attributes_schema = {
        WORKFLOW_DATA: attributes.Schema(
            _('Name and input of the workflow.'),
            type=attributes.Schema.MAP),
        ALARM_URL: attributes.Schema(
            _('Signed URL that runs the workflow on a POST request.'),
            type=attributes.Schema.STRING,
            cache_mode=attributes.Schema.CACHE_NONE),
        EXECUTIONS: attributes.Schema(
            _('Executions started by signals, newest first.'),
            type=attributes.Schema.LIST),
    }

    def translation_rules(self, properties):
        """Return rules that move policies of tasks to their new names."""
        rule = translation.TranslationRule
        path = [self.TASKS]
        return [*(rule(properties, rule.REPLACE, [*path, name],
                       value_name=definition.POLICIES,
                       custom_value_path=[name])
                  for name in definition.POLICY_NAMES),
                rule(properties, rule.DELETE, [*path, definition.POLICIES])]

    # -- validation ---------------------------------------------------------

    def validate(self):
        """Check what the schema cannot say about tasks."""
        problem = super().validate()
        params = self.properties[self.PARAMS]
        is_reverse = self.properties[self.TYPE] == definition.REVERSE
        if is_reverse and not (params or {}).get('task_name'):
            raise self._refuse(_(
                'A workflow of the type "reverse" requires "task_name"'),
                self.PARAMS)
        for index, task in enumerate(self.properties[self.TASKS] or ()):
            problem_of_task = definition.problem(task, is_reverse=is_reverse)
            if problem_of_task:
                raise self._refuse(problem_of_task, self.TASKS, index)
        return problem

    def _refuse(self, message, *path):
        return exception.StackValidationFailed(
            path=[self.stack.t.get_section_name('resources'), self.name,
                  self.stack.t.RES_PROPERTIES, *path], message=message)

    # -- actions ------------------------------------------------------------

    def _workflow_name(self):
        return self.properties[self.NAME] or self.physical_resource_name()

    def _created_id(self, created):
        # A workflow that replaces this one may have its name.
        return created['id']

    def _find_by_name(self):
        if self.properties[self.NAME] is not None:
            # It may be that of somebody else.
            return None
        plugin = self.client_plugin()
        with plugin.ignore_not_found:
            return sdk.shown(plugin.get_workflow_by_identifier(
                self.physical_resource_name()))
        return None

    def handle_create(self):
        """Make the user who may signal, and define the workflow."""
        super().handle_create()
        created = self._made(
            self.client_plugin().create_workflow,
            definition.text(self._workflow_name(), self.properties))
        self.resource_id_set(self._created_id(created))

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Give the workflow its new definition."""
        if prop_diff:
            self.client_plugin().update_workflow(definition.text(
                self._workflow_name(), {**self.properties, **prop_diff}))

    def needs_replace_failed(self):
        """Replace what failed unless the workflow is there."""
        if self.resource_id is None:
            return True
        with self.client_plugin().ignore_not_found:
            self._show_resource()
            return False
        return True

    def handle_delete(self):
        """Delete the workflow with its executions, and who may signal."""
        plugin = self.client_plugin()
        for execution_id in self._execution_ids():
            plugin.delete_execution(execution_id)
        self.data_delete(_EXECUTIONS)
        if self.resource_id is not None:
            with plugin.ignore_not_found:
                self.sdk().delete_workflow(self.resource_id,
                                           ignore_missing=False)
        self._delete_signals()
        self._delete_user()

    # -- signals ------------------------------------------------------------

    def handle_signal(self, details=None):
        """Run the workflow.

        :param details: {"input": map, "params": map}, both optional, or the
            input if the property use_request_body_as_input says so.
        """
        details = details or {}
        _require_map(details, _('A signal'))
        if self.properties[self.USE_REQUEST_BODY_AS_INPUT]:
            details = {self.INPUT: details}
        given = {name: details.get(name) or {}
                 for name in (self.INPUT, self.PARAMS)}
        for name, values in given.items():
            _require_map(values, _('"%s" of a signal') % name)
        known = self.properties[self.INPUT] or {}
        unknown = sorted(given[self.INPUT].keys() - known.keys())
        if unknown:
            raise exception.StackValidationFailed(message=_(
                'The workflow has no input %s') % ', '.join(
                    f'"{name}"' for name in unknown))
        execution_id = self.client_plugin().start_execution(
            self.resource_id, {**known, **given[self.INPUT]},
            {**(self.properties[self.PARAMS] or {}), **given[self.PARAMS]})
        self.data_forget()
        ids = [execution_id, *self._execution_ids()]
        self.data_set(_EXECUTIONS, ','.join(ids[:_MAX_EXECUTIONS]))
        self.clear_stored_attributes()

    def _execution_ids(self):
        return [its_id for its_id in
                self.data().get(_EXECUTIONS, '').split(',') if its_id]

    # -- what others see ----------------------------------------------------

    def get_reference_id(self):
        """Return the name, by which other workflows run this one."""
        return self._workflow_name() or self.name

    def _show_resource(self):
        return sdk.shown(self.sdk().get_workflow(self.resource_id))

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == self.ALARM_URL:
            return self._get_ec2_signed_url(never_expire=True)
        if name == self.EXECUTIONS:
            return list(self._executions())
        live = self._show_resource()
        return {key: live.get(key) for key in (self.NAME, self.INPUT)}

    def _executions(self):
        """Yield the executions that Mistral still knows."""
        plugin = self.client_plugin()
        for execution_id in self._execution_ids():
            with plugin.ignore_not_found:
                found = plugin.get_execution(execution_id)
                yield {**{key: found.get(key) for key in _SHOWN},
                       self.INPUT: json.loads(found.get('input') or '{}')}


def _require_map(value, what):
    if not isinstance(value, dict):
        raise exception.StackValidationFailed(
            message=_('%s is not a map') % what)
