"""heat-template as its users see it."""
import io
import json
import pathlib
import subprocess
import sys

import pytest

from heat import version
from heat.author import check as template_check
from heat.author import command as template
from heat.engine import environment
from heat.engine import properties
from heat.engine import resource
from heat.engine import support

ROOT = pathlib.Path(__file__).resolve().parents[3]

HEAD = 'heat_template_version: 2018-08-31\n'

GOOD = """\
heat_template_version: 2018-08-31

parameters:
  size:
    type: number
    constraints:
      - range: {min: 1, max: 9}

resources:
  text:
    type: OS::Heat::TestResource
    properties:
      value: {get_param: size}
""".replace('OS::Heat::TestResource', 'inner.yaml')

INNER = """\
heat_template_version: 2018-08-31
parameters:
  value: {type: number}
outputs:
  out: {value: {get_param: value}}
  text: {value: {get_file: data.txt}}
"""


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch):
    monkeypatch.setattr(environment, '_global_environment', None)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'main.yaml').write_text(GOOD)
    (tmp_path / 'inner.yaml').write_text(INNER)
    (tmp_path / 'data.txt').write_text('data')
    return tmp_path


@pytest.fixture
def main(folder):
    return str(folder / 'main.yaml')


def problems_of(capsys, *args):
    code = template.main(['validate', '--format', 'json', *args])
    return code, json.loads(capsys.readouterr().out)


def test_a_valid_template_is_valid(main, capsys):
    assert template.main(['validate', main]) == 0
    assert capsys.readouterr().out == ''


def test_a_problem_has_its_place(folder, main, capsys):
    (folder / 'main.yaml').write_text(
        GOOD.replace('get_param: size', 'get_resource: texd')
        + 'outputs:\n  o: {valu: 1}\n')
    code, found = problems_of(capsys, main)
    assert code == 1
    errors = [each for each in found if each['severity'] == 'error']
    assert {(each['line'], tuple(each['path'])) for each in errors} >= {
        (15, ('outputs', 'o', 'valu'))}
    assert any('Did you mean "value"' in each['message'] for each in errors)
    assert any('Did you mean "text"' in each['message'] for each in errors)
    assert set(found[0]) == {'file', 'line', 'column', 'end_line',
                             'end_column', 'severity', 'path', 'message',
                             'code'}
    assert template.main(['validate', main]) == 1
    assert f'{main}:15:7: error: outputs.o.valu: ' in capsys.readouterr().out


@pytest.mark.parametrize(('old', 'new', 'code', 'path'), [
    ('  size:\n', '  other: {type: string}\n  size:\n', 'unused-parameter',
     ['parameters', 'other']),
    ('resources:\n', 'conditions: {c: true}\nresources:\n',
     'unused-condition', ['conditions', 'c']),
    ('    type: number\n', '    type: string\n    type: number\n',
     'duplicate-key', None),
    ('{get_param: size}', '{get_param: size}\n    metadata:\n'
     '      m: {get_parm: size}', 'misspelt-function',
     ['resources', 'text', 'metadata', 'm', 'get_parm']),
    ('2018-08-31', '2013-05-23', 'function-of-other-version', None),
    ('inner.yaml', 'OS::Nothing::Known', 'unknown-resource-type',
     ['resources', 'text', 'type']),
])
def test_a_warning_counts_only_when_strict(folder, main, capsys, old, new,
                                           code, path):
    text = GOOD.replace(old, new, 1)
    if code == 'function-of-other-version':
        text += '    metadata: {m: {str_split: [",", "a"]}}\n'
    (folder / 'main.yaml').write_text(text)
    result, found = problems_of(capsys, main)
    assert result == 0
    [warning] = found
    assert (warning['severity'], warning['code']) == ('warning', code)
    assert warning['line'] > 0
    assert path is None or warning['path'] == path
    assert template.main(['validate', '--strict', main]) == 1


def test_a_condition_used_in_another_one_is_used(folder, main, capsys):
    (folder / 'main.yaml').write_text(GOOD.replace(
        'resources:\n', 'conditions:\n  a: true\n  b: {not: a}\n'
        '  c: {and: [a, b]}\nresources:\n') + '    condition: c\n')
    assert problems_of(capsys, main) == (0, [])


def test_keys_that_are_hardly_like_a_function_are_data(folder, main, capsys):
    (folder / 'main.yaml').write_text(
        GOOD + '    metadata: {m: {env_files: 1}, n: {filters: 1}}\n')
    assert problems_of(capsys, main) == (0, [])


def test_values_are_checked_when_there_are_some(folder, main, capsys):
    assert template.main(['validate', '-P', 'size=5', main]) == 0
    code, found = problems_of(capsys, '-P', 'size=10', main)
    assert (code, found[0]['path'][:2]) == (1, ['parameters', 'size'])
    env = folder / 'env.yaml'
    env.write_text('parameters: {size: 12}\n')
    code, found = problems_of(capsys, '-e', str(env), main)
    assert code == 1
    assert template.main(['validate', '-e', str(env), '-P', 'size=1',
                          main]) == 0


def test_values_in_the_template_are_checked_without_any(folder, main,
                                                        capsys):
    (folder / 'main.yaml').write_text(
        GOOD + '  random:\n    type: OS::Heat::RandomString\n'
        '    properties: {length: {get_param: size}, lenght: 1, salt: [x]}\n')
    code, found = problems_of(capsys, main)
    assert code == 1
    assert any('Did you mean "length"' in each['message'] for each in found)
    assert any(each['path'] == ['resources', 'random', 'properties', 'salt']
               for each in found)
    assert not any('(size)' in each['message'] for each in found)


def test_a_parameter_that_nobody_declares_has_its_place(folder, main,
                                                        capsys):
    env = folder / 'env.yaml'
    env.write_text('parameters:\n  size: 3\n  sice: 4\n')
    code, [found] = problems_of(capsys, '-e', str(env), main)
    assert (code, found['file'], found['line']) == (1, str(env), 3)
    assert 'Did you mean "size"?' in found['message']


def test_a_property_that_others_are_translated_to_may_be_missing(
        folder, main, capsys, monkeypatch):
    env = environment.Environment({}, user_env=False)
    schema = {
        'net': properties.string('A net', required=True),
        'net_id': properties.string(
            'Its id', support_status=support.SupportStatus(
                status=support.DEPRECATED))}
    env.register_class('Test::Net', type('Test::Net', (resource.Resource,), {
        'properties_schema': schema,
        'translation_rules': lambda self, properties: []}))
    monkeypatch.setattr(template_check, 'load_types', lambda: None)
    monkeypatch.setattr(environment, '_global_environment', env)
    (folder / 'main.yaml').write_text(
        'heat_template_version: rocky\nresources:\n'
        '  a: {type: Test::Net}\n'
        '  b: {type: Test::Net, properties: {net_id: x}}\n')
    code, found = problems_of(capsys, main)
    assert code == 1
    assert [each['path'][:2] for each in found] == [['resources', 'a']]


def test_values_of_nested_templates_may_come_from_defaults(folder, main,
                                                           capsys):
    """And a type that stands for nothing takes any properties."""
    env = folder / 'env.yaml'
    env.write_text("resource_registry: {'My::Type': 'OS::Heat::None'}\n")
    (folder / 'lacking.yaml').write_text(
        'heat_template_version: rocky\nparameters: {p: {type: string}}\n')
    (folder / 'main.yaml').write_text(
        'heat_template_version: rocky\nresources:\n'
        '  a: {type: lacking.yaml}\n'
        '  b: {type: My::Type, properties: {whatever: 1}}\n'
        '  c: {type: OS::Nova::Server, properties: {image: x}}\n')
    code, found = problems_of(capsys, '-e', str(env), main)
    assert code == 1
    assert [(each['line'], each['message']) for each in found
            if each['severity'] == 'error'] == [
        (5, 'Property flavor not assigned')]


def test_what_is_behind_a_url_is_not_fetched(folder, main, capsys):
    (folder / 'main.yaml').write_text(
        'heat_template_version: rocky\nresources:\n'
        '  a: {type: "http://192.0.2.1/a.yaml"}\n  b: {type: no.yaml}\n')
    code, found = problems_of(capsys, main)
    assert code == 1
    assert [(each['code'], each['line']) for each in found] == [
        ('unknown-resource-type', 3), ('missing-file', 4)]


def test_nested_templates_and_files_are_read_and_checked(folder, main,
                                                         capsys):
    inner = folder / 'inner.yaml'
    inner.write_text(INNER.replace('outputs:', 'outptus:'))
    code, found = problems_of(capsys, main)
    assert code == 1
    assert any(each['file'] == str(inner) and each['line'] == 4
               for each in found)
    inner.write_text(INNER)
    (folder / 'data.txt').unlink()
    code, found = problems_of(capsys, main)
    assert code == 1
    missing = [each for each in found if each['code'] == 'missing-file']
    assert [(each['file'], each['line']) for each in missing] == [
        (str(inner), 6)]


def test_the_registry_names_templates_beside_the_environment(folder, capsys):
    (folder / 'envs').mkdir()
    (folder / 'main.yaml').write_text(GOOD.replace('inner.yaml', 'My::Type'))
    env = folder / 'envs' / 'env.yaml'
    env.write_text('resource_registry: {"My::Type": ../inner.yaml}\n'
                   'parameters: {size: 3}\n')
    code, found = problems_of(capsys, '-e', str(env),
                              str(folder / 'main.yaml'))
    assert (code, found) == (0, [])


@pytest.mark.parametrize(('text', 'line'), [
    ('heat_template_version: [', 2), ('a:\n\tb: 1\n', 2), ('- 1\n', None),
    ('{"a": ]}', 1)])
def test_what_cannot_be_parsed_is_a_problem(folder, main, capsys, text, line):
    (folder / 'main.yaml').write_text(text)
    code, [found] = problems_of(capsys, main)
    assert (code, found['code'], found['line']) == (1, 'syntax', line)


def test_a_bad_environment_is_a_problem_of_its_file(folder, main, capsys):
    env = folder / 'env.yaml'
    env.write_text('parametres: {}\n')
    code, [found] = problems_of(capsys, '-e', str(env), main)
    assert (code, found['file']) == (1, str(env))


@pytest.mark.parametrize('args', [
    ['validate', 'nowhere.yaml'], ['format', 'nowhere.yaml'],
    ['graph', 'nowhere.yaml'], ['convert', '--to', 'json', 'nowhere.yaml']])
def test_what_cannot_be_read_ends_with_2(args, capsys):
    assert template.main(args) == 2
    assert 'nowhere.yaml' in capsys.readouterr().err


@pytest.mark.parametrize('args', [
    [], ['validate'], ['nothing'], ['convert', 'x'],
    ['validate', '-P', 'size', 'x'], ['format', '-i', '--check', 'x']])
def test_wrong_usage_ends_with_2(args, capsys):
    with pytest.raises(SystemExit) as caught:
        template.main(args)
    assert caught.value.code == 2
    assert 'usage' in capsys.readouterr().err


def test_format_checks_shows_and_writes(folder, main, capsys):
    (folder / 'main.yaml').write_text(GOOD.replace('2018-08-31',
                                                   "'2018-08-31'  # c"))
    assert template.main(['format', '--check', main]) == 1
    assert capsys.readouterr().out == main + '\n'
    assert template.main(['format', '--diff', main]) == 0
    assert "+heat_template_version: '2018-08-31' # c\n" in (
        capsys.readouterr().out)
    assert template.main(['format', main]) == 0
    tidy = capsys.readouterr().out
    assert template.main(['format', '-i', main]) == 0
    assert (folder / 'main.yaml').read_text() == tidy
    assert template.main(['format', '--check', main]) == 0


def test_format_reads_the_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, 'stdin', io.StringIO('a:   1\n'))
    assert template.main(['format', '-']) == 0
    assert capsys.readouterr().out == 'a: 1\n'


def test_convert_writes_a_file_or_tells_why_not(folder, main, capsys):
    target = folder / 'out.json'
    assert template.main(['convert', '--to', 'json', '-o', str(target),
                          main]) == 0
    assert json.loads(target.read_text())['resources']['text']
    assert template.main(['convert', '--to', '2013-05-23', main]) == 1
    assert f'{main}:1:1: error: ' in capsys.readouterr().err


def test_graph_draws_both_ways(main, capsys):
    assert template.main(['graph', main]) == 0
    assert capsys.readouterr().out.startswith('digraph "main.yaml"')
    assert template.main(['graph', '--format', 'svg', main]) == 0
    assert capsys.readouterr().out.startswith('<svg ')


def test_graph_tells_of_a_circle(folder, main, capsys):
    (folder / 'main.yaml').write_text(GOOD + '    depends_on: text\n')
    assert template.main(['graph', main]) == 1
    assert 'text -> text' in capsys.readouterr().err


@pytest.mark.parametrize('args', [
    ['--help'], ['validate', 'main.yaml'], ['format', '--check', 'main.yaml'],
    ['graph', 'main.yaml'], ['convert', '--to', 'latest', 'main.yaml']])
def test_the_command_runs_by_itself(folder, args):
    done = subprocess.run(
        [sys.executable, str(ROOT / 'bin' / 'heat-template'), *args],
        cwd=folder, env={'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8'},
        capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, '')


def test_only_checking_loads_what_the_service_needs(folder):
    script = (
        'import sys\n'
        'from heat.author import command as template\n'
        'for args in (["format"], ["graph"], ["convert", "--to", "yaml"]):\n'
        '    assert template.main([*args, "main.yaml"]) == 0\n'
        'heavy = {"sqlalchemy", "openstack", "oslo_messaging", "eventlet"}\n'
        'assert not heavy & set(sys.modules), heavy & set(sys.modules)\n')
    done = subprocess.run(
        [sys.executable, '-c', script], cwd=folder, capture_output=True,
        env={'PATH': '/usr/bin:/bin', 'PYTHONPATH': str(ROOT)}, text=True,
        timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, '')


def test_the_version_is_shown(capsys):
    with pytest.raises(SystemExit) as caught:
        template.main(['--version'])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f'heat-template {version.__version__}\n'


@pytest.mark.parametrize(('text', 'places'), [
    (HEAD + 'resources:\n  a:\n    type: OS::Heat::None\n'
     '    depends_on: [b]\n', {(5, 5, 5, 15)}),
    (HEAD + 'outputs:\n  o:\n    valu: 1\n', {(4, 5, 4, 9), (3, 3, 3, 4)}),
    ('{"heat_template_version": "2018-08-31",\n "outputs": {"o":\n'
     '  {"valu": 1}}}', {(3, 4, 3, 10), (2, 14, 2, 17)}),
    (HEAD + 'a: b: c\n', {(2, 5, 2, 6)}),
    (HEAD + 'parameters: {}\nparameters: {}\n', {(3, 1, 3, 11)}),
])
def test_a_problem_has_its_end(folder, main, capsys, text, places):
    (folder / 'main.yaml').write_text(text)
    _code, found = problems_of(capsys, main)
    assert found
    assert {(each['line'], each['column'], each['end_line'],
             each['end_column']) for each in found} <= places
