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
            _('The tasks that follow when the task has succeeded.')),
        'on_error': properties.list(
            _('The tasks that follow when the task has failed.')),
        'on_complete': properties.list(
            _('The tasks that follow when the task has ended, however.')),
        _REQUIRES: properties.list(
            _('The tasks that precede the task in a workflow of the type '
              '"reverse".')),
    }


def _policies(version=None, concurrency_version='8.0.0'):
    """Return the schemata of how a task is run.

    :param version: since when they are there, if not always.
    """
    since = _since(version) if version else {}
    return {
        'retry': properties.map(
            _('How often a failed task is repeated, and when.'), **since),
        'wait_before': properties.integer(
            _('The seconds to wait before the task.'), **since),
        'wait_after': properties.integer(
            _('The seconds to wait after the task.'), **since),
        'pause_before': properties.boolean(
            _('Whether the workflow is paused before the task.'), **since),
        'timeout': properties.integer(
            _('The seconds that the task may take.'), **since),
        'concurrency': properties.integer(
            _('How many actions of a task with items run at a time.'),
            **_since(concurrency_version)),
    }


_TASK = {
    _NAME: properties.string(_('The name of the task.'), required=True),
    'description': properties.string(_('Description of the task.')),
    'input': properties.map(_('The input of the action or workflow.')),
    _ACTION: properties.string(_('The action that the task runs.')),
    _WORKFLOW: properties.string(
        _('The workflow that the task runs, by name or id.'),
        constraints=[constraints.CustomConstraint('mistral.workflow')]),
    'publish': properties.map(
        _('The variables that the task gives to the workflow.')),
    **_followers(),
    **_policies(version='5.0.0'),
    'with_items': properties.string(
        _('The items that the task is run for, for example "i in '
          '<% $.list %>".'),
        **_since('5.0.0')),
    'keep_result': properties.boolean(
        _('Whether the result of the task is kept.'), **_since('5.0.0')),
    'target': properties.string(
        _('The executors that run the action.'), **_since('5.0.0')),
    _JOIN: properties.string(
        _('How many of the preceding tasks have to end before the task is '
          'run: "all", "one" or a number.'),
        **_since('6.0.0')),
    POLICIES: properties.map(
        _('Policies of the task, by the names of properties beside it.'),
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
        _('The type of the workflow: tasks name those that follow '
          '("direct"), or those that precede them ("reverse").'),
        required=True, update_allowed=True,
        constraints=[constraints.AllowedValues([DIRECT, REVERSE])]),
    'description': properties.string(
        _('Description of the workflow.'), update_allowed=True),
    'tags': properties.list(
        _('The tags of the workflow.'),
        update_allowed=True, **_since('10.0.0')),
    'input': properties.map(
        _('The input of the workflow, with its default values.'),
        update_allowed=True),
    'output': properties.map(
        _('The output of the workflow, which may refer to its variables.'),
        update_allowed=True),
    'task_defaults': properties.map(
        _('What holds for all tasks that do not say otherwise.'),
        update_allowed=True,
        schema={**_followers(), **_policies()},
        **_since('5.0.0')),
    'tasks': properties.list(
        _('The tasks of the workflow.'),
        required=True, update_allowed=True,
        constraints=[constraints.Length(min=1)],
        schema=properties.map(_('One task.'), schema=_TASK)),
}


def problem(task, *, is_reverse):
    """Return what is wrong with a task, None if nothing."""
    if task[_ACTION] and task[_WORKFLOW]:
        return _('Give either "action" or "workflow", not both')
    if not (task[_ACTION] or task[_WORKFLOW]):
        return _('One of "action" and "workflow" is needed')
    if task[_REQUIRES] and not is_reverse:
        return _('Only tasks of workflows of the type "reverse" have '
                 '"requires"')
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
