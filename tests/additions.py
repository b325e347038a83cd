"""What this service has beyond the facts about its peer."""

#: The version of the language that follows AWS CloudFormation.
CFN = 'AWSTemplateFormatVersion.2010-09-09'

CFN_SECTIONS = ['Metadata', 'Rules', 'Transform']
CFN_FUNCTIONS = ['Fn::Cidr', 'Fn::Length', 'Fn::Sub', 'Fn::ToJsonString']
CFN_CONDITION_FUNCTIONS = ['Condition', 'Fn::Length']
