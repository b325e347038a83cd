"""Databases of their own for tests, on real servers."""
import os
import uuid

import sqlalchemy as sa

from heat.db import engine_setup

# environment variable, default; the database name in a URL is not used
_SERVERS = {
    'mysql': ('HEAT_TEST_MYSQL_URL', 'mysql+pymysql://root@127.0.0.1/'),
    'postgresql': ('HEAT_TEST_PGSQL_URL',
                   'postgresql+psycopg2://postgres@127.0.0.1/'),
}


class Server:
    """A database server that tests may make databases on.

    tools/services starts what is missing; a test without its server fails.
    """

    def __init__(self, kind):
        variable, default = _SERVERS[kind]
        url = engine_setup.complete_url(os.environ.get(variable) or default)
        self._url = sa.make_url(url)
        own = 'postgres' if kind == 'postgresql' else ''
        self._engine = sa.create_engine(
            self._url.set(database=own), isolation_level='AUTOCOMMIT',
            poolclass=sa.NullPool)
        self.execute('SELECT 1')

    def execute(self, statement):
        """Run a statement outside of any test's database."""
        with self._engine.connect() as connection:
            connection.execute(sa.text(statement))

    def create(self, prefix='heat_test'):
        """Make an empty database and return its URL."""
        name = f'{prefix}_{uuid.uuid4().hex[:12]}'
        self.execute(f'CREATE DATABASE {name}')
        return self._url.set(database=name).render_as_string(
            hide_password=False)

    def drop(self, url):
        """Drop a database, whoever is still connected."""
        force = ' WITH (FORCE)' if 'postgresql' in url else ''
        name = sa.make_url(url).database
        self.execute(f'DROP DATABASE IF EXISTS {name}{force}')
