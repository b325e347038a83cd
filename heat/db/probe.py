"""Find out whether a database can be used, before anything depends on it."""
from typing import Any

from oslo_config import cfg
import sqlalchemy
from sqlalchemy import exc as sqla_exc

from heat.common import startup
from heat.db import engine_setup

#: Seconds that a server has to accept a connection.
PATIENCE = 5

_OPTION = '[database] connection'

# Of MySQL and MariaDB: access denied, no such database, wrong plugin.
_REFUSED_CODES = frozenset([1044, 1045, 1049, 1130, 1251, 1524, 1698])
_REFUSED_TEXTS = (
    'authentication failed', 'does not exist', 'pg_hba.conf',
    'no password supplied', 'permission denied', 'SSL', 'certificate',
    'invalid connection option', 'invalid dsn', 'invalid port',
    'invalid sslmode value', 'invalid channel_binding value',
    'invalid integer value', 'invalid gssencmode value',
    'unable to open database file', 'not a database', 'readonly database',
    'unexpected keyword argument',
)


def check(connection: str | None = None) -> None:
    """Connect once.

    :param connection: the URL, by default the configured one
    :raises startup.Refused: waiting would not help
    :raises startup.Away: the server does not answer
    """
    text = connection or cfg.CONF.database.connection
    if not text:
        raise startup.Refused(f'{_OPTION} is not configured.')
    url = _parsed(text)
    try:
        engine = sqlalchemy.create_engine(
            url, poolclass=sqlalchemy.NullPool, connect_args=_timeout(url))
        engine.connect().close()
    except Exception as error:
        raise _judged(url, error) from error


def _parsed(text: str) -> sqlalchemy.URL:
    try:
        url = sqlalchemy.make_url(engine_setup.complete_url(text))
    except (sqla_exc.ArgumentError, ValueError) as error:
        raise startup.Refused(
            f'{_OPTION} is not a URL such as '
            'mysql+pymysql://user:password@host/heat') from error
    if url.get_backend_name() in ('mysql', 'mariadb') and not url.database:
        raise startup.Refused(f'{_OPTION} names no database')
    return url


def _timeout(url: sqlalchemy.URL) -> dict[str, Any]:
    backend = url.get_backend_name()
    if backend == 'sqlite':
        return {}
    if url.get_driver_name() in ('pymysql', 'mysqldb'):
        # A server that accepts the connection may still never answer.
        return {'connect_timeout': PATIENCE, 'read_timeout': PATIENCE}
    return {'connect_timeout': PATIENCE}


def _judged(url: sqlalchemy.URL, error: Exception) -> Exception:
    """Return what an error means for the start of a process."""
    # A query may hold a password, too.
    where = f'{_OPTION} ({url.set(query={}).render_as_string()})'
    if isinstance(error, sqla_exc.NoSuchModuleError):
        return startup.Refused(
            f'{where}: there is no driver {url.drivername}')
    original = getattr(error, 'orig', None) or error
    cause = _cause(original)
    if isinstance(original, ImportError):
        return startup.Refused(f'{where}: {cause}')
    if _is_permanent(url, error, original):
        return startup.Refused(f'{where}: {cause}')
    return startup.Away(f'{where}: {cause}')


def _cause(original: BaseException) -> str:
    args: tuple[Any, ...] = tuple(original.args)
    if len(args) > 1 and isinstance(args[0], int):
        return startup.line(args[1])
    return startup.cause(original)


def _is_permanent(url: sqlalchemy.URL, error: Exception,
                  original: BaseException) -> bool:
    text = str(original)
    if url.get_backend_name() == 'sqlite':
        return 'locked' not in text
    if isinstance(original, FileNotFoundError | PermissionError):
        # Of the files that TLS needs.
        return True
    code = original.args[0] if getattr(original, 'args', None) else None
    if code in _REFUSED_CODES or any(
            known in text for known in _REFUSED_TEXTS):
        return True
    return not isinstance(error, (sqla_exc.OperationalError, OSError))

