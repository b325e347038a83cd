"""A database that fails at one point: statements, and answers to commits."""
import contextlib

from oslo_db import exception as db_exception
import sqlalchemy as sa

from heat.db import session


class Refused(db_exception.DBError):
    """Raised instead of a statement; nothing repeats it."""


@contextlib.contextmanager
def lost_answer(number=1):
    """Lose the connection just after one of the commits has been made.

    :param number: of the commit; 1 is the next one
    """
    engine, left = session.get_engine(), number
    commit = engine.dialect.do_commit

    def do_commit(connection):
        nonlocal left
        commit(connection)
        left -= 1
        if not left:
            raise db_exception.DBConnectionError(Exception('lost'))

    engine.dialect.do_commit = do_commit
    try:
        yield
    finally:
        del engine.dialect.do_commit
    assert left <= 0


@contextlib.contextmanager
def after_commits(look):
    """Call a function after each commit."""
    dialect = session.get_engine().dialect
    commit = dialect.do_commit

    def do_commit(connection):
        commit(connection)
        look()

    dialect.do_commit = do_commit
    try:
        yield
    finally:
        del dialect.do_commit


@contextlib.contextmanager
def lost_connection():
    """Lose the connection instead of making the next commit."""
    dialect = session.get_engine().dialect

    def do_commit(_connection):
        del dialect.do_commit
        raise db_exception.DBConnectionError(Exception('lost'))

    dialect.do_commit = do_commit
    yield
    assert 'do_commit' not in dialect.__dict__


@contextlib.contextmanager
def refusal(beginning, number=1):
    """Refuse the next statements that begin with a text."""
    engine, left = session.get_engine(), number

    def do_execute(_cursor, statement, _parameters, _context):
        nonlocal left
        if left and statement.startswith(beginning):
            left -= 1
            raise Refused()

    sa.event.listen(engine, 'do_execute', do_execute)
    try:
        yield
    finally:
        sa.event.remove(engine, 'do_execute', do_execute)
    assert not left
