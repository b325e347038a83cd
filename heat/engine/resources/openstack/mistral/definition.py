"""The definition of a workflow, as properties and as Mistral reads it."""
import collections.abc

from heat.common import template_format
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support

DIRECT, REVERSE = 'direct', 'reverse'
POLICIES = 'policies'
#: What the hidden property for policies may hold.
POLICY_NAMES = ('pause_before', 'wait_after', 'wait_before', 'timeout',
                'concurrency', 'retry')

_NAME, _ACTION, _WORKFLOW, _REQUIRES, _JOIN = (
    'name', 'action', 'workflow', 'requires', 'join')
#: Properties that the definition has beside the tasks.
_TOP = ('type', 'description', 'output', 'tags')


def _since(version):
    return {'support_status': support.SupportStatus(version=version)}


def _followers():
    """Return the schemata of what follows a task."""
    return {
        'on_success': properties.list(
            _('Tasks to run after the task has succeeded.')),
        'on_error': properties.list(
            _('Tasks to run after the task has failed.')),
        'on_complete': properties.list(
            _('Tasks to run after the task has completed, whatever its '
              'result.')),
        _REQUIRES: properties.list(
            _('Tasks that must complete before the task, in a workflow of the '
              'type "reverse".')),
    }


def _policies(version=None, concurrency_version='8.0.0'):
    """Return the schemata of how a task is run.

    :param version: since when they are there, if not always.
    """
    since = _since(version) if version else {}
    return {
        'retry': properties.map(
            _('Retry policy of the task.'), **since),
        'wait_before': properties.integer(
            _('Delay before the task in seconds.'), **since),
        'wait_after': properties.integer(
            _('Delay after the task in seconds.'), **since),
        'pause_before': properties.boolean(
            _('Whether the workflow pauses before the task.'), **since),
        'timeout': properties.integer(
            _('Timeout of the task in seconds.'), **since),
        'concurrency': properties.integer(
            _('Maximum number of concurrent actions of a task that iterates '
              'over items.'),
            **_since(concurrency_version)),
    }


_TASK = {
    _NAME: properties.string(_('Name of the task.'), required=True),
    'description': properties.string(_('Description of the task.')),
    'input': properties.map(_('Input of the action or workflow.')),
    _ACTION: properties.string(_('Action that the task runs.')),
    _WORKFLOW: properties.string(
        _('Workflow that the task runs, by name or ID.'),
        constraints=[constraints.CustomConstraint('mistral.workflow')]),
    'publish': properties.map(
        _('Variables that the task publishes to the workflow.')),
    **_followers(),
    **_policies(version='5.0.0'),
    'with_items': properties.string(
        _('Items over which the task iterates, for example "i in <% $.list '
          '%>".'),
        **_since('5.0.0')),
    'keep_result': properties.boolean(
        _('Whether the result of the task is stored.'), **_since('5.0.0')),
    'target': properties.string(
        _('Executors that run the action.'), **_since('5.0.0')),
    _JOIN: properties.string(
        _('Number of preceding tasks that must end before the task runs: '
          '"all", "one" or a number.'),
        **_since('6.0.0')),
    POLICIES: properties.map(
        _('Policies of the task, under the names of the policy properties of '
          'a task.'),
        support_status=support.SupportStatus(
            status=support.HIDDEN, version='8.0.0',
            message=_('Use the properties of the task instead.'),
            previous_status=support.SupportStatus(
                status=support.DEPRECATED, version='5.0.0',
                previous_status=support.SupportStatus(version='2015.1')))),
}

#: Properties of a workflow that are part of its definition.
PROPERTIES = {
    'type': properties.string(
        _('Type of the workflow: each task names the tasks that follow it '
          '("direct") or the tasks that precede it ("reverse").'),
        required=True, update_allowed=True,
        constraints=[constraints.AllowedValues([DIRECT, REVERSE])]),
    'description': properties.string(
        _('Description of the workflow.'), update_allowed=True),
    'tags': properties.list(
        _('Tags of the workflow.'),
        update_allowed=True, **_since('10.0.0')),
    'input': properties.map(
        _('Input parameters of the workflow, with their default values.'),
        update_allowed=True),
    'output': properties.map(
        _('Output of the workflow. It may refer to the variables of the '
          'workflow.'),
        update_allowed=True),
    'task_defaults': properties.map(
        _('Default settings of the tasks.'),
        update_allowed=True,
        schema={**_followers(), **_policies()},
        **_since('5.0.0')),
    'tasks': properties.list(
        _('Tasks of the workflow.'),
        required=True, update_allowed=True,
        constraints=[constraints.Length(min=1)],
        schema=properties.map(_('One task.'), schema=_TASK)),
}


def problem(task, *, is_reverse):
    """Return what is wrong with a task, None if nothing."""
    if task[_ACTION] and task[_WORKFLOW]:
        return _('Specify either "action" or "workflow", but not both')
    if not (task[_ACTION] or task[_WORKFLOW]):
        return _('Either "action" or "workflow" is required')
    if task[_REQUIRES] and not is_reverse:
        return _('"requires" is supported only in workflows of the type '
                 '"reverse"')
    return None


def text(name, values):
    """Return the definition of a workflow in the language of Mistral.

    :param values: of the properties.
    """
    workflow = _given(values, _TOP)
    if values['input']:
        workflow['input'] = sorted(values['input'])
    defaults = _given(values['task_defaults'] or {})
    if defaults:
        workflow['task-defaults'] = defaults
    workflow['tasks'] = {task[_NAME]: _task(task)
                         for task in values['tasks']}
    return template_format.yaml.dump(
        {'version': '2.0', name: workflow},
        Dumper=template_format.yaml_dumper, allow_unicode=True,
        sort_keys=False)


def _task(values):
    task = _given(values, [key for key in values
                           if key not in (_NAME, POLICIES)])
    if str(task.get(_JOIN, '')).isdigit():
        task[_JOIN] = int(task[_JOIN])
    return task


def _given(values, names=None):
    """Return what values say, by the names of the language."""
    return {key.replace('_', '-'): _plain(values[key])
            for key in (values if names is None else names)
            if values[key] is not None and values[key] not in ('', [], {})}


def _plain(value):
    """Return maps and lists of the simplest kind, as they are written."""
    if isinstance(value, collections.abc.Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
