"""The CloudWatch API for any WSGI server: heat.wsgi.cloudwatch:application.

Importing this module reads the configuration files.
"""
from heat.wsgi import loading

application = loading.load('heat-api-cloudwatch')
