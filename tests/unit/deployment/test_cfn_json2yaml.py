"""tools/cfn-json2yaml writes what the JSON says, and replaces nothing."""
from importlib import machinery
from importlib import util
import json
import pathlib

import pytest
import yaml

TOOL = pathlib.Path(__file__).resolve().parents[3] / 'tools/cfn-json2yaml'
TEMPLATE = {
    'AWSTemplateFormatVersion': '2010-09-09',
    'Parameters': {'Size': {'Type': 'Number', 'Default': '1'}},
    'Resources': {'Volume': {
        'Type': 'AWS::EC2::Volume',
        'Properties': {'Size': {'Ref': 'Size'},
                       'AvailabilityZone': 'nova'}}}}


@pytest.fixture
def main():
    loader = machinery.SourceFileLoader('cfn_json2yaml', str(TOOL))
    module = util.module_from_spec(
        util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module.main


@pytest.fixture
def source(tmp_path):
    path = tmp_path / 'volume.template'
    path.write_text(json.dumps(TEMPLATE))
    return path


def test_the_yaml_says_the_same(main, source):
    assert main([str(source)]) == 0
    text = source.with_suffix('.yaml').read_text()
    assert not text.startswith('{')
    written = yaml.load(text, Loader=yaml.BaseLoader)
    assert written == TEMPLATE


def test_all_templates_of_a_directory(main, source, capsys):
    (source.parent / 'notes.txt').write_text('none')
    (source.parent / 'other.json').write_text(json.dumps(TEMPLATE))
    assert main([str(source.parent)]) == 0
    assert {path.name for path in source.parent.glob('*.yaml')} == {
        'volume.yaml', 'other.yaml'}
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_file_is_replaced_only_by_force(main, source, capsys):
    target = source.with_suffix('.yaml')
    target.write_text('mine')
    assert main([str(source)]) == 1
    assert '-f' in capsys.readouterr().err
    assert target.read_text() == 'mine'
    assert main([str(source), '--force']) == 0
    assert 'AWS::EC2::Volume' in target.read_text()


def test_what_is_no_template_is_named(main, source, capsys):
    source.write_text('{"Resources": ')
    assert main([str(source)]) == 1
    assert str(source) in capsys.readouterr().err
    assert not source.with_suffix('.yaml').exists()
