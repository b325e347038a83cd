"""Key-value pairs that plugins keep with a resource."""
from collections.abc import Iterable
from typing import Any

from oslo_config import cfg

from heat.common import crypt
from heat.common import exception
from heat.db import api as db_api

#: Resource id, key, and what is kept under it: (value, redact).
Item = tuple[int, str, tuple[str | None, bool]]


def _value(row: Any) -> str | None:
    value: str | None = row.value
    if row.decrypt_method:
        value = crypt.decrypt(row.decrypt_method, value)
    return value


def _stored(value: str | None, redact: bool) -> dict[str, Any]:
    """Return the columns of a value; what is not redacted may be encrypted
    because of the configuration.
    """
    if value is not None and (
            redact or cfg.CONF.encrypt_parameters_and_properties):
        method, data = crypt.encrypt(value)
        return {'value': data, 'redact': redact, 'decrypt_method': method}
    return {'value': value, 'redact': redact, 'decrypt_method': ''}


def _rows(items: Iterable[Item]) -> list[dict[str, Any]]:
    # The last of several values of a key counts.
    last = {(resource_id, key): pair for resource_id, key, pair in items}
    return [{'resource_id': resource_id, 'key': key, **_stored(*pair)}
            for (resource_id, key), pair in last.items()]


class ResourceData:
    """The data of a resource: texts by key."""

    @classmethod
    def get_all(cls, context: Any, resource_id: int
                ) -> dict[str, str | None]:
        """Return all pairs of a resource, decrypted."""
        return cls.get_all_many(context, [resource_id]).get(resource_id, {})

    @classmethod
    def get_all_many(cls, context: Any, resource_ids: Iterable[int]
                     ) -> dict[int, dict[str, str | None]]:
        """Return the pairs of those of the resources that have any."""
        data: dict[int, dict[str, str | None]] = {}
        for row in db_api.resource_data_get_all(context, resource_ids):
            data.setdefault(row.resource_id, {})[row.key] = _value(row)
        return data

    @classmethod
    def having(cls, context: Any, stack_id: str, key: str) -> set[int]:
        """Return the resources of a stack that have data under a key."""
        return set(db_api.resource_ids_with_data(context, stack_id, key))

    @classmethod
    def get_val(cls, context: Any, resource_id: int, key: str
                ) -> str | None:
        """Return the value of a key; NotFound if it is not set."""
        data = cls.get_all(context, resource_id)
        if key not in data:
            raise exception.NotFound(f'No resource data "{key}" found')
        return data[key]

    @classmethod
    def set(cls, context: Any, resource_id: int, key: str,
            value: str | None, redact: bool = False) -> None:
        """Write a value; redacted ones are encrypted."""
        db_api.resource_data_set(context, resource_id, key,
                                 _stored(value, redact))

    @classmethod
    def create_many(cls, context: Any, items: Iterable[Item]) -> None:
        """Write pairs that are not there."""
        db_api.resource_data_create_many(context, _rows(items))

    @classmethod
    def replace_many(cls, context: Any, items: Iterable[Item]) -> None:
        """Write pairs, which may be there, of many resources at once."""
        db_api.resource_data_replace_many(context, _rows(items))

    @classmethod
    def delete(cls, context: Any, resource_id: int, key: str) -> bool:
        """Remove a pair; False if the key was not set."""
        return db_api.resource_data_delete(context, resource_id, key)
