"""Exports of stacks as stored, and the imports of them."""
from collections.abc import Collection, Mapping, Sequence
import dataclasses
from typing import Any

from heat.db import api as db_api
from heat.objects import base


@dataclasses.dataclass(slots=True)
class Export:
    """A value that a stack exports, and the stack it is of."""

    name: str
    stack_id: str
    stack_name: str
    output_name: str
    tenant: str | None = None
    value: Any = None

    @classmethod
    def get_by_name(cls, context: Any, tenant: str | None, name: str
                    ) -> 'Export':
        """Return an export of a project; ExportConflict without one."""
        return base.record(cls, db_api.export_get(context, tenant, name))

    @classmethod
    def get_all(cls, context: Any, tenant: str | None, limit: int,
                marker: str | None = None) -> list['Export']:
        """Return exports of a project by name, those after the marker."""
        return [base.record(cls, row) for row in db_api.export_get_all(
            context, tenant, limit, marker)]

    @staticmethod
    def replace(context: Any, tenant: str | None, stack_id: str,
                exports: Mapping[str, tuple[str, Any]],
                imports: Collection[str]) -> None:
        """Store what a stack exports and imports, as its template says.

        :param exports: (output name, value) by the name of the export
        :raises ExportConflict: an export that changes or goes is imported,
            or another stack has an export of the name
        """
        db_api.export_replace(context, tenant, stack_id, exports, imports)

    @staticmethod
    def delete_all(context: Any, stack_ids: Collection[str]) -> None:
        """Delete the exports of stacks; ExportConflict if one is in use."""
        db_api.export_delete_all(context, stack_ids)

    @staticmethod
    def require_free(context: Any, tenant: str | None, stack_id: str | None,
                     names: Sequence[str]) -> None:
        """Raise ExportConflict if another stack has an export of a name."""
        db_api.export_require_free(context, tenant, stack_id, names)

    @staticmethod
    def require_kept(context: Any, tenant: str | None, stack_id: str,
                     names: Collection[str]) -> None:
        """Raise ExportConflict if an export is imported that is not named."""
        db_api.export_require_kept(context, tenant, stack_id, names)

    @staticmethod
    def stacks_with_any(context: Any, stack_ids: Collection[str]
                        ) -> set[str]:
        """Return which of some stacks have exports or imports."""
        return db_api.export_get_stacks_with_any(context, stack_ids)


class Import:
    """The use of an export by a stack."""

    @staticmethod
    def add(context: Any, tenant: str | None, stack_id: str,
            names: Collection[str]) -> None:
        """Note that a stack imports exports; ExportConflict without one."""
        db_api.import_add(context, tenant, stack_id, names)

    @staticmethod
    def stacks_of(context: Any, tenant: str | None, name: str) -> list[str]:
        """Return the names of the stacks that import an export."""
        return [row.stack_name for row in db_api.export_get_importers(
            context, tenant, [name])]
