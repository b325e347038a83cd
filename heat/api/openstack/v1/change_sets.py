"""Change sets: what an update would do, kept until it is executed."""
from typing import Any

import webob

from heat.api import routing
from heat.api.openstack.v1 import protection
from heat.api.openstack.v1 import stack_request
from heat.api.openstack.v1 import util
from heat.common import param_utils
from heat.rpc import api as rpc_api
from heat.rpc import client as engine_client

#: Keys of a body that describe the change set, not the stack.
_OWN_KEYS = (NAME, CHANGE_SET_NAME, DESCRIPTION, MOVES, IMPORTS) = (
    'name', 'change_set_name', 'description', 'moves', 'imports')
_REVERT_DRIFT = 'revert_drift'


class ChangeSetController:
    """Creates, lists, shows, deletes and executes change sets.

    Each action is there below a stack, whose identity it gets, and below the
    project, where change sets of stacks to be created have their place.
    """

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def index(self, req: webob.Request, identity: Any = None
              ) -> dict[str, Any]:
        """List the change sets of a stack, or of the project."""
        return {'change_sets': self.rpc_client.list_change_sets(
            req.context, identity)}

    def create(self, req: webob.Request, body: Any, identity: Any = None
               ) -> Any:
        """Plan an update of a stack, or the creation of one."""
        definition = {key: value for key, value in body.items()
                      if key not in _OWN_KEYS}
        existing = identity is not None and util.extract(
            param_utils.extract_bool, rpc_api.PARAM_EXISTING,
            definition.pop(rpc_api.PARAM_EXISTING, None) or False)
        revert = util.extract(param_utils.extract_bool, _REVERT_DRIFT,
                              definition.pop(_REVERT_DRIFT, None) or False)
        request = stack_request.StackRequest(definition, existing=existing)
        name = body.get(CHANGE_SET_NAME) or body.get(NAME)
        stack_name = None if identity is not None else request.stack_name()
        template = request.template()
        args = (request.args() if identity is not None else
                stack_request.create_args(request))
        with request.texts.locating():
            found = self.rpc_client.create_change_set(
                req.context, identity, stack_name, template,
                request.environment(), request.files(), args,
                environment_files=request.environment_files(),
                files_container=request.files_container(),
                name=util.checked_text(NAME, name),
                description=util.checked_text(DESCRIPTION,
                                              body.get(DESCRIPTION)),
                template_text=request.texts.template, revert_drift=revert,
                moves=body.get(MOVES), imports=body.get(IMPORTS))
        return routing.Located('/'.join((req.path_url, found['id'])),
                               {'change_set': found})

    def show(self, req: webob.Request, change_set_id: str, identity: Any = None
             ) -> dict[str, Any]:
        """Show a change set."""
        return {'change_set': self.rpc_client.show_change_set(
            req.context, change_set_id, identity)}

    def delete(self, req: webob.Request, change_set_id: str,
               identity: Any = None) -> None:
        """Delete a change set."""
        self.rpc_client.delete_change_set(req.context, change_set_id,
                                          identity)

    def execute(self, req: webob.Request, change_set_id: str,
                identity: Any = None, body: Any = None) -> None:
        """Execute a change set."""
        strict = util.extract(param_utils.extract_bool, 'strict',
                              (body or {}).get('strict', True))
        name = rpc_api.PARAM_OVERRIDE_POLICY
        override = protection.check_override(req.context, name,
                                             (body or {}).get(name))
        self.rpc_client.execute_change_set(
            req.context, change_set_id, identity, strict=strict,
            override_policy=override)
