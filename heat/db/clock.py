"""The time of the database, which is the same for all hosts."""
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext import compiler
from sqlalchemy.sql import functions


class now(functions.FunctionElement[Any]):  # noqa: N801 (an SQL function)
    """UTC, without a zone, as the server has it when it runs a statement."""

    type = sa.DateTime()
    inherit_cache = True


@compiler.compiles(now)
def _of_sqlite(element: now, compiler: Any, **kwargs: Any) -> str:
    # As many digits as SQLAlchemy stores.
    return "strftime('%Y-%m-%d %H:%M:%f000', 'now')"


@compiler.compiles(now, 'mysql', 'mariadb')
def _of_mysql(element: now, compiler: Any, **kwargs: Any) -> str:
    return 'UTC_TIMESTAMP(6)'


@compiler.compiles(now, 'postgresql')
def _of_postgresql(element: now, compiler: Any, **kwargs: Any) -> str:
    return "timezone('utc', clock_timestamp())"
