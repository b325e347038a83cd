"""heat-engine: parses templates and drives stacks."""
import sys

from heat.cmd import backend
from heat.cmd import shared_metrics


def main(argv=None):
    """Run engines until told to stop; return the exit code."""
    backend.select()
    shared_metrics.prepare()
    from heat.cmd import launch_engine
    return launch_engine.run_engine(argv)


if __name__ == '__main__':
    sys.exit(main())
