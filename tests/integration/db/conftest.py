import pytest
import sqlalchemy as sa

from heat.common import config  # noqa: F401 (registers options)
from heat.db import migration, models, session
from tests.fakes import servers
from tests.unit.objects.conftest import (  # noqa: F401 (fixtures)
    a_stack,
    admin,
    context,
    encrypting,
    make_context,
    make_stack,
)


@pytest.fixture(scope='session', params=['mysql', 'postgresql'])
def server(request):
    return servers.Server(request.param)


@pytest.fixture(scope='session')
def migrated(server):
    """The URL of a database with the latest schema."""
    url = server.create()
    session.configure(url)
    migration.db_sync()
    yield url
    session.configure()
    server.drop(url)


@pytest.fixture
def empty_database(server):
    """Use a database without any table."""
    url = server.create()
    session.configure(url)
    yield url
    session.configure()
    server.drop(url)


@pytest.fixture
def clean_database(migrated):
    """Use a database without any row."""
    session.configure(migrated)
    with session.writer(None) as connection:
        for table in reversed(models.METADATA.sorted_tables):
            connection.execute(sa.delete(table))
    yield
    session.configure()
