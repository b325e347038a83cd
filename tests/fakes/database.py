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
    if _reused and session._database is _reused[0]:
        with session.writer(None) as connection:
            for table in reversed(models.METADATA.sorted_tables):
                connection.execute(table.delete())
        return
    fresh_sqlite()
    _reused[:] = [session._database]
