"""Statements are part of the trace of a request, without their values."""
from osprofiler import notifier
from osprofiler import profiler
import pytest
import sqlalchemy as sa

from heat.db import engine_setup


@pytest.fixture
def points():
    """Return what a trace has recorded."""
    found = []
    before = notifier.get()
    notifier.set(lambda info, **_kwargs: found.append(info))
    profiler.clean()
    profiler.init('key', base_id='b', parent_id='p')
    yield found
    profiler.clean()
    notifier.set(before)


@pytest.fixture
def connection():
    engine = sa.create_engine('sqlite://')
    engine_setup.trace(engine)
    with engine.connect() as one:
        yield one
    engine.dispose()


def test_a_statement_is_traced_without_its_values(points, connection):
    connection.execute(sa.text('SELECT :value'), {'value': 'a secret'})
    assert [point['name'] for point in points] == ['db-start', 'db-stop']
    assert 'SELECT' in points[0]['info']['db']['statement']
    assert 'a secret' not in str(points)


def test_a_failed_statement_ends_its_trace(points, connection):
    with pytest.raises(sa.exc.OperationalError):
        connection.execute(sa.text('SELECT nothing FROM nowhere'))
    connection.execute(sa.text('SELECT 1'))
    assert [point['name'] for point in points] == [
        'db-start', 'db-stop', 'db-start', 'db-stop']
    assert len({point['parent_id'] for point in points}) == 1
