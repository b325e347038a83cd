"""heat-db-drop: drop the database of Heat.

The database account and the cloud resources of the stacks stay.
"""
import os
import sys

from oslo_config import cfg

from heat.cmd import database_command
from heat.cmd import settings
from heat.common.i18n import _
from heat.db import drop

CONF = cfg.CONF


def cli_options() -> list[cfg.Opt]:
    """Return the options of the command line."""
    return [cfg.BoolOpt('yes', short='y', default=False,
                        help=_('Do not ask for confirmation.'))]


def _is_confirmed(connection: str) -> bool:
    """Have the operator type the name of the database."""
    name = drop.name_of(connection)
    print(_('All stacks in %s will be lost. The cloud resources that they '
            'created remain.') % drop.shown(connection))
    try:
        return input(_('Type "%s" to drop it: ') % name).strip() == name
    except EOFError:
        print()
        return False


def _run() -> int:
    connection = settings.embedded_database(CONF)
    if not CONF.yes and not _is_confirmed(connection):
        print(_('The database stays as it is.'), file=sys.stderr)
        return 1
    was_there = drop.drop(connection, os.environ.get(
        database_command.ADMIN_VARIABLE))
    print((_('database %s: dropped') if was_there
           else _('database %s: is not there')) % drop.name_of(connection))
    return 0


def main(argv: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    return database_command.run(CONF, 'heat-db-drop', cli_options, _run,
                                argv)
