"""Policy of change sets."""
from heat.policies import base

_STACK = '/stacks/{stack_name}/{stack_id}/change_sets'
_SET = '/{change_set_id}'
#: A member may make a change set for somebody with this role to execute.
_PROJECT_MANAGER = (
    '(role:manager or role:admin) and project_id:%(project_id)s')


def _both(method, path=''):
    return [(method, _STACK + path), (method, '/change_sets' + path)]


rules = [
    base.rule('change_sets:index', base.PROJECT_READER,
              'List change sets.', _both('GET'), formerly=None),
    base.rule('change_sets:show', base.PROJECT_READER,
              'Show a change set.', _both('GET', _SET), formerly=None),
    base.rule('change_sets:create', base.PROJECT_MEMBER,
              'Plan the creation or an update of a stack.',
              _both('POST'), formerly=None),
    base.rule('change_sets:delete', base.PROJECT_MEMBER,
              'Delete a change set.', _both('DELETE', _SET), formerly=None),
    base.rule('change_sets:execute', base.PROJECT_MEMBER,
              'Execute a change set: create or update its stack. Whoever may '
              'not do that otherwise should not have this rule either.',
              _both('POST', _SET + '/execute'), formerly=None),
    base.rule('change_sets:execute_of_others', _PROJECT_MANAGER,
              'Execute a change set that another user has made. It is asked '
              'beside change_sets:execute.',
              _both('POST', _SET + '/execute'), formerly=None),
]


def list_rules():
    """Return the rules of this module."""
    return rules
