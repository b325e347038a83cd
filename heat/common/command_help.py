"""The help of commands."""
import argparse

#: The column at which descriptions begin.
_COLUMN = 30


class Formatter(argparse.HelpFormatter):
    """Lines up subcommands with options, and fills paragraphs.

    A paragraph with an indented line keeps its lines.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=_COLUMN)
        # argparse does not count the indentation of subcommands, so that the
        # description of a long one is on a line of its own.
        self._action_max_length = _COLUMN

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return '\n\n'.join(
            each if '\n ' in each else super(Formatter, self)._fill_text(
                each, width, indent)
            for each in text.strip('\n').split('\n\n'))
