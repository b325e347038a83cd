"""Policy of the build information."""
from heat.policies import base

rules = [
    base.rule('build_info:build_info', base.PROJECT_READER,
              'Show what release runs.',
              [('GET', '/build_info')]),
]


def list_rules():
    """Return the rules of this module."""
    return rules
