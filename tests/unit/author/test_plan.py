"""heat-template plan: what another template changes, told offline."""
import json

import pytest

from heat.author import command

OLD = """heat_template_version: 2018-08-31
parameters:
  flavor: {type: string, default: small}
resources:
  net:
    type: OS::Neutron::Net
    properties: {name: blue}
  server:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: flavor}
      availability_zone: az1
  inner:
    type: in.yaml
    properties: {word: x}
  gone:
    type: OS::Heat::Value
    properties: {value: x}
  kept:
    type: OS::Heat::Value
    deletion_policy: Retain
    properties: {value: x}
"""
INNER = """heat_template_version: 2018-08-31
parameters: {word: {type: string}}
resources:
  v: {type: OS::Heat::Value, properties: {value: {get_param: word}}}
  w: {type: OS::Heat::Value, properties: {value: z}}
"""
NEW = OLD[:OLD.index('  gone:')].replace('az1', 'az2').replace(
    'default: small', 'default: large').replace('word: x', 'word: y') + """
  new:
    type: in.yaml
    properties: {word: a}
"""


@pytest.fixture
def files(tmp_path):
    for name, text in (('old.yaml', OLD), ('new.yaml', NEW),
                       ('in.yaml', INNER)):
        (tmp_path / name).write_text(text)
    return str(tmp_path / 'old.yaml'), str(tmp_path / 'new.yaml')


def planned(capsys, *args):
    code = command.main(['plan', *args, '-f', 'json'])
    return code, json.loads(capsys.readouterr().out)


def test_plan_names_actions_and_causes(files, capsys):
    code, found = planned(capsys, *files)
    assert code == command.OK
    changes = {'/'.join(each['path']): each for each in found['changes']}
    assert {path: (each['action'], each['replacement'])
            for path, each in changes.items()} == {
        'net': ('keep', 'never'), 'server': ('replace', 'always'),
        'inner': ('update', 'never'), 'inner/v': ('update', 'never'),
        'inner/w': ('keep', 'never'), 'new': ('create', 'never'),
        'new/v': ('create', 'never'), 'new/w': ('create', 'never'),
        'gone': ('delete', 'never'), 'kept': ('retain', 'never')}
    flavor, zone = changes['server']['causes']
    assert (flavor['property'], flavor['before'], flavor['after']) == (
        'flavor', 'small', 'large')
    assert (zone['line'], zone['column'], zone['forces']) == (12, 7, True)
    [word] = changes['inner/v']['causes']
    assert (word['before'], word['after']) == ('x', 'y')


def test_text_is_grouped_by_stack_and_summed_up(files, capsys):
    command.main(['plan', *files, '--colour', 'never'])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith('Stack')] == [
        'Stack ' + files[1], 'Stack inner', 'Stack new']
    assert lines[-1] == ('Plan: 3 to create, 2 to update, 1 to replace, '
                         '1 to delete, 1 to retain.')
    command.main(['plan', *files, '--colour', 'always'])
    assert '\033[31m' in capsys.readouterr().out


def test_detailed_exit_codes(files, capsys):
    detailed = '--detailed-exitcode'
    assert command.main(['plan', files[0], files[0], detailed]) == 0
    assert command.main(['plan', *files, detailed]) == 2
    assert command.main(['plan', files[0], 'nowhere.yaml', detailed]) == 1
    assert 'nowhere.yaml' in capsys.readouterr().err


def test_value_of_another_resource_is_not_known(tmp_path, capsys):
    old = tmp_path / 'old.yaml'
    old.write_text(OLD)
    new = tmp_path / 'new.yaml'
    new.write_text(OLD.replace('az1', '{get_attr: [kept, value]}'))
    (tmp_path / 'in.yaml').write_text(INNER)
    _code, found = planned(capsys, str(old), str(new))
    [server] = [each for each in found['changes']
                if each['path'] == ['server']]
    assert (server['action'], server['replacement']) == ('update', 'maybe')
