"""Output formatters: a change set as a diff, an operation as bars."""
import argparse
from collections.abc import Sequence
from typing import Any, TextIO

from cliff import columns
from cliff.formatters import base

from heat_plan_client import accept
from heat_plan_client import bars
from heat_plan_client import diff
from heat_plan_client import drift
from heat_plan_client import terminal


class _WholeFormatter(base.SingleFormatter):
    """Formats one thing as a whole, whatever its columns are."""

    def add_argument_group(self, parser: argparse.ArgumentParser) -> None:
        """Add no options."""

    def emit_one(self, column_names: Sequence[str], data: Sequence[Any],
                 stdout: TextIO, parsed_args: argparse.Namespace) -> None:
        """Write the plan or the time line."""
        values = [each.machine_readable()
                  if isinstance(each, columns.FormattableColumn) else each
                  for each in data]
        for line in self.lines(dict(zip(column_names, values, strict=True)),
                               stdout, parsed_args):
            stdout.write(line + '\n')

    def lines(self, thing: dict[str, Any], stdout: TextIO,
              parsed_args: argparse.Namespace) -> Any:
        """Return the lines of a thing."""
        raise NotImplementedError


class DiffFormatter(_WholeFormatter):
    """Formats a change set as a diff."""

    def lines(self, thing: dict[str, Any], stdout: TextIO,
              parsed_args: argparse.Namespace) -> Any:
        """Return the lines of a change set, or of how to accept drift."""
        if getattr(parsed_args, 'accept', False):
            return accept.lines(thing, terminal.paint_of(stdout))
        return [*diff.lines(thing, terminal.paint_of(stdout)),
                *diff.footer(thing)]


class DriftFormatter(_WholeFormatter):
    """Formats a detection of drift as text."""

    def lines(self, thing: dict[str, Any], stdout: TextIO,
              parsed_args: argparse.Namespace) -> Any:
        """Return the lines of a detection."""
        return drift.lines(thing, terminal.paint_of(stdout))


class BarsFormatter(_WholeFormatter):
    """Formats an operation as bars."""

    def lines(self, thing: dict[str, Any], stdout: TextIO,
              parsed_args: argparse.Namespace) -> Any:
        """Return the lines of a timeline."""
        return bars.lines(thing, terminal.columns(),
                          terminal.paint_of(stdout),
                          fine=terminal.shows(stdout, bars.FINE))
