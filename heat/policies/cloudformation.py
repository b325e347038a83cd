"""Policy of the cfn API."""
from heat.policies import base

rules = [
    base.rule('cloudformation:CancelUpdateStack', base.PROJECT_MEMBER,
              'Cancel an update of a stack by the cfn API.'),
    base.rule('cloudformation:CreateStack', base.PROJECT_MEMBER,
              'Create a stack by the cfn API.'),
    base.rule('cloudformation:DeleteStack', base.PROJECT_MEMBER,
              'Delete a stack by the cfn API.'),
    base.rule('cloudformation:DescribeStackEvents', base.PROJECT_READER,
              'List the events of a stack by the cfn API.'),
    base.rule('cloudformation:DescribeStackResource',
              base.PROJECT_READER_OR_STACK_USER,
              'Show a resource of a stack by the cfn API.',
              formerly=base.RULE_ALLOW_EVERYBODY),
    base.rule('cloudformation:DescribeStackResources', base.PROJECT_READER,
              'Show the resources of a stack by the cfn API.'),
    base.rule('cloudformation:DescribeStacks', base.PROJECT_READER,
              'Show stacks by the cfn API.'),
    base.rule('cloudformation:EstimateTemplateCost', base.PROJECT_READER,
              'Estimate the cost of a template by the cfn API.'),
    base.rule('cloudformation:GetTemplate', base.PROJECT_READER,
              'Show the template of a stack by the cfn API.'),
    base.rule('cloudformation:ListExports', base.PROJECT_READER,
              'List the values that stacks export by the cfn API.'),
    base.rule('cloudformation:ListImports', base.PROJECT_READER,
              'List the stacks that import a value by the cfn API.'),
    base.rule('cloudformation:ListStackResources', base.PROJECT_READER,
              'List the resources of a stack by the cfn API.'),
    base.rule('cloudformation:ListStacks', base.PROJECT_READER,
              'List stacks by the cfn API.'),
    base.rule('cloudformation:UpdateStack', base.PROJECT_MEMBER,
              'Update a stack by the cfn API.'),
    base.rule('cloudformation:ValidateTemplate', base.PROJECT_READER,
              'Validate a template by the cfn API.'),
]


def list_rules():
    """Return the rules of this module."""
    return rules
