"""Runs migrations on the connection handed over, or the configured one."""
from typing import Any

from alembic import context

from heat.db import models
from heat.db import session


def _migrate(connection: Any) -> None:
    context.configure(connection=connection, target_metadata=models.METADATA)
    with context.begin_transaction():
        context.run_migrations()
    # Alembic leaves a transaction that it did not begin to its caller.
    connection.commit()


def run_migrations() -> None:
    """Apply what the command asked for."""
    connection = context.config.attributes.get('connection')
    if connection is not None:
        _migrate(connection)
        return
    with session.get_engine().connect() as connection:
        _migrate(connection)


run_migrations()
