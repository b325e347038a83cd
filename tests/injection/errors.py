"""The errors that are injected, as the layer above would see them.

Errors of the database are those that oslo.db makes of what a driver raises:
a server's numbers and states are in them, whatever database the tests have.
"""
from collections.abc import Callable
import dataclasses
import errno

from keystoneauth1 import exceptions as keystone_exceptions
from openstack import exceptions as sdk_exceptions
from oslo_db import exception as db_exception
import oslo_messaging
from sqlalchemy import exc as sqla_exc

#: Virtual seconds that a fault lasts which is more than one error.
OUTAGE = 20


class MySQLError(Exception):
    """What PyMySQL raises: a number and a text."""


class PostgreSQLError(Exception):
    """What psycopg raises: a text, and a state beside it."""

    def __init__(self, state, text):
        super().__init__(text)
        self.pgcode = self.sqlstate = state


def _statement(kind, original):
    return kind('a statement', {}, original)


def _mysql(number, text):
    return _statement(sqla_exc.OperationalError, MySQLError(number, text))


def _postgresql(state, text, kind=sqla_exc.OperationalError):
    return _statement(kind, PostgreSQLError(state, text))


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """One class of error of a layer.

    :ivar variants: functions that return an error; what a fault is decides
        which one it has
    :ivar lasts: virtual seconds for which calls fail; each length is tried
    :ivar writes_only: calls that only read do not raise it
    :ivar is_defect: nothing heals it, so an operation may fail
    """

    variants: tuple[Callable, ...]
    lasts: tuple = (0,)
    writes_only: bool = False
    is_defect: bool = False


_LOST = (
    lambda: db_exception.DBConnectionError(_mysql(
        2013, 'Lost connection to MySQL server during query')),
    lambda: _postgresql('57P01', 'terminating connection due to '
                        'administrator command'))
_CONFLICT = (
    lambda: db_exception.DBDeadlock(_mysql(
        1213, 'Deadlock found when trying to get lock; try restarting '
              'transaction')),
    lambda: db_exception.DBDeadlock(_mysql(
        1205, 'Lock wait timeout exceeded; try restarting transaction')),
    lambda: db_exception.DBDeadlock(_postgresql(
        '40P01', 'deadlock detected')))
_REFUSED = (
    lambda: _mysql(1290, 'The MariaDB server is running with the '
                   '--read-only option so it cannot execute this statement'),
    lambda: db_exception.DBError(_postgresql(
        '25006', 'cannot execute UPDATE in a read-only transaction',
        sqla_exc.InternalError)),
    lambda: _mysql(1114, "The table 'event' is full"),
    lambda: _mysql(1021, 'Disk full (/tmp); waiting for someone to free '
                   'some space'),
    lambda: _postgresql('53100', 'could not extend file: No space left on '
                        'device'))
_NO_ROOM = (
    lambda: _mysql(1040, 'Too many connections'),
    lambda: _postgresql('53300', 'sorry, too many clients already'))
_DEFECT = (
    lambda: db_exception.DBError(_statement(
        sqla_exc.ProgrammingError, MySQLError(1064, 'You have an error'))),)

STATEMENT = {
    'lost': Kind(_LOST, (0, OUTAGE)),
    'conflict': Kind(_CONFLICT, (0, OUTAGE)),
    'refused': Kind(_REFUSED, (0, OUTAGE), writes_only=True),
    'no-room': Kind(_NO_ROOM, (OUTAGE,)),
    'defect': Kind(_DEFECT, is_defect=True),
}

#: After a statement has been executed, before its commit.
EXECUTED = {'lost': Kind(_LOST), 'refused': Kind(_REFUSED,
                                                 writes_only=True)}

COMMIT = {
    'lost': Kind(_LOST, (0, OUTAGE)),
    'conflict': Kind(_CONFLICT),
    'refused': Kind(_REFUSED, (0, OUTAGE)),
    'defect': Kind(_DEFECT, is_defect=True),
}

#: The commit was made, but the answer to it was lost.
COMMITTED = {'lost': Kind(_LOST, (0, OUTAGE))}

SENT = {
    'away': Kind((
        lambda: oslo_messaging.MessageDeliveryFailure('no broker'),
        lambda: oslo_messaging.MessagingTimeout('no answer')), (0, OUTAGE)),
    'defect': Kind((lambda: RuntimeError('the driver has a defect'),)),
}


class Dropped(Exception):
    """Not raised by anything: the message just does not arrive."""


class Repeated(Exception):
    """Not raised by anything: the message arrives again."""


HANDLED = {'dropped': Kind((Dropped,), (0, OUTAGE)),
           'repeated': Kind((Repeated,))}


class Killed(BaseException):
    """Raised wherever an engine is that has just been killed."""


#: The process ends: nothing of it runs any more, and it tells nobody.
DEATH = {'killed': Kind((Killed,))}


def _http(status, text):
    error = sdk_exceptions.HttpException(text)
    error.status_code = error.http_status = status
    return error


CLOUD = {
    'away': Kind((
        lambda: keystone_exceptions.ConnectFailure(
            'Unable to establish connection'),
        lambda: keystone_exceptions.ConnectTimeout('Request timed out'),
        lambda: _http(503, 'Service Unavailable')), (0, OUTAGE),
        is_defect=True),
    'refused': Kind((
        lambda: keystone_exceptions.Unauthorized(
            'The request you have made requires authentication'),
        lambda: _http(500, 'Internal Server Error'),
        lambda: _http(409, 'Conflict'),
        lambda: KeyError('status')), is_defect=True),
}

LOG = {
    'disk-full': Kind((
        lambda: OSError(errno.ENOSPC, 'No space left on device'),),
        (0, OUTAGE)),
    'defect': Kind((
        lambda: UnicodeEncodeError('ascii', 'x', 0, 1, 'no'),)),
}

#: {(layer, moment): {name: Kind}}
TABLE = {
    ('statement', 'before'): STATEMENT,
    ('statement', 'after'): EXECUTED,
    ('commit', 'before'): COMMIT,
    ('commit', 'after'): COMMITTED,
    ('send', 'before'): SENT,
    ('send', 'after'): SENT,
    ('handle', 'before'): HANDLED,
    ('cloud', 'before'): CLOUD,
    ('cloud', 'after'): CLOUD,
    ('log', 'before'): LOG,
}

#: The same for the end of an engine, which fewer life cycles are tried with.
DEATHS = {(layer, moment): DEATH for layer in ('commit', 'cloud')
          for moment in ('before', 'after')}
#: Work beside the operations of stacks reads much and writes little.
DEATHS_ASIDE = {**DEATHS, ('statement', 'before'): DEATH}
