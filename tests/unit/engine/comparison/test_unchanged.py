"""Resources that an update does not even look at."""
import pytest
import yaml

from heat.common import template_format
from heat.engine import environment
from heat.engine import template
from heat.engine.comparison import unchanged
from heat.engine.convergence import begin as traversal_begin
from heat.engine.stacks import store as stack_store
from heat.objects import resource as resource_objects
from tests.fakes import stacks

BEFORE = """
parameters:
  size: {type: string, default: small}
  word: {type: string, default: hello}
conditions:
  is_small: {equals: [{get_param: size}, small]}
  is_tiny: {not: is_small}
resources:
  plain:
    type: Test::Thing
    properties: {value: fixed}
  speaker:
    type: Test::Thing
    properties: {value: {get_param: word}}
  after:
    type: Test::Thing
    depends_on: speaker
  chooser:
    type: Test::Thing
    properties: {value: {if: [is_tiny, a, b]}}
  reader:
    type: Test::Thing
    properties: {value: {get_file: text}}
  computed:
    type: Test::Thing
    properties: {value: {get_param: {list_join: ['', [wo, rd]]}}}
"""
ALL = {'plain', 'speaker', 'after', 'chooser', 'reader', 'computed'}


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch, convergence=True)


@pytest.fixture
def stack(engine):
    return engine.create(BEFORE, files={'text': 'one'})


def names(engine, stack, text=BEFORE, files=None, **options):
    wanted = stack_store.wanted_stack(
        stack, engine.template(text, options.pop('params', None),
                               files or {'text': 'one'},
                               **options.pop('env', {})), **options)
    needs = traversal_begin.needs_of(
        traversal_begin.StackOperation(stack, wanted, 'UPDATE'))
    return set(unchanged.names(stack, wanted, needs))


def changed(name, **parts):
    """Return the template with other parts of one resource."""
    tmpl = yaml.safe_load(BEFORE)
    tmpl['resources'][name].update(parts)
    return yaml.safe_dump(tmpl, sort_keys=False)


def test_everything_is_left_alone_when_nothing_changes(engine, stack):
    assert names(engine, stack) == ALL


@pytest.mark.parametrize(('change', 'visited'), [
    ({'params': {'word': 'bye'}}, {'speaker', 'after', 'computed'}),
    ({'params': {'size': 'large'}}, {'chooser', 'computed'}),
    ({'files': {'text': 'two'}}, {'reader', 'computed'}),
    ({'text': changed('plain', properties={'value': 'x'})}, {'plain'}),
    ({'text': changed('speaker', metadata={'a': 1})}, {'speaker', 'after'}),
    ({'text': changed('plain', depends_on='speaker')}, {'plain'}),
    ({'text': changed('plain', metadata={
        'a': {'resource_facade': 'metadata'}})}, {'plain'}),
    ({'env': {'resource_registry': {'A': 'B'}}}, ALL),
    ({'converge': True}, ALL),
])
def test_what_may_have_changed_is_visited(engine, stack, change, visited):
    assert names(engine, stack, **change) == ALL - visited


@pytest.mark.parametrize(('before', 'after'), [
    # Equal values, but as texts they differ.
    ('{value: 1}', '{value: true}'), ('{value: 0}', '{value: false}'),
    ("{value: {list_join: ['', [{b: 1, a: 2}]]}}",
     "{value: {list_join: ['', [{a: 2, b: 1}]]}}")])
def test_equal_values_that_read_differently(engine, before, after):
    text = f'resources: {{one: {{type: Test::Thing, properties: {before}}}}}'
    stack = engine.create(text)
    assert not names(engine, stack, text.replace(before, after))


@pytest.mark.parametrize('default', ['[1]', '{b: 1, a: 2}'])
def test_parameters_that_read_differently(engine, default):
    text = ('parameters: {p: {type: json, default: %s}}\n'
            'resources: {one: {type: Test::Thing, properties: {value: '
            "{list_join: ['', [{get_param: p}]]}}}}")
    stack = engine.create(text % default)
    other = {'[1]': '[true]', '{b: 1, a: 2}': '{a: 2, b: 1}'}[default]
    assert not names(engine, stack, text % other)


CFN = """
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::LanguageExtensions
Parameters:
  Word: {Type: String, Default: hello}
  Other: {Type: String, Default: x}
Conditions:
  IsHello: {'Fn::Equals': [{Ref: Word}, hello]}
Resources:
  Plain:
    Type: Test::Thing
    Properties: {value: {'Fn::Sub': 'say ${!Word} ${Other}'}}
  Text:
    Type: Test::Thing
    Properties: {value: {'Fn::Sub': 'say ${ Word }'}}
  Variable:
    Type: Test::Thing
    Properties: {value: {'Fn::Sub': ['${V}', {V: {'Fn::Sub': '${Word}'}}]}}
  Chooser:
    Type: Test::Thing
    Properties: {value: {'Fn::If': [IsHello, a, b]}}
  Fn::ForEach::Loop:
    - I
    - [a]
    - 'Loop${I}':
        Type: Test::Thing
        Properties: {value: {'Fn::Sub': '${I} ${Word}'}}
"""


def test_texts_that_values_are_put_into(engine, monkeypatch):
    def parsed(text, params=None, files=None):
        return template.Template(
            template_format.parse(text), files=files,
            env=environment.Environment({'parameters': params or {}}))

    monkeypatch.setattr(engine, 'template', parsed)
    stack = engine.create(CFN)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert names(engine, stack, CFN, params={'Word': 'bye'}) == {'Plain'}
    stack = engine.update(stack, CFN, params={'Word': 'bye'})
    assert {each.name: each.data()['value'] for each in stack.values()} == {
        'Plain': 'say ${Word} x', 'Text': 'say bye', 'Variable': 'bye',
        'Chooser': 'b', 'Loopa': 'a bye'}


def test_failed_stack_is_visited_as_a_whole(engine):
    stack = engine.create(BEFORE.replace('fixed}', 'fixed, fail: true}'),
                          files={'text': 'one'})
    assert stack.status == 'FAILED'
    assert not names(engine, stack)


def test_resource_that_others_ask_for_attributes_is_visited(engine):
    text = BEFORE + """
  asking:
    type: Test::Thing
    properties: {value: {get_attr: [plain, output]}}
outputs:
  told: {value: {get_attr: [reader, output]}}
"""
    stack = engine.create(text, files={'text': 'one'})
    assert names(engine, stack, text) == ALL - {'plain', 'reader'}


def test_sick_resource_is_visited_with_what_needs_it(engine, stack):
    stack['speaker'].state_set('CHECK', 'FAILED', 'sick')
    with stacks.sequence_of(engine) as seen:
        stack = engine.update(engine.reload(stack), BEFORE,
                              files={'text': 'one'})
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert ('create', 'speaker') in seen
    assert {name for _what, name in seen} == {'speaker'}
    assert set(engine.rows(stack).values()) == {('CREATE', 'COMPLETE')}


def test_rows_follow_the_template_without_a_visit(engine, stack):
    stack = engine.update(stack, changed('plain', properties={'value': 'x'}),
                          files={'text': 'one'})
    assert stack.state == ('UPDATE', 'COMPLETE')
    rows = resource_objects.Resource.get_all_by_stack(engine.context,
                                                      stack.id)
    assert {row.current_template_id for row in rows.values()} == {stack.t.id}
    assert engine.rows(stack)['plain'] == ('UPDATE', 'COMPLETE')
