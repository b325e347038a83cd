"""Pools of connections to a database server.

A library's pool asks the server whether a connection is alive each time it
is taken, and rolls back each time it is given back: of four round trips of
a short transaction two are for nothing. Here a connection is asked for its
health when it has been idle for a while, and rolled back when it knows to
be in a transaction. One that breaks in use is met by trying again; so is one
that has fallen silent, as when an address has moved to another server.
"""
from typing import Any

import sqlalchemy
from sqlalchemy import event
from sqlalchemy import exc as sqla_exc
from sqlalchemy.dialects import plugins

from heat.common import timeutils

#: Seconds since its last use in which a connection is taken for alive.
TRUSTED_SECONDS = 1

#: Seconds in which a server takes a connection, and says something or at
#: least acknowledges what it was told.
CONNECT_SECONDS, SILENT_SECONDS = 10, 60

#: What stands in the URL of a database that is looked after like this.
PLUGIN = 'heat_server'

_IDLE_SINCE = 'heat_idle_since'
#: What servers of MySQL's protocol add to each answer: a transaction runs.
_IN_TRANSACTION = 1


class ServerPool(sqlalchemy.CreateEnginePlugin):
    """Has the connections of an engine looked after as told above."""

    def __init__(self, url: sqlalchemy.URL, kwargs: dict[str, Any]) -> None:
        kwargs.update(pool_pre_ping=False, pool_reset_on_return=None)
        limits = _limits(url.drivername)
        kwargs['connect_args'] = {
            **{name: value for name, value in limits.items()
               if name not in url.query}, **kwargs.get('connect_args', {})}

    def update_url(self, url: sqlalchemy.URL) -> sqlalchemy.URL:
        return url

    def engine_created(self, engine: sqlalchemy.Engine) -> None:
        _watch(engine)


plugins.register(PLUGIN, __name__, 'ServerPool')


def _limits(driver: str) -> dict[str, int]:
    """Return what a driver calls the limits of silence."""
    if driver in ('mysql+pymysql', 'mariadb+pymysql'):
        return {'connect_timeout': CONNECT_SECONDS,
                'read_timeout': SILENT_SECONDS,
                'write_timeout': SILENT_SECONDS}
    if driver.startswith('postgresql'):
        # The library knows limits of the network only.
        return {'connect_timeout': CONNECT_SECONDS,
                'keepalives_idle': SILENT_SECONDS // 6,
                'keepalives_interval': SILENT_SECONDS // 12,
                'keepalives_count': 4,
                'tcp_user_timeout': SILENT_SECONDS * 500}
    return {}


def be_patient(connection: Any) -> None:
    """Let a statement of a driver's connection take as long as it takes."""
    if hasattr(connection, '_read_timeout'):
        # PyMySQL takes it from there, and has no method to change it.
        connection._read_timeout = None  # noqa: SLF001 (see above)


def in_transaction(connection: Any) -> bool:
    """Return whether a connection is in a transaction, without asking it.

    It may be, if the driver does not tell.
    """
    status = getattr(connection, 'server_status', None)
    if isinstance(status, int):
        return bool(status & _IN_TRANSACTION)
    info = getattr(connection, 'info', None)
    status = getattr(info, 'transaction_status', None)
    return True if status is None else bool(status)


def _watch(engine: sqlalchemy.Engine) -> None:
    dialect = engine.dialect

    def checkout(connection: Any, record: Any, fairy: Any) -> None:
        since = record.info.get(_IDLE_SINCE)
        if since is None or (
                timeutils.wallclock() - since < TRUSTED_SECONDS):
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            if not dialect.is_disconnect(error, connection, None):
                raise
            # Whatever befell it has befallen those that are as old.
            raise sqla_exc.InvalidatePoolError() from error

    def checkin(connection: Any, record: Any) -> None:
        record.info[_IDLE_SINCE] = timeutils.wallclock()

    def reset(connection: Any, record: Any, state: Any) -> None:
        if not state.terminate_only and in_transaction(connection):
            connection.rollback()

    event.listen(engine, 'checkout', checkout)
    event.listen(engine, 'checkin', checkin)
    event.listen(engine, 'reset', reset)
