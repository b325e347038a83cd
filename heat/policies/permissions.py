"""Policy of the list of what a user may do."""
from heat.policies import base

rules = [
    base.rule('permissions:index', base.PROJECT_READER,
              'List the policy rules that let the user pass.',
              [('GET', '/permissions')], formerly=None),
]


def list_rules():
    """Return the rules of this module."""
    return rules
