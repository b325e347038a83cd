"""The name by which plugins may import heat.common.wsgi."""
import sys

from heat.common import wsgi

sys.modules[__name__] = wsgi
