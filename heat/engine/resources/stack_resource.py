"""Base class of resources that have a stack inside."""
from typing import Any
import uuid
import weakref

from oslo_log import log as logging

from heat.common import exception
from heat.common import identifier
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import environment
from heat.engine import nested_stack
from heat.engine import resource
from heat.engine import template
from heat.engine.language import diagnostics

LOG = logging.getLogger(__name__)


#: Seconds between two looks at a nested stack whose end is announced.
_SLOW_LOOK = 8


class StackResource(resource.Resource):
    """A resource that is made of resources.

    A plugin gives child_template() and child_params(), and calls
    create_with_template(), update_with_template() and delete_nested().
    """

    requires_deferred_auth = True
    #: Whether create, update and delete do nothing but begin an operation
    #: of the stack inside: both beginnings are recorded together then.
    handlers_only_begin = False
    #: Whether the stack is one of its own, only made for us.
    child_is_independent = False
    #: How many resources the nested stack is to have, as far as validated.
    validated_size = 0

    resource_info: Any = None
    _nested = _outputs = None
    _planned_id = None
    # What an operation of the nested stack that we began needs.
    _wanted_template = _wanted_timeout = None
    _child_is_busy = False
    _beginning = _begun = _heard = None

    def __init__(self, name, json_snippet, stack):
        """Take the arguments by the names that plugins know."""
        super().__init__(name, json_snippet, stack)

    # -- what a plugin gives ------------------------------------------------

    def child_template(self):
        """Return the template of the nested stack, parsed or raw."""
        raise NotImplementedError()

    def child_params(self):
        """Return parameters of the nested stack, or an environment."""
        raise NotImplementedError()

    def child_template_files(self, child_env):
        """Return the files of the nested stack."""
        return self.stack.t.files

    @property
    def template_url(self):
        """Return where the template comes from, for error messages."""
        return None

    # -- the nested stack ---------------------------------------------------

    def nested(self):
        """Return the nested stack, or None when there is none."""
        if self._nested is None and self.resource_id is not None:
            self._nested = nested_stack.load(self.context, self.resource_id)
        return self._nested

    def use_nested(self, nested):
        """Take this object for the nested stack instead of loading it."""
        self._nested = nested

    def has_nested(self):
        """Return whether a nested stack was made."""
        return self.resource_id is not None

    def planned_id(self):
        """Return the id of the nested stack, also before it is made."""
        if self.resource_id is not None:
            return self.resource_id
        if self._planned_id is None:
            self._planned_id = str(uuid.uuid4())
        return self._planned_id

    def nested_identifier(self):
        """Return the identifier of the nested stack, or None."""
        if self.resource_id is None:
            return None
        return identifier.HeatIdentifier(
            self.stack.tenant_id, self.physical_resource_name(),
            self.resource_id)

    def wake_key(self):
        """Return the key under which the nested stack's end is told."""
        if self.resource_id is None:
            return None
        return nested_stack.wake_key(self.resource_id)

    def wake_within(self, _cookie):
        """Return in how many seconds to look, should nobody tell us.

        None when it is not the nested stack that we wait for.
        """
        return _SLOW_LOOK if self._child_is_busy else None

    def _forget_nested(self):
        self._nested = None
        self._outputs = None

    def _child_environment(self, child_params):
        return environment.get_child_environment(
            self.stack.env, child_params, item_to_remove=self.resource_info,
            child_resource_name=self.name)

    def _parsed_child_template(self, child_template, child_env):
        files = self.child_template_files(child_env)
        if isinstance(child_template, template.Template):
            parsed = child_template.copy(env=child_env)
            if not parsed.files:
                parsed.files = files
        else:
            parsed = template.make(child_template, files=files,
                                   env=child_env)
        child_env.inherited = nested_stack.inherited_from(
            self.stack, self.name, parsed)
        if not set(type(self).attributes_schema) - set(
                self.base_attributes_schema):
            self.attributes_schema = attributes.Attributes \
                .schema_from_outputs(parsed.outputs(None))
            self.attributes = attributes.Attributes(
                self.name, self.attributes_schema,
                self._make_resolver(weakref.ref(self)))
        return parsed

    def _parse_nested_stack(self, stack_name, child_template, child_params,
                            timeout_mins=None, adopt_data=None):
        """Return the nested stack that a template makes, not stored."""
        if not self.child_is_independent:
            nested_stack.check_depth(self.stack)
        tmpl = self._parsed_child_template(
            child_template, self._child_environment(child_params or {}))
        request_budget.define(_definitions(tmpl))
        options = {'timeout_mins': timeout_mins or self.stack.timeout_mins,
                   'adopt_stack_data': adopt_data}
        if self.child_is_independent:
            child = nested_stack.independent_stack(self.stack, stack_name,
                                                    tmpl, **options)
            child.allow_type = self.stack.allow_type
            return child
        child = nested_stack.child_stack(
            self.stack, stack_name, tmpl, resource_name=self.name, **options)
        child.allow_type = self.stack.allow_type
        return child

    def _check_size(self, tmpl, child=None):
        """Raise RequestLimitExceeded when the tree would be too large.

        To be called when it is about to be that: what is there is counted.

        :param tmpl: the template that the nested stack is to have.
        :param child: the nested stack, if there is one.
        """
        if not self.child_is_independent:
            nested_stack.check_size(
                self.stack, len(tmpl.section(tmpl.RESOURCES)) -
                (0 if child is None else len(child)))

    def _check_wanted(self, wanted):
        """Raise RequestLimitExceeded when so many are too many anyway.

        How many the whole tree has is known when that is validated.
        """
        if not self.child_is_independent:
            nested_stack.check_wanted(wanted)

    def get_nested_parameters_stack(self):
        """Return a nested stack to read its parameters from."""
        nested = self._parse_nested_stack(
            self._name_before_creation(), self._nested_for_parameters(),
            self.child_params())
        nested.strict_validate = self.stack.strict_validate
        return nested

    def _nested_for_parameters(self):
        """Return a template that has all the parameters to be described."""
        return self.child_template()

    def _name_before_creation(self):
        return '%s-%s' % (self.stack.name, self.name)

    # -- validation, preview ------------------------------------------------

    def validate(self):
        """Validate the resource and the stack inside."""
        super().validate()
        if getattr(self.stack, 'validates_nested', True):
            self.validate_nested_stack()

    def validate_nested_stack(self):
        """Raise StackValidationFailed when the nested stack is invalid."""
        self._validate_as_nested(self.child_template)

    def _validate_as_nested(self, make_template):
        """Validate what would be nested if a method returned its template.
        """
        try:
            nested = self._parse_nested_stack(
                self._name_before_creation(), make_template(),
                self.child_params())
            # Values may come from resources that do not exist yet.
            nested.strict_validate = False
            nested.validate()
            if not self.child_is_independent:
                self.validated_size = nested_stack.tree_size(nested)
        except (AssertionError, exception.Forbidden,
                exception.RequestLimitExceeded):
            raise
        except Exception as error:
            raise self._nested_invalid(error) from error

    def _nested_invalid(self, error):
        """Return the error of a nested stack, with the path to it."""
        where = self.name
        if self.template_url:
            where = '%s<%s>' % (self.name, self.template_url)
        path = [self.stack.t.get_section_name('resources'), where]
        if isinstance(error, exception.HeatException):
            return diagnostics.below(error, *path)
        return exception.StackValidationFailed(
            error=exception.type_name(error), path=path,
            message=exception.text_of(error))

    def preview_stack(self):
        """Return the nested stack that would be made, or None."""
        try:
            child_template = self.child_template()
            params = self.child_params()
        except NotImplementedError:
            return None
        try:
            return self._parse_nested_stack(self._name_before_creation(),
                                            child_template, params)
        except request_budget.Exceeded as error:
            raise self._nested_invalid(error) from error

    def preview(self):
        """Return what the nested stack would have."""
        previewed = self.preview_stack()
        if previewed is None:
            return super().preview()
        # The resources know their stack weakly.
        self._nested = previewed
        return previewed.preview_resources()

    # -- create, adopt ------------------------------------------------------

    def create_with_template(self, child_template, user_params=None,
                             timeout_mins=None, adopt_data=None):
        """Begin to create the nested stack.

        The id is recorded before the stack is: should the engine die in
        between, an id leads to nothing, but never a stack is lost.
        """
        if adopt_data is not None and self.find_created() is not None:
            # An engine that is gone has begun to adopt it.
            return
        child = self._parse_nested_stack(
            self.physical_resource_name(), child_template, user_params,
            timeout_mins, adopt_data)
        self._check_size(child.t)
        nested_stack.validate(child, self.stack)
        child_id, self._planned_id = (
            self._planned_id or str(uuid.uuid4()), None)
        self.resource_id_set(child_id)
        self._forget_nested()
        nested_stack.create(child, child_id, self._beginnings(),
                            creds_id=self.stack.user_creds_id)

    def _beginnings(self):
        """Return where to put what begins together with our own action.

        None when that has been recorded already.
        """
        pending = self.row_state.pending
        return None if pending is None else pending.beginnings

    def _begun_together(self):
        """Return the traversal that began together with our own action."""
        [beginning] = self._beginnings()
        return beginning.traversal_id

    def hear(self, traversal_id, state):
        """Be told how an operation of the nested stack has ended.

        That of another one than we began is no news, and none comes twice.
        """
        if self._begun is None:
            return
        if self._begun == traversal_id:
            self._begun, self._heard = None, state
        else:
            self._heard = self.action, self.IN_PROGRESS, '', None

    def handle_adopt(self, resource_data=None):
        """Begin to adopt what the nested stack of old had."""
        return self.create_with_template(
            self.child_template(), self.child_params(),
            adopt_data=resource_data)

    def find_created(self):
        """Return the id of the nested stack if it was stored."""
        if self.resource_id is None:
            return None
        row = nested_stack.row_of(self.context, self.resource_id)
        return None if row is None else self.resource_id

    def check_create_complete(self, cookie=None):
        """Look whether the nested stack is complete."""
        return self._check_status_complete(self.CREATE)

    def check_adopt_complete(self, cookie=None):
        """Look whether the nested stack has been adopted."""
        return self._check_status_complete(self.ADOPT)

    def nested_status(self):
        """Return (action, status, reason, when) of the nested stack."""
        if self.resource_id is None:
            return None
        if self._beginnings():
            self._begun = self._begun_together()
            self._child_is_busy = True
            return self.action, self.IN_PROGRESS, '', None
        if self._heard is not None:
            state, self._heard = self._heard, None
            self._child_is_busy = state[1] == self.IN_PROGRESS
            return state
        state = nested_stack.status_of(self.context, self.resource_id)
        self._child_is_busy = (state is not None and
                               state[1] == self.IN_PROGRESS)
        return state

    def _check_status_complete(self, expected_action):
        state = self.nested_status()
        if state is None:
            raise exception.EntityNotFound(entity='Stack',
                                           name=self.resource_id)
        return self._is_complete(state, expected_action)

    def _is_complete(self, state, expected_action):
        """Return whether a state is the end of an action."""
        action, status, reason, _updated = state
        if action != expected_action or status == self.IN_PROGRESS:
            return False
        self._forget_nested()
        self._begun = None
        if status == self.COMPLETE:
            return True
        if status == self.FAILED:
            raise exception.ResourceFailure(reason, self, action=action)
        raise exception.ResourceUnknownStatus(
            resource_status=status, status_reason=reason,
            result=_('Stack unknown status'))

    # -- update -------------------------------------------------------------

    def _needs_update(self, after, before, after_props, before_props,
                      prev_resource, check_init_complete=True):
        """Always update a nested stack: its resources decide."""
        if self.resource_id is None or (
                self.status == self.FAILED and self.needs_replace_failed()):
            raise resource.UpdateReplace(self.name)
        if self.needs_replace(after_props):
            raise resource.UpdateReplace(self.name)
        return True

    def needs_replace_failed(self):
        """Replace only what has no nested stack that could be updated."""
        if self.resource_id is None:
            return True
        row = nested_stack.row_of(self.context, self.resource_id)
        return row is None or row.action == self.DELETE

    def update_with_template(self, child_template, user_params=None,
                             timeout_mins=None):
        """Begin to update the nested stack."""
        child = nested_stack.load_with_others(self.stack, self.resource_id)
        if child is None:
            raise exception.EntityNotFound(entity='Stack',
                                           name=self.resource_id)
        self._nested = child
        tmpl = self._parsed_child_template(
            child_template, self._child_environment(user_params or {}))
        self._check_size(tmpl, child)
        self._wanted_template = tmpl
        self._wanted_timeout = timeout_mins or self.stack.timeout_mins
        self._begin_update(child)

    def _begin_update(self, child):
        """Begin the update, or leave it to a later look.

        What the nested stack was doing when its parent was cancelled may
        take a moment to stop.
        """
        self._forget_nested()
        beginnings = self._beginnings()
        try:
            nested_stack.update(child, self._wanted_template, self.stack,
                                 beginnings, timeout_mins=self._wanted_timeout)
        except exception.ActionInProgress:
            return
        if beginnings:
            self._beginning = beginnings[-1]
        else:
            self._wanted_template = self._begun = None

    def update_is_pending(self):
        """Return whether an update waits for what the nested stack does."""
        return self._wanted_template is not None

    def check_update_complete(self, cookie=None):
        """Look whether the nested stack has been updated."""
        if self._beginnings():
            self._begun = self._begun_together()
            self._child_is_busy = True
            return False
        if self._beginning is not None:
            # Something else may have been faster.
            if self._beginning.has_begun():
                self._wanted_template = None
            self._beginning = None
        if self._wanted_template is None:
            return self._check_status_complete(self.UPDATE)
        state = self.nested_status()
        if state is not None and state[1] != self.IN_PROGRESS:
            self._begin_update(self.nested())
        return False

    def handle_create_cancel(self, cookie):
        """Stop the creation of the nested stack."""
        self._cancel_nested()

    def handle_update_cancel(self, cookie):
        """Stop the update of the nested stack."""
        self._cancel_nested()

    def handle_preempt(self):
        """Stop what the nested stack does: an update waits for it."""
        self._cancel_nested()

    def _cancel_nested(self):
        if self.resource_id is not None:
            nested_stack.cancel(self.context, self.resource_id,
                                 with_rollback=False)

    # -- delete -------------------------------------------------------------

    def handle_delete(self):
        """Begin to delete the nested stack."""
        return self.delete_nested()

    def delete_nested(self):
        """Begin to delete the nested stack, if there is one."""
        if self.resource_id is None:
            return
        self._forget_nested()
        nested_stack.delete(self.stack, self.resource_id, self._beginnings())

    def check_delete_complete(self, cookie=None):
        """Look whether the nested stack is gone."""
        return self._is_nested_gone()

    def _is_nested_gone(self):
        if self.resource_id is None:
            return True
        state = self.nested_status()
        return state is None or self._is_complete(state, self.DELETE)

    def handle_abandon(self):
        """Begin to forget the nested stack; what it has made stays.

        Of other resources an abandoned stack asks nothing. A stack of its
        own is one that we have made.
        """
        if self.resource_id is not None and not self.child_is_independent:
            self._forget_nested()
            nested_stack.abandon(self.stack, self.resource_id)

    def check_abandon_complete(self, cookie=None):
        """Look whether the nested stack is forgotten."""
        return self.child_is_independent or self._is_nested_gone()

    # -- suspend, resume, check ---------------------------------------------

    def _begin(self, verb):
        if self.resource_id is None:
            raise exception.Error(_(
                'Cannot %(verb)s %(name)s: its stack was not created') % {
                    'verb': verb, 'name': self.name})
        nested_stack.begin(self.context, self.resource_id, verb)

    def handle_suspend(self):
        """Begin to suspend the nested stack."""
        self._begin('suspend')

    def check_suspend_complete(self, cookie=None):
        """Look whether the nested stack is suspended."""
        return self._check_status_complete(self.SUSPEND)

    def handle_resume(self):
        """Begin to resume the nested stack."""
        self._begin('resume')

    def check_resume_complete(self, cookie=None):
        """Look whether the nested stack is resumed."""
        return self._check_status_complete(self.RESUME)

    def handle_check(self):
        """Begin to check the nested stack."""
        self._begin('check')

    def check_check_complete(self, cookie=None):
        """Look whether the nested stack has been checked."""
        return self._check_status_complete(self.CHECK)

    def _snapshot_nested(self):
        """Begin to take a snapshot of the nested stack; return its id."""
        return nested_stack.snapshot(self.context, self.resource_id,
                                      self.physical_resource_name())

    def _nested_snapshot(self, snapshot_id):
        """Return the row of a snapshot of the nested stack, or None."""
        return nested_stack.snapshot_row(self.context, snapshot_id)

    def _delete_nested_snapshot(self, snapshot_id):
        """Begin to delete a snapshot of the nested stack."""
        nested_stack.delete_snapshot(self.context, self.resource_id,
                                      snapshot_id)

    def prepare_abandon(self):
        """Return a description from which the resource can be adopted."""
        data = super().prepare_abandon()
        child = self.nested()
        if child is not None:
            data.update(child.prepare_abandon())
        return data

    # -- values -------------------------------------------------------------

    def get_output(self, op):
        """Return the value of an output of the nested stack.

        :raises NotFound: there is no such output.
        :raises TemplateOutputError: its value cannot be resolved.
        """
        child = self.nested()
        if child is None:
            return None
        if self._outputs is None:
            self._outputs = child.outputs
        if op not in self._outputs:
            raise exception.NotFound(
                _('Specified output key %s not found.') % op)
        try:
            return self._outputs[op].get_value()
        except exception.TemplateOutputError:
            raise
        except Exception as error:
            raise exception.TemplateOutputError(
                resource=self.name, attribute=op,
                message=exception.text_of(error)) from error

    def _resolve_attribute(self, name):
        return self.get_output(name)


def _definitions(tmpl):
    """Return how much a template defines, as [request_budget] counts it."""
    parameters, resources, outputs = (
        len(tmpl.section(name) or ()) for name in (
            tmpl.PARAMETERS, tmpl.RESOURCES, tmpl.OUTPUTS))
    # To check a resource takes several times as long as the others.
    return 1 + parameters + 3 * resources + outputs
