"""Stored templates with their environments and files."""
from collections.abc import Iterable, Mapping
import dataclasses
import datetime
from typing import Any, ClassVar

from oslo_config import cfg

from heat.db import api as db_api
from heat.objects import base
from heat.objects import transaction


def _stored_environment(environment: dict[str, Any] | None,
                        hidden_names: Iterable[str] | None
                        ) -> dict[str, Any] | None:
    if environment is None:
        return None
    if not cfg.CONF.encrypt_parameters_and_properties:
        return db_api.encrypted_environment(environment, ())
    if hidden_names is None:
        hidden_names = environment.get(db_api.ENCRYPTED_NAMES) or ()
    return db_api.encrypted_environment(environment, hidden_names,
                                        with_defaults=True)


@dataclasses.dataclass(slots=True)
class RawTemplate:
    """A template, its environment in the clear, and its files."""

    #: What plugins compare when they ask which fields there are.
    VERSION: ClassVar[str] = '1.1'

    id: int
    template: dict[str, Any] | None
    files: dict[str, str] | None = None
    files_id: int | None = None
    environment: dict[str, Any] | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @classmethod
    def from_row(cls, row: Any) -> 'RawTemplate':
        """Make a record of a row that was joined with the shared files."""
        environment = row.environment
        if environment:
            environment = db_api.decrypted_environment(environment)
        files = row.shared_files if row.files_id is not None else row.files
        return base.record(cls, row, environment=environment,
                           files=files or {})

    @classmethod
    def get_by_id(cls, context: Any, template_id: int
                  ) -> 'RawTemplate | None':
        """Return the template with its files, or None."""
        row = db_api.raw_template_get(context, template_id)
        return cls.from_row(row) if row is not None else None

    @classmethod
    def get_many(cls, context: Any, template_ids: Iterable[int],
                 known: Mapping[int, Any] | None = None
                 ) -> list['RawTemplate']:
        """Return those templates that exist; they share their files.

        :param known: files that need not be read, by their ids
        """
        rows = db_api.raw_template_get_many(context, list(template_ids))
        files = dict(known or {})
        unknown = {row.files_id for row in rows} - {None} - files.keys()
        if unknown:
            files.update(db_api.raw_template_files_get_many(context,
                                                            unknown))
        return [base.record(
            cls, row, environment=db_api.decrypted_environment(
                row.environment) if row.environment else row.environment,
            files=(row.files if row.files_id is None
                   else files.get(row.files_id)) or {}) for row in rows]

    @classmethod
    def get_definitions(cls, context: Any, template_ids: Iterable[int]
                        ) -> dict[int, tuple[Any, Any]]:
        """Return {id: (template, environment)} of the templates that exist.

        Hidden parameters in the environments stay encrypted.
        """
        return {row.id: (row.template, row.environment) for row in
                db_api.raw_template_get_many(context, list(template_ids))}

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any], *,
               hidden_names: Iterable[str] | None = None) -> 'RawTemplate':
        """Store a template.

        ``files`` are stored too, unless ``files_id`` names some that are.
        The parameters in hidden_names are encrypted if the configuration
        asks for that; without it, those that were encrypted before.
        """
        def store() -> RawTemplate:
            stored = _stored_values(context, values, hidden_names)
            template_id = db_api.raw_template_create(context, stored)
            return cls(template_id, values.get('template'),
                       files=values.get('files') or {},
                       files_id=stored.get('files_id'),
                       environment=values.get('environment'))

        return transaction.run(context, store)

    @classmethod
    def create_many(cls, context: Any,
                    templates: Iterable[tuple[Mapping[str, Any],
                                              Iterable[str]]]) -> list[int]:
        """Store templates, given as (values, names of hidden parameters).

        Files are not among the values: ``files_id`` names those that are
        stored. Return the ids in the same order.
        """
        return db_api.raw_template_create_many(context, [
            _stored_values(context, values, hidden_names)
            for values, hidden_names in templates])

    @classmethod
    def update_by_id(cls, context: Any, template_id: int,
                     values: Mapping[str, Any], *,
                     hidden_names: Iterable[str] | None = None) -> bool:
        """Write values; False if there is no such template."""
        return transaction.run(context, lambda: db_api.raw_template_update(
            context, template_id,
            _stored_values(context, values, hidden_names)))

    @classmethod
    def delete(cls, context: Any, template_id: int) -> bool:
        """Delete a template, with its files if no other shares them."""
        return cls.delete_many(context, [template_id]) > 0

    @classmethod
    def delete_many(cls, context: Any, template_ids: Iterable[int]) -> int:
        """Delete templates, and files that no other shares."""
        return db_api.raw_template_delete_many(context, list(template_ids))

    @classmethod
    def delete_unused(cls, context: Any, template_ids: Iterable[int]) -> int:
        """Delete those of some templates that nothing refers to."""
        return db_api.raw_template_delete_unused(context,
                                                 list(template_ids))


def _stored_values(context: Any, values: Mapping[str, Any],
                   hidden_names: Iterable[str] | None) -> dict[str, Any]:
    stored = dict(values)
    files = stored.pop('files', None)
    if files and stored.get('files_id') is None:
        stored['files_id'] = db_api.raw_template_files_create(
            context, {'files': files})
    if 'environment' in stored:
        stored['environment'] = _stored_environment(
            stored['environment'], hidden_names)
    return stored
