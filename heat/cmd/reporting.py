"""Report errors of a command to the operator in one line."""
import functools
import sys

from oslo_config import cfg

from heat.common import exception
from heat.common import startup


def complain(text):
    """Print what keeps the command from working."""
    print(f'ERROR: {text}', file=sys.stderr, flush=True)


def one_line(main):
    """Turn a configuration that cannot work into a line and exit code 1.

    What is not foreseen is a defect; it has its traceback.
    """
    @functools.wraps(main)
    def wrapped(argv=None):
        try:
            return main(argv)
        except exception.Error as error:
            complain(error)
        except cfg.Error as error:
            complain(startup.line(error))
        return 1
    return wrapped
