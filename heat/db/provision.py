"""Make a database, and the account that it is used with, on a server."""
from collections.abc import Iterator

import sqlalchemy as sa

from heat.db import engine_setup

#: What can be done; the text is for the operator.
Step = tuple[str, bool]


class NotAServer(Exception):
    """There is nothing to make: SQLite makes its file itself."""


def _parts(connection: str) -> sa.URL:
    url = sa.make_url(engine_setup.complete_url(connection))
    if url.get_backend_name() == 'sqlite':
        raise NotAServer()
    return url


def with_password(connection: str, password: str) -> tuple[str, str]:
    """Return a URL with a password, and the same with the password masked.

    SQLite, which has none, gives way to MariaDB on this machine.
    """
    url = sa.make_url(connection)
    if url.get_backend_name() == 'sqlite':
        url = sa.make_url('mysql+pymysql://heat@localhost/heat')
    url = url.set(password=password)
    return (url.render_as_string(hide_password=False),
            url.render_as_string())


def admin_of(connection: str, password: str) -> str:
    """Return the URL of the administrator of a database's server."""
    url = sa.make_url(connection)
    is_postgresql = url.get_backend_name() == 'postgresql'
    return url.set(
        username='postgres' if is_postgresql else 'root', password=password,
        database='postgres' if is_postgresql else '').render_as_string(
            hide_password=False)


def make(connection: str, admin: str, dry_run: bool = False
         ) -> Iterator[Step]:
    """Make what is missing; yield (what, whether it was missing).

    :param connection: how Heat is going to connect, as in [database]
    :param admin: how somebody connects who may make databases
    """
    url = _parts(connection)
    engine = sa.create_engine(engine_setup.complete_url(admin),
                              isolation_level='AUTOCOMMIT')
    steps = (_postgresql if url.get_backend_name() == 'postgresql'
             else _mysql)
    try:
        with engine.connect() as server:
            for what, is_there, statements in steps(server, url):
                if not is_there and not dry_run:
                    for statement, values in statements:
                        server.execute(sa.text(statement), values)
                yield what, not is_there
    finally:
        engine.dispose()


def _exists(server: sa.Connection, statement: str, **values: object) -> bool:
    return server.execute(sa.text(statement), values).first() is not None


def has_database(server: sa.Connection, url: sa.URL) -> bool:
    """Return whether a server has the database that a URL names."""
    return _exists(
        server, 'SELECT 1 FROM pg_database WHERE datname = :name'
        if url.get_backend_name() == 'postgresql' else
        'SELECT 1 FROM information_schema.schemata WHERE schema_name = :name',
        name=url.database)


def _mysql(server: sa.Connection, url: sa.URL) -> Iterator[
        tuple[str, bool, list[tuple[str, dict[str, object]]]]]:
    quote = server.dialect.identifier_preparer.quote_identifier
    database, host = quote(str(url.database)), '%'
    yield (f'database {url.database}',
           has_database(server, url),
           [(f'CREATE DATABASE {database} CHARACTER SET utf8mb4', {})])
    there = _exists(server, 'SELECT 1 FROM mysql.user '
                    'WHERE user = :name AND host = :host',
                    name=url.username, host=host)
    account: dict[str, object] = {'name': url.username, 'host': host}
    yield (f'account {url.username}', there,
           [('CREATE USER :name@:host IDENTIFIED BY :password',
             {**account, 'password': url.password or ''})])
    pattern = str(url.database).replace('_', '\\_')
    yield (f'privileges of {url.username}',
           there and _exists(
               server, 'SELECT 1 FROM mysql.db WHERE user = :name '
               'AND host = :host AND db IN (:database, :pattern)',
               **account, database=url.database, pattern=pattern),
           [(f'GRANT ALL PRIVILEGES ON {database}.* TO :name@:host',
             account)])


def _postgresql(server: sa.Connection, url: sa.URL) -> Iterator[
        tuple[str, bool, list[tuple[str, dict[str, object]]]]]:
    quote = server.dialect.identifier_preparer.quote_identifier
    database, account = quote(str(url.database)), quote(str(url.username))
    yield (f'account {url.username}',
           _exists(server, 'SELECT 1 FROM pg_roles WHERE rolname = :name',
                   name=url.username),
           [(f'CREATE ROLE {account} LOGIN PASSWORD :password',
             {'password': url.password or ''})])
    yield (f'database {url.database}',
           has_database(server, url),
           [(f"CREATE DATABASE {database} OWNER {account} ENCODING 'UTF8' "
             'TEMPLATE template0', {})])
