"""The service over a database that Heat has left behind."""
import collections
import contextlib

from keystoneauth1 import loading
from oslo_config import cfg
import sqlalchemy as sa

from heat.common import crypt
from heat.db import models
from heat.db import session
from tests.fakes import heat_rows
from tests.fakes import peer
from tests.functional import rest
from tests.functional import service as service_module

_CONFIG = """\
[DEFAULT]
convergence_scan_interval = 1

[trustee]
auth_type = password
auth_url = http://keystone.test/v3
username = heat
password = secret
user_domain_id = default
"""
#: Tables of which a stack that was deleted leaves no row.
_EMPTIED = ('resource', 'resource_data', 'sync_point', 'stack_lock',
            'snapshot', 'resource_snapshot', 'stack_tag', 'user_creds',
            'software_config', 'software_deployment')


class World:
    """A service that is started over the rows that a function writes.

    :param write: called with a heat_rows.Database; returns {name: Stack}
    :param url: of an empty database; by default one of SQLite is made
    :ivar rows: what it returned
    """

    def __init__(self, patch, directory, write, url=None):
        url = url or f'sqlite:///{directory}/heat.sqlite'
        database = heat_rows.Database(url)
        self.rows = write(database)
        database.finish()
        config = directory / 'heat.conf'
        config.write_text(_CONFIG)
        self.service = service_module.Service(patch, [str(config)])
        self._url = url

    def start(self, **options):
        """Start the service with some options of [DEFAULT]."""
        self.service.start(self._url)
        for name, value in options.items():
            cfg.CONF.set_override(name, value)

    def stop(self):
        """Stop the service, and let no other one need our options."""
        self.service.stop()
        if 'trustee' in cfg.CONF:
            # They are known once the account was needed.
            cfg.CONF.unregister_opts(
                loading.get_auth_plugin_conf_options('password'), 'trustee')

    def stack(self, name):
        """Return a stack as its user sees it."""
        rows = self.rows[name]
        return rest.Stack(self.client(name), rows.name, rows.id)

    def client(self, name):
        """Return a client of the project of a stack."""
        return rest.Client(self.service.application,
                           self.rows[name].project)

    def log(self, name):
        """Return how often what was done to things of a stack."""
        return collections.Counter(
            '%s %s' % (action, resource) for action, resource, *_more in
            service_module.thing().log.get(self.rows[name].project, ()))

    def left(self, *stacks):
        """Return {table: number of rows} that deleted stacks have left."""
        found = {}
        with session.reader(None) as connection:
            for table in _EMPTIED:
                number = connection.execute(
                    sa.select(sa.func.count()).select_from(
                        models.METADATA.tables[table])).scalar_one()
                if number:
                    found[table] = number
        return found


def encrypted(text):
    """Return method and data of a text that Heat has encrypted."""
    return crypt.encrypt(text, peer.KEY)


def sql(text, **values):
    """Return the rows of a query."""
    with session.reader(None) as connection:
        return [tuple(row) for row in connection.execute(sa.text(text),
                                                         values)]


def expected_stack(rows, **more):
    """Return what Heat shows of a stack."""
    return {
        'stack_name': rows.name, 'id': rows.id,
        'stack_status': f'{rows.action}_{rows.status}',
        'stack_status_reason': rows.reason,
        'creation_time': heat_rows.isotime(rows.created_at),
        'updated_time': rows.updated_at and heat_rows.isotime(
            rows.updated_at),
        'deletion_time': None, 'stack_owner': 'anna', 'tags': [],
        'capabilities': [], 'notification_topics': [],
        'disable_rollback': True, 'timeout_mins': None,
        'stack_user_project_id': rows.user_project,
        'parent': rows.parent[0].id if rows.parent else None, **more}


def expected_resource(row, **more):
    """Return what Heat shows of a resource."""
    return {
        'resource_name': row.name, 'logical_resource_id': row.name,
        'physical_resource_id': row.physical or '',
        'resource_status': f'{row.action}_{row.status}',
        'resource_status_reason': 'state changed',
        'creation_time': heat_rows.isotime(row.stack.created_at),
        'updated_time': heat_rows.isotime(
            row.stack.updated_at if row.is_updated
            else row.stack.created_at), **more}


def differing(shown, wanted):
    """Return {key: (what is shown, what Heat shows)} where they differ."""
    return {key: (shown.get(key, '(absent)'), value)
            for key, value in wanted.items()
            if key not in shown or shown[key] != value}


@contextlib.contextmanager
def serving(patch, directory, write, **held):
    """Start the service over the rows that a function writes; stop it.

    :param held: further attributes of the World
    """
    made = World(patch, directory, write)
    vars(made).update(held)
    made.start()
    try:
        yield made
    finally:
        made.stop()
