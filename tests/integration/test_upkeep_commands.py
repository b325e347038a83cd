"""heat-manage, when it is killed half-way, and beside a running service."""
import datetime
import subprocess
import sys
import time

import pytest
import sqlalchemy as sa

from heat.common import crypt
from heat.db import models
from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import templates

KEY = 'k' * 32
#: Enough for several batches.
ROWS = 500


class Installation:
    """A database server's database, and a configuration that names it."""

    def __init__(self, directory, url):
        self.engine = sa.create_engine(url, poolclass=sa.NullPool)
        self._directory = directory
        self.use_key(KEY)

    def use_key(self, key):
        """Let this be the key of the service."""
        (self._directory / 'heat.conf').write_text(
            f'[DEFAULT]\nauth_encryption_key = {key}\n'
            f'[database]\nconnection = '
            f'{str(self.engine.url.render_as_string(False))}\n')

    def begin(self, *args):
        """Start a command."""
        return subprocess.Popen(
            [sys.executable, cluster_module.ROOT / 'bin' / 'heat-manage',
             '--config-file', self._directory / 'heat.conf',
             *map(str, args)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def run(self, *args):
        """Return what a command prints; it must succeed."""
        process = self.begin(*args)
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, err
        return out

    def interrupt(self, *args, done, last):
        """Kill a command when part of its work is done; return how much.

        :param done: returns how many rows it has dealt with.
        :param last: the column and the value that tell the row it comes to
            last. Somebody else has it, so that there is no end before.
        """
        column, value = last
        with self.engine.connect() as other:
            other.execute(sa.select(column).where(
                column == value).with_for_update())
            process = self.begin(*args)
            while not done() and process.poll() is None:
                time.sleep(0.01)
            process.kill()
            process.communicate(timeout=240)
        return done()

    def insert(self, table, rows):
        """Write rows."""
        with self.engine.begin() as connection:
            connection.execute(sa.insert(table), rows)

    def delete(self, *tables):
        """Delete all rows of tables."""
        with self.engine.begin() as connection:
            for table in tables:
                connection.execute(sa.delete(table))

    def all(self, *columns):
        """Return all rows of some columns."""
        with self.engine.connect() as connection:
            return connection.execute(sa.select(*columns)).all()

    def count(self, table):
        """Return how many rows a table has."""
        with self.engine.connect() as connection:
            return connection.execute(
                sa.select(sa.func.count()).select_from(table)).scalar()


@pytest.fixture(scope='module', params=['mysql', 'postgresql'])
def installation(request, tmp_path_factory):
    server = servers.Server(request.param)
    url = server.create()
    one = Installation(tmp_path_factory.mktemp('upkeep'), url)
    try:
        one.run('db_sync')
        yield one
    finally:
        one.engine.dispose()
        server.drop(url)


TEMPLATE = models.RAW_TEMPLATE


def hiding_templates(number):
    """Return rows of templates that hide a parameter."""
    return [{
        'id': index, 'template': {
            'heat_template_version': '2018-08-31',
            'parameters': {'pw': {'type': 'string', 'hidden': True}}},
        'environment': {'parameters': {'pw': f'geheim-{index}'}}}
        for index in range(1, number + 1)]


def stored(installation):
    """Return {row id: value of the hidden parameter}."""
    return {row.id: row.environment['parameters']['pw'] for row in
            installation.all(TEMPLATE.c.id, TEMPLATE.c.environment)}


def encrypted(installation):
    return sum(not isinstance(value, str)
               for value in stored(installation).values())


def plain(installation, key):
    """Return {row id: value} as whoever has the key reads it."""
    return {number: value if isinstance(value, str)
            else crypt.decrypt(*value, key)
            for number, value in stored(installation).items()}


EXPECTED = {number: f'geheim-{number}' for number in range(1, ROWS + 1)}


def test_encryption_goes_on_where_it_was_killed(installation):
    installation.insert(TEMPLATE, hiding_templates(ROWS))
    before = installation.interrupt(
        'update_params', 'encrypt', done=lambda: encrypted(installation),
        last=(TEMPLATE.c.id, ROWS))
    assert 0 < before < ROWS
    # In between each value can be read.
    assert plain(installation, KEY) == EXPECTED
    installation.run('update_params', 'encrypt')
    assert encrypted(installation) == ROWS
    assert plain(installation, KEY) == EXPECTED
    installation.use_key('n' * 32)
    left = installation.interrupt(
        'update_params', 'decrypt', KEY,
        done=lambda: ROWS - encrypted(installation),
        last=(TEMPLATE.c.id, ROWS))
    assert 0 < left < ROWS
    installation.run('update_params', 'decrypt', KEY)
    assert stored(installation) == EXPECTED
    installation.delete(TEMPLATE)


STACK, RESOURCE = models.STACK, models.RESOURCE


def test_purging_goes_on_where_it_was_killed(installation):
    number = 150
    installation.insert(TEMPLATE, hiding_templates(number))
    moment = datetime.datetime(2020, 1, 1)
    installation.insert(STACK, [{
        'id': f's{index}', 'name': f's{index}', 'raw_template_id': index,
        'tenant': 'p', 'disable_rollback': True, 'action': 'DELETE',
        'status': 'COMPLETE', 'created_at': moment, 'deleted_at': moment,
        'backup': False, 'convergence': True,
        # The last one lives, the one before is the last to go.
        **({'deleted_at': None, 'action': 'CREATE'}
           if index == number else {'deleted_at': moment.replace(
               day=2 if index == number - 1 else 1)})}
        for index in range(1, number + 1)])
    installation.insert(RESOURCE, [{
        'uuid': f'u{index}', 'name': 'r', 'stack_id': f's{index}',
        'root_stack_id': f's{index}', 'action': 'CREATE',
        'status': 'COMPLETE', 'current_template_id': index}
        for index in range(1, number + 1)])
    left = number - installation.interrupt(
        'purge_deleted', '-b', 1, '1',
        done=lambda: number - installation.count(STACK),
        last=(STACK.c.id, f's{number - 1}'))
    assert 1 < left < number
    # A stack goes after its resources, and each with its template.
    assert installation.count(RESOURCE) in (left - 1, left)
    assert installation.count(TEMPLATE) == left
    installation.run('purge_deleted', '1')
    assert [row.id for row in installation.all(STACK.c.id)] == [f's{number}']
    assert installation.count(RESOURCE) == installation.count(TEMPLATE) == 1
    installation.delete(RESOURCE, STACK, TEMPLATE)


# -- beside a running service -----------------------------------------------

@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    with cluster_module.running(
            tmp_path_factory.mktemp('handing-over'),
            servers.Server('postgresql'), hosts=('one',), apis=1) as one:
        one.use(convergence_engine='false')
        yield one


def migrate(cluster, stack_id):
    """Hand a stack over; return the finished process."""
    return subprocess.run(
        [sys.executable, cluster_module.ROOT / 'bin' / 'heat-manage',
         '--config-file', cluster.directory / 'heat.conf',
         'migrate_convergence_1', stack_id],
        capture_output=True, text=True, check=False, timeout=240)


def test_a_legacy_stack_is_handed_over(cluster):
    path = cluster.api.create('handed', templates.mesh(4))
    cluster.wait_status(path, 'CREATE_COMPLETE')
    stack_id = path.rpartition('/')[2]

    def is_convergent():
        [[value]] = cluster.sql('SELECT convergence FROM stack '
                                'WHERE id = :id', id=stack_id)
        return bool(value)

    before = {each['resource_name']: each['physical_resource_id']
              for each in cluster.api.resources(path)}
    assert not is_convergent()
    done = migrate(cluster, stack_id)
    assert done.returncode == 0, done.stderr
    assert is_convergent()
    assert {each['resource_name']: each['physical_resource_id']
            for each in cluster.api.resources(path)} == before
    # Once is enough.
    done = migrate(cluster, stack_id)
    assert done.returncode == 1
    assert 'already uses convergence' in done.stderr
    assert 'Traceback' not in done.stderr
    cluster.api.call('PUT', path, {'template': templates.mesh(5)},
                     expect=202)
    cluster.wait_status(path, 'UPDATE_COMPLETE')
    assert len(cluster.api.resources(path)) == len(before) + 1
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)


def test_a_stack_that_failed_or_is_unknown_is_not_handed_over(cluster):
    path = cluster.api.create('failed', templates.failing(
        templates.mesh(1), 'r0'))
    cluster.wait_status(path, 'CREATE_FAILED')
    done = migrate(cluster, path.rpartition('/')[2])
    assert done.returncode == 1
    assert 'CREATE_FAILED' in done.stderr
    done = migrate(cluster, 'nothing')
    assert done.returncode == 1
    assert 'nothing' in done.stderr
    assert 'Traceback' not in done.stderr
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)
