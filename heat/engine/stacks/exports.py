"""What stacks of a project export to one another.

An import is stored when an operation of the importing stack begins, an
export when one of the exporting stack is complete. What a stack exports
goes when its deletion begins, what it imports when it is gone.
"""
from collections.abc import Iterable, Sequence
import dataclasses
from typing import Any

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import status
from heat.engine.language import diagnostics
from heat.engine.stacks import interface
from heat.engine.tasks import group_commit
from heat.objects import export as export_objects

_S = status.StackStatus

#: What keeps a stack from completing: an export of another stack, or a
#: value that it cannot export.
OBSTACLES = (exception.ExportConflict, exception.Invalid,
             exception.StackValidationFailed)
#: Actions after which a stack may have got other outputs.
_UPDATES = frozenset([_S.UPDATE, _S.RESTORE, _S.ROLLBACK])
_ACTIONS = _UPDATES | {_S.CREATE, _S.ADOPT}


@dataclasses.dataclass(frozen=True, slots=True)
class Shared:
    """What a stack exports and imports.

    :ivar exports: (output name, value) by the name of the export
    :ivar imports: the names of the exports of others that it needs
    """

    tenant: str | None
    stack_id: str
    exports: dict[str, tuple[str, Any]]
    imports: frozenset[str]

    def store(self, context: heat_context.RequestContext) -> None:
        """Write it, in a transaction; raise ExportConflict."""
        export_objects.Export.replace(context, self.tenant, self.stack_id,
                                      self.exports, self.imports)


def check(stack: interface.Stack, found: diagnostics.Problems) -> None:
    """Note what keeps a stack from exporting what its template says.

    A nested stack whose template exports nothing is not asked whether it did
    before: thousands may be updated at once, and the end of its update finds
    that out as well.
    """
    if not stack.t.shares_values() and (
            stack.id is None or stack.owner_id is not None):
        return
    with found.noting():
        try:
            names = stack.t.exported_names(stack.defn)
        except exception.UserParameterMissing:
            # That is told of the parameter.
            return
        section = stack.t.get_section_name('outputs')
        try:
            if names and stack.strict_validate:
                # A template that is validated alone may belong to the stack
                # that exports these names already.
                export_objects.Export.require_free(
                    stack.context, stack.tenant_id, stack.id, list(names))
            if stack.id is not None:
                export_objects.Export.require_kept(
                    stack.context, stack.tenant_id, stack.id, list(names))
        except exception.ExportConflict as error:
            raise exception.StackValidationFailed(
                path=[section], message=str(error)) from error


def claim(stack: interface.Stack, stack_id: str | None = None) -> None:
    """Store what a stack is about to import; in a transaction.

    :param stack_id: the id of a stack that does not know it yet
    :raises ExportConflict: an export has gone since the validation
    """
    if stack.t.shares_values():
        names = stack.t.imported_names(stack.defn)
        if names:
            export_objects.Import.add(stack.context, stack.tenant_id,
                                      stack_id or stack.id, names)


def release(context: heat_context.RequestContext, stack_id: str) -> None:
    """Delete what a stack exports, for it is to go; in a transaction.

    Shares its statements with others of the same batch.

    :raises ExportConflict: another stack imports it
    """
    if not group_commit.defer(export_objects.Export.delete_all, stack_id):
        export_objects.Export.delete_all(context, [stack_id])


def of(stack: interface.Stack) -> Shared | None:
    """Return what a stack exports and imports now; None for nothing.

    The values are those of the outputs, read from the database.

    :raises Invalid: an output that is exported has no value
    """
    if not stack.t.shares_values():
        return None
    names = stack.t.exported_names(stack.defn)
    exports = {}
    if names:
        whole = stack.load(stack.context, stack.id, template=stack.t)
        exports = {name: (output, _value_of(whole, name, output))
                   for name, output in names.items()}
    return Shared(stack.tenant_id, stack.id, exports,
                  stack.t.imported_names(stack.defn))


def _value_of(stack: interface.Stack, name: str, output: str) -> Any:
    try:
        value = stack.output(output).get_value()
    except Exception as error:
        raise exception.Invalid(reason=_(
            'The output "%(output)s" has no value to export as %(name)s '
            '(%(error)s)') % {'output': output, 'name': name,
                              'error': type(error).__name__}) from error
    if value is None:
        raise exception.Invalid(reason=_(
            'The output "%(output)s" has no value to export as %(name)s') % {
                'output': output, 'name': name})
    return value


def completed(stack: interface.Stack, action: str) -> Shared | None:
    """Return what a completed operation has a stack share; None if nothing.

    :raises Invalid: an output that is exported has no value
    """
    return of(stack) if action in _ACTIONS else None


def store_all(context: heat_context.RequestContext,
              ends: Sequence[tuple[Any, str, Shared | None]]) -> None:
    """Store what completed stacks share, in a transaction.

    :param ends: (stack, action, what it shares) of each
    :raises ExportConflict: another stack was faster with an export, or
        imports what changes
    """
    for _stack, _action, shared in ends:
        if shared is not None:
            shared.store(context)
    # Earlier templates may have exported something.
    others = {stack.id: stack for stack, action, shared in ends
              if shared is None and action in _UPDATES}
    if others:
        for stack_id in sorted(export_objects.Export.stacks_with_any(
                context, others)):
            Shared(others[stack_id].tenant_id, stack_id, {},
                   frozenset()).store(context)


def is_concerned(stacks: Iterable[Any]) -> bool:
    """Return whether one of some stacks exports or imports values."""
    return any(stack.t.shares_values() for stack in stacks)
