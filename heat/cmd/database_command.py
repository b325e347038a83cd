"""What the commands that make and drop the database have in common."""
from collections.abc import Callable, Sequence
import sys

from oslo_config import cfg
from oslo_log import log as logging

from heat.cmd import settings
from heat.common import exception
from heat.common import i18n
from heat.common.i18n import _

#: How somebody connects who may make and drop databases.
ADMIN_VARIABLE = 'HEAT_DB_ADMIN_URL'


def run(conf: cfg.ConfigOpts, prog: str,
        options: Callable[[], Sequence[cfg.Opt]], work: Callable[[], int],
        argv: list[str] | None) -> int:
    """Run a command about the database; return its exit code.

    :param options: called once the language of the user is known; returns
        the options of the command line
    :param work: called once the configuration is read; returns the exit code
    """
    i18n.follow_locale()
    conf.register_cli_opts(options())
    try:
        settings.parse(prog, argv)
        logging.setup(conf, prog)
        return work()
    except Exception as error:  # noqa: BLE001 (printed for the operator)
        # The text of a driver's error may show the URL, and its password.
        text = (str(error) if isinstance(error, exception.Error)
                else _('%s: the server refused') % type(error).__name__)
        print(_('ERROR: %s') % text, file=sys.stderr)
        return 1
