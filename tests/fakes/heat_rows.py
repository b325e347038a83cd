"""Databases as OpenStack Heat leaves them, written row by row.

Only columns that Heat has are written, in Heat's own form: tests/facts says
which they are, and the recorded database next to it shows what they hold.
What later migrations add stays as they make it.
"""
import collections
import datetime
import json
import uuid

import sqlalchemy as sa

from heat.common import crypt
from heat.common import short_id
from heat.db import migration
from heat.db import models
from heat.db import session
from heat.db import types
from tests.fakes import peer
from tests.fakes import schema


def now():
    """Return the moment in UTC, in whole seconds."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None,
                                                       microsecond=0)


CREATED = now() - datetime.timedelta(days=3)
UPDATED = now() - datetime.timedelta(days=2)
VERSION = '2018-08-31'


def isotime(moment):
    """Return a moment as the API shows it."""
    return moment.strftime('%Y-%m-%dT%H:%M:%SZ')


def new_id():
    """Return a new id."""
    return str(uuid.uuid4())


def _stored(column, value):
    if isinstance(column.type, types.Json):
        return json.dumps(value)
    return value


class Database:
    """A database of the last revision of Heat, and its rows.

    :param url: of an empty database
    :ivar engine_id: the engine that was stopped
    :ivar started: when the operations began in which Heat was stopped; a
        run of all tests takes longer than some pauses and timeouts, so it is
        no constant
    """

    def __init__(self, url):
        session.configure(url)
        migration.db_sync(peer.REVISION)
        self.engine_id = new_id()
        self.started = now() - datetime.timedelta(minutes=1)
        self._columns = schema.recorded_tables()
        self._numbers = collections.Counter()
        self.insert('service', id=new_id(), engine_id=self.engine_id,
                    host='old', hostname='old', binary='heat-engine',
                    topic='engine', report_interval=60, created_at=CREATED,
                    updated_at=self.started - datetime.timedelta(hours=1))

    def insert(self, table, **values):
        """Add a row; return its number if it has one."""
        known = self._columns[table]['columns']
        assert values.keys() <= known.keys(), (table, values.keys())
        row = dict.fromkeys(known) | values
        columns = _columns(table)
        if 'id' in row and row['id'] is None:
            self._numbers[table] += 1
            row['id'] = self._numbers[table]
        with session.writer(None) as connection:
            connection.execute(
                sa.table(table, *(sa.column(name, _type(columns[name]))
                                  for name in row)).insert(),
                {name: _stored(columns[name], value)
                 for name, value in row.items()})
        return row.get('id')

    def update(self, table, row_id, **values):
        """Change a row."""
        columns = _columns(table)
        target = sa.table(table, *(sa.column(name, _type(columns[name]))
                                   for name in {'id', *values}))
        with session.writer(None) as connection:
            connection.execute(
                target.update().where(target.c.id == row_id).values({
                    name: _stored(columns[name], value)
                    for name, value in values.items()}))

    def template(self, resources, *, parameters=None, files=None, env=None,
                 hidden=None, **sections):
        """Store a template; return its number.

        :param resources: the section, or a whole template.
        :param parameters: values of parameters.
        :param hidden: values of hidden parameters; they are encrypted.
        """
        whole = resources if _is_whole(resources) else {
            'heat_template_version': VERSION, **sections,
            'resources': resources}
        files_id = files and self.insert(
            'raw_template_files', files=files, created_at=CREATED)
        environment = {
            'resource_registry': {'resources': {}}, 'parameters': {},
            'parameter_defaults': {}, 'event_sinks': [],
            'encrypted_param_names': sorted(hidden or ()), **(env or {})}
        environment['parameters'] = {
            **(parameters or {}), **{
                name: list(crypt.encrypt(value, peer.KEY))
                for name, value in (hidden or {}).items()}}
        return self.insert('raw_template', template=whole, files=None,
                           files_id=files_id or None,
                           environment=environment, created_at=CREATED)

    def credentials(self, project, trust=None):
        """Store who made a stack.

        There is no Keystone that could be asked, so no password is kept;
        those that are kept are in the recorded database.

        :param trust: the trust that the stack acts by
        """
        method, secret = crypt.encrypt(trust, peer.KEY) if trust else (
            '', None)
        return self.insert('user_creds', username='anna', tenant=project,
                           tenant_id=project, decrypt_method=method,
                           trust_id=secret, created_at=CREATED,
                           trustor_user_id='anna-id' if trust else None)

    def stack(self, name, template_id, **options):
        """Store a stack; see Stack."""
        return Stack(self, name, template_id, **options)

    def remove(self, table, row_id):
        """Remove a row."""
        target = sa.table(table, sa.column('id'))
        with session.writer(None) as connection:
            connection.execute(target.delete().where(
                target.c.id == row_id))

    def finish(self):
        """Bring the database up to the newest revision."""
        with session.writer(None) as connection:
            peer.set_sequences(connection)
        migration.db_sync()
        session.configure()


def _columns(table):
    return {column.name: column
            for column in models.METADATA.tables[table].columns}


def _type(column):
    return (sa.Text() if isinstance(column.type, types.Json)
            else column.type)


def _is_whole(template):
    return bool({'heat_template_version', 'HeatTemplateFormatVersion',
                 'AWSTemplateFormatVersion'} & template.keys())


class Stack:
    """The rows of a stack.

    :param project: the project; each stack has one of its own by default
    :param parent: (stack, name of the resource) that it is nested in
    :param before: the number of the template before this one
    :param trust: the trust that a root acts by
    :ivar rows: {name: Row} of the resources that count
    :ivar before: the number of the template before this one, or None
    """

    def __init__(self, database, name, template_id, *, convergence=True,
                 action='CREATE', status='COMPLETE', reason=None,
                 project=None, parent=None, before=None, tags=(),
                 timeout=None, traversal=None, backup=False,
                 disable_rollback=True, stack_id=None, trust=None):
        self.database = database
        self.name, self.id = name, stack_id or new_id()
        self.template_id, self.before = template_id, before
        self.convergence, self.action, self.status = (
            convergence, action, status)
        self.parent = parent
        self.project = project or (
            parent[0].project if parent else uuid.uuid4().hex)
        self.user_project = (parent[0].user_project if parent
                             else uuid.uuid4().hex)
        self.rows = {}
        self.traversal = (traversal or new_id()) if convergence else None
        self.reason = reason or 'Stack %s %s' % (
            action, {'IN_PROGRESS': 'started', 'FAILED': 'failed'}.get(
                status, 'completed successfully'))
        self.updated_at = (None if action in ('CREATE', 'ADOPT') else
                           database.started if status == 'IN_PROGRESS'
                           else UPDATED)
        self.created_at = database.started if (
            self.updated_at is None and status == 'IN_PROGRESS') else CREATED
        self.root = parent[0].root if parent else self
        self.depth = parent[0].depth + 1 if parent else 0
        self.creds_id = (parent[0].creds_id if parent else
                         database.credentials(self.project, trust))
        database.insert(
            'stack', id=self.id, name=name, created_at=self.created_at,
            updated_at=self.updated_at, raw_template_id=template_id,
            prev_raw_template_id=before, user_creds_id=self.creds_id,
            username='anna', owner_id=parent[0].id if parent else None,
            action=action, status=status, status_reason=self.reason,
            timeout=timeout, tenant=self.project,
            disable_rollback=disable_rollback,
            stack_user_project_id=self.user_project, backup=backup,
            nested_depth=self.depth, convergence=convergence,
            current_traversal=self.traversal,
            current_deps={'edges': []} if convergence else None,
            parent_resource_name=parent[1] if parent else None)
        for tag in tags:
            database.insert('stack_tag', stack_id=self.id, tag=tag,
                            created_at=CREATED)

    def backup(self, template_id):
        """Return the stack that keeps what a legacy update replaces."""
        made = Stack(self.database, self.name + '*', template_id,
                     convergence=False, parent=(self, None), backup=True,
                     action=self.action, status=self.status)
        self.database.update('stack', made.id, nested_depth=0,
                             parent_resource_name=None)
        return made

    def resource(self, name, **options):
        """Store a resource; see Row."""
        row = Row(self, name, **options)
        if options.get('replaced_by') is None:
            self.rows[name] = row
        return row

    def lock(self):
        """Let the engine that was stopped hold the stack."""
        self.database.insert('stack_lock', stack_id=self.id,
                             created_at=self.database.started,
                             engine_id=self.database.engine_id)

    def graph(self, *edges, done=(), going=False):
        """Store the order in which resources are visited.

        :param edges: pairs (node, node that it waits for, or None), where
            a node is (number of a row, is an update)
        :param done: nodes that have handed their results on
        :param going: whether the traversal is going on
        """
        self.database.update('stack', self.id, current_deps={
            'edges': [[list(one), other and list(other)]
                      for one, other in edges]})
        if not going:
            return
        nodes = {node for edge in edges for node in edge if node}
        inputs = {node: {} for node in nodes}
        roots = nodes - {other for _one, other in edges}
        for node, other in edges:
            if other in done:
                inputs[node].update(self._told(other))
        of_stack = {}
        for node in roots & set(done):
            of_stack.update(self._told(node))
        for (entity, is_update), told in [*inputs.items(), (
                (self.id, True), of_stack)]:
            self.database.insert(
                'sync_point', entity_id=str(entity), is_update=is_update,
                traversal_id=self.traversal, stack_id=self.id,
                atomic_key=len(told), created_at=self.database.started,
                updated_at=self.database.started if told else None,
                extra_data=None,
                input_data={'input_data': told} if told else {})

    def _told(self, node):
        """Return what a node that is done has handed on."""
        row_id, is_update = node
        if not is_update:
            return {"tuple:(%d, False, 'resource')" % row_id: None}
        row = next(each for each in self.rows.values() if each.id == row_id)
        return {"tuple:(%d, True, 'resource')" % row_id: {
            'id': row.id, 'uuid': row.uuid, 'name': row.name,
            'reference_id': row.physical or row.name, 'attrs': {},
            'status': 'COMPLETE', 'action': row.action}}

    def snapshot(self, *, name='one', status='COMPLETE', action='CREATE',
                 template=None, snapshot_id=None, parts=None):
        """Store a snapshot.

        :param parts: {name: what is kept of the resource}
        """
        snapshot_id = snapshot_id or new_id()
        data = None if template is None else {
            'name': self.name, 'id': self.id, 'action': 'SNAPSHOT',
            'status': 'COMPLETE', 'resources': {}, 'files': {},
            'template': template, 'project_id': self.project, 'tags': [],
            'stack_user_project_id': self.user_project, 'environment': {
                'resource_registry': {'resources': {}}, 'parameters': {},
                'parameter_defaults': {}, 'event_sinks': []}}
        self.database.insert(
            'snapshot', id=snapshot_id, stack_id=self.id, name=name,
            created_at=UPDATED, status=status, action=action, data=data,
            tenant=self.project, status_reason=None if data is None else
            'Stack SNAPSHOT completed successfully')
        for resource_name, kept in (parts or {}).items():
            self.database.insert(
                'resource_snapshot', id=new_id(), snapshot_id=snapshot_id,
                resource_name=resource_name, created_at=UPDATED, data=kept)
        return snapshot_id

    def config(self, *, name='c', group='script', config='echo', inputs=(),
               outputs=(), config_id=None, options=None):
        """Store a software config; return its id."""
        config_id = config_id or new_id()
        self.database.insert(
            'software_config', id=config_id, created_at=CREATED, name=name,
            group=group, tenant=self.project, config={
                'inputs': list(inputs), 'outputs': list(outputs),
                'options': options or {}, 'config': config})
        return config_id


class Row:
    """The row of a resource, with its data and properties.

    :param properties: as resolved when it was made or changed last
    :param data: {key: value} of the resource data; what is in `secret` is
        encrypted
    :param claimed: the engine that was stopped has it in hand
    :param physical: the physical id; the name that Heat makes up by default
    """

    def __init__(self, stack, name, *, action='CREATE', status='COMPLETE',
                 reason='state changed', properties=None, physical='',
                 data=None, secret=None, metadata=None, attributes=None,
                 requires=(), template_id=None, claimed=False, replaces=None,
                 replaced_by=None, encrypted=False, needed_by=()):
        self.stack, self.name = stack, name
        self.action, self.status = action, status
        self.uuid = new_id()
        unmade = (action, status) == ('INIT', 'COMPLETE')
        self.physical_name = '%s-%s-%s' % (
            stack.name.rstrip('*'), name, short_id.get_id(self.uuid))
        self.physical = (None if unmade else self.physical_name
                         if physical == '' else physical)
        self.is_updated = action not in ('INIT', 'CREATE', 'ADOPT')
        # An update may be making it.
        self.created_at = stack.updated_at if stack.updated_at and (
            action, status) == ('CREATE', 'IN_PROGRESS') else stack.created_at
        add = stack.database.insert
        self.id = add(
            'resource', uuid=self.uuid, nova_instance=self.physical,
            name=name, created_at=self.created_at, stack_id=stack.id,
            updated_at=stack.updated_at if self.is_updated else None,
            action=action, status=status,
            status_reason='' if unmade else reason,
            rsrc_metadata=None if unmade else metadata or {},
            properties_data=None, needed_by=list(needed_by),
            requires=[each.id for each in requires],
            engine_id=stack.database.engine_id if claimed else None,
            atomic_key=self._atomic_key(unmade, claimed),
            replaces=replaces, replaced_by=replaced_by,
            current_template_id=(template_id or stack.template_id)
            if stack.convergence else None,
            root_stack_id=stack.root.id,
            rsrc_prop_data_id=self._properties(properties, encrypted),
            attr_data_id=self._properties(attributes, False))
        for kept, redact in ((data, False), (secret, True)):
            for key, value in (kept or {}).items():
                method, text = (crypt.encrypt(value, peer.KEY) if redact
                                else ('', value))
                add('resource_data', resource_id=self.id, key=key,
                    value=text, redact=redact, decrypt_method=method,
                    created_at=self.created_at)

    def _atomic_key(self, unmade, claimed):
        if not self.stack.convergence or unmade:
            return None
        return 1 if claimed else 2

    def _properties(self, values, encrypted):
        if values is None:
            return None
        stored = values if not encrypted else {
            key: list(crypt.encrypt(json.dumps(value), peer.KEY))
            for key, value in values.items()}
        return self.stack.database.insert(
            'resource_properties_data', data=stored, encrypted=encrypted,
            created_at=self.created_at)

    @property
    def update(self):
        """The node of a graph that makes the resource."""
        return self.id, True

    @property
    def clean(self):
        """The node of a graph that removes what is superseded."""
        return self.id, False

    def deploy(self, deployment_id, server_id, config_id, *,
               action='CREATE', status='COMPLETE', inputs=None,
               outputs=None, reason=None):
        """Store a deployment that belongs to the resource."""
        self.stack.database.insert(
            'software_deployment', id=deployment_id, server_id=server_id,
            created_at=self.created_at,
            updated_at=self.stack.updated_at if self.is_updated else None,
            config_id=config_id, input_values=inputs or {},
            output_values=outputs, action=action, status=status,
            status_reason=reason or ('Deploy data available'
                                     if status == 'IN_PROGRESS' else
                                     'Outputs received'),
            tenant=self.stack.project,
            stack_user_project_id=self.stack.user_project)
