"""Resources of stacks."""
from typing import Any

from oslo_config import cfg
import webob

from heat.api.openstack.v1 import util
from heat.api.openstack.v1.views import resources_view
from heat.common import param_utils
from heat.rpc import api as rpc_api
from heat.rpc import client as engine_client

MARK_UNHEALTHY = 'mark_unhealthy'
REASON = 'resource_status_reason'


class ResourceController:
    """Lists, shows and signals the resources of a stack."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def index(self, req: webob.Request, identity: Any, query: dict[str, Any]
              ) -> dict[str, Any]:
        """List the resources, those of nested stacks on demand."""
        depth = query.pop(rpc_api.PARAM_NESTED_DEPTH, 0)
        with_detail = query.pop(rpc_api.PARAM_WITH_DETAIL)
        resources = self.rpc_client.list_stack_resources(
            req.context, identity,
            nested_depth=min(depth, cfg.CONF.max_nested_stack_depth),
            with_detail=with_detail, filters=query)
        keys = (resources_view.DETAIL_KEYS if with_detail
                else resources_view.INDEX_KEYS)
        return {'resources': resources_view.format_resources(
            req, resources, keys)}

    def show(self, req: webob.Request, identity: Any, resource_name: str,
             query: dict[str, Any]) -> dict[str, Any]:
        """Show a resource with its attributes."""
        resource = self.rpc_client.describe_stack_resource(
            req.context, identity, resource_name,
            with_attr=query.get('with_attr'))
        return {'resource': resources_view.format_resource(req, resource)}

    def metadata(self, req: webob.Request, identity: Any, resource_name: str
                 ) -> dict[str, Any]:
        """Show the metadata of a resource."""
        resource = self.rpc_client.describe_stack_resource(
            req.context, identity, resource_name)
        return {rpc_api.RES_METADATA: resource[rpc_api.RES_METADATA]}

    def signal(self, req: webob.Request, identity: Any, resource_name: str,
               body: Any = None) -> None:
        """Send a signal to a resource, or clear one of its hooks."""
        self.rpc_client.resource_signal(
            req.context, stack_identity=identity,
            resource_name=resource_name, details=body)

    def mark_unhealthy(self, req: webob.Request, identity: Any,
                       resource_name: str, body: Any) -> None:
        """Mark a resource as failed its check, or as healthy again."""
        unhealthy = util.extract(param_utils.extract_bool, MARK_UNHEALTHY,
                                 body[MARK_UNHEALTHY])
        reason = body.get(REASON) or ''
        self.rpc_client.resource_mark_unhealthy(
            req.context, stack_identity=identity,
            resource_name=resource_name, mark_unhealthy=unhealthy,
            resource_status_reason=reason)
