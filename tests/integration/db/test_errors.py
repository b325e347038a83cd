"""The table of errors, as the servers and drivers themselves raise them."""
import pytest
import sqlalchemy as sa

from heat.db import errors
from heat.db import session

#: Numbers that the library of a client makes are no server's to raise.
_OF_CLIENTS = range(2000, 3000)
#: Classes of states have no error of their own.
_STATE_LENGTH = 5


def _rows(kind):
    if kind == 'mysql':
        return [(number, remedy) for number, remedy in errors.MYSQL.items()
                if number and number not in _OF_CLIENTS]
    return [(state.ljust(_STATE_LENGTH, '0'), remedy)
            for state, remedy in errors.POSTGRESQL.items()]


def _raise(kind, code):
    if kind == 'mysql':
        return (f"SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = {code}, "
                "MESSAGE_TEXT = 'said by a test'")
    return ("DO $$ BEGIN RAISE EXCEPTION 'said by a test' "
            f"USING ERRCODE = '{code}'; END $$")


@pytest.fixture
def kind(migrated):
    session.configure(migrated)
    yield 'mysql' if migrated.startswith('mysql') else 'postgresql'
    session.configure()


def test_each_error_meets_its_remedy(kind):
    found, expected = {}, dict(_rows(kind))
    for code in expected:
        try:
            with session.writer(None) as connection:
                connection.execute(sa.text(_raise(kind, code)))
        except Exception as error:  # noqa: BLE001 (looked at below)
            found[code] = errors.remedy_of(error)
    assert found == expected


def test_waiting_for_a_lock_ends(kind):
    with session.reader(None) as connection:
        limit = connection.execute(sa.text(
            'SELECT @@SESSION.innodb_lock_wait_timeout'
            if kind == 'mysql' else
            "SELECT setting::int / 1000 FROM pg_settings "
            "WHERE name = 'lock_timeout'")).scalar()
    assert 0 < limit <= 10
