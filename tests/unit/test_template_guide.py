"""The template guide tells the truth: its examples are tried."""
import json
import re
import types

import pytest

from heat.author import check as template_check
from heat.author import command as heat_template
from heat.common import environment_format
from heat.common import exception
from heat.common import identifier
from heat.common import template_format
from heat.engine import environment
from heat.engine import function
from heat.engine import node_data
from heat.engine import rsrc_defn
from heat.engine import stk_defn
from heat.engine import template
from heat.engine.cfn import template as cfn_template
from heat.engine.hot import template as hot_template
from heat.engine.language import environment_merge
from heat.engine.language import template_checks
from tests.fakes import recorded_types
from tests.unit import guide_pages

EXAMPLES = [(block, result, setting)
            for page in guide_pages.pages()
            for block, result, setting in guide_pages.with_setting(page)]
COMMANDS = [command for page in guide_pages.pages()
            for command in guide_pages.commands_of(page)]
TYPES = recorded_types.global_environment()
IDENTITY = identifier.HeatIdentifier(
    'a0a1', 'my_stack', '2d2e4f70-91a2-4b5c-8d6e-0f1a2b3c4d5e')
LATEST = '2021-04-16'


@pytest.fixture(autouse=True)
def _recorded_types(monkeypatch):
    monkeypatch.setattr(environment, '_global_environment', None)
    # Properties and attributes in the examples are those of real types.
    template_check.load_types()
    monkeypatch.setattr(template_check, 'load_types', lambda: None)
    template_check.fetch_no_templates(TYPES)
    environment.set_global_env(TYPES)


def language_of(data, files=None, env=None):
    return template.get_template_class(data)(
        data, files=files, env=env or environment.Environment({}))


def sections_of(data):
    for cls in (hot_template.HOTemplate20210416, cfn_template.CfnTemplate):
        if data and set(data) <= set(cls.SECTIONS):
            return cls
    return None


def parsed(text):
    # What a block shows may be a list or a text, so it goes below a key.
    return template_format.simple_parse(
        'it:\n' + ''.join(f'  {line}\n' if line else '\n'
                          for line in text.splitlines()))['it']


def definition(data, setting):
    attributes = (parsed(setting['attributes'])
                  if 'attributes' in setting else {})
    resources = {
        name: node_data.NodeData(
            1, name, 'uuid', known.pop('reference id', name), known,
            'CREATE', 'COMPLETE')
        for name, known in attributes.items()}
    nova = types.SimpleNamespace(
        availability_zones=lambda: [types.SimpleNamespace(name='nova')])
    context = types.SimpleNamespace(clients=types.SimpleNamespace(
        client=lambda name: nova, sdk=lambda name: nova))
    return stk_defn.StackDefinition(
        context, language_of(data, setting['files']), IDENTITY, resources,
        parent_of(setting))


def parent_of(setting):
    if 'facade' not in setting:
        return None
    stated = parsed(setting['facade'])
    return types.SimpleNamespace(
        metadata_get=lambda: stated['metadata'],
        t=rsrc_defn.ResourceDefinition(
            'parent', stated['type'],
            deletion_policy=stated['deletion_policy'],
            update_policy=stated['update_policy']))


def in_version(block, setting):
    """Return the setup, in the version that the block names if it does."""
    data = template_format.simple_parse(setting['setup'])
    named = re.fullmatch(r'In (\S+)', block.caption)
    if named is None:
        return data
    data['heat_template_version'] = named[1]
    cls = template.get_template_class(data)
    return {key: value for key, value in data.items() if key in cls.SECTIONS}


def value_of(block, setting):
    stack = definition(in_version(block, setting), setting)
    parse = (stack.t.parse_condition
             if block.caption == guide_pages.CONDITION else stack.t.parse)
    snippet = parse(stack, parsed(block.text), ['example'])
    function.validate(snippet)
    return function.resolve(snippet)


def faults_of(data, setting):
    env = environment.Environment({})
    return [str(found) for found in template_checks.check(
        data, files=setting['files'], env=env, find_class=env.get_class,
        with_values=False)]


def check_template(data, result, setting):
    faults = faults_of(data, setting)
    if result is None:
        assert faults == []
        return
    assert result.caption == guide_pages.FAILS
    assert faults != []
    for line in result.text.splitlines():
        assert any(line in fault for fault in faults), faults


def check_expression(block, result, setting):
    assert result is not None, f'{block} tells no result'
    if result.caption == guide_pages.GIVES:
        assert value_of(block, setting) == parsed(result.text)
        return
    with pytest.raises((exception.HeatException, ValueError, TypeError,
                        KeyError)) as caught:
        value_of(block, setting)
    for line in result.text.splitlines():
        assert line in str(caught.value)


@pytest.mark.parametrize(('block', 'result', 'setting'), EXAMPLES,
                         ids=[str(block) for block, *_rest in EXAMPLES])
def test_an_example_does_what_the_page_says(block, result, setting):
    assert block.language in ('yaml', 'json')
    data = parsed(block.text) if block.language == 'yaml' else (
        template_format.simple_parse(block.text))
    if block.caption == guide_pages.MERGED:
        merged = environment_merge.merge_environments(
            data, setting['files'], None)
        assert merged == parsed(result.text)
    elif isinstance(data, dict) and set(data) & set(template.VERSION_KEYS):
        check_template(data, result, setting)
    elif isinstance(data, dict) and data and (
            set(data) <= set(environment_format.SECTIONS)
            and (block.caption == 'Environment'
                 or block.caption.startswith(guide_pages.FILE))):
        environment_format.validate(data)
        environment.Environment(data)
    elif isinstance(data, dict) and sections_of(data):
        cls = sections_of(data)
        version = cls.VERSION
        whole = (template_format.simple_parse(setting['setup'])
                 if 'setup' in setting else
                 {version: LATEST if version == 'heat_template_version'
                  else '2010-09-09'})
        for name, contents in data.items():
            whole[name] = ({**whole[name], **contents}
                           if isinstance(whole.get(name), dict)
                           and isinstance(contents, dict) else contents)
        check_template(whole, result, setting)
    else:
        check_expression(block, result, setting)


@pytest.mark.parametrize(('block', 'args', 'printed', 'files'), COMMANDS,
                         ids=[str(block) for block, *_rest in COMMANDS])
def test_a_command_prints_what_the_page_shows(block, args, printed, files,
                                              tmp_path, monkeypatch, capsys):
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding='utf-8')
    monkeypatch.chdir(tmp_path)
    heat_template.main(args)
    assert capsys.readouterr().out == printed


def functions_of(cls):
    return {name for name, implementation in cls.functions.items()
            if not template.is_removed(implementation)}


@pytest.mark.parametrize('page', ['functions.rst', 'cfn.rst'])
def test_every_function_has_a_section_with_an_example(page):
    text = guide_pages.pages()[page]
    headings = set(re.findall(r'^(\S+)\n[-~^]+$', text, re.MULTILINE))
    cls = (hot_template.HOTemplate20210416 if page == 'functions.rst'
           else cfn_template.CfnTemplate)
    wanted = functions_of(cls) | set(cls.condition_functions)
    assert wanted <= headings
    for name in wanted:
        section = guide_pages.section_of(page, name)
        assert re.search(rf'code-block:: \w+\n(?:   .*\n|\n)*.*\b{name}\b',
                         section), name


def test_no_function_is_forgotten():
    facts = json.loads((guide_pages.FACTS / 'functions.json').read_text())
    for name in facts['functions']:
        page = 'cfn.rst' if name[0].isupper() else 'functions.rst'
        section = guide_pages.section_of(page, name)
        assert '*Arguments*' in section or 'The same as' in section
        assert ':caption: gives' in section
        assert '*Errors*' in section or not facts['functions'][name]['errors']


def first_version(functions, name):
    return min(value for (key, value), cls in template.template_classes(
        ).items() if key == 'heat_template_version' and name in getattr(
            cls, functions))


@pytest.mark.parametrize('name', sorted(
    functions_of(hot_template.HOTemplate20210416)
    | set(hot_template.HOTemplate20210416.condition_functions)))
def test_the_versions_of_a_function_are_right(name):
    section = guide_pages.section_of('functions.rst', name)
    since = first_version('functions' if name in (
        hot_template.HOTemplate20210416.functions)
        else 'condition_functions', name)
    stated = re.search(r'\*Versions\*:\s+(all|\S+)', section)[1]
    assert stated == ('all' if since == '2013-05-23' else since)


@pytest.mark.parametrize(('key', 'cls'), [
    (key, cls) for key, cls in template.template_classes().items()
    if key[0] == 'heat_template_version' and key[1][0].isdigit()])
def test_every_version_has_a_page_with_its_functions(key, cls):
    text = guide_pages.pages()[f'versions/{key[1]}.rst']
    listed = {}
    for heading, names in re.findall(
            r'^(Functions|Functions in conditions|Sections|Resource keys|'
            r'Parameter keys|Constraints|Deletion policies|Output keys)\n'
            r'-+\n\n((?:.+\n)+)', text, re.MULTILINE):
        listed[heading] = set(re.findall('``(.+?)``', names))
    assert listed['Functions'] == functions_of(cls)
    assert listed.get('Functions in conditions', set()) == set(
        cls.condition_functions)
    assert listed['Sections'] == {
        name for name in cls.SECTIONS if not name.startswith('__')}
    assert listed['Resource keys'] == set(cls._RESOURCE_KEYS)
    assert listed['Output keys'] == set(cls.OUTPUT_KEYS)
    assert listed['Parameter keys'] == set(cls.param_schema_class.KEYS)
    assert listed['Constraints'] == set(
        cls.param_schema_class.CONSTRAINT_KEYS)
    assert listed['Deletion policies'] == set(cls.deletion_policies)
    aliases = {value for (name, value), other
               in template.template_classes().items()
               if other is cls and value != key[1]}
    assert all(f'``{alias}``' in text for alias in aliases)


def test_every_page_is_in_an_index():
    named = set()
    for page, text in guide_pages.pages().items():
        if page.endswith('index.rst'):
            folder = page.removesuffix('index.rst')
            named |= {f'{folder}{name}.rst' for name in re.findall(
                r'^   ([\w/.-]+)$', text, re.MULTILINE)}
    assert set(guide_pages.pages()) - {'index.rst'} <= named
