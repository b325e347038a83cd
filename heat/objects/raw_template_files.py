"""Files that come with templates, shared by the templates of a tree."""
from collections.abc import Mapping
import dataclasses
import datetime
from typing import Any

from heat.db import api as db_api
from heat.objects import base


@dataclasses.dataclass(slots=True)
class RawTemplateFiles:
    """A set of files: name to content."""

    id: int
    files: dict[str, str] | None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @classmethod
    def get_by_id(cls, context: Any, files_id: int
                  ) -> 'RawTemplateFiles | None':
        """Return the files, or None if there is no such set."""
        row = db_api.raw_template_files_get(context, files_id)
        return base.record(cls, row) if row is not None else None

    @classmethod
    def create(cls, context: Any, values: Mapping[str, Any]
               ) -> 'RawTemplateFiles':
        """Store a set of files."""
        files_id = db_api.raw_template_files_create(context, values)
        return cls(files_id, values['files'])
