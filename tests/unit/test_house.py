"""tools/house counts what it says, and fails when a limit is passed."""
import importlib.machinery
import importlib.util
import pathlib
import sys

import pytest

from tests.unit import test_layering

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def house(monkeypatch, tmp_path):
    """Return the tool, for the code below a directory."""
    loader = importlib.machinery.SourceFileLoader(
        'house', str(ROOT / 'tools' / 'house'))
    spec = importlib.util.spec_from_loader('house', loader)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, 'house', module)
    loader.exec_module(module)
    monkeypatch.setattr(module, 'ROOT', tmp_path)
    monkeypatch.setattr(module, 'CODE', tmp_path / 'heat')
    return module


def write(tmp_path, **texts):
    for name, text in texts.items():
        path = tmp_path / 'heat' / 'engine' / f'{name}.py'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_table_is_that_of_the_layering_test(house):
    assert house.allowed() == test_layering.ALLOWED


def test_circle_is_found(house, tmp_path):
    write(tmp_path, a='from heat.engine import b\n',
          b='from heat.engine import a\n')
    assert house.cycles() == ['heat.engine.a -> heat.engine.b -> '
                              'heat.engine.a']


def test_private_members_of_others_are_counted(house, tmp_path):
    write(tmp_path, a='def f(x):\n    return x._hidden\n',
          b='class B:\n    def f(self, other):\n'
            '        self._own = other._own\n')
    assert list(house.private_accesses('heat.engine.a')) == [
        'heat.engine.a:2 _hidden']
    assert list(house.private_accesses('heat.engine.b')) == []


def test_private_members_with_a_reason_do_not_count(house, tmp_path):
    write(tmp_path, a='def f(x):\n'
                      '    x._a()  # noqa: SLF001 (the library has no hook)\n'
                      '    x._b()  # noqa: SLF001\n'
                      '    x._exit()\n')
    assert list(house.private_accesses('heat.engine.a')) == [
        'heat.engine.a:3 _b']


def test_passed_limit_fails(house, tmp_path, monkeypatch, capsys):
    text = 'X = 1\n\n\ndef f() -> None:\n    global X\n    X = 2\n'
    write(tmp_path, a=text)
    monkeypatch.setattr(house, 'LIMITS', dict(
        house.LIMITS, **{'globals': 0, 'typed': 0, 'typed core': 0,
                         'untested': 1}))
    assert house.main([])
    assert 'global statements: heat.engine.a:5 X' in capsys.readouterr().out
    house.LIMITS['globals'] = 1
    assert not house.main([])


def test_module_without_a_test_file_is_found(house, tmp_path):
    write(tmp_path, a='', b='')
    there = tmp_path / 'tests' / 'unit' / 'engine'
    there.mkdir(parents=True)
    (there / 'test_b.py').touch()
    # A file elsewhere is that of another module.
    (there.parent / 'test_a.py').touch()
    assert house.untested() == ['heat.engine.a']
