"""Calls of functions that refer to something."""
from heat.engine import function
from tests.unit.conformance import harness

Case = harness.Case

PARENT = {'metadata': {'m': 1}, 'deletion_policy': 'Retain',
          'update_policy': {'u': 1}}
ATTRIBUTES = {'words': ['a', 'b'], 'tree': {'k': [{'deep': 1}]}}


def needed(stack, parsed):
    """Return the names of the resources that a call requires."""
    return sorted({each.name for each in function.dependencies(parsed)})


def attributes_of_made(stack, parsed):
    """Return how a call names the attributes of made that it wants."""
    return list(function.dep_attrs(parsed, 'made'))


GET_ATTR = (
    Case('get_attr', 'args.2013-05-23', ['made', 'words'], ['a', 'b']),
    Case('get_attr', 'args.2013-05-23', ['made', 'tree', 'k', 0, 'deep'], 1),
    Case('get_attr', 'args.2014-10-16..2015-04-30', ['made', 'words'],
         ['a', 'b']),
    Case('get_attr', 'args.2014-10-16..2015-04-30',
         ['made', 'tree', 'k', 0, 'deep'], 1),
    Case('get_attr', 'args.>=2015-10-15/0', ['made'], ATTRIBUTES),
    Case('get_attr', 'args.>=2015-10-15/1', ['made', 'words', 1], 'b'),
    Case('get_attr', 'args.>=2015-10-15/1', ['made', 'words'], ['a', 'b']),
    Case('get_attr', 'dependency', ['made', 'words'], ['made'], look=needed),
    Case('get_attr', 'dependency', ['fresh', 'words', 0], ['fresh'],
         look=needed),
    Case('get_attr', 'errors.0', 'made.words'),
    Case('get_attr', 'errors.0', {'made': 'words', 'other': 'words'}),
    Case('get_attr', 'errors.0', None),
    Case('get_attr', 'errors.1', ['nobody', 'words'], says='nobody'),
    Case('get_attr', 'errors.1', ['nobody'], only='>=2015-10-15'),
    Case('get_attr', 'errors.1', ['off', 'words'], only='>=2016-10-14',
         says='condition'),
    Case('get_attr', 'errors.2', ['made', 'word'], says='words'),
    Case('get_attr', 'one_argument_ready', ['other'], None,
         only='>=2015-10-15'),
    Case('get_attr', 'one_argument_ready', ['fresh'], None,
         only='>=2015-10-15'),
    Case('get_attr', 'one_argument_ready', ['made'], ATTRIBUTES,
         only='>=2015-10-15'),
    Case('get_attr', 'path_missing', ['made', 'words', 7], None),
    Case('get_attr', 'path_missing', ['made', 'words', 'x'], None),
    Case('get_attr', 'path_missing', ['made', 'tree', 'k', 0, 'x', 'y'],
         None),
    Case('get_attr', 'resource_not_ready', ['fresh', 'words'], None),
    Case('get_attr', 'resource_not_ready', ['fresh', 'words', 0], None),
    Case('get_attr', 'resource_not_ready', ['other', 'words', 0], 'a'),
    Case('get_attr', 'result', ['made', 'show', 'all'], True),
    Case('get_attr', 'version_difference', ['made', 'tree', 'k'], ['tree'],
         only='2013-05-23', look=attributes_of_made),
    Case('get_attr', 'version_difference', ['made', 'tree', 'k'],
         [('tree', 'k')], only='>=2014-10-16', look=attributes_of_made),
    Case('Fn::GetAtt', 'args', ['made', 'words'], ['a', 'b']),
    Case('Fn::GetAtt', 'dotted_string_form', ['made', 'words'], ['made'],
         look=needed),
    Case('Fn::GetAtt', 'errors.0', 'made.words'),
    Case('Fn::GetAtt', 'errors.0', ['made']),
    Case('Fn::GetAtt', 'errors.0', ['made', 'words', 0]),
    Case('Fn::GetAtt', 'errors.0', None),
    Case('Fn::GetAtt', 'errors.1', ['nobody', 'words'], says='nobody'),
    Case('Fn::GetAtt', 'errors.1', ['off', 'words'], only='2010-09-09'),
    Case('Fn::GetAtt', 'errors.2', ['made', 'word'], says='words'),
    Case('Fn::GetAtt', 'result', ['made', 'tree'], {'k': [{'deep': 1}]}),
    Case('Fn::GetAtt', 'result', ['fresh', 'tree'], None),
)

PARAMETERS = (
    Case('get_param', 'args/0', 'text', 'x'),
    Case('get_param', 'args/0', 'number', 5),
    Case('get_param', 'args/0', 'OS::stack_name', 'stack'),
    Case('get_param', 'args/0', 'OS::project_id', 'tenant'),
    Case('get_param', 'args/0', 'OS::stack_id', 'id'),
    Case('get_param', 'args/1', ['text'], 'x'),
    Case('get_param', 'args/1', ['map', 'k', 0, 'deep'], 1),
    Case('get_param', 'args/1', ['list', '1'], 'b'),
    Case('get_param', 'args/1', [{'get_param': ['list', 0]}, 'x'],
         look=lambda stack, parsed: sorted(parsed.args[0].args, key=str),
         value=[0, 'list']),
    Case('get_param', 'errors.0', []),
    Case('get_param', 'errors.0', ''),
    Case('get_param', 'errors.0', None),
    Case('get_param', 'errors.1', 'nothing', says='nothing'),
    Case('get_param', 'errors.1', ['txt'], says='"text"'),
    Case('get_param', 'errors.1', 'OS::region'),
    Case('get_param', 'errors.1', 'made'),
    Case('get_param', 'errors.2', {'text': 1}),
    Case('get_param', 'errors.2', 7),
    Case('get_param', 'errors.2', [7]),
    Case('get_param', 'errors.2', [['text']]),
    Case('get_param', 'missing_path', ['map', 'x'], ''),
    Case('get_param', 'missing_path', ['list', 9], ''),
    Case('get_param', 'missing_path', ['map', 'k', 0, 'deep', 'x'], ''),
    Case('get_param', 'result', 'list', ['a', 'b']),
    Case('get_param', 'result', 'flag', True),
    Case('get_param', 'result', 'map', {'k': [{'deep': 1}]}),
    Case('Ref', 'args', 'text', 'x'),
    Case('Ref', 'args', 'made', 'ref-made', context='snippet'),
    Case('Ref', 'errors.0', 'nothing', says='nothing'),
    Case('Ref', 'errors.0', 'txt', says='"text"'),
    Case('Ref', 'errors.0', ['text']),
    Case('Ref', 'errors.0', None),
    Case('Ref', 'errors.0', 'off', only='2010-09-09', context='snippet'),
    Case('Ref', 'errors.0', 'made', context='condition'),
    Case('Ref', 'in_conditions', 'text', 'x', context='condition'),
    Case('Ref', 'result', 'fresh', 'fresh', context='snippet'),
    Case('Ref', 'result', 'made', ['made'], look=needed, context='snippet'),
    Case('Ref', 'result', 'map', {'k': [{'deep': 1}]}),
)

OTHERS = (
    Case('get_resource', 'args', 'made', 'ref-made'),
    Case('get_resource', 'before_creation', 'fresh', 'fresh'),
    Case('get_resource', 'dependency', 'made', ['made'], look=needed),
    Case('get_resource', 'errors.0', 'nobody', says='nobody'),
    Case('get_resource', 'errors.0', 'mad', says='"made"'),
    Case('get_resource', 'errors.0', 'off', only='>=2016-10-14',
         says='condition'),
    Case('get_resource', 'errors.0', None),
    Case('get_resource', 'errors.0', ['made']),
    Case('get_resource', 'result', 'other', 'ref-other'),
    Case('get_file', 'args', 'a file', 'its text'),
    Case('get_file', 'errors.0', ['a file']),
    Case('get_file', 'errors.0', None),
    Case('get_file', 'errors.1', 'no file', says='"a file"'),
    Case('get_file', 'result', {'list_join': [' ', ['a', 'file']]},
         'its text'),
    *(Case('resource_facade', f'args/{index}', name, PARENT[name])
      for index, name in enumerate(PARENT)),
    Case('resource_facade', 'errors.0', 'Metadata'),
    Case('resource_facade', 'errors.0', 'properties', says='metadata'),
    Case('resource_facade', 'errors.0', ['metadata']),
    Case('resource_facade', 'result', 'metadata', {'m': 1}),
    Case('Fn::ResourceFacade', 'args/0', 'Metadata', {'m': 1}),
    Case('Fn::ResourceFacade', 'args/1', 'DeletionPolicy', 'Retain'),
    Case('Fn::ResourceFacade', 'args/2', 'UpdatePolicy', {'u': 1}),
    Case('Fn::ResourceFacade', 'errors.0', 'metadata'),
    Case('Fn::ResourceFacade', 'errors.0', None),
    Case('Fn::ResourceFacade', 'result', 'DeletionPolicy', 'Retain'),
    Case('Fn::FindInMap', 'args', ['m', 'one', 'two'], ['found']),
    Case('Fn::FindInMap', 'errors.0', ['m', 'one']),
    Case('Fn::FindInMap', 'errors.0', ['m', 'one', 'two', 'three']),
    Case('Fn::FindInMap', 'errors.0', 'm'),
    Case('Fn::FindInMap', 'errors.0', None),
    Case('Fn::FindInMap', 'errors.1', ['m', 'one', 'x']),
    Case('Fn::FindInMap', 'errors.1', ['m', 'x', 'two'], says='"x"'),
    Case('Fn::FindInMap', 'errors.1', ['x', 'one', 'two']),
    Case('Fn::FindInMap', 'errors.1', ['m', 'one', ['two']]),
    Case('Fn::FindInMap', 'result', ['m', 'one', 'two'], ['found']),
    Case('Fn::GetAZs', 'args', 'us-east-1', ['zone-1', 'zone-2']),
    Case('Fn::GetAZs', 'args', '', ['zone-1', 'zone-2']),
    Case('Fn::GetAZs', 'result', None, ['nova'],
         look=lambda stack, parsed: function.resolve(
             stack.t.parse(None, {'Fn::GetAZs': ''}))),
)

CASES = GET_ATTR + PARAMETERS + OTHERS
