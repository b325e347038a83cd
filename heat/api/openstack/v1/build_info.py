"""The revision of the service and the permissions of a user."""
from typing import Any

from oslo_config import cfg
import webob

from heat import policies
from heat.common import policy
from heat.rpc import client as engine_client


class BuildInfoController:
    """Shows the revisions of API and engine."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def build_info(self, req: webob.Request) -> dict[str, Any]:
        """Show both revisions."""
        return {
            'api': {'revision': cfg.CONF.revision['heat_revision']},
            'engine': {'revision': self.rpc_client.get_revision(req.context)},
        }


class PermissionController:
    """Lists the policy rules that allow a user, for clients such as consoles.

    The list grants nothing: each request is checked against the rules.
    """

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def index(self, req: webob.Request) -> dict[str, Any]:
        """List the rules of the API that allow the user."""
        return {'permissions': policy.get_enforcer().allowed(
            req.context, policies.rest_rules())}
