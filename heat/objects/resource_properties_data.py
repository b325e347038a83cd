"""Stored properties and attributes of resources."""
from collections.abc import Iterable
import dataclasses
import datetime
from typing import Any

from oslo_config import cfg

from heat.common import crypt
from heat.db import api as db_api
from heat.objects import base


def _stored(data: dict[str, Any] | None, encrypt: bool | None
            ) -> dict[str, Any]:
    """Return the columns for the data; None: as the configuration says."""
    if encrypt is None:
        encrypt = cfg.CONF.encrypt_parameters_and_properties
    if encrypt and data is not None:
        return {'data': crypt.encrypted_dict(data), 'encrypted': True}
    return {'data': data, 'encrypted': False}


@dataclasses.dataclass(slots=True)
class ResourcePropertiesData:
    """One set of values: name to value, in the clear."""

    id: int
    data: dict[str, Any] | None
    encrypted: bool | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @classmethod
    def get_by_id(cls, context: Any, data_id: int
                  ) -> 'ResourcePropertiesData | None':
        """Return the values, or None if there is no such row."""
        row = db_api.resource_prop_data_get(context, data_id)
        if row is None:
            return None
        return base.record(cls, row, data=base.plain(row.data, row.encrypted))

    @classmethod
    def create(cls, context: Any, data: dict[str, Any] | None,
               encrypt: bool | None = None) -> int:
        """Store values and return the id of their row."""
        return cls.create_many(context, [data], encrypt)[0]

    @classmethod
    def create_many(cls, context: Any,
                    data: Iterable[dict[str, Any] | None],
                    encrypt: bool | None = None) -> list[int]:
        """Store several sets of values; return the ids in that order."""
        return db_api.resource_prop_data_create_many(
            context, [_stored(one, encrypt) for one in data])

    @classmethod
    def update(cls, context: Any, data_id: int,
               data: dict[str, Any] | None,
               encrypt: bool | None = None) -> bool:
        """Replace the values; False if there is no such row."""
        return db_api.resource_prop_data_update(
            context, data_id, _stored(data, encrypt))

    @classmethod
    def delete_unused(cls, context: Any, ids: Iterable[int]) -> None:
        """Delete those rows that neither resource nor event refers to."""
        db_api.resource_prop_data_delete_unused(context, ids)
