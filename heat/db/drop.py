"""Remove a database from its server, or the files of SQLite."""
import pathlib

import sqlalchemy as sa

from heat.db import engine_setup
from heat.db import provision

#: The files of SQLite beside the database itself.
_SQLITE_FILES = ('', '-wal', '-shm', '-journal')


def drop(connection: str, admin: str | None = None) -> bool:
    """Remove a database; return whether it was there.

    :param connection: how Heat connects, as in [database]
    :param admin: how somebody connects who may drop databases; by default
        the account of Heat does it
    """
    url = sa.make_url(engine_setup.complete_url(connection))
    if url.get_backend_name() == 'sqlite':
        return _remove_files(url)
    engine = sa.create_engine(_server(url, admin), poolclass=sa.NullPool,
                              isolation_level='AUTOCOMMIT')
    try:
        with engine.connect() as server:
            there = provision.has_database(server, url)
            if there:
                quote = server.dialect.identifier_preparer.quote_identifier
                server.exec_driver_sql(
                    f'DROP DATABASE {quote(str(url.database))}')
    finally:
        engine.dispose()
    return there


def _server(url: sa.URL, admin: str | None) -> sa.URL:
    """Return how to connect without the database that is to go."""
    if admin:
        return sa.make_url(engine_setup.complete_url(admin))
    outside = 'postgres' if url.get_backend_name() == 'postgresql' else ''
    return url.set(database=outside)


def _remove_files(url: sa.URL) -> bool:
    if engine_setup.in_memory(url):
        return False
    there = False
    for ending in _SQLITE_FILES:
        path = pathlib.Path(f'{url.database}{ending}')
        there = path.exists() or there
        path.unlink(missing_ok=True)
    return there


def name_of(connection: str) -> str:
    """Return the name of a database, or the path of its file."""
    return str(sa.make_url(connection).database)


def shown(connection: str) -> str:
    """Return a URL with the password masked."""
    return sa.make_url(connection).render_as_string()
