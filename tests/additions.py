"""What this service has beyond the facts about its peer."""

#: The version of the language that follows AWS CloudFormation.
CFN = 'AWSTemplateFormatVersion.2010-09-09'

CFN_SECTIONS = ['Metadata', 'Rules', 'Transform']
CFN_RESOURCE_KEYS = ['UpdateReplacePolicy']
CFN_OUTPUT_KEYS = ['Export']
CFN_FUNCTIONS = ['Fn::Cidr', 'Fn::ImportValue', 'Fn::Length', 'Fn::Sub',
                 'Fn::ToJsonString']
CFN_CONDITION_FUNCTIONS = ['Condition', 'Fn::Length']

#: Rules about exports and imports of values.
POLICIES = ['cloudformation:ListExports', 'cloudformation:ListImports']

#: What the engine offers: list_exports and list_imports are new in it.
RPC_API_VERSION = '1.37'

#: The collection of change sets: its policy rules, by method and action.
CHANGE_SET_ROUTES = {
    ('GET', 'change_sets', 'index'): 'change_sets:index',
    ('POST', 'change_sets', 'create'): 'change_sets:create',
    ('GET', 'change_sets', 'show'): 'change_sets:show',
    ('DELETE', 'change_sets', 'delete'): 'change_sets:delete',
    ('POST', 'change_sets', 'execute'): 'change_sets:execute',
}

#: Tables that came with collections of ours; the way back drops them.
TABLES = {'change_set', 'stack_export', 'stack_import'}


def with_cfn_keys(constant, recorded):
    """Return the keys of templates that follow AWS, with those beyond."""
    if constant == 'OUTPUT_KEYS':
        return [*recorded, *CFN_OUTPUT_KEYS]
    if constant == '_RESOURCE_KEYS':
        return [*recorded, *CFN_RESOURCE_KEYS]
    if constant == 'HOT_TO_CFN_RES_ATTRS':
        return {**recorded, 'update_replace_policy': 'UpdateReplacePolicy'}
    return recorded
