"""heat-api-cloudwatch: the CloudWatch-compatible API."""
import sys

from heat.cmd import backend
from heat.cmd import shared_metrics


def main(argv=None):
    """Serve the API until told to stop; return the exit code."""
    backend.select()
    shared_metrics.prepare()
    from heat.cmd import launch_api
    return launch_api.run_api_cloudwatch(argv)


if __name__ == '__main__':
    sys.exit(main())
