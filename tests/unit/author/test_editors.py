"""What heat-template offers editors, shells and repositories."""
import json
import os
import pathlib
import re
import subprocess

import jsonschema
import pytest
import yaml

from heat.author import check as template_check
from heat.author import command as template
from heat.author import schema as template_schema
from heat.common import template_format
from heat.engine import environment

ROOT = pathlib.Path(__file__).resolve().parents[3]
HOT = 'heat_template_version: 2021-04-16\n'


@pytest.fixture(scope='module')
def validator():
    before = environment._global_environment
    template_check.load_types()
    schema = template_schema.of_hot(template_check.types())
    environment._global_environment = before
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def faults(validator, text):
    return [each.message for each in validator.iter_errors(
        template_format.simple_parse(HOT + text))]


def test_the_command_writes_the_schema(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, '_global_environment', None)
    path = tmp_path / 'hot.json'
    assert template.main(['schema', '-o', str(path)]) == 0
    assert json.loads(path.read_text())['title'] == (
        'Heat Orchestration Template')


def test_the_schema_takes_all_examples(validator):
    paths = [path for path in (ROOT / 'examples').rglob('*.yaml')
             if 'heat_template_version' in path.read_text()]
    assert paths
    for path in paths:
        data = template_format.simple_parse(path.read_text())
        assert not list(validator.iter_errors(data)), path


def test_the_schema_takes_a_template_of_each_type(validator):
    types = template_check.types()
    assert {'OS::Nova::Server', 'OS::Heat::ResourceGroup',
            'AWS::EC2::Instance'} <= set(types)
    for name, cls in types.items():
        data = cls.resource_to_template(name, 'hot')
        assert not list(validator.iter_errors(data)), name


@pytest.mark.parametrize('text', [
    'resource: {}\n',
    'resources: {a: {typ: OS::Heat::None}}\n',
    'resources: {a: {type: OS::Heat::RandomString,'
    ' properties: {lenght: 3}}}\n',
    'resources: {a: {type: OS::Nova::Server, properties: {flavor: m,'
    ' user_data_format: RAWW}}}\n',
    'resources: {a: {type: OS::Neutron::Port, properties:'
    ' {fixed_ips: {a: 1, b: 2}}}}\n',
    'parameters: {a: {type: text}}\n',
])
def test_the_schema_finds_mistakes(validator, text):
    assert faults(validator, text)


@pytest.mark.parametrize('text', [
    'resources: {a: {type: inner.yaml, properties: {any: thing}}}\n',
    'resources: {a: {type: OS::Heat::RandomString,'
    ' properties: {length: {get_param: x}, salt: null}}}\n',
    'resources: {a: {type: OS::Heat::RandomString,'
    ' properties: {length: "3"}}}\n',
])
def test_the_schema_takes_what_the_service_takes(validator, text):
    assert not faults(validator, text)


@pytest.mark.parametrize('shell', ['bash', 'zsh'])
def test_a_completion_script_names_commands_and_options(shell, capsys):
    assert template.main(['completion', shell]) == 0
    script = capsys.readouterr().out
    for word in ('validate', 'format', 'convert', 'graph', 'schema',
                 '--strict', '--environment', '--version'):
        assert word in script


def test_bash_completes(tmp_path, capsys):
    template.main(['completion', 'bash'])
    script = tmp_path / 'script'
    script.write_text(capsys.readouterr().out)
    function = re.search(r'-F (\S+) heat-template',
                         script.read_text()).group(1)

    def words(*typed):
        shell = (f'. {script}; COMP_WORDS=(heat-template {" ".join(typed)});'
                 f' COMP_CWORD={len(typed)}; {function} heat-template '
                 f'{typed[-1]!r}; printf "%s\\n" "${{COMPREPLY[@]}}"')
        return subprocess.run(
            ['bash', '-c', shell], capture_output=True, text=True,
            check=True, cwd=tmp_path, env=os.environ).stdout.split()

    assert words('val') == ['validate']
    assert words('graph', '--form') == ['--format']
    assert words('validate', 'scr') == ['script']


def test_hooks_run_commands_that_exist():
    hooks = yaml.safe_load((ROOT / '.pre-commit-hooks.yaml').read_text())
    assert [each['id'] for each in hooks] == [
        'heat-template-validate', 'heat-template-format']
    for hook in hooks:
        program, *arguments = hook['entry'].split()
        assert program == 'heat-template'
        args = template._parser().parse_args([*arguments, 'a.yaml'])
        assert args.files == ['a.yaml']
        for path in ('templates/a.yaml', 'x/template/b.template'):
            assert re.search(hook['files'], path)
        assert not re.search(hook['files'], 'src/config.yaml')
