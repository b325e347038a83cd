"""heat-api: the REST API."""
import sys

from heat.cmd import backend
from heat.cmd import shared_metrics


def main(argv=None):
    """Serve the REST API until told to stop; return the exit code."""
    backend.select()
    shared_metrics.prepare()
    from heat.cmd import launch_api
    return launch_api.run_api(argv)


if __name__ == '__main__':
    sys.exit(main())
