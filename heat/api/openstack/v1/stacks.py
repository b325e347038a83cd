"""Stacks, and what describes the templates they are made of."""
from typing import Any

import webob.exc

from heat.api import routing
from heat.api.openstack.v1 import protection
from heat.api.openstack.v1 import stack_request
from heat.api.openstack.v1 import util
from heat.api.openstack.v1.schemas import stacks as schemas
from heat.api.openstack.v1.views import stacks_view
from heat.common import exception
from heat.common import identifier
from heat.rpc import api as rpc_api
from heat.rpc import client as engine_client

#: Filters are a parameter of their own to the engine.
FILTERS = frozenset(schemas.FILTERS)
_SELECTING = frozenset(each.name for each in schemas.SELECTION)
_PAGING = frozenset(each.name for each in schemas.PAGING)


class StackController:
    """Lists, creates, shows, changes and deletes stacks."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    # -- Lists

    def index(self, req: webob.Request, query: dict[str, Any]
              ) -> dict[str, Any]:
        """List the stacks of the project, or of all, page by page."""
        context = req.context
        selection = _selection(query)
        options = {name: query[name] for name in _PAGING & set(query)}
        if query[rpc_api.PARAM_GLOBAL_TENANT]:
            context = util.admin_context(req)
        stacks = self.rpc_client.list_stacks(context, **selection, **options)
        count = None
        if query['with_count']:
            count = self.rpc_client.count_stacks(context, **selection)
        return stacks_view.collection(
            req, stacks, count=count, limit=query.get(rpc_api.PARAM_LIMIT),
            include_project=context.is_admin)

    def detail(self, req: webob.Request) -> dict[str, Any]:
        """List the stacks of the project with all that is known of them."""
        stacks = self.rpc_client.list_stacks(req.context)
        return stacks_view.collection(req, stacks, keys=None)

    # -- Creation

    def create(self, req: webob.Request, body: Any) -> Any:
        """Create a stack."""
        request = stack_request.StackRequest(body)
        with request.texts.locating():
            identity = self.rpc_client.create_stack(
                req.context, request.stack_name(), request.template(),
                request.environment(), request.files(),
                stack_request.create_args(request),
                environment_files=request.environment_files(),
                files_container=request.files_container())
        identity = identifier.HeatIdentifier(**identity)
        return routing.Located(util.make_url(req, identity), {
            'stack': stacks_view.format_stack(
                req, {rpc_api.STACK_ID: dict(identity)})})

    def preview(self, req: webob.Request, body: Any) -> dict[str, Any]:
        """Show the stack that would be created."""
        request = stack_request.StackRequest(body)
        with request.texts.locating():
            stack = self.rpc_client.preview_stack(
                req.context, request.stack_name(), request.template(),
                request.environment(), request.files(),
                stack_request.create_args(request),
                environment_files=request.environment_files(),
                files_container=request.files_container())
        # What is not there has no status.
        return {'stack': stacks_view.format_stack(
            req, stack, set(stack) - stacks_view.STATUS_KEYS)}

    # -- One stack

    def lookup(self, req: webob.Request, stack_name: str, path: str = ''
               ) -> Any:
        """Redirect from the name, id or ARN of a stack to its own URL."""
        if identifier.is_arn(stack_name):
            identity = util.extract(identifier.HeatIdentifier.from_arn,
                                    stack_name)
        else:
            identity = identifier.HeatIdentifier(
                **self.rpc_client.identify_stack(req.context, stack_name))
        location = util.make_url(req, identity)
        if path:
            location = '/'.join((location, path))
        if req.query_string:
            location = '?'.join((location, req.query_string))
        return routing.Located(location)

    def show(self, req: webob.Request, identity: Any, query: dict[str, Any]
             ) -> dict[str, Any]:
        """Show a stack."""
        stacks = self.rpc_client.show_stack(
            req.context, identity,
            resolve_outputs=query[rpc_api.RESOLVE_OUTPUTS])
        if not stacks:
            raise webob.exc.HTTPNotFound()
        return {'stack': stacks_view.format_stack(req, stacks[0])}

    def template(self, req: webob.Request, identity: Any) -> Any:
        """Show the template of a stack as it was given."""
        template = self.rpc_client.get_template(req.context, identity)
        if template is None:
            raise webob.exc.HTTPNotFound()
        return template

    def environment(self, req: webob.Request, identity: Any) -> dict[str, Any]:
        """Show the environment of a stack, hidden values masked."""
        return self.rpc_client.get_environment(req.context, identity)

    def files(self, req: webob.Request, identity: Any) -> Any:
        """Show the files of a stack."""
        return self.rpc_client.get_files(req.context, identity)

    def list_outputs(self, req: webob.Request, identity: Any
                     ) -> dict[str, Any]:
        """List the outputs of a stack, without values."""
        return {'outputs': self.rpc_client.list_outputs(
            req.context, identity)}

    def show_output(self, req: webob.Request, identity: Any, output_key: str
                    ) -> dict[str, Any]:
        """Show an output with its value."""
        return {'output': self.rpc_client.show_output(
            req.context, identity, output_key)}

    def update(self, req: webob.Request, identity: Any, body: Any
               ) -> None:
        """Replace the definition of a stack."""
        self._update(req, identity, stack_request.StackRequest(body))

    def update_patch(self, req: webob.Request, identity: Any, body: Any
                     ) -> None:
        """Change what the body names of the definition of a stack."""
        self._update(req, identity,
                     stack_request.StackRequest(body, existing=True))

    def _update(self, req: webob.Request, identity: Any, request: Any) -> None:
        args, name = request.args(), rpc_api.PARAM_OVERRIDE_POLICY
        if protection.check_override(req.context, name,
                                     request.body.get(name)):
            args[name] = True
        with request.texts.locating():
            self.rpc_client.update_stack(
                req.context, identity, request.template(),
                request.environment(), request.files(), args,
                environment_files=request.environment_files(),
                files_container=request.files_container())

    def preview_update(self, req: webob.Request, identity: Any,
                       query: dict[str, Any], body: Any) -> dict[str, Any]:
        """Show what an update would do."""
        return self._preview_update(
            req, identity, query, stack_request.StackRequest(body))

    def preview_update_patch(self, req: webob.Request, identity: Any,
                             query: dict[str, Any], body: Any
                             ) -> dict[str, Any]:
        """Show what a partial update would do."""
        return self._preview_update(
            req, identity, query,
            stack_request.StackRequest(body, existing=True))

    def _preview_update(self, req: webob.Request, identity: Any,
                        query: dict[str, Any], request: Any) -> dict[str, Any]:
        args = request.args()
        if query[rpc_api.PARAM_SHOW_NESTED]:
            args[rpc_api.PARAM_SHOW_NESTED] = True
        with request.texts.locating():
            changes = self.rpc_client.preview_update_stack(
                req.context, identity, request.template(),
                request.environment(), request.files(), args,
                environment_files=request.environment_files(),
                files_container=request.files_container())
        return {'resource_changes': changes}

    def delete(self, req: webob.Request, identity: Any,
               query: dict[str, Any]) -> None:
        """Delete a stack and its resources, but those to be retained."""
        retain = query.get('retain')
        if retain:
            self.rpc_client.delete_stack_but(req.context, identity, retain)
        else:
            self.rpc_client.delete_stack(req.context, identity, cast=False)

    def abandon(self, req: webob.Request, identity: Any) -> Any:
        """Delete a stack, leave its resources, return what describes it."""
        return self.rpc_client.abandon_stack(req.context, identity)

    def export(self, req: webob.Request, identity: Any) -> dict[str, Any]:
        """Show what describes a stack, for adoption elsewhere."""
        return self.rpc_client.export_stack(req.context, identity)

    # -- Snapshots

    def snapshot(self, req: webob.Request, identity: Any, body: Any = None
                 ) -> dict[str, Any]:
        """Take a snapshot of a stack."""
        return self.rpc_client.stack_snapshot(
            req.context, identity, (body or {}).get('name'))

    def list_snapshots(self, req: webob.Request, identity: Any
                       ) -> dict[str, Any]:
        """List the snapshots of a stack."""
        return {'snapshots': self.rpc_client.stack_list_snapshots(
            req.context, identity)}

    def show_snapshot(self, req: webob.Request, identity: Any, snapshot_id: str
                      ) -> dict[str, Any]:
        """Show a snapshot."""
        return {'snapshot': self.rpc_client.show_snapshot(
            req.context, identity, snapshot_id)}

    def delete_snapshot(self, req: webob.Request, identity: Any,
                        snapshot_id: str) -> None:
        """Delete a snapshot."""
        self.rpc_client.delete_snapshot(req.context, identity, snapshot_id)

    def restore_snapshot(self, req: webob.Request, identity: Any,
                         snapshot_id: str) -> None:
        """Put a stack back to what it was at a snapshot."""
        self.rpc_client.stack_restore(req.context, identity, snapshot_id)

    # -- Templates and resource types

    def validate_template(self, req: webob.Request, query: dict[str, Any],
                          body: Any) -> dict[str, Any]:
        """Check a template and show the parameters it asks for."""
        request = stack_request.StackRequest(body)
        with request.texts.locating():
            result = self.rpc_client.validate_template(
                req.context, request.template(), request.environment(),
                files=request.files(),
                environment_files=request.environment_files(),
                files_container=request.files_container(),
                show_nested=query[rpc_api.PARAM_SHOW_NESTED],
                ignorable_errors=query.get(rpc_api.PARAM_IGNORE_ERRORS, []))
        if 'Error' in result:
            raise webob.exc.HTTPBadRequest(_error_text(request, result))
        return result

    def list_resource_types(self, req: webob.Request, query: dict[str, Any]
                            ) -> dict[str, Any]:
        """List the resource types a template may use here."""
        return {'resource_types': self.rpc_client.list_resource_types(
            req.context,
            support_status=query.get('support_status'),
            type_name=query.get('name'),
            heat_version=query.get('version'),
            with_description=query['with_description'])}

    def resource_schema(self, req: webob.Request, type_name: str
                        ) -> dict[str, Any]:
        """Show the properties and attributes of a resource type."""
        return self.rpc_client.resource_schema(req.context, type_name)

    def generate_template(self, req: webob.Request, query: dict[str, Any],
                          type_name: str) -> dict[str, Any]:
        """Show a template that makes one resource of a type."""
        return self.rpc_client.generate_template(
            req.context, type_name, query[rpc_api.TEMPLATE_TYPE])

    def list_template_versions(self, req: webob.Request) -> dict[str, Any]:
        """List the template versions that are understood."""
        return {'template_versions': self.rpc_client.list_template_versions(
            req.context)}

    def list_template_functions(self, req: webob.Request,
                                query: dict[str, Any], template_version: str
                                ) -> dict[str, Any]:
        """List the functions of a template version."""
        return {'template_functions':
                self.rpc_client.list_template_functions(
                    req.context, template_version,
                    with_condition=query['with_condition_func'])}


def _error_text(request: webob.Request, result: Any) -> str:
    """Return the text of an error that validation answers, with lines."""
    arguments = result.get('ErrorArguments')
    if arguments is None:
        return result['Error'] + request.texts.position_text(
            result.get('ErrorPath'))
    error = exception.StackValidationFailed(**arguments)
    request.texts.locate(error)
    return str(error)


def _selection(query: dict[str, Any]) -> dict[str, Any]:
    """Return which stacks a list is about, from the query."""
    given = {name: query[name] for name in _SELECTING & set(query)}
    filters = {name: given.pop(name) for name in FILTERS & set(given)}
    # A list of tags that names none is no list of tags.
    return {**{name: value for name, value in given.items()
               if value != []}, 'filters': filters}
