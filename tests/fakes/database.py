"""A database for tests: a fresh SQLite file, migrated once per process."""
import atexit
import functools
import itertools
import os
import shutil
import tempfile
import threading

from heat.db import migration
from heat.db import models
from heat.db import session
from heat.engine.stacks import template_store
from heat.objects import stack as stack_objects

_lock = threading.Lock()
_numbers = itertools.count()


@functools.cache
def _directory() -> str:
    path = tempfile.mkdtemp(prefix='heat-tests-')
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@functools.cache
def _migrated() -> str:
    """Return a file that holds the empty schema."""
    path = os.path.join(_directory(), 'template.sqlite')
    session.configure(f'sqlite:///{path}')
    migration.db_sync()
    # Closing the last connection folds the log into the file.
    session.configure()
    return path


def fresh_sqlite(path: str | os.PathLike[str] | None = None) -> str:
    """Use a new, empty database from now on, and return its URL.

    The file goes with the process unless a path says where to make it.
    """
    # Its rows have ids that rows of the database before had.
    template_store.forget_all()
    with _lock:
        session.configure()
        if path is None:
            path = os.path.join(_directory(), f'{next(_numbers)}.sqlite')
        for leftover in (f'{path}-wal', f'{path}-shm'):
            if os.path.exists(leftover):
                os.remove(leftover)
        shutil.copyfile(_migrated(), path)
        url = f'sqlite:///{path}'
        session.configure(url)
        return url


_reused: list = []


def emptied_sqlite() -> None:
    """Use a database without any row, the last one if it is still in use.

    Its connections have all statements compiled, which takes most of the
    time of a short test.
    """
    if not _reused or session._database is not _reused[0]:
        fresh_sqlite()
        _reused[:] = [session._database]
        # Nobody reads it after this process.
        _execute('PRAGMA synchronous=OFF')
        return
    template_store.forget_all()
    _execute(_emptying())


@functools.cache
def _emptying() -> str:
    return ';'.join(f'DELETE FROM "{table.name}"' for table in
                    reversed(models.METADATA.sorted_tables))


def _execute(script: str) -> None:
    """Carry out statements, past all that the service does for one."""
    connection = session.get_engine().raw_connection()
    try:
        connection.driver_connection.executescript(script)
    finally:
        connection.close()


def free_name(heat_context, wanted='st'):
    """Return a name that no live stack of the project has."""
    name, number = wanted, 1
    while stack_objects.Stack.get_by_name(heat_context, name) is not None:
        number += 1
        name = f'{wanted}-{number}'
    return name
