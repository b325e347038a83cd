"""heat-manage: what an operator does to the database."""
import sys

from heat.cmd import backend


def main(argv=None):
    """Run one subcommand; return the exit code of the process."""
    backend.select()
    from heat.common import i18n
    i18n.follow_locale()
    from heat.cmd import manage_commands
    return manage_commands.main(argv)


if __name__ == '__main__':
    sys.exit(main())
