"""Rules that the scripts and styles of the console keep."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
STATIC = ROOT / 'heat' / 'console' / 'static'
SCRIPTS = sorted((STATIC / 'js').rglob('*.js'))
LINES = 400
#: What would take text for markup, code or a place to go to.
FORBIDDEN = re.compile(
    r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|'
    r'createContextualFragment|setHTMLUnsafe|srcdoc|\beval\b|'
    r'new Function|javascript:|\bimport\(\s*[^\'\s]')
TEXT = re.compile(r"\bt\(\s*((?:'(?:[^'\\]|\\.)*'(?:\s*\+\s*)?)+)")
PLACE = re.compile(r'\{\w+\}')


def names(paths):
    return [str(path.relative_to(STATIC)) for path in paths]


def strings(expression):
    return ''.join(re.findall(r"'((?:[^'\\]|\\.)*)'", expression))


def german():
    text = (STATIC / 'js' / 'de.js').read_text()
    entry = re.compile(
        r"^  \[?((?:'(?:[^'\\]|\\.)*'(?:\s*\+\s*)?)+)\]?:"
        r"\s*((?:'(?:[^'\\]|\\.)*'(?:\s*\+\s*)?)+),$", re.MULTILINE)
    return {strings(key): strings(value)
            for key, value in entry.findall(text)}


def texts():
    return {strings(found) for path in SCRIPTS
            for found in TEXT.findall(path.read_text())}


@pytest.mark.parametrize('path', SCRIPTS, ids=names(SCRIPTS))
def test_text_is_never_taken_for_markup(path):
    assert FORBIDDEN.findall(path.read_text()) == []


@pytest.mark.parametrize('line', [
    'element.innerHTML = name;', 'eval(text)', 'import(name)',
    "a.href = 'javascript:x'", 'new Function(text)'])
def test_the_rule_finds_what_it_forbids(line):
    assert FORBIDDEN.search(line)


@pytest.mark.parametrize('path', SCRIPTS, ids=names(SCRIPTS))
def test_scripts_are_small_and_say_what_they_are_for(path):
    lines = path.read_text().splitlines()
    assert lines[0].startswith('// ')
    assert len(lines) <= LINES
    assert [line for line in lines if len(line) > 79] == []


def test_nothing_comes_from_elsewhere():
    for path in [*SCRIPTS, STATIC / 'style.css', STATIC / 'index.html']:
        found = re.findall(r'https?://[^\s\'"]+', path.read_text())
        assert [each for each in found
                if each != 'http://www.w3.org/2000/svg'] == [], path


def test_the_page_itself_has_no_script_or_style():
    text = (STATIC / 'index.html').read_text()
    assert re.findall(r'<script(?![^>]* src=)|<style| style=| on\w+=',
                      text) == []


def test_each_text_is_there_in_german():
    assert texts() - set(german()) == set()


def test_translations_keep_what_is_filled_in():
    assert {key for key, value in german().items()
            if sorted(PLACE.findall(key)) != sorted(PLACE.findall(value))
            } == set()


def test_the_catalogue_is_read_whole():
    lines = (STATIC / 'js' / 'de.js').read_text().splitlines()
    entries = [line for line in lines if re.match(r"  \[?'", line)]
    assert len(german()) == len(entries) > 100
