"""Policy of the detection of drift."""
from heat.policies import base

_PATH = '/stacks/{stack_name}/{stack_id}/drift'

rules = [
    base.rule('drift:show', base.PROJECT_READER,
              'Show how a stack differs from its definition.',
              [('GET', _PATH)], formerly=None),
    base.rule('drift:detect', base.PROJECT_MEMBER,
              'Find out how a stack differs from its definition. That asks '
              'the services for what really exists.',
              [('POST', _PATH)], formerly=None),
    base.rule('drift:update', base.PROJECT_MEMBER,
              'Set how often engines find out how a stack differs from its '
              'definition.',
              [('PUT', _PATH)], formerly=None),
]


def list_rules():
    """Return the rules of this module."""
    return rules
