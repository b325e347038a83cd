"""Column types: how structured values are kept in portable columns."""
import codecs
import io
import json
import pickle
from typing import Any

from oslo_config import cfg
from oslo_serialization import jsonutils
import sqlalchemy
from sqlalchemy import types
from sqlalchemy.dialects import mysql

from heat.common import crypt


class Json(types.TypeDecorator[Any]):
    """A JSON document kept as text; None is kept as JSON ``null``.

    Non-ASCII characters are escaped, so that a database whose tables hold
    only the basic plane of Unicode keeps every character.
    """

    impl = types.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: sqlalchemy.Dialect) -> Any:
        if dialect.name in ('mysql', 'mariadb'):
            return dialect.type_descriptor(mysql.LONGTEXT())
        return super().load_dialect_impl(dialect)

    def process_bind_param(self, value: Any, dialect: Any) -> str:
        return json.dumps(value, default=jsonutils.to_primitive)

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        # Most lists are empty, and a list of resources reads thousands.
        if value == '[]':
            return []
        return json.loads(value) if value else None


#: Marks a document that is ciphertext; no user can store one in the clear.
SEALED = 'heat_sealed'


def is_sealed(value: Any) -> bool:
    """Return whether a document, as it is stored, is ciphertext."""
    return isinstance(value, dict) and SEALED in value


def sealed(value: Any, key: str | None = None, *,
           with_names: bool = False) -> Any:
    """Return what is stored of a document that is encrypted.

    :param with_names: whether the names of its entries stay readable.
    """
    text = json.dumps(value, default=jsonutils.to_primitive)
    result: dict[str, Any] = {SEALED: list(crypt.encrypt(text, key))}
    if with_names and isinstance(value, dict):
        result['names'] = list(value)
    return result


def unsealed(value: Any, key: str | None = None) -> Any:
    """Return the document that was sealed; another one as it is."""
    if not is_sealed(value):
        return value
    method, text = value[SEALED]
    return json.loads(crypt.decrypt(method, text, key))


class SealedJson(Json):
    """A JSON document that may hold hidden values.

    It is encrypted if encrypt_parameters_and_properties says so. What was
    stored in the clear is read as it is, whatever the option says.

    :param with_names: whether queries look for the names of its entries.
    """

    cache_ok = True

    def __init__(self, *, with_names: bool = False) -> None:
        super().__init__()
        self.with_names = with_names

    def process_bind_param(self, value: Any, dialect: Any) -> str:
        # What only looks like ciphertext must not be taken for that.
        if value and (is_sealed(value) or getattr(
                cfg.CONF, 'encrypt_parameters_and_properties', False)):
            value = sealed(value, with_names=self.with_names)
        return super().process_bind_param(value, dialect)

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        return unsealed(super().process_result_value(value, dialect))


# How Python 2 and early protocols write mappings, texts and bytes.
_PLAIN_CLASSES: dict[tuple[str, str], Any] = {
    ('collections', 'OrderedDict'): dict,
    ('_codecs', 'encode'): codecs.encode,
}


class _PlainUnpickler(pickle.Unpickler):
    """Reads pickles made of plain values and refuses to build objects."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = _PLAIN_CLASSES.get((module, name))
        if allowed is None:
            raise pickle.UnpicklingError(
                f'{module}.{name} may not be stored in this column')
        return allowed


class LegacyPickle(types.TypeDecorator[Any]):
    """A pickled value in rows of old releases; we never write one.

    Only plain values are read. Anything else is as good as absent: a row
    of an event must not be able to run code in the engine.
    """

    impl = types.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> None:
        return None

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        if not value:
            return None
        try:
            return _PlainUnpickler(io.BytesIO(bytes(value))).load()
        except Exception:  # noqa: BLE001 - a damaged pickle can raise anything
            return None
