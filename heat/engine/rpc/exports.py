"""RPC calls about the values that stacks export to one another."""
from heat.common import context as heat_context
from heat.common import exception
from heat.common import identifier
from heat.common.i18n import _
from heat.objects import export as export_objects
from heat.rpc import api as rpc_api


class ExportQueries:
    """List the exports of a project, and the stacks that import one."""

    @heat_context.request_context
    def list_exports(self, cnxt, marker=None):
        """Return the exports of the project, EXPORTS_PAGE of them at most.

        :param marker: the name of the last export of the page before
        """
        _require_text(marker)
        return [_formatted(export) for export in
                export_objects.Export.get_all(
                    cnxt, cnxt.project_id, rpc_api.EXPORTS_PAGE, marker)]

    @heat_context.request_context
    def list_imports(self, cnxt, export_name):
        """Return the names of the stacks that import an export.

        :raises Invalid: none does.
        """
        _require_text(export_name)
        stacks = export_objects.Import.stacks_of(cnxt, cnxt.project_id,
                                                 export_name)
        if not stacks:
            raise exception.Invalid(reason=_(
                "Export '%s' is not imported by any stack.") % export_name)
        return stacks


def _require_text(name):
    if name is not None and not isinstance(name, str):
        raise exception.Invalid(
            reason=_('The name of an export must be a text'))


def _formatted(export):
    return {
        rpc_api.EXPORT_NAME: export.name,
        rpc_api.EXPORT_VALUE: export.value,
        rpc_api.EXPORT_STACK_ID: dict(identifier.HeatIdentifier(
            export.tenant, export.stack_name, export.stack_id)),
    }
