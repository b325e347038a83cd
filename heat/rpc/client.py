"""Calling the engine.

Each method names the version of the protocol that it needs at least; an
argument that an older engine does not know is never sent to it unnoticed.
"""
from collections.abc import Iterator
import contextlib
from typing import Any

from oslo_config import cfg
import oslo_messaging

from heat.common import context
from heat.common import exception
from heat.common import messaging
from heat.common import timeutils
from heat.rpc import api as rpc_api
from heat.rpc import client_base
from heat.rpc import client_change_sets
from heat.rpc import client_drift
from heat.rpc import client_history
from heat.rpc import client_protection
from heat.rpc import client_software
from heat.rpc import client_watches
from heat.rpc import local_reads
from heat.rpc import turns

#: Seconds in which an engine takes a question up, or there is none.
REACH_WITHIN = 8

#: How the names of methods begin that only read.
_READS = ('authenticated_to_backend', 'count_', 'describe_', 'export_',
          'find_', 'generate_', 'get_', 'identify_', 'list_', 'metadata_',
          'resource_schema', 'show_', 'stack_timeline')

#: All clients of a process share its turns.
_turns = turns.Turns()


class EngineClient(client_software.SoftwareCalls,
                   client_change_sets.ChangeSetCalls,
                   client_drift.DriftCalls,
                   client_protection.ProtectionCalls,
                   client_watches.WatchCalls,
                   client_history.HistoryCalls):
    """The engine as the APIs and plugins see it."""

    BASE_RPC_API_VERSION = '1.0'

    def __init__(self, is_for_users: bool = False) -> None:
        """Make a client.

        :param is_for_users: whether users wait for the answers. They are
            told soon that no engine, or no database, is there.
        """
        self._is_for_users = is_for_users
        self._client = messaging.get_rpc_client(
            topic=rpc_api.ENGINE_TOPIC, version=self.BASE_RPC_API_VERSION,
            is_for_users=is_for_users)

    @staticmethod
    def make_msg(method: str, **kwargs: Any) -> client_base.Message:
        """Return what call() and cast() take for a method."""
        return method, kwargs

    def _prepared(self, version: str | None, timeout: float | None = None
                  ) -> Any:
        options: dict[str, Any] = {}
        if version is not None:
            options['version'] = version
        if timeout is not None:
            options['timeout'] = timeout
        return self._client.prepare(**options) if options else self._client

    def call(self, ctxt: context.RequestContext, msg: client_base.Message,
             version: str | None = None, timeout: float | None = None) -> Any:
        """Call the engine and return its answer."""
        method, kwargs = msg
        client = self._prepared(version, timeout)
        if not self._is_for_users:
            return client.call(ctxt, method, **kwargs)
        is_answered, answer = local_reads.READS.answer(ctxt, method, kwargs)
        if is_answered:
            return answer
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

    def cast(self, ctxt: context.RequestContext, msg: client_base.Message,
             version: str | None = None) -> Any:
        """Tell the engine, without waiting for an answer."""
        method, kwargs = msg
        return self._prepared(version).cast(ctxt, method, **kwargs)

    @staticmethod
    def local_error_name(error: Exception) -> str:
        """Return the class name of an error as the engine raised it."""
        return exception.type_name(error)

    def ignore_error_named(self, error: Exception, name: str) -> None:
        """Raise the error again unless it is of the class named so."""
        if self.local_error_name(error) != name:
            raise error

    @contextlib.contextmanager
    def ignore_error_by_name(self, name: str) -> Iterator[None]:
        """Ignore an error of the class named so in a with block."""
        try:
            yield
        except Exception as error:
            if self.local_error_name(error) != name:
                raise

    # -- stacks ---------------------------------------------------------------

    def identify_stack(self, ctxt: context.RequestContext, stack_name: str
                       ) -> client_base.Identity:
        """Return the identity of the stack with a name, or an id."""
        return self.call(ctxt, self.make_msg('identify_stack',
                                             stack_name=stack_name))

    def list_stacks(self, ctxt: context.RequestContext,
                    limit: int | None = None, marker: str | None = None,
                    sort_keys: list[str] | None = None,
                    sort_dir: str | None = None,
                    filters: dict[str, Any] | None = None,
                    show_deleted: bool = False, show_nested: bool = False,
                    show_hidden: bool = False, tags: str | None = None,
                    tags_any: str | None = None, not_tags: str | None = None,
                    not_tags_any: str | None = None) -> list[dict[str, Any]]:
        """Return the attributes of the stacks of the project."""
        return self.call(ctxt, self.make_msg(
            'list_stacks', limit=limit, marker=marker, sort_keys=sort_keys,
            sort_dir=sort_dir, filters=filters, show_deleted=show_deleted,
            show_nested=show_nested, show_hidden=show_hidden, tags=tags,
            tags_any=tags_any, not_tags=not_tags,
            not_tags_any=not_tags_any), version='1.33')

    def count_stacks(self, ctxt: context.RequestContext,
                     filters: dict[str, Any] | None = None,
                     show_deleted: bool = False, show_nested: bool = False,
                     show_hidden: bool = False, tags: str | None = None,
                     tags_any: str | None = None, not_tags: str | None = None,
                     not_tags_any: str | None = None) -> int:
        """Return how many stacks list_stacks() would give."""
        return self.call(ctxt, self.make_msg(
            'count_stacks', filters=filters, show_deleted=show_deleted,
            show_nested=show_nested, show_hidden=show_hidden, tags=tags,
            tags_any=tags_any, not_tags=not_tags,
            not_tags_any=not_tags_any), version='1.33')

    def show_stack(self, ctxt: context.RequestContext,
                   stack_identity: client_base.Identity | None,
                   resolve_outputs: bool = True) -> list[dict[str, Any]]:
        """Return the attributes of one stack, or of all, in a list."""
        return self.call(ctxt, self.make_msg(
            'show_stack', stack_identity=stack_identity,
            resolve_outputs=resolve_outputs), version='1.20')

    def preview_stack(self, ctxt: context.RequestContext, stack_name: str,
                      template: dict[str, Any], params: dict[str, Any],
                      files: dict[str, str], args: dict[str, Any],
                      environment_files: list[str] | None = None,
                      files_container: str | None = None) -> dict[str, Any]:
        """Return what a stack would be like, without creating it."""
        return self.call(ctxt, self.make_msg(
            'preview_stack', stack_name=stack_name, template=template,
            params=params, files=files, args=args,
            environment_files=environment_files,
            files_container=files_container), version='1.36')

    def create_stack(self, ctxt: context.RequestContext, stack_name: str,
                     template: dict[str, Any] | None, params: dict[str, Any],
                     files: dict[str, str], args: dict[str, Any],
                     environment_files: list[str] | None = None,
                     files_container: str | None = None
                     ) -> client_base.Identity:
        """Begin to create a stack and return its identity.

        :param params: the environment.
        :param args: options of the stack, by the PARAM_KEYS of the API.
        """
        return self._create_stack(ctxt, stack_name, template, params, files,
                                  args, environment_files=environment_files,
                                  files_container=files_container)

    def _create_stack(self, ctxt: context.RequestContext, stack_name: str,
                      template: dict[str, Any] | None, params: dict[str, Any],
                      files: dict[str, str], args: dict[str, Any],
                      environment_files: list[str] | None = None,
                      files_container: str | None = None,
                      owner_id: str | None = None, nested_depth: int = 0,
                      user_creds_id: int | None = None,
                      stack_user_project_id: str | None = None,
                      parent_resource_name: str | None = None,
                      template_id: int | None = None) -> client_base.Identity:
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

    def update_stack(self, ctxt: context.RequestContext,
                     stack_identity: client_base.Identity,
                     template: dict[str, Any] | None, params: dict[str, Any],
                     files: dict[str, str], args: dict[str, Any],
                     environment_files: list[str] | None = None,
                     files_container: str | None = None
                     ) -> client_base.Identity:
        """Begin to update a stack and return its identity."""
        return self._update_stack(ctxt, stack_identity, template, params,
                                  files, args,
                                  environment_files=environment_files,
                                  files_container=files_container)

    def _update_stack(self, ctxt: context.RequestContext,
                      stack_identity: client_base.Identity,
                      template: dict[str, Any] | None, params: dict[str, Any],
                      files: dict[str, str], args: dict[str, Any],
                      environment_files: list[str] | None = None,
                      files_container: str | None = None,
                      template_id: int | None = None) -> client_base.Identity:
        """Begin to update a stack, maybe to a template that is stored."""
        return self.call(ctxt, self.make_msg(
            'update_stack', stack_identity=stack_identity,
            template=template, params=params, files=files, args=args,
            environment_files=environment_files,
            files_container=files_container, template_id=template_id),
            version='1.36')

    def preview_update_stack(self, ctxt: context.RequestContext,
                             stack_identity: client_base.Identity,
                             template: dict[str, Any] | None,
                             params: dict[str, Any], files: dict[str, str],
                             args: dict[str, Any],
                             environment_files: list[str] | None = None,
                             files_container: str | None = None
                             ) -> dict[str, Any]:
        """Return what an update would change, without doing it."""
        return self.call(ctxt, self.make_msg(
            'preview_update_stack', stack_identity=stack_identity,
            template=template, params=params, files=files, args=args,
            environment_files=environment_files,
            files_container=files_container), version='1.36')

    def validate_template(self, ctxt: context.RequestContext,
                          template: dict[str, Any],
                          params: dict[str, Any] | None = None,
                          files: dict[str, str] | None = None,
                          environment_files: list[str] | None = None,
                          files_container: str | None = None,
                          show_nested: bool = False,
                          ignorable_errors: list[int] | None = None
                          ) -> dict[str, Any]:
        """Return the parameters of a template that is valid."""
        return self.call(ctxt, self.make_msg(
            'validate_template', template=template, params=params,
            files=files, environment_files=environment_files,
            files_container=files_container, show_nested=show_nested,
            ignorable_errors=ignorable_errors), version='1.36')

    def delete_stack(self, ctxt: context.RequestContext,
                     stack_identity: client_base.Identity, cast: bool = False
                     ) -> Any:
        """Begin to delete a stack; wait for its beginning unless cast."""
        send = self.cast if cast else self.call
        return send(ctxt, self.make_msg('delete_stack',
                                        stack_identity=stack_identity))

    def abandon_stack(self, ctxt: context.RequestContext,
                      stack_identity: client_base.Identity
                      ) -> dict[str, Any] | None:
        """Forget a stack, leave its resources, return what describes it."""
        return self.call(ctxt, self.make_msg('abandon_stack',
                                             stack_identity=stack_identity))

    def export_stack(self, ctxt: context.RequestContext,
                     stack_identity: client_base.Identity) -> dict[str, Any]:
        """Return what describes a stack with its resources."""
        return self.call(ctxt, self.make_msg(
            'export_stack', stack_identity=stack_identity), version='1.22')

    def list_exports(self, ctxt: context.RequestContext,
                     marker: str | None = None) -> list[dict[str, Any]]:
        """Return a page of the values that stacks export, by name."""
        return self.call(ctxt, self.make_msg('list_exports', marker=marker),
                         version='1.37')

    def list_imports(self, ctxt: context.RequestContext, export_name: str
                     ) -> list[str]:
        """Return the names of the stacks that import an export."""
        return self.call(ctxt, self.make_msg('list_imports',
                                             export_name=export_name),
                         version='1.37')

    def get_template(self, ctxt: context.RequestContext,
                     stack_identity: client_base.Identity
                     ) -> dict[str, Any] | None:
        """Return the template of a stack."""
        return self.call(ctxt, self.make_msg('get_template',
                                             stack_identity=stack_identity))

    def get_environment(self, ctxt: context.RequestContext,
                        stack_identity: client_base.Identity
                        ) -> dict[str, Any]:
        """Return the environment of a stack."""
        return self.call(ctxt, self.make_msg(
            'get_environment', stack_identity=stack_identity),
            version='1.28')

    def get_files(self, ctxt: context.RequestContext,
                  stack_identity: client_base.Identity
                  ) -> dict[str, Any] | None:
        """Return the files of a stack."""
        return self.call(ctxt, self.make_msg(
            'get_files', stack_identity=stack_identity), version='1.32')

    def list_outputs(self, ctxt: context.RequestContext,
                     stack_identity: client_base.Identity
                     ) -> list[dict[str, Any]]:
        """Return the names and descriptions of a stack's outputs."""
        return self.call(ctxt, self.make_msg(
            'list_outputs', stack_identity=stack_identity), version='1.19')

    def show_output(self, cntx: context.RequestContext,
                    stack_identity: client_base.Identity, output_key: str
                    ) -> dict[str, Any]:
        """Return one output of a stack with its value."""
        return self.call(cntx, self.make_msg(
            'show_output', stack_identity=stack_identity,
            output_key=output_key), version='1.19')

    def list_events(self, ctxt: context.RequestContext,
                    stack_identity: client_base.Identity | None,
                    filters: dict[str, Any] | None = None,
                    limit: int | None = None, marker: str | None = None,
                    sort_keys: list[str] | None = None,
                    sort_dir: str | None = None,
                    nested_depth: int | None = None) -> list[dict[str, Any]]:
        """Return the events of a stack, or of all stacks."""
        return self.call(ctxt, self.make_msg(
            'list_events', stack_identity=stack_identity, filters=filters,
            limit=limit, marker=marker, sort_keys=sort_keys,
            sort_dir=sort_dir, nested_depth=nested_depth), version='1.31')

    # -- actions --------------------------------------------------------------

    def stack_suspend(self, ctxt: context.RequestContext,
                      stack_identity: client_base.Identity) -> None:
        """Begin to suspend a stack."""
        return self.call(ctxt, self.make_msg('stack_suspend',
                                             stack_identity=stack_identity))

    def stack_resume(self, ctxt: context.RequestContext,
                     stack_identity: client_base.Identity) -> None:
        """Begin to resume a stack."""
        return self.call(ctxt, self.make_msg('stack_resume',
                                             stack_identity=stack_identity))

    def stack_check(self, ctxt: context.RequestContext,
                    stack_identity: client_base.Identity) -> None:
        """Begin to check a stack."""
        return self.call(ctxt, self.make_msg('stack_check',
                                             stack_identity=stack_identity))

    def stack_cancel_update(self, ctxt: context.RequestContext,
                            stack_identity: client_base.Identity,
                            cancel_with_rollback: bool = True) -> None:
        """Cancel what runs on a stack."""
        return self.call(ctxt, self.make_msg(
            'stack_cancel_update', stack_identity=stack_identity,
            cancel_with_rollback=cancel_with_rollback), version='1.14')

    def migrate_convergence_1(self, ctxt: context.RequestContext, stack_id: str
                              ) -> None:
        """Hand a stack of the legacy engine over to convergence."""
        return self.call(ctxt, self.make_msg(
            'migrate_convergence_1', stack_id=stack_id), version='1.34')

    def stack_snapshot(self, ctxt: context.RequestContext,
                       stack_identity: client_base.Identity, name: str | None
                       ) -> dict[str, Any]:
        """Begin to take a snapshot of a stack."""
        return self.call(ctxt, self.make_msg(
            'stack_snapshot', stack_identity=stack_identity, name=name))

    def show_snapshot(self, ctxt: context.RequestContext,
                      stack_identity: client_base.Identity, snapshot_id: str
                      ) -> dict[str, Any]:
        """Return one snapshot."""
        return self.call(ctxt, self.make_msg(
            'show_snapshot', stack_identity=stack_identity,
            snapshot_id=snapshot_id))

    def delete_snapshot(self, ctxt: context.RequestContext,
                        stack_identity: client_base.Identity, snapshot_id: str
                        ) -> None:
        """Begin to delete a snapshot."""
        return self.call(ctxt, self.make_msg(
            'delete_snapshot', stack_identity=stack_identity,
            snapshot_id=snapshot_id))

    def stack_list_snapshots(self, ctxt: context.RequestContext,
                             stack_identity: client_base.Identity
                             ) -> list[dict[str, Any]]:
        """Return the snapshots of a stack."""
        return self.call(ctxt, self.make_msg('stack_list_snapshots',
                                             stack_identity=stack_identity))

    def stack_restore(self, ctxt: context.RequestContext,
                      stack_identity: client_base.Identity, snapshot_id: str
                      ) -> client_base.Identity:
        """Begin to restore a stack from a snapshot."""
        return self.call(ctxt, self.make_msg(
            'stack_restore', stack_identity=stack_identity,
            snapshot_id=snapshot_id))

    # -- resources ------------------------------------------------------------

    def describe_stack_resource(self, ctxt: context.RequestContext,
                                stack_identity: client_base.Identity,
                                resource_name: str, with_attr: Any = False
                                ) -> dict[str, Any]:
        """Return one resource.

        :param with_attr: names of attributes to add, or False.
        """
        return self.call(ctxt, self.make_msg(
            'describe_stack_resource', stack_identity=stack_identity,
            resource_name=resource_name, with_attr=with_attr),
            version='1.2')

    def find_physical_resource(self, ctxt: context.RequestContext,
                               physical_resource_id: str
                               ) -> client_base.Identity:
        """Return the identity of the resource with a physical id."""
        return self.call(ctxt, self.make_msg(
            'find_physical_resource',
            physical_resource_id=physical_resource_id))

    def describe_stack_resources(self, ctxt: context.RequestContext,
                                 stack_identity: client_base.Identity,
                                 resource_name: str | None
                                 ) -> list[dict[str, Any]]:
        """Return the resources of a stack, or the one of a name."""
        return self.call(ctxt, self.make_msg(
            'describe_stack_resources', stack_identity=stack_identity,
            resource_name=resource_name))

    def list_stack_resources(self, ctxt: context.RequestContext,
                             stack_identity: client_base.Identity,
                             nested_depth: int = 0, with_detail: bool = False,
                             filters: dict[str, Any] | None = None
                             ) -> list[dict[str, Any]]:
        """Return the resources of a stack and of those nested in it."""
        return self.call(ctxt, self.make_msg(
            'list_stack_resources', stack_identity=stack_identity,
            nested_depth=nested_depth, with_detail=with_detail,
            filters=filters), version='1.25')

    def resource_signal(self, ctxt: context.RequestContext,
                        stack_identity: client_base.Identity,
                        resource_name: str, details: Any,
                        sync_call: bool = False) -> Any:
        """Send a signal to a resource."""
        return self.call(ctxt, self.make_msg(
            'resource_signal', stack_identity=stack_identity,
            resource_name=resource_name, details=details,
            sync_call=sync_call), version='1.3')

    def resource_mark_unhealthy(self, ctxt: context.RequestContext,
                                stack_identity: client_base.Identity,
                                resource_name: str, mark_unhealthy: bool,
                                resource_status_reason: str | None = None
                                ) -> None:
        """Say that a resource is unhealthy, or healthy again."""
        return self.call(ctxt, self.make_msg(
            'resource_mark_unhealthy', stack_identity=stack_identity,
            resource_name=resource_name, mark_unhealthy=mark_unhealthy,
            resource_status_reason=resource_status_reason), version='1.26')

    # -- types, functions, the service ----------------------------------------

    def list_resource_types(self, ctxt: context.RequestContext,
                            support_status: str | None = None,
                            type_name: str | None = None,
                            heat_version: str | None = None,
                            with_description: bool = False) -> Any:
        """Return the names of the resource types."""
        return self.call(ctxt, self.make_msg(
            'list_resource_types', support_status=support_status,
            type_name=type_name, heat_version=heat_version,
            with_description=with_description), version='1.30')

    def resource_schema(self, ctxt: context.RequestContext, type_name: str,
                        with_description: bool = False) -> dict[str, Any]:
        """Return the schema of a resource type."""
        return self.call(ctxt, self.make_msg(
            'resource_schema', type_name=type_name,
            with_description=with_description), version='1.30')

    def generate_template(self, ctxt: context.RequestContext, type_name: str,
                          template_type: str = 'cfn') -> dict[str, Any]:
        """Return a template that uses a resource type."""
        return self.call(ctxt, self.make_msg(
            'generate_template', type_name=type_name,
            template_type=template_type), version='1.9')

    def list_template_versions(self, ctxt: context.RequestContext
                               ) -> list[dict[str, Any]]:
        """Return the versions that templates may state."""
        return self.call(ctxt, self.make_msg('list_template_versions'),
                         version='1.11')

    def list_template_functions(self, ctxt: context.RequestContext,
                                template_version: str,
                                with_condition: bool = False
                                ) -> list[dict[str, Any]]:
        """Return the functions of a template version."""
        return self.call(ctxt, self.make_msg(
            'list_template_functions', template_version=template_version,
            with_condition=with_condition), version='1.35')

    def list_services(self, ctxt: context.RequestContext,
                      with_load: bool = False) -> list[dict[str, Any]]:
        """Return the engines.

        :param with_load: include the load and metrics of each engine
        """
        if with_load:
            return self.call(ctxt, self.make_msg(
                'list_services', with_load=True), version='1.44')
        return self.call(ctxt, self.make_msg('list_services'),
                         version='1.4')

    def get_revision(self, ctxt: context.RequestContext) -> str:
        """Return the revision of the engine's code."""
        return self.call(ctxt, self.make_msg('get_revision'))

    def authenticated_to_backend(self, ctxt: context.RequestContext) -> bool:
        """Return whether the context is good for the cloud."""
        return self.call(ctxt, self.make_msg('authenticated_to_backend'))


class HealthClient:
    """Asks whichever engine is the next to serve whether it can work.

    An answer has come over the broker, from an engine, which has asked its
    database: all that an API needs.
    """

    def __init__(self) -> None:
        self._client = messaging.get_rpc_client(
            topic=rpc_api.ENGINE_TOPIC,
            namespace=rpc_api.HEALTH_NAMESPACE,
            version=rpc_api.HEALTH_VERSION)

    def trouble(self) -> str | None:
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
