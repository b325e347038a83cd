"""Policy of the protection of stacks."""
from heat.policies import base

_STACK = '/stacks/{stack_name}/{stack_id}'
_PATH = _STACK + '/protection'
_POLICY = _STACK + '/policy'

rules = [
    base.rule('protection:show', base.PROJECT_READER,
              'Show whether a stack has termination protection.',
              [('GET', _PATH)], formerly=None),
    base.rule('protection:update', base.PROJECT_MEMBER,
              'Set or lift the termination protection of a stack. Who may '
              'delete a stack and has this rule can lift the protection '
              'first.', [('PUT', _PATH)], formerly=None),
    base.rule('protection:show_policy', base.PROJECT_READER,
              'Show which resources updates of a stack may change.',
              [('GET', _POLICY)], formerly=None),
    base.rule('protection:update_policy', base.PROJECT_ADMIN,
              'Set or remove the policy of a stack.',
              [('PUT', _POLICY)], formerly=None),
    base.rule('protection:override_policy', base.PROJECT_ADMIN,
              'Update a stack in spite of its policy, by '
              'override_stack_policy in the body of an update or of the '
              'execution of a change set.',
              [('PUT', _STACK), ('PATCH', _STACK),
               ('POST', _STACK + '/change_sets/{change_set_id}/execute')],
              formerly=None),
]


def list_rules():
    """Return the rules of this module."""
    return rules
