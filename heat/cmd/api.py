"""heat-api: the REST API."""
import sys

from heat.cmd import backend


def main(argv=None):
    """Serve the REST API until told to stop; return the exit code."""
    backend.select()
    from heat.cmd import launch_api
    return launch_api.run_api(argv)


if __name__ == '__main__':
    sys.exit(main())
