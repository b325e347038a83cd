"""Bringing the schema of a database up to date.

Alembic loads the dialects of all databases, which takes a tenth of the time
to start. A database that is up to date does without it.
"""
from collections.abc import Iterator
import contextlib
import logging
import os
import pathlib
import re
from typing import Any

from oslo_db import exception as db_exception
import sqlalchemy as sa

from heat.common import exception
from heat.common import lazy
from heat.common.i18n import _
from heat.db import pooling
from heat.db import session

command = lazy.module('alembic.command')
alembic_config = lazy.module('alembic.config')
script = lazy.module('alembic.script')

LOG = logging.getLogger(__name__)

# The schema that the last sqlalchemy-migrate release of Heat left behind.
FIRST_REVISION = 'c6214ca60943'

# The schema of OpenStack Heat, which all later revisions only add to.
HEAT_REVISION = '97b2a986f922'

_LEGACY_TABLE = 'migrate_version'
_VERSION_TABLE = 'alembic_version'

#: SQL functions that acquire and release the lock for schema changes.
_LOCK = ("GET_LOCK(CONCAT(LEFT(DATABASE(), 40), '.heat.db_sync'), 86400)",
         "RELEASE_LOCK(CONCAT(LEFT(DATABASE(), 40), '.heat.db_sync'))")
_ALONE = {
    'mysql': _LOCK, 'mariadb': _LOCK,
    # An arbitrary number; advisory locks are specific to a database.
    'postgresql': ('pg_advisory_lock(4746328001)',
                   'pg_advisory_unlock(4746328001)'),
}

_VERSIONS = pathlib.Path(__file__).parent / 'migrations' / 'versions'

#: The lines by which a file of a migration says where it stands.
_PLACE = re.compile(
    r"""^(revision|down_revision) = (?:'(\w+)'|None)$""", re.MULTILINE)


def alembic_configuration() -> Any:
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
    places: list[dict[str, str]] = [
        dict(_PLACE.findall(path.read_text('utf-8')))
        for path in _VERSIONS.glob('*_*.py')]
    [head] = {each['revision'] for each in places if each} - {
        each['down_revision'] for each in places if each}
    return head


def is_known(revision: str) -> bool:
    """Return whether a revision is one of those that this code has."""
    scripts = script.ScriptDirectory.from_config(alembic_configuration())
    return revision in {each.revision for each in scripts.walk_revisions()}


def db_sync(version: str | None = None) -> None:
    """Upgrade the database to a revision, by default the latest.

    A database that sqlalchemy-migrate took care of is taken over.
    """
    if version is not None and version.isdigit():
        raise exception.Error(_(
            'Version "%s" is one of sqlalchemy-migrate; give a revision of '
            'alembic or none.') % version)
    with session.get_engine().connect() as connection:
        if _is_newest(connection, version):
            return
        configuration = alembic_configuration()
        configuration.attributes['connection'] = connection
        with _alone(connection):
            # Another process may have upgraded it while this one waited.
            if _is_newest(connection, version):
                return
            if _is_legacy(connection):
                command.stamp(configuration, FIRST_REVISION)
            # Reading the tables has begun a transaction.
            connection.rollback()
            command.upgrade(configuration, version or 'head')


def _is_newest(connection: Any, version: str | None) -> bool:
    """Return whether the newest revision is wanted and reached."""
    found = _revision(connection)
    # Reading the revision has begun a transaction.
    connection.rollback()
    return version is None and found == head_version()


@contextlib.contextmanager
def _alone(connection: Any) -> Iterator[None]:
    """Hold the lock for schema changes; other processes wait.

    Galera clusters do not support this lock. If two processes change the same
    table there, one of them fails and can be repeated.
    """
    _wait_for_locks(connection)
    take, give = _ALONE.get(connection.dialect.name, (None, None))
    try:
        if take:
            connection.execute(sa.text(f'SELECT {take}'))
    except db_exception.DBError as error:
        LOG.debug('Changing the tables without a lock: %s', error)
        give = None
    connection.rollback()
    try:
        yield
    finally:
        if give and not connection.invalidated:
            connection.rollback()
            connection.execute(sa.text(f'SELECT {give}'))
            connection.rollback()


def is_later(version: str | None) -> bool:
    """Return whether a revision adds to the schema of OpenStack Heat."""
    scripts = script.ScriptDirectory.from_config(alembic_configuration())
    return version in {one.revision for one in scripts.iterate_revisions(
        'head', HEAT_REVISION)}


def db_downgrade() -> None:
    """Return the schema to that of OpenStack Heat.

    What the later revisions added is dropped; columns that they widened
    stay wide.
    """
    with session.get_engine().connect() as connection:
        configuration = alembic_configuration()
        configuration.attributes['connection'] = connection
        with _alone(connection):
            command.downgrade(configuration, HEAT_REVISION)


def _wait_for_locks(connection: Any) -> None:
    """Let changes of tables wait for those who use them, and take long."""
    pooling.be_patient(connection.connection.dbapi_connection)
    if connection.dialect.name == 'postgresql':
        connection.exec_driver_sql('SET lock_timeout = 0')
        connection.commit()


def _revision(connection: Any) -> str | None:
    if not sa.inspect(connection).has_table(_VERSION_TABLE):
        return None
    revision: str | None = connection.execute(sa.select(
        sa.column('version_num')).select_from(
            sa.table(_VERSION_TABLE))).scalar_one_or_none()
    return revision


def _is_legacy(connection: Any) -> bool:
    tables = set(sa.inspect(connection).get_table_names())
    return _LEGACY_TABLE in tables and (
        _VERSION_TABLE not in tables or _revision(connection) is None)
