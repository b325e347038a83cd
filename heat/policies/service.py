"""Policy of the list of engines."""
from heat.policies import base

rules = [
    base.rule('service:index', base.PROJECT_ADMIN,
              'List the engines.',
              formerly=base.RULE_CONTEXT_IS_ADMIN),
]


def list_rules():
    """Return the rules of this module."""
    return rules
