"""heat-all: API and engine in one process, for one machine."""
import sys

from heat.cmd import backend


def main(argv=None):
    """Serve until told to stop; return the exit code."""
    backend.select()
    from heat.cmd import embedded
    return embedded.main(argv)


if __name__ == '__main__':
    sys.exit(main())
