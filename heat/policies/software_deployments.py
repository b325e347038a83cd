"""Policy of software deployments."""
from heat.policies import base

rules = [
    base.rule('software_deployments:create', base.PROJECT_MEMBER,
              'Create a software deployment.',
              [('POST', '/software_deployments')]),
    base.rule('software_deployments:delete', base.PROJECT_MEMBER,
              'Delete a software deployment.',
              [('DELETE', '/software_deployments/{deployment_id}')]),
    base.rule('software_deployments:index', base.PROJECT_READER,
              'List software deployments.',
              [('GET', '/software_deployments')]),
    base.rule('software_deployments:metadata',
              base.PROJECT_READER_OR_STACK_USER,
              'Show the deployment metadata of a server.',
              [('GET', '/software_deployments/metadata/{server_id}')],
              formerly=None),
    base.rule('software_deployments:show', base.PROJECT_READER,
              'Show a software deployment.',
              [('GET', '/software_deployments/{deployment_id}')]),
    base.rule('software_deployments:update', base.PROJECT_MEMBER,
              'Update a software deployment.',
              [('PUT', '/software_deployments/{deployment_id}')]),
]


def list_rules():
    """Return the rules of this module."""
    return rules
