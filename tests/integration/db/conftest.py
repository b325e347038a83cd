import pytest
import sqlalchemy as sa

from heat.common import config  # noqa: F401 (registers options)
from heat.db import migration
from heat.db import models
from heat.db import session
from tests.fakes import servers
from tests.unit.objects.conftest import a_stack  # noqa: F401 (fixtures)
from tests.unit.objects.conftest import admin  # noqa: F401 (fixtures)
from tests.unit.objects.conftest import context  # noqa: F401 (fixtures)
from tests.unit.objects.conftest import encrypting  # noqa: F401 (fixtures)
from tests.unit.objects.conftest import make_context  # noqa: F401 (fixtures)
from tests.unit.objects.conftest import make_stack  # noqa: F401 (fixtures)


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
