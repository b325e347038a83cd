"""heat-status: may this installation be upgraded?"""
import sys

from heat.cmd import backend


def main():
    """Run ``heat-status upgrade check``; return its exit code."""
    backend.select()
    from heat.common import i18n
    i18n.follow_locale()
    from heat.cmd import upgrade_check
    return upgrade_check.main()


if __name__ == '__main__':
    sys.exit(main())
