"""Stored credentials that stacks act with later."""
from collections.abc import Iterable
import dataclasses
import datetime
from typing import Any

from heat.common import crypt
from heat.common import exception
from heat.common.i18n import _
from heat.db import api as db_api
from heat.objects import base

PASSWORD_MAX = 255
#: What one sort of credentials has and another has not.
_NOTHING = dict.fromkeys(('username', 'password', 'trust_id',
                          'trustor_user_id', 'decrypt_method'))


@dataclasses.dataclass(slots=True)
class UserCreds:
    """Credentials in the clear: of a trust, or a password."""

    id: int
    username: str | None = None
    password: str | None = None
    region_name: str | None = None
    tenant: str | None = None
    tenant_id: str | None = None
    auth_url: str | None = None
    trust_id: str | None = None
    trustor_user_id: str | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @classmethod
    def create(cls, context: Any) -> 'UserCreds':
        """Store the credentials of a context, secrets encrypted."""
        values, stored = _values_to_store(context)
        return cls(id=db_api.user_creds_create(context, stored), **values)

    @classmethod
    def create_many(cls, context: Any, contexts: Iterable[Any]) -> list[int]:
        """Store the credentials of several contexts; return the ids."""
        return db_api.user_creds_create_many(
            context, [_values_to_store(one)[1] for one in contexts])

    @classmethod
    def update_by_id(cls, creds_id: int, context: Any) -> bool:
        """Store those of a context in place of others; False if gone."""
        _values, stored = _values_to_store(context)
        return db_api.user_creds_update(context, creds_id, {
            **_NOTHING, **stored})

    @classmethod
    def get_by_id(cls, context: Any, creds_id: int) -> 'UserCreds | None':
        """Return credentials with their secrets in the clear."""
        row = db_api.user_creds_get(context, creds_id)
        if row is None:
            return None
        method = row.decrypt_method
        return base.record(
            cls, row, password=_plain(method, row.password),
            trust_id=_plain(method, row.trust_id))


def _plain(method: str | None, data: str | None) -> str | None:
    return crypt.decrypt(method, data) if method and data else data


def _values_to_store(context: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values in the clear, and with the secret encrypted."""
    values, secret = _values_from_context(context)
    stored = dict(values)
    if secret is not None:
        method, data = crypt.encrypt(values[secret])
        if len(data) > PASSWORD_MAX:
            raise exception.Error(_(
                'Length of the encrypted secret exceeds '
                '%d chars, which the database cannot hold.')
                % PASSWORD_MAX)
        stored.update({secret: data, 'decrypt_method': method})
    return values, stored


def _values_from_context(context: Any) -> tuple[dict[str, Any], str | None]:
    """Return the columns, and the name of the one that is secret."""
    values = {
        'tenant': getattr(context, 'tenant', None),
        'tenant_id': context.project_id,
        'auth_url': getattr(context, 'auth_url', None),
        'region_name': getattr(context, 'region_name', None),
    }
    trust_id = getattr(context, 'trust_id', None)
    if trust_id:
        values['trust_id'] = trust_id
        values['trustor_user_id'] = getattr(context, 'trustor_user_id', None)
        return values, 'trust_id'
    password = getattr(context, 'password', None)
    values['username'] = getattr(context, 'username', None)
    # A name alone does not say who that is: it is one of a domain.
    values['trustor_user_id'] = (getattr(context, 'user_id', None)
                                 if password else None)
    values['password'] = password
    return values, 'password' if password else None
