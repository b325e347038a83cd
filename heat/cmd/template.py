"""heat-template: check, format, convert and draw templates offline."""
import sys

from heat.common import i18n


def main(argv=None):
    """Run one subcommand; return the exit code of the process."""
    # Before texts are made, some of which are made by imports.
    i18n.follow_locale()
    from heat.author import command
    return command.main(argv)


if __name__ == '__main__':
    sys.exit(main())
