"""Policy of the actions on stacks."""
from heat.policies import base

_STACK = '/stacks/{stack_name}/{stack_id}'


rules = [
    base.rule('actions:action', base.PROJECT_MEMBER,
              'Call for an action on a stack. No request asks for this '
              'rule: each action has a rule of its own.',
              [('POST', _STACK + '/actions')]),
    base.rule('actions:cancel_update', base.PROJECT_MEMBER,
              'Cancel an update of a stack and roll it back.',
              [('POST', _STACK + '/actions')]),
    base.rule('actions:cancel_without_rollback', base.PROJECT_MEMBER,
              'Cancel an operation on a stack without rolling back.',
              [('POST', _STACK + '/actions')]),
    base.rule('actions:check', base.PROJECT_READER,
              'Check that the resources of a stack are there.',
              [('POST', _STACK + '/actions')]),
    base.rule('actions:resume', base.PROJECT_MEMBER,
              'Resume a suspended stack.',
              [('POST', _STACK + '/actions')]),
    base.rule('actions:continue_rollback', base.PROJECT_MEMBER,
              'Continue the failed rollback of a stack.',
              [('POST', _STACK + '/actions')], formerly=None),
    base.rule('actions:retry', base.PROJECT_MEMBER,
              'Retry the operation of a stack that failed.',
              [('POST', _STACK + '/actions')], formerly=None),
    base.rule('actions:snapshot', base.PROJECT_MEMBER,
              'Take a snapshot of a stack as an action. No request asks '
              'for this rule: see stacks:snapshot.',
              [('POST', _STACK + '/actions')]),
    base.rule('actions:suspend', base.PROJECT_MEMBER,
              'Suspend a stack.',
              [('POST', _STACK + '/actions')]),
]


def list_rules():
    """Return the rules of this module."""
    return rules
