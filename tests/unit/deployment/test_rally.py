"""Rally tasks name scenarios and templates that there are."""
import pathlib

import pytest
import yaml

from heat.author import command

ROOT = pathlib.Path(__file__).resolve().parents[3] / 'rally-scenarios'
TASKS = sorted(ROOT.glob('*.yaml'))
TEMPLATES = sorted((ROOT / 'extra').glob('*.yaml'))

#: What the scenarios of rally-openstack take beside the template.
NEEDED = {
    'create_and_list_stack': set(),
    'create_and_delete_stack': set(),
    'create_check_delete_stack': set(),
    'create_update_delete_stack': {'updated_template_path'},
    'create_suspend_resume_delete_stack': set(),
    'create_snapshot_restore_delete_stack': set(),
    'create_stack_and_show_output': {'output_key'},
    'create_stack_and_list_output': set(),
    'create_stack_and_scale': {'output_key', 'delta'},
}


def scenarios():
    return {name.removeprefix('HeatStacks.'): arguments
            for path in TASKS
            for subtask in yaml.safe_load(path.read_text())['subtasks']
            for name, arguments in subtask['scenario'].items()}


def test_each_scenario_has_its_arguments():
    assert {name: set(arguments) - {'template_path'}
            for name, arguments in scenarios().items()} == NEEDED


def test_the_templates_are_those_of_the_scenarios():
    named = {ROOT / value for arguments in scenarios().values()
             for key, value in arguments.items()
             if key.endswith('template_path')}
    assert named == set(TEMPLATES)


def test_outputs_exist():
    for arguments in scenarios().values():
        if 'output_key' in arguments:
            path = ROOT / arguments['template_path']
            outputs = yaml.safe_load(path.read_text())['outputs']
            assert arguments['output_key'] in outputs


@pytest.mark.parametrize('path', TEMPLATES, ids=lambda path: path.name)
def test_templates_are_valid(path, capsys):
    assert command.main(['validate', str(path)]) == 0, (
        capsys.readouterr().out)
