"""Bringing the schema of a database up to date."""
import os
from typing import Any

from alembic import command
from alembic import config as alembic_config
from alembic import migration as alembic_migration
from alembic import script
import sqlalchemy as sa

from heat.common import exception
from heat.common.i18n import _
from heat.db import session

# The schema that the last sqlalchemy-migrate release of Heat left behind.
FIRST_REVISION = 'c6214ca60943'

_LEGACY_TABLE = 'migrate_version'
_VERSION_TABLE = 'alembic_version'


def alembic_configuration() -> alembic_config.Config:
    """Return the settings of alembic, without any file."""
    directory = os.path.join(os.path.dirname(__file__), 'migrations')
    configuration = alembic_config.Config()
    configuration.set_main_option('script_location',
                                  directory.replace('%', '%%'))
    return configuration


def db_version() -> str | None:
    """Return the revision of the database; None if it has none."""
    with session.get_engine().connect() as connection:
        return _revision(connection)


def head_version() -> str | None:
    """Return the newest revision this code knows."""
    return script.ScriptDirectory.from_config(
        alembic_configuration()).get_current_head()


def db_sync(version: str | None = None) -> None:
    """Upgrade the database to a revision, by default the latest.

    A database that sqlalchemy-migrate took care of is taken over.
    """
    if version is not None and version.isdigit():
        raise exception.Error(_(
            'Version "%s" is one of sqlalchemy-migrate; give a revision of '
            'alembic or none.') % version)
    with session.get_engine().connect() as connection:
        configuration = alembic_configuration()
        configuration.attributes['connection'] = connection
        if _is_legacy(connection):
            command.stamp(configuration, FIRST_REVISION)
        # What the look at the tables has begun.
        connection.rollback()
        command.upgrade(configuration, version or 'head')


def _revision(connection: Any) -> str | None:
    return alembic_migration.MigrationContext.configure(
        connection).get_current_revision()


def _is_legacy(connection: Any) -> bool:
    tables = set(sa.inspect(connection).get_table_names())
    return _LEGACY_TABLE in tables and (
        _VERSION_TABLE not in tables or _revision(connection) is None)
