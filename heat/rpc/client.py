"""Calling the engine.

Each method names the version of the protocol that it needs at least; an
argument that an older engine does not know is never sent to it unnoticed.
"""
import contextlib

from oslo_config import cfg
import oslo_messaging

from heat.common import context
from heat.common import exception
from heat.common import messaging
from heat.common import timeutils
from heat.rpc import api as rpc_api
from heat.rpc import client_change_sets
from heat.rpc import client_software
from heat.rpc import turns

#: Seconds in which an engine takes a question up, or there is none.
REACH_WITHIN = 8

#: How the names of methods begin that only read.
_READS = ('authenticated_to_backend', 'count_', 'describe_', 'export_',
          'find_', 'generate_', 'get_', 'identify_', 'list_', 'metadata_',
          'resource_schema', 'show_')

#: All clients of a process share its turns.
_turns = turns.Turns()


class EngineClient(client_software.SoftwareCalls,
                   client_change_sets.ChangeSetCalls):
    """The engine as the APIs and plugins see it."""

    BASE_RPC_API_VERSION = '1.0'

    def __init__(self, is_for_users=False):
        """Make a client.

        :param is_for_users: whether users wait for the answers. They are
            told soon that no engine, or no database, is there.
        """
        self._is_for_users = is_for_users
        self._client = messaging.get_rpc_client(
            topic=rpc_api.ENGINE_TOPIC, version=self.BASE_RPC_API_VERSION,
            is_for_users=is_for_users)

    @staticmethod
    def make_msg(method, **kwargs):
        """Return what call() and cast() take for a method."""
        return method, kwargs

    def _prepared(self, version, timeout=None):
        options = {}
        if version is not None:
            options['version'] = version
        if timeout is not None:
            options['timeout'] = timeout
        return self._client.prepare(**options) if options else self._client

    def call(self, ctxt, msg, version=None, timeout=None):
        """Call the engine and return its answer."""
        method, kwargs = msg
        client = self._prepared(version, timeout)
        if not self._is_for_users:
            return client.call(ctxt, method, **kwargs)
        if method.startswith(_READS):
            client = client.prepare(reach_within=REACH_WITHIN)
            return client.call(ctxt, method, **kwargs)
        patience = timeout or cfg.CONF.rpc_response_timeout
        began = timeutils.wallclock()
        try:
            with _turns.of(ctxt.project_id, cfg.CONF.project_requests_at_once,
                           patience):
                left = patience - (timeutils.wallclock() - began)
                return client.prepare(timeout=max(left, 1)).call(
                    ctxt, method, **kwargs)
        except turns.NoTurn:
            raise oslo_messaging.MessagingTimeout(
                f'{method} waited for other requests of the project') from None

    def cast(self, ctxt, msg, version=None):
        """Tell the engine, without waiting for an answer."""
        method, kwargs = msg
        return self._prepared(version).cast(ctxt, method, **kwargs)

    @staticmethod
    def local_error_name(error):
        """Return the class name of an error as the engine raised it."""
        return exception.type_name(error)

    def ignore_error_named(self, error, name):
        """Raise the error again unless it is of the class named so."""
        if self.local_error_name(error) != name:
            raise error

    @contextlib.contextmanager
    def ignore_error_by_name(self, name):
        """Ignore an error of the class named so in a with block."""
        try:
            yield
        except Exception as error:
            if self.local_error_name(error) != name:
                raise

    # -- stacks ---------------------------------------------------------------

    def identify_stack(self, ctxt, stack_name):
        """Return the identity of the stack with a name, or an id."""
        return self.call(ctxt, self.make_msg('identify_stack',
                                             stack_name=stack_name))

    def list_stacks(self, ctxt, limit=None, marker=None, sort_keys=None,
                    sort_dir=None, filters=None, show_deleted=False,
                    show_nested=False, show_hidden=False, tags=None,
                    tags_any=None, not_tags=None, not_tags_any=None):
        """Return the attributes of the stacks of the project."""
        return self.call(ctxt, self.make_msg(
            'list_stacks', limit=limit, marker=marker, sort_keys=sort_keys,
            sort_dir=sort_dir, filters=filters, show_deleted=show_deleted,
            show_nested=show_nested, show_hidden=show_hidden, tags=tags,
            tags_any=tags_any, not_tags=not_tags,
            not_tags_any=not_tags_any), version='1.33')

    def count_stacks(self, ctxt, filters=None, show_deleted=False,
                     show_nested=False, show_hidden=False, tags=None,
                     tags_any=None, not_tags=None, not_tags_any=None):
        """Return how many stacks list_stacks() would give."""
        return self.call(ctxt, self.make_msg(
            'count_stacks', filters=filters, show_deleted=show_deleted,
            show_nested=show_nested, show_hidden=show_hidden, tags=tags,
            tags_any=tags_any, not_tags=not_tags,
            not_tags_any=not_tags_any), version='1.33')

    def show_stack(self, ctxt, stack_identity, resolve_outputs=True):
        """Return the attributes of one stack, or of all, in a list."""
        return self.call(ctxt, self.make_msg(
            'show_stack', stack_identity=stack_identity,
            resolve_outputs=resolve_outputs), version='1.20')

    def preview_stack(self, ctxt, stack_name, template, params, files, args,
                      environment_files=None, files_container=None):
        """Return what a stack would be like, without creating it."""
        return self.call(ctxt, self.make_msg(
            'preview_stack', stack_name=stack_name, template=template,
            params=params, files=files, args=args,
            environment_files=environment_files,
            files_container=files_container), version='1.36')

    def create_stack(self, ctxt, stack_name, template, params, files, args,
                     environment_files=None, files_container=None):
        """Begin to create a stack and return its identity.

        :param params: the environment.
        :param args: options of the stack, by the PARAM_KEYS of the API.
        """
        return self._create_stack(ctxt, stack_name, template, params, files,
                                  args, environment_files=environment_files,
                                  files_container=files_container)

    def _create_stack(self, ctxt, stack_name, template, params, files, args,
                      environment_files=None, files_container=None,
                      owner_id=None, nested_depth=0, user_creds_id=None,
                      stack_user_project_id=None, parent_resource_name=None,
                      template_id=None):
        """Begin to create a stack, maybe nested in another one."""
        return self.call(ctxt, self.make_msg(
            'create_stack', stack_name=stack_name, template=template,
            params=params, files=files, args=args,
            environment_files=environment_files,
            files_container=files_container, owner_id=owner_id,
            nested_depth=nested_depth, user_creds_id=user_creds_id,
            stack_user_project_id=stack_user_project_id,
            parent_resource_name=parent_resource_name,
            template_id=template_id), version='1.36')

    def update_stack(self, ctxt, stack_identity, template, params, files,
                     args, environment_files=None, files_container=None):
        """Begin to update a stack and return its identity."""
        return self._update_stack(ctxt, stack_identity, template, params,
                                  files, args,
                                  environment_files=environment_files,
                                  files_container=files_container)

    def _update_stack(self, ctxt, stack_identity, template, params, files,
                      args, environment_files=None, files_container=None,
                      template_id=None):
        """Begin to update a stack, maybe to a template that is stored."""
        return self.call(ctxt, self.make_msg(
            'update_stack', stack_identity=stack_identity,
            template=template, params=params, files=files, args=args,
            environment_files=environment_files,
            files_container=files_container, template_id=template_id),
            version='1.36')

    def preview_update_stack(self, ctxt, stack_identity, template, params,
                             files, args, environment_files=None,
                             files_container=None):
        """Return what an update would change, without doing it."""
        return self.call(ctxt, self.make_msg(
            'preview_update_stack', stack_identity=stack_identity,
            template=template, params=params, files=files, args=args,
            environment_files=environment_files,
            files_container=files_container), version='1.36')

    def validate_template(self, ctxt, template, params=None, files=None,
                          environment_files=None, files_container=None,
                          show_nested=False, ignorable_errors=None):
        """Return the parameters of a template that is valid."""
        return self.call(ctxt, self.make_msg(
            'validate_template', template=template, params=params,
            files=files, environment_files=environment_files,
            files_container=files_container, show_nested=show_nested,
            ignorable_errors=ignorable_errors), version='1.36')

    def delete_stack(self, ctxt, stack_identity, cast=False):
        """Begin to delete a stack; wait for its beginning unless cast."""
        send = self.cast if cast else self.call
        return send(ctxt, self.make_msg('delete_stack',
                                        stack_identity=stack_identity))

    def abandon_stack(self, ctxt, stack_identity):
        """Forget a stack, leave its resources, return what describes it."""
        return self.call(ctxt, self.make_msg('abandon_stack',
                                             stack_identity=stack_identity))

    def export_stack(self, ctxt, stack_identity):
        """Return what describes a stack with its resources."""
        return self.call(ctxt, self.make_msg(
            'export_stack', stack_identity=stack_identity), version='1.22')

    def list_exports(self, ctxt, marker=None):
        """Return a page of the values that stacks export, by name."""
        return self.call(ctxt, self.make_msg('list_exports', marker=marker),
                         version='1.37')

    def list_imports(self, ctxt, export_name):
        """Return the names of the stacks that import an export."""
        return self.call(ctxt, self.make_msg('list_imports',
                                             export_name=export_name),
                         version='1.37')

    def get_template(self, ctxt, stack_identity):
        """Return the template of a stack."""
        return self.call(ctxt, self.make_msg('get_template',
                                             stack_identity=stack_identity))

    def get_environment(self, ctxt, stack_identity):
        """Return the environment of a stack."""
        return self.call(ctxt, self.make_msg(
            'get_environment', stack_identity=stack_identity),
            version='1.28')

    def get_files(self, ctxt, stack_identity):
        """Return the files of a stack."""
        return self.call(ctxt, self.make_msg(
            'get_files', stack_identity=stack_identity), version='1.32')

    def list_outputs(self, ctxt, stack_identity):
        """Return the names and descriptions of a stack's outputs."""
        return self.call(ctxt, self.make_msg(
            'list_outputs', stack_identity=stack_identity), version='1.19')

    def show_output(self, cntx, stack_identity, output_key):
        """Return one output of a stack with its value."""
        return self.call(cntx, self.make_msg(
            'show_output', stack_identity=stack_identity,
            output_key=output_key), version='1.19')

    def list_events(self, ctxt, stack_identity, filters=None, limit=None,
                    marker=None, sort_keys=None, sort_dir=None,
                    nested_depth=None):
        """Return the events of a stack, or of all stacks."""
        return self.call(ctxt, self.make_msg(
            'list_events', stack_identity=stack_identity, filters=filters,
            limit=limit, marker=marker, sort_keys=sort_keys,
            sort_dir=sort_dir, nested_depth=nested_depth), version='1.31')

    # -- actions --------------------------------------------------------------

    def stack_suspend(self, ctxt, stack_identity):
        """Begin to suspend a stack."""
        return self.call(ctxt, self.make_msg('stack_suspend',
                                             stack_identity=stack_identity))

    def stack_resume(self, ctxt, stack_identity):
        """Begin to resume a stack."""
        return self.call(ctxt, self.make_msg('stack_resume',
                                             stack_identity=stack_identity))

    def stack_check(self, ctxt, stack_identity):
        """Begin to check a stack."""
        return self.call(ctxt, self.make_msg('stack_check',
                                             stack_identity=stack_identity))

    def stack_cancel_update(self, ctxt, stack_identity,
                            cancel_with_rollback=True):
        """Cancel what runs on a stack."""
        return self.call(ctxt, self.make_msg(
            'stack_cancel_update', stack_identity=stack_identity,
            cancel_with_rollback=cancel_with_rollback), version='1.14')

    def migrate_convergence_1(self, ctxt, stack_id):
        """Hand a stack of the legacy engine over to convergence."""
        return self.call(ctxt, self.make_msg(
            'migrate_convergence_1', stack_id=stack_id), version='1.34')

    def stack_snapshot(self, ctxt, stack_identity, name):
        """Begin to take a snapshot of a stack."""
        return self.call(ctxt, self.make_msg(
            'stack_snapshot', stack_identity=stack_identity, name=name))

    def show_snapshot(self, ctxt, stack_identity, snapshot_id):
        """Return one snapshot."""
        return self.call(ctxt, self.make_msg(
            'show_snapshot', stack_identity=stack_identity,
            snapshot_id=snapshot_id))

    def delete_snapshot(self, ctxt, stack_identity, snapshot_id):
        """Begin to delete a snapshot."""
        return self.call(ctxt, self.make_msg(
            'delete_snapshot', stack_identity=stack_identity,
            snapshot_id=snapshot_id))

    def stack_list_snapshots(self, ctxt, stack_identity):
        """Return the snapshots of a stack."""
        return self.call(ctxt, self.make_msg('stack_list_snapshots',
                                             stack_identity=stack_identity))

    def stack_restore(self, ctxt, stack_identity, snapshot_id):
        """Begin to restore a stack from a snapshot."""
        return self.call(ctxt, self.make_msg(
            'stack_restore', stack_identity=stack_identity,
            snapshot_id=snapshot_id))

    # -- resources ------------------------------------------------------------

    def describe_stack_resource(self, ctxt, stack_identity, resource_name,
                                with_attr=False):
        """Return one resource.

        :param with_attr: names of attributes to add, or False.
        """
        return self.call(ctxt, self.make_msg(
            'describe_stack_resource', stack_identity=stack_identity,
            resource_name=resource_name, with_attr=with_attr),
            version='1.2')

    def find_physical_resource(self, ctxt, physical_resource_id):
        """Return the identity of the resource with a physical id."""
        return self.call(ctxt, self.make_msg(
            'find_physical_resource',
            physical_resource_id=physical_resource_id))

    def describe_stack_resources(self, ctxt, stack_identity, resource_name):
        """Return the resources of a stack, or the one of a name."""
        return self.call(ctxt, self.make_msg(
            'describe_stack_resources', stack_identity=stack_identity,
            resource_name=resource_name))

    def list_stack_resources(self, ctxt, stack_identity, nested_depth=0,
                             with_detail=False, filters=None):
        """Return the resources of a stack and of those nested in it."""
        return self.call(ctxt, self.make_msg(
            'list_stack_resources', stack_identity=stack_identity,
            nested_depth=nested_depth, with_detail=with_detail,
            filters=filters), version='1.25')

    def resource_signal(self, ctxt, stack_identity, resource_name, details,
                        sync_call=False):
        """Send a signal to a resource."""
        return self.call(ctxt, self.make_msg(
            'resource_signal', stack_identity=stack_identity,
            resource_name=resource_name, details=details,
            sync_call=sync_call), version='1.3')

    def resource_mark_unhealthy(self, ctxt, stack_identity, resource_name,
                                mark_unhealthy, resource_status_reason=None):
        """Say that a resource is unhealthy, or healthy again."""
        return self.call(ctxt, self.make_msg(
            'resource_mark_unhealthy', stack_identity=stack_identity,
            resource_name=resource_name, mark_unhealthy=mark_unhealthy,
            resource_status_reason=resource_status_reason), version='1.26')

    # -- types, functions, the service ----------------------------------------

    def list_resource_types(self, ctxt, support_status=None, type_name=None,
                            heat_version=None, with_description=False):
        """Return the names of the resource types."""
        return self.call(ctxt, self.make_msg(
            'list_resource_types', support_status=support_status,
            type_name=type_name, heat_version=heat_version,
            with_description=with_description), version='1.30')

    def resource_schema(self, ctxt, type_name, with_description=False):
        """Return the schema of a resource type."""
        return self.call(ctxt, self.make_msg(
            'resource_schema', type_name=type_name,
            with_description=with_description), version='1.30')

    def generate_template(self, ctxt, type_name, template_type='cfn'):
        """Return a template that uses a resource type."""
        return self.call(ctxt, self.make_msg(
            'generate_template', type_name=type_name,
            template_type=template_type), version='1.9')

    def list_template_versions(self, ctxt):
        """Return the versions that templates may state."""
        return self.call(ctxt, self.make_msg('list_template_versions'),
                         version='1.11')

    def list_template_functions(self, ctxt, template_version,
                                with_condition=False):
        """Return the functions of a template version."""
        return self.call(ctxt, self.make_msg(
            'list_template_functions', template_version=template_version,
            with_condition=with_condition), version='1.35')

    def list_services(self, ctxt):
        """Return the engines."""
        return self.call(ctxt, self.make_msg('list_services'),
                         version='1.4')

    def get_revision(self, ctxt):
        """Return the revision of the engine's code."""
        return self.call(ctxt, self.make_msg('get_revision'))

    def authenticated_to_backend(self, ctxt):
        """Return whether the context is good for the cloud."""
        return self.call(ctxt, self.make_msg('authenticated_to_backend'))


class HealthClient:
    """Asks whichever engine is the next to serve whether it can work.

    An answer has come over the broker, from an engine, which has asked its
    database: all that an API needs.
    """

    def __init__(self):
        self._client = messaging.get_rpc_client(
            topic=rpc_api.ENGINE_TOPIC,
            namespace=rpc_api.HEALTH_NAMESPACE,
            version=rpc_api.HEALTH_VERSION)

    def trouble(self):
        """Return what is wrong, or None."""
        try:
            return self._client.prepare(
                timeout=rpc_api.HEALTH_TIMEOUT).call(
                    context.get_admin_context(), 'trouble')
        except oslo_messaging.MessagingTimeout:
            return 'no engine answers'
        except oslo_messaging.MessageDeliveryFailure:
            return 'the broker cannot be reached'
        except (oslo_messaging.UnsupportedVersion,
                oslo_messaging.RemoteError):
            # An engine that does not know the question is there at least.
            return None
