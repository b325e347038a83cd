"""Help in which descriptions stand in one column."""
import argparse

from heat.common import command_help

TEXT = """\
A paragraph whose lines are as long as they happen
to be.

table:
  0  a line
  1  another one
"""


def parser():
    made = argparse.ArgumentParser(
        prog='p', description=TEXT, formatter_class=command_help.Formatter)
    made.add_argument('--on', help='an option')
    commands = made.add_subparsers(metavar='COMMAND')
    commands.add_parser('go', help='a short name')
    commands.add_parser('a_name_of_23_characters', help='a long name')
    return made


def test_descriptions_line_up():
    lines = parser().format_help().splitlines()
    columns = {line.index(text) for line in lines for text in (
        'an option', 'a short name', 'a long name') if text in line}
    assert len(columns) == 1
    assert sum('a_name_of_23_characters' in line for line in lines) == 1


def test_paragraphs_are_filled_and_tables_stay(monkeypatch):
    monkeypatch.setenv('COLUMNS', '80')
    text = parser().format_help()
    assert 'as long as they happen to be.\n\ntable:\n' in text
    assert '\n  0  a line\n  1  another one\n' in text
    assert not text.endswith('\n\n')
