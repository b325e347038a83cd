"""The CloudFormation-compatible API, version 1."""
from heat.api.cfn.v1 import routes


def API(conf, **local_conf):  # noqa: N802 (the name in configurations)
    """Make the application."""
    return routes.app_factory(conf)
