"""The REST API, version 1."""
from typing import Any

from heat.api.openstack.v1 import routes


def API(conf: Any, **local_conf: str) -> Any:  # noqa: N802 (the name in configurations)
    """Make the application."""
    return routes.app_factory(conf)
