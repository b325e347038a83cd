"""heat-db-drop removes what is configured, and only when told to."""
import io
import sqlite3
import types

from oslo_config import cfg
import pytest
import sqlalchemy as sa

from heat.cmd import database_command
from heat.cmd import db_drop
from heat.cmd import settings
from heat.db import drop


@pytest.fixture
def database(tmp_path):
    """A database of SQLite, with a table and its write-ahead log."""
    path = tmp_path / 'heat.sqlite'
    with sqlite3.connect(path) as connection:
        connection.execute('PRAGMA journal_mode=WAL')
        connection.execute('CREATE TABLE stack (id TEXT)')
    connection.close()
    path.with_name('heat.sqlite-wal').touch()
    (tmp_path / 'heat.sqlite.backup').touch()
    return path


@pytest.fixture
def run(database, monkeypatch):
    """Return a function that runs the command on the database."""
    def call(*arguments, typed='', connection=f'sqlite:///{database}'):
        conf = cfg.ConfigOpts()
        conf.register_opts([cfg.StrOpt('connection', default=connection)],
                           'database')
        monkeypatch.setattr(db_drop, 'CONF', conf)
        monkeypatch.setattr(settings, 'parse', lambda _prog, argv: conf(
            argv, default_config_files=[], default_config_dirs=[]))
        monkeypatch.setattr(database_command.logging, 'setup',
                            lambda *_args: None)
        monkeypatch.setattr('sys.stdin', io.StringIO(typed))
        return db_drop.main(list(arguments))

    monkeypatch.delenv(database_command.ADMIN_VARIABLE, raising=False)
    return call


def left(database):
    return sorted(path.name for path in database.parent.iterdir())


def test_yes_drops_at_once(run, database, capsys):
    assert run('--yes') == 0
    assert left(database) == ['heat.sqlite.backup']
    assert capsys.readouterr().out == f'database {database}: dropped\n'
    assert run('-y') == 0
    assert 'is not there' in capsys.readouterr().out


def test_the_name_confirms(run, database, capsys):
    assert run(typed=f'{database}\n') == 0
    assert left(database) == ['heat.sqlite.backup']
    assert 'cloud resources that they created remain' in (
        capsys.readouterr().out)


@pytest.mark.parametrize('typed', ['', '\n', 'yes\n', 'heat\n'])
def test_anything_else_keeps_it(typed, run, database, capsys):
    before = left(database)
    assert run(typed=typed) == 1
    assert left(database) == before
    assert 'stays as it is' in capsys.readouterr().err


def test_a_password_is_not_shown(run, capsys):
    server = 'mysql+pymysql://heat:geheim@127.0.0.1:1/heat'
    assert run(typed='no\n', connection=server) == 1
    assert run('--yes', connection=server) == 1
    told = capsys.readouterr()
    assert 'the server refused' in told.err
    assert 'geheim' not in told.out + told.err


class Server:
    """A database server that records the statements it receives."""

    def __init__(self, url, there):
        self.url, self.there, self.told = url, there, []
        self.dialect = url.get_dialect()()

    connect = __enter__ = lambda self: self

    def __exit__(self, *_error):
        return False

    def execute(self, statement, values):
        assert 'name' in values
        assert ':name' in str(statement)
        names = self.there
        return types.SimpleNamespace(
            first=lambda: (1,) if values['name'] in names else None)

    def exec_driver_sql(self, statement):
        self.told.append(statement)

    def dispose(self):
        """Close nothing."""


@pytest.mark.parametrize(('connection', 'admin', 'account', 'said'), [
    ('mysql://heat:p@db/heat', None, 'mysql+pymysql://heat:p@db/',
     'DROP DATABASE `heat`'),
    ('mysql://heat:p@db/he`at', 'mysql://root@db/',
     'mysql+pymysql://root@db/', 'DROP DATABASE `he``at`'),
    ('postgresql://heat:p@db/heat', None,
     'postgresql+psycopg2://heat:p@db/postgres', 'DROP DATABASE "heat"'),
    ('postgresql://heat:p@db/heat', 'postgresql://postgres@db/postgres',
     'postgresql+psycopg2://postgres@db/postgres', 'DROP DATABASE "heat"'),
])
def test_servers_are_told_to_drop_it(connection, admin, account, said,
                                     monkeypatch):
    servers = []

    def create_engine(url, **_given):
        servers.append(Server(url, {'heat', 'he`at'}))
        return servers[-1]

    monkeypatch.setattr(sa, 'create_engine', create_engine)
    assert drop.drop(connection, admin) is True
    server = servers.pop()
    assert server.url.render_as_string(False).partition('?')[0] == account
    assert server.told == [said]
    assert drop.drop(connection.replace('/he', '/other-he'),
                        admin) is False
    assert servers.pop().told == []
