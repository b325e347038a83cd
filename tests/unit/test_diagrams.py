"""tools/diagrams: the pictures of the documentation are current and right."""
import importlib.machinery
import importlib.util
import pathlib
import re
from xml.dom import minidom

import pytest

from tests.unit import test_layering
from tools.drawing import packages
from tools.drawing import terminal

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERING = ROOT / 'tests/unit/test_layering.py'


@pytest.fixture
def diagrams():
    loader = importlib.machinery.SourceFileLoader(
        'diagrams', str(ROOT / 'tools/diagrams'))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader('diagrams', loader))
    loader.exec_module(module)
    return module


def test_the_pictures_are_current(diagrams):
    assert diagrams.outdated() == [], 'run tools/diagrams'


def test_an_outdated_picture_is_named_and_written(
        diagrams, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(diagrams, 'ROOT', tmp_path)
    monkeypatch.setattr(diagrams, 'pictures',
                        lambda: {tmp_path / 'new.svg': '<svg/>'})
    assert diagrams.main(['--check']) == 1
    assert capsys.readouterr().out == 'new.svg\n'
    assert diagrams.main([]) == 0
    assert (tmp_path / 'new.svg').read_text() == '<svg/>'
    assert diagrams.main(['--check']) == 0


def test_the_pictures_are_well_formed_and_follow_the_colour_scheme(diagrams):
    for text in diagrams.pictures().values():
        picture = minidom.parseString(text)
        style = picture.getElementsByTagName('style')[0].firstChild.data
        known = set(re.findall(r'\.([a-z]+)', style))
        used = {name for element in picture.getElementsByTagName('*')
                for name in element.getAttribute('class').split()}
        assert used <= known
        assert '@media (prefers-color-scheme: dark)' in style
        # Colours are those of the style, which has two of each.
        assert not re.search(r'(fill|stroke)="', text)


def test_each_package_is_in_the_picture():
    text = packages.draw(LAYERING)
    for package in test_layering.ALLOWED:
        if package not in ('common', 'published'):
            for path in packages.paths_of(package):
                assert f'>{path}</text>' in text
                assert (ROOT / path).exists()


def test_arrows_are_the_imports_that_the_table_allows():
    allowed = {'a': {'b', 'c', 'common'}, 'b': {'c'}, 'c': {'common'},
               'd': {'e'}, 'e': {'d', 'a', 'published'}, 'common': set(),
               'published': {'a'}, 'entry': None}
    assert packages.arrows(allowed) == {
        ('a',): [('b',)], ('b',): [('c',)], ('c',): [],
        ('d', 'e'): [('a',)], ('entry',): [('d', 'e')]}


def test_the_table_is_that_of_the_layering_test():
    assert packages.table(LAYERING) == test_layering.ALLOWED


def test_a_terminal_shows_each_line_and_cuts_ids(tmp_path):
    recorded = tmp_path / 'output.txt'
    recorded.write_text('8c3c0b68-c5bf-4d69-acea-6b18852bb630 <one>\ntwo\n')
    picture = minidom.parseString(
        terminal.draw('A command', 'command', recorded))
    assert [line.firstChild.data
            for line in picture.getElementsByTagName('text')] == [
                '$ command', '8c3c0b68 <one>', 'two']


def test_the_pictures_of_the_readme_are_there():
    named = re.findall(r'\.\. image:: (\S+)',
                       (ROOT / 'README.rst').read_text())
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []
