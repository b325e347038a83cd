"""Inject faults at every call of both drivers, as tests.injection does.

  python -m tests.convergence --exhaustive
"""
import sys

from tests.injection import __main__ as injection

if __name__ == '__main__':
    sys.exit(injection.main())
