"""The CloudFormation API for any WSGI server: heat.wsgi.cfn:application.

Importing this module reads the configuration files.
"""
from heat.wsgi import loading

application = loading.load('heat-api-cfn')
