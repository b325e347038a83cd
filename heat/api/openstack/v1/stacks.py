"""Stacks, and what describes the templates they are made of."""
import webob.exc

from heat.api import routing
from heat.api.openstack.v1 import stack_request
from heat.api.openstack.v1 import util
from heat.api.openstack.v1.views import stacks_view
from heat.common import exception
from heat.common import identifier
from heat.common import param_utils
from heat.common.i18n import _
from heat.rpc import api as rpc_api

FILTERS = dict.fromkeys((
    'stack_name', 'stack_action', 'stack_status', 'stack_status_reason',
    'disable_rollback', 'timeout_mins', 'stack_owner', 'parent',
    'stack_user_project_id',
    # Older clients use the names of the columns.
    'id', 'name', 'status', 'action', 'tenant', 'username', 'owner_id',
), util.Kind.MIXED)
PAGING = {
    'marker': util.Kind.SINGLE,
    'sort_dir': util.Kind.SINGLE,
    'sort_keys': util.Kind.MULTI,
}
SHOW_FLAGS = (rpc_api.PARAM_SHOW_DELETED, rpc_api.PARAM_SHOW_NESTED,
              rpc_api.PARAM_SHOW_HIDDEN)
TAG_FILTERS = (rpc_api.PARAM_TAGS, rpc_api.PARAM_TAGS_ANY,
               rpc_api.PARAM_NOT_TAGS, rpc_api.PARAM_NOT_TAGS_ANY)


class StackController:
    """Lists, creates, shows, changes and deletes stacks."""

    def __init__(self, rpc_client):
        self.rpc_client = rpc_client

    # -- Lists

    def index(self, req):
        """List the stacks of the project, or of all, page by page."""
        params = util.query(req)
        context = req.context
        selection = _selection(params)
        options = util.allowed_params(params, PAGING)
        util.check_sort_dir(options)
        limit = util.natural(params, rpc_api.PARAM_LIMIT)
        if limit is not None:
            options[rpc_api.PARAM_LIMIT] = limit
        with_count = util.boolean(params, 'with_count')
        if util.boolean(params, rpc_api.PARAM_GLOBAL_TENANT):
            routing.check_policy(context, 'stacks:global_index')
            context = util.admin_context(req)
        stacks = self.rpc_client.list_stacks(context, **selection, **options)
        count = None
        if with_count:
            count = self.rpc_client.count_stacks(context, **selection)
        return stacks_view.collection(
            req, stacks, count=count, limit=limit,
            include_project=context.is_admin)

    def detail(self, req):
        """List the stacks of the project with all that is known of them."""
        stacks = self.rpc_client.list_stacks(req.context)
        return stacks_view.collection(req, stacks, keys=None)

    # -- Creation

    def create(self, req, body):
        """Create a stack."""
        request = stack_request.StackRequest(body)
        with request.texts.locating():
            identity = self.rpc_client.create_stack(
                req.context, request.stack_name(), request.template(),
                request.environment(), request.files(),
                _create_args(request),
                environment_files=request.environment_files(),
                files_container=request.files_container())
        identity = identifier.HeatIdentifier(**identity)
        return routing.Located(util.make_url(req, identity), {
            'stack': stacks_view.format_stack(
                req, {rpc_api.STACK_ID: dict(identity)})})

    def preview(self, req, body):
        """Show the stack that would be created."""
        request = stack_request.StackRequest(body)
        with request.texts.locating():
            stack = self.rpc_client.preview_stack(
                req.context, request.stack_name(), request.template(),
                request.environment(), request.files(),
                _create_args(request),
                environment_files=request.environment_files(),
                files_container=request.files_container())
        return {'stack': stacks_view.format_stack(req, stack)}

    # -- One stack

    def lookup(self, req, stack_name, path=''):
        """Redirect from the name, id or ARN of a stack to its own URL."""
        if stack_name.startswith('arn:'):
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

    def show(self, req, identity):
        """Show a stack."""
        resolve = util.boolean(util.query(req), rpc_api.RESOLVE_OUTPUTS,
                               default=True)
        stacks = self.rpc_client.show_stack(req.context, identity,
                                            resolve_outputs=resolve)
        if not stacks:
            raise webob.exc.HTTPNotFound()
        return {'stack': stacks_view.format_stack(req, stacks[0])}

    def template(self, req, identity):
        """Show the template of a stack as it was given."""
        template = self.rpc_client.get_template(req.context, identity)
        if template is None:
            raise webob.exc.HTTPNotFound()
        return template

    def environment(self, req, identity):
        """Show the environment of a stack, hidden values masked."""
        return self.rpc_client.get_environment(req.context, identity)

    def files(self, req, identity):
        """Show the files of a stack."""
        return self.rpc_client.get_files(req.context, identity)

    def list_outputs(self, req, identity):
        """List the outputs of a stack, without values."""
        return {'outputs': self.rpc_client.list_outputs(
            req.context, identity)}

    def show_output(self, req, identity, output_key):
        """Show an output with its value."""
        return {'output': self.rpc_client.show_output(
            req.context, identity, output_key)}

    def update(self, req, identity, body):
        """Replace the definition of a stack."""
        self._update(req, identity, stack_request.StackRequest(body))

    def update_patch(self, req, identity, body):
        """Change what the body names of the definition of a stack."""
        request = stack_request.StackRequest(body, existing=True)
        routing.check_policy(req.context, (
            'stacks:update_no_change' if request.is_no_change()
            else 'stacks:update_patch'))
        self._update(req, identity, request)

    def _update(self, req, identity, request):
        with request.texts.locating():
            self.rpc_client.update_stack(
                req.context, identity, request.template(),
                request.environment(), request.files(), request.args(),
                environment_files=request.environment_files(),
                files_container=request.files_container())

    def preview_update(self, req, identity, body):
        """Show what an update would do."""
        return self._preview_update(
            req, identity, stack_request.StackRequest(body))

    def preview_update_patch(self, req, identity, body):
        """Show what a partial update would do."""
        return self._preview_update(
            req, identity, stack_request.StackRequest(body, existing=True))

    def _preview_update(self, req, identity, request):
        args = request.args()
        params = util.query(req)
        if rpc_api.PARAM_SHOW_NESTED in params:
            args[rpc_api.PARAM_SHOW_NESTED] = util.boolean(
                params, rpc_api.PARAM_SHOW_NESTED)
        with request.texts.locating():
            changes = self.rpc_client.preview_update_stack(
                req.context, identity, request.template(),
                request.environment(), request.files(), args,
                environment_files=request.environment_files(),
                files_container=request.files_container())
        return {'resource_changes': changes}

    def delete(self, req, identity):
        """Delete a stack and its resources."""
        self.rpc_client.delete_stack(req.context, identity, cast=False)

    def abandon(self, req, identity):
        """Delete a stack, leave its resources, return what describes it."""
        return self.rpc_client.abandon_stack(req.context, identity)

    def export(self, req, identity):
        """Show what describes a stack, for adoption elsewhere."""
        return self.rpc_client.export_stack(req.context, identity)

    # -- Snapshots

    def snapshot(self, req, identity, body=None):
        """Take a snapshot of a stack."""
        name = util.checked_text('name', (body or {}).get('name'))
        return self.rpc_client.stack_snapshot(req.context, identity, name)

    def list_snapshots(self, req, identity):
        """List the snapshots of a stack."""
        return {'snapshots': self.rpc_client.stack_list_snapshots(
            req.context, identity)}

    def show_snapshot(self, req, identity, snapshot_id):
        """Show a snapshot."""
        return {'snapshot': self.rpc_client.show_snapshot(
            req.context, identity, snapshot_id)}

    def delete_snapshot(self, req, identity, snapshot_id):
        """Delete a snapshot."""
        self.rpc_client.delete_snapshot(req.context, identity, snapshot_id)

    def restore_snapshot(self, req, identity, snapshot_id):
        """Put a stack back to what it was at a snapshot."""
        self.rpc_client.stack_restore(req.context, identity, snapshot_id)

    # -- Templates and resource types

    def validate_template(self, req, body):
        """Check a template and show the parameters it asks for."""
        request = stack_request.StackRequest(body)
        params = util.query(req)
        ignorable = params.get(rpc_api.PARAM_IGNORE_ERRORS, '')
        with request.texts.locating():
            result = self.rpc_client.validate_template(
                req.context, request.template(), request.environment(),
                files=request.files(),
                environment_files=request.environment_files(),
                files_container=request.files_container(),
                show_nested=util.boolean(params, rpc_api.PARAM_SHOW_NESTED),
                ignorable_errors=[code.strip()
                                  for code in ignorable.split(',')
                                  if code.strip()])
        if 'Error' in result:
            raise webob.exc.HTTPBadRequest(_error_text(request, result))
        return result

    def list_resource_types(self, req):
        """List the resource types a template may use here."""
        params = util.query(req)
        return {'resource_types': self.rpc_client.list_resource_types(
            req.context,
            support_status=params.get('support_status'),
            type_name=params.get('name'),
            heat_version=params.get('version'),
            with_description=util.boolean(params, 'with_description'))}

    def resource_schema(self, req, type_name):
        """Show the properties and attributes of a resource type."""
        return self.rpc_client.resource_schema(req.context, type_name)

    def generate_template(self, req, type_name):
        """Show a template that makes one resource of a type."""
        template_type = util.query(req).get(rpc_api.TEMPLATE_TYPE, 'cfn')
        template_type = util.extract(param_utils.extract_template_type,
                                     template_type)
        return self.rpc_client.generate_template(
            req.context, type_name, template_type)

    def list_template_versions(self, req):
        """List the template versions that are understood."""
        return {'template_versions': self.rpc_client.list_template_versions(
            req.context)}

    def list_template_functions(self, req, template_version):
        """List the functions of a template version."""
        with_condition = util.boolean(util.query(req), 'with_condition_func')
        return {'template_functions':
                self.rpc_client.list_template_functions(
                    req.context, template_version,
                    with_condition=with_condition)}


def _error_text(request, result):
    """Return the text of an error that validation answers, with lines."""
    arguments = result.get('ErrorArguments')
    if arguments is None:
        return result['Error'] + request.texts.position_text(
            result.get('ErrorPath'))
    error = exception.StackValidationFailed(**arguments)
    request.texts.locate(error)
    return str(error)


def _selection(params):
    """Return which stacks a list is about, from the query."""
    result = {name: util.boolean(params, name) for name in SHOW_FLAGS}
    for name in TAG_FILTERS:
        if params.get(name):
            result[name] = [tag.strip() for tag in params[name].split(',')
                            if tag.strip()]
    result['filters'] = util.allowed_params(params, FILTERS)
    return result


def _create_args(request):
    """Return the options of a creation.

    :raises HTTPBadRequest: one of them makes sense for an update only.
    """
    args = request.args()
    if rpc_api.PARAM_CONVERGE in args:
        raise webob.exc.HTTPBadRequest(
            _('"%s" is possible in an update only.')
            % rpc_api.PARAM_CONVERGE)
    args.setdefault(rpc_api.PARAM_DISABLE_ROLLBACK, True)
    return args
