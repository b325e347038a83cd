"""Common code of the commands that create and drop the database."""
from collections.abc import Callable, Sequence
import sys

from oslo_config import cfg
from oslo_log import log as logging

from heat.cmd import settings
from heat.common import exception
from heat.common import i18n
from heat.common.i18n import _

#: The environment variable with the URL of an administrator.
ADMIN_VARIABLE = 'HEAT_DB_ADMIN_URL'


def run(conf: cfg.ConfigOpts, prog: str,
        options: Callable[[], Sequence[cfg.Opt]], work: Callable[[], int],
        argv: list[str] | None) -> int:
    """Run a database command; return its exit code.

    :param options: returns the command-line options; it is called after the
        language of the user is known
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
