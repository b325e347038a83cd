"""Turn what a request carries into a stack that could be stored.

A request has a template, files, and an environment in up to two forms
(`environment_files` with `files`, or one merged by the client).
"""
import dataclasses
from typing import Any, cast

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common import policy
from heat.common.i18n import _
from heat.engine import environment
from heat.engine import stack as stack_module
from heat.engine import template as templatem
from heat.engine import template_files
from heat.engine.language import environment_merge
from heat.engine.plans import requested as plan_requested
from heat.engine.rpc import formats
from heat.engine.rpc import guards
from heat.engine.stacks import fields as stack_fields
from heat.engine.stacks import redaction
from heat.engine.stacks import resource_quota
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import validation as stack_validation
from heat.objects import transaction
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class Definition:
    """The part of a request that says what a stack is made of."""

    template: dict | None
    params: dict
    files: dict
    environment_files: list | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Nesting:
    """The values that the parent of a nested stack passes to it."""

    owner_id: str | None = None
    nested_depth: int = 0
    user_creds_id: int | None = None
    stack_user_project_id: str | None = None
    parent_resource_name: str | None = None


def of_request(context, template, params, files, environment_files=None,
               files_container=None):
    """Return a Definition with absent parts made empty.

    What is in the container of the object store is taken as files, unless
    the request has a file of that name itself.

    :raises NotSupported: there is no object store here.
    """
    files = files or {}
    if files_container:
        plugin = context.clients.client_plugin('swift')
        if plugin is None or not plugin.does_endpoint_exist(
                plugin.OBJECT_STORE, 'swift'):
            raise exception.NotSupported(feature=_(
                'Reading template files from a container in a cloud '
                'without an object store'))
        files = {**plugin.get_files_from_container(files_container,
                                                   list(files)), **files}
    return Definition(template, params or {}, files, environment_files)


def environment_of(definition):
    """Return the environment a request asks for.

    If names or strategies in its files are wrong, the error is its fault,
    which validation tells with all else that is wrong.
    """
    schemata = None
    if definition.environment_files and definition.template is not None:
        # Which strategy merges a parameter depends on its type.
        try:
            schemata = templatem.make(
                definition.template, files=definition.files
            ).all_param_schemata(definition.files)
        except exception.InvalidSchemaError as error:
            # Validation tells it, with all else that is wrong.
            LOG.debug('Merged without types: %s', error)
    fault = None
    try:
        merged = environment_merge.merge_environments(
            definition.environment_files, definition.files,
            definition.params, schemata)
    except exception.StackValidationFailed as error:
        if error.partial is None:
            raise
        # The merged environment, but for what is wrong.
        merged, fault = cast(dict[str, Any], error.partial), error
    env = environment.Environment(merged)
    env.require_event_sinks()
    plan_requested.moves_of(env.moves, lasting=True)
    env.fault = fault
    return env


def template_of(definition):
    """Return the template of a request together with its environment."""
    if definition.template is None:
        raise exception.StackValidationFailed(
            message=_('The request has no template.'))
    return templatem.make(definition.template, files=definition.files,
                          env=environment_of(definition))


def new_stack(context, stack_name, definition, args, nesting=None,
              template=None, *, may_import=False):
    """Return a validated stack that is not stored yet.

    :param may_import: whether its environment may name what it takes over
    :raises ImportNotPossible: it does, and may not.
    """
    nesting = nesting or Nesting()
    kwargs = formats.extract_args(args)
    adopt_data = kwargs.get(rpc_api.PARAM_ADOPT_STACK_DATA)
    if adopt_data:
        definition = _adopted_definition(definition, adopt_data)
        kwargs[rpc_api.PARAM_ADOPT_STACK_DATA] = (
            redaction.without_masked_data(adopt_data))
    if nesting.owner_id is None:
        stack_validation.check_name(stack_name)
    tmpl = template or template_of(definition)
    if nesting.owner_id is None:
        if not may_import:
            _require_no_imports(tmpl.env)
        transaction.read(context, lambda: _require_room(context, stack_name))
    stack = stack_module.Stack(
        context, stack_name, tmpl,
        owner_id=nesting.owner_id,
        nested_depth=nesting.nested_depth,
        user_creds_id=nesting.user_creds_id,
        stack_user_project_id=nesting.stack_user_project_id,
        parent_resource=nesting.parent_resource_name,
        convergence=cfg.CONF.convergence_engine,
        **kwargs)
    guards.template_has_room(context, tmpl, stack.defn)
    stack.allow_type = policy.type_guard(context)
    stack.validate()
    if nesting.owner_id is None:
        resource_quota.check_tree(stack)
    return stack


def _require_room(context, stack_name):
    guards.name_is_free(context, stack_name)
    stack_store.check_stacks(context, 1)


def _require_no_imports(env):
    """Raise ImportNotPossible for imports where none are possible."""
    for each in plan_requested.imports_in(env.registry.as_dict()):
        raise each.refused(_(
            'a new stack can import resources only through a change set'))


def _adopted_definition(definition, adopt_data):
    """Return the definition that adopt data describes, unless one is given.

    :raises ValueError: the data has no template and the request neither.
    """
    template = definition.template or adopt_data.get('template')
    if not template:
        raise exception.StackValidationFailed(
            message=_('The adopt data has no template.'))
    params = definition.params
    if adopt_data.get('environment'):
        merged = dict(adopt_data['environment'])
        merged.update({key: value for key, value in params.items() if value})
        params = redaction.without_masks(merged, template)
    files = dict(adopt_data.get('files') or {})
    files.update(definition.files)
    return dataclasses.replace(definition, template=template, params=params,
                               files=files)


def updated_stack(context, current, definition, args, template=None):
    """Return the validated stack that an update has as its goal.

    With the `existing` argument (PATCH) the request is laid over what the
    stack has; without it (PUT) it replaces that.
    """
    kwargs = formats.extract_args(args)
    existing = bool(args.get(rpc_api.PARAM_EXISTING))
    if template is not None:
        tmpl = template
    elif existing:
        tmpl = _patched_template(current, definition, args)
    else:
        tmpl = template_of(definition)
    if tmpl.env.inherited is None:
        tmpl.env.inherited = current.env.inherited
    guards.template_has_room(context, tmpl, current.defn)
    options = _kept_options(current, kwargs, existing=existing)
    updated = stack_module.Stack(context, current.name, tmpl, **options)
    guards.immutable_parameters_kept(current, updated)
    updated.parameters.set_stack_id(current.identifier())
    updated.allow_type = policy.type_guard(context)
    updated.validate()
    if current.owner_id is None:
        resource_quota.check_tree(updated, current)
    return updated


def _patched_template(current, definition, args):
    """Return the stored template with what a PATCH request changes."""
    raw = definition.template
    if raw is None:
        raw = complete_template(current).source
    files = template_files.TemplateFiles(dict(current.t.files))
    files.update(definition.files)
    merged = dataclasses.replace(definition, files=dict(files))
    env = environment_of(merged)
    given = set(env.params)
    env.patch_previous_parameters(
        current.env, args.get(rpc_api.PARAM_CLEAR_PARAMETERS, []))
    tmpl = templatem.make(raw, files=files, env=env)
    # A stored parameter that the template has no more is dropped.
    # Whether their definitions are right is for validation to tell.
    defined = tmpl.t.get(tmpl.PARAMETERS)
    if not isinstance(defined, dict):
        defined = {}
    for name in [*env.params]:
        if name not in given and name not in defined:
            env.params.pop(name)
    return tmpl


def complete_template(current):
    """Return the template that a request without one is about.

    A legacy stack whose update failed has taken over part of the new
    template; the previous one is the last that it had as a whole.

    :raises NotSupported: it has no previous one.
    """
    if stack_store.is_convergent(current) or (
            current.status == current.COMPLETE):
        return current.t
    if current.prev_raw_template_id is None:
        raise exception.NotSupported(feature=_(
            'PATCH update to FAILED stack without convergence, unless the '
            'request has a template,'))
    return stack_store.parsed_template(current.context,
                                       current.prev_raw_template_id)


def _kept_options(current, kwargs, *, existing):
    """Return the options of an updated stack: what is given, or is kept."""
    options = dict(
        stack_fields.of_stack(current),
        tags=current.tags if existing else None, strict_validate=True)
    options.update({key: value for key, value in kwargs.items()
                    if key != rpc_api.PARAM_ADOPT_STACK_DATA})
    return options

