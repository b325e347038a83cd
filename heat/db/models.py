"""The tables, as they are after all migrations.

Names, columns and keys up to revision 97b2a986f922 are those of every Heat
database; what follows it is additive. Heat deletes rows for real, except of
``stack`` and ``service``, which keep ``deleted_at``.
"""
from typing import Any
import uuid

import sqlalchemy as sa

from heat.common import timeutils
from heat.db import types

METADATA = sa.MetaData()


def _uuid() -> str:
    return str(uuid.uuid4())


def _id() -> sa.Column[Any]:
    return sa.Column('id', sa.Integer, primary_key=True)


def _uuid_id() -> sa.Column[Any]:
    return sa.Column('id', sa.String(36), primary_key=True, default=_uuid)


def _unique_uuid() -> sa.Column[Any]:
    return sa.Column('uuid', sa.String(36), unique=True, default=_uuid)


def _created_at(index: bool = False) -> sa.Column[Any]:
    return sa.Column('created_at', sa.DateTime, default=timeutils.utcnow,
                     index=index)


def _updated_at() -> sa.Column[Any]:
    return sa.Column('updated_at', sa.DateTime, onupdate=timeutils.utcnow)


def _explicit_updated_at() -> sa.Column[Any]:
    """The time of the user's last update, not of the last write."""
    return sa.Column('updated_at', sa.DateTime)


def _table(name: str, *args: sa.schema.SchemaItem, **kwargs: Any
           ) -> sa.Table:
    return sa.Table(name, METADATA, *args, mysql_engine='InnoDB',
                    mysql_charset='utf8mb4', **kwargs)


RAW_TEMPLATE_FILES = _table(
    'raw_template_files',
    _id(), _created_at(), _updated_at(),
    sa.Column('files', types.SealedJson),
)

RAW_TEMPLATE = _table(
    'raw_template',
    _id(), _created_at(), _updated_at(),
    sa.Column('template', types.SealedJson),
    # Rows of old releases hold their files here; ours name a row of
    # raw_template_files, which templates of one tree share.
    sa.Column('files', types.SealedJson),
    sa.Column('environment', types.Json),
    sa.Column('files_id', sa.Integer,
              sa.ForeignKey('raw_template_files.id',
                            name='raw_tmpl_files_fkey_ref'), index=True),
)

USER_CREDS = _table(
    'user_creds',
    _id(), _created_at(), _updated_at(),
    sa.Column('username', sa.String(255)),
    sa.Column('password', sa.String(255)),
    sa.Column('region_name', sa.String(255)),
    sa.Column('decrypt_method', sa.String(64)),
    sa.Column('tenant', sa.String(1024)),
    sa.Column('auth_url', sa.Text),
    sa.Column('tenant_id', sa.String(256)),
    sa.Column('trust_id', sa.String(255)),
    sa.Column('trustor_user_id', sa.String(64)),
)

#: The index that gives lists of stacks in their usual order.
STACK_LIST_INDEX = 'ix_stack_tenant_created_at'

STACK = _table(
    'stack',
    _uuid_id(), _created_at(), _explicit_updated_at(),
    sa.Column('deleted_at', sa.DateTime),
    sa.Column('name', sa.String(255), index=True),
    sa.Column('raw_template_id', sa.Integer,
              sa.ForeignKey('raw_template.id'), nullable=False, index=True),
    sa.Column('prev_raw_template_id', sa.Integer,
              sa.ForeignKey('raw_template.id'), index=True),
    sa.Column('user_creds_id', sa.Integer, sa.ForeignKey('user_creds.id'),
              index=True),
    sa.Column('username', sa.String(256)),
    sa.Column('owner_id', sa.String(36), index=True),
    sa.Column('action', sa.String(255)),
    sa.Column('status', sa.String(255), index=True),
    sa.Column('status_reason', sa.Text),
    sa.Column('timeout', sa.Integer),
    sa.Column('tenant', sa.String(256)),
    sa.Column('disable_rollback', sa.Boolean, nullable=False),
    sa.Column('stack_user_project_id', sa.String(64)),
    sa.Column('backup', sa.Boolean, default=False),
    sa.Column('nested_depth', sa.Integer, default=0),
    sa.Column('convergence', sa.Boolean, default=False),
    sa.Column('current_traversal', sa.String(36)),
    sa.Column('current_deps', types.Json),
    sa.Column('parent_resource_name', sa.String(255)),
    # A digest of project and name while a root stack is not deleted; NULL
    # in nested and deleted stacks, and in rows of earlier releases.
    sa.Column('live_name_key', sa.String(64)),
    sa.Index('uniq_stack_live_name_key', 'live_name_key', unique=True),
    sa.Index('ix_stack_tenant', 'tenant', mysql_length=255),
    # Its migration leaves out stacks that are not deleted where it can.
    sa.Index('ix_stack_deleted_at', 'deleted_at'),
    # Its migration leaves deleted and nested stacks out of it where a database
    # can do that. Said here, this would load the dialects of all databases.
    sa.Index(STACK_LIST_INDEX, 'tenant', 'created_at', 'id'),
)

STACK_LOCK = _table(
    'stack_lock',
    sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
              primary_key=True),
    _created_at(), _updated_at(),
    sa.Column('engine_id', sa.String(36)),
)

STACK_TAG = _table(
    'stack_tag',
    _id(), _created_at(), _updated_at(),
    sa.Column('tag', sa.Unicode(80)),
    sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
              nullable=False, index=True),
)

PROPERTIES_DATA = _table(
    'resource_properties_data',
    _id(), _created_at(), _updated_at(),
    sa.Column('data', types.Json),
    sa.Column('encrypted', sa.Boolean, default=False),
)

RESOURCE = _table(
    'resource',
    _id(), _unique_uuid(), _created_at(), _explicit_updated_at(),
    # The name is history; it holds what the cloud calls the resource.
    sa.Column('nova_instance', sa.String(255), key='physical_resource_id'),
    sa.Column('name', sa.String(255)),
    sa.Column('action', sa.String(255)),
    sa.Column('status', sa.String(255)),
    sa.Column('status_reason', sa.Text),
    sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
              nullable=False, index=True),
    sa.Column('root_stack_id', sa.String(36), index=True),
    sa.Column('rsrc_metadata', types.SealedJson(with_names=True)),
    # Properties in rows of old releases; ours are in
    # resource_properties_data.
    sa.Column('properties_data', types.Json),
    sa.Column('properties_data_encrypted', sa.Boolean),
    sa.Column('rsrc_prop_data_id', sa.Integer,
              sa.ForeignKey('resource_properties_data.id',
                            name='rsrc_rsrc_prop_data_ref'), index=True),
    sa.Column('attr_data_id', sa.Integer,
              sa.ForeignKey('resource_properties_data.id',
                            name='rsrc_attr_data_ref'), index=True),
    sa.Column('engine_id', sa.String(36)),
    sa.Column('atomic_key', sa.Integer),
    sa.Column('needed_by', types.Json),
    sa.Column('requires', types.Json),
    sa.Column('replaces', sa.Integer),
    sa.Column('replaced_by', sa.Integer),
    sa.Column('current_template_id', sa.Integer,
              sa.ForeignKey('raw_template.id'), index=True),
    # A row id names a node of a traversal: it must not come back. SQLite is
    # told so by the first migration.
)

RESOURCE_DATA = _table(
    'resource_data',
    _id(), _created_at(), _updated_at(),
    sa.Column('key', sa.String(255)),
    sa.Column('value', sa.Text),
    sa.Column('redact', sa.Boolean),
    sa.Column('decrypt_method', sa.String(64)),
    sa.Column('resource_id', sa.Integer,
              sa.ForeignKey('resource.id', name='fk_resource_id',
                            ondelete='CASCADE'), nullable=False, index=True),
)

EVENT = _table(
    'event',
    _id(), _unique_uuid(), _created_at(), _updated_at(),
    sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
              nullable=False, index=True),
    sa.Column('resource_action', sa.String(255)),
    sa.Column('resource_status', sa.String(255)),
    sa.Column('resource_name', sa.String(255)),
    sa.Column('physical_resource_id', sa.String(255)),
    sa.Column('resource_status_reason', sa.String(255)),
    sa.Column('resource_type', sa.String(255)),
    sa.Column('resource_properties', types.LegacyPickle),
    sa.Column('rsrc_prop_data_id', sa.Integer,
              sa.ForeignKey('resource_properties_data.id',
                            name='ev_rsrc_prop_data_ref'), index=True),
    # Milliseconds that the attempt that an event ends took in the handler,
    # and then in polling; NULL where nobody measured them.
    sa.Column('acting_ms', sa.Integer),
    sa.Column('polling_ms', sa.Integer),
)

SNAPSHOT = _table(
    'snapshot',
    _uuid_id(), _created_at(), _updated_at(),
    sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
              nullable=False, index=True),
    sa.Column('name', sa.String(255)),
    sa.Column('status', sa.String(255)),
    sa.Column('status_reason', sa.String(255)),
    sa.Column('data', types.Json),
    sa.Column('tenant', sa.String(64), nullable=False, index=True),
    sa.Column('action', sa.String(255)),
)

RESOURCE_SNAPSHOT = _table(
    'resource_snapshot',
    _uuid_id(), _created_at(), _updated_at(),
    sa.Column('snapshot_id', sa.String(36), sa.ForeignKey('snapshot.id'),
              nullable=False, index=True),
    sa.Column('resource_name', sa.String(255), nullable=False),
    sa.Column('data', types.Json),
)

CHANGE_SET = _table(
    'change_set',
    _uuid_id(), _created_at(), _updated_at(),
    sa.Column('tenant', sa.String(64), nullable=False, index=True),
    # No foreign key: a change set may be there before its stack.
    sa.Column('stack_id', sa.String(36), index=True),
    sa.Column('stack_name', sa.String(255)),
    sa.Column('name', sa.String(255)),
    sa.Column('description', sa.Text),
    sa.Column('creator', sa.String(255)),
    sa.Column('creator_id', sa.String(64)),
    sa.Column('engine_id', sa.String(36)),
    sa.Column('attempts', sa.Integer),
    sa.Column('planned', sa.Integer),
    sa.Column('total', sa.Integer),
    sa.Column('action', sa.String(255), nullable=False),
    sa.Column('status', sa.String(255), nullable=False),
    sa.Column('status_reason', sa.Text),
    sa.Column('base', types.Json),
    sa.Column('definition', types.SealedJson),
    sa.Column('changes', types.SealedJson),
)

DRIFT_DETECTION = _table(
    'drift_detection',
    _uuid_id(), _created_at(), _updated_at(),
    sa.Column('tenant', sa.String(64), nullable=False, index=True),
    sa.Column('stack_id', sa.String(36), nullable=False, index=True),
    # The id of the stack while the detection runs: only one does.
    sa.Column('running', sa.String(36), unique=True),
    sa.Column('creator', sa.String(255)),
    sa.Column('creator_id', sa.String(64)),
    sa.Column('engine_id', sa.String(36)),
    sa.Column('attempts', sa.Integer),
    sa.Column('examined', sa.Integer),
    sa.Column('total', sa.Integer),
    sa.Column('status', sa.String(255), nullable=False),
    sa.Column('status_reason', sa.Text),
    sa.Column('drift', sa.String(255)),
    sa.Column('counts', types.Json),
    sa.Column('resources', types.SealedJson),
    sa.Column('finished_at', sa.DateTime),
)

DRIFT_SCHEDULE = _table(
    'drift_schedule',
    sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
              primary_key=True),
    _created_at(), _updated_at(),
    # Seconds between two detections; 0 for none that is not asked for.
    sa.Column('pause', sa.Integer, nullable=False),
)

STACK_PROTECTION = _table(
    'stack_protection',
    sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
              primary_key=True),
    _created_at(), _updated_at(),
    sa.Column('termination', sa.Boolean, nullable=False, default=False,
              server_default=sa.false()),
    sa.Column('policy', types.Json),
    sa.Column('retained', types.Json),
)

SOFTWARE_CONFIG = _table(
    'software_config',
    _uuid_id(), _created_at(), _updated_at(),
    sa.Column('name', sa.String(255)),
    sa.Column('group', sa.String(255)),
    sa.Column('config', types.SealedJson),
    sa.Column('tenant', sa.String(64), nullable=False, index=True),
)

SOFTWARE_DEPLOYMENT = _table(
    'software_deployment',
    _uuid_id(), _created_at(index=True), _explicit_updated_at(),
    sa.Column('server_id', sa.String(36), nullable=False, index=True),
    sa.Column('config_id', sa.String(36),
              sa.ForeignKey('software_config.id'), nullable=False,
              index=True),
    sa.Column('input_values', types.SealedJson),
    sa.Column('output_values', types.SealedJson),
    sa.Column('action', sa.String(255)),
    sa.Column('status', sa.String(255)),
    sa.Column('status_reason', sa.Text),
    sa.Column('tenant', sa.String(64), nullable=False, index=True),
    sa.Column('stack_user_project_id', sa.String(64)),
)

SERVICE = _table(
    'service',
    _uuid_id(), _created_at(), _updated_at(),
    sa.Column('engine_id', sa.String(36), nullable=False),
    sa.Column('host', sa.String(255), nullable=False),
    sa.Column('hostname', sa.String(255), nullable=False),
    sa.Column('binary', sa.String(255), nullable=False),
    sa.Column('topic', sa.String(255), nullable=False),
    sa.Column('report_interval', sa.Integer, nullable=False),
    sa.Column('deleted_at', sa.DateTime),
)

SYNC_POINT = _table(
    'sync_point',
    sa.Column('entity_id', sa.String(36), primary_key=True),
    sa.Column('traversal_id', sa.String(36), primary_key=True),
    sa.Column('is_update', sa.Boolean, primary_key=True),
    sa.Column('atomic_key', sa.Integer, nullable=False),
    sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
              nullable=False, index=True),
    sa.Column('input_data', types.SealedJson),
    sa.Column('extra_data', types.SealedJson),
    _created_at(), _updated_at(),
    # How many predecessors are not done; NULL in rows that merge their
    # predecessors' results in input_data instead of counting.
    sa.Column('pending', sa.Integer),
    sa.Column('done', sa.Boolean, nullable=False, default=False,
              server_default=sa.false()),
    sa.Index('ix_sync_point_traversal_id', 'traversal_id'),
)


def _of_export(*args: sa.schema.SchemaItem) -> tuple[sa.schema.SchemaItem,
                                                     ...]:
    """Return the columns that exports and imports have in common."""
    return (
        _id(), _created_at(), _updated_at(),
        # A digest of project and name.
        sa.Column('name_key', sa.String(64), nullable=False),
        sa.Column('name', sa.String(255), nullable=False),
        sa.Column('tenant', sa.String(256)),
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
                  nullable=False, index=True),
        *args)


STACK_EXPORT = _table(
    'stack_export', *_of_export(
        sa.Column('output_name', sa.String(255), nullable=False),
        sa.Column('value', types.SealedJson),
        sa.UniqueConstraint('name_key', name='uniq_stack_export0name_key')))

STACK_IMPORT = _table(
    'stack_import', *_of_export(
        sa.UniqueConstraint('name_key', 'stack_id',
                            name='uniq_stack_import0name_key0stack_id')))


def _large_id() -> sa.Column[Any]:
    return sa.Column('id', sa.BigInteger().with_variant(
        sa.Integer(), 'sqlite'), primary_key=True)


def _epoch(name: str, *, nullable: bool = False, index: bool = True
           ) -> sa.Column[Any]:
    """A time in seconds since 1970, which every database can divide."""
    return sa.Column(name, sa.BigInteger, nullable=nullable, index=index)


WATCH_RULE = _table(
    'watch_rule',
    _uuid_id(), _created_at(), _updated_at(),
    sa.Column('tenant', sa.String(64), nullable=False),
    # No foreign key: a rule outlives its stack when that is abandoned.
    sa.Column('stack_id', sa.String(36), nullable=False, index=True),
    sa.Column('name', sa.String(255), nullable=False),
    sa.Column('definition', types.Json),
    # That of a metric, which need not have been pushed yet.
    sa.Column('metric_key', sa.String(64), nullable=False),
    sa.Column('unit', sa.String(32)),
    sa.Column('period', sa.Integer, nullable=False),
    sa.Column('evaluation_periods', sa.Integer, nullable=False),
    sa.Column('state', sa.String(32), nullable=False),
    sa.Column('state_reason', sa.Text),
    _epoch('state_at', index=False),
    # The changes of state, OLD:NEW, whose actions have not been carried out.
    sa.Column('pending', sa.String(255), nullable=False),
    # When an engine may claim the rule; a claim moves it to its own end.
    _epoch('due_at', nullable=True),
    sa.Column('claim', sa.String(36), index=True),
    sa.Index('ix_watch_rule_tenant_name', 'tenant', 'name'),
    sa.Index('ix_watch_rule_pending_due_at', 'pending', 'due_at'),
)

WATCH_METRIC = _table(
    'watch_metric',
    _id(), _created_at(), _updated_at(),
    sa.Column('tenant', sa.String(64), nullable=False, index=True),
    # A digest of project, namespace, name and dimensions.
    sa.Column('metric_key', sa.String(64), nullable=False),
    sa.Column('namespace', sa.String(255), nullable=False),
    sa.Column('name', sa.String(255), nullable=False),
    sa.Column('dimensions', types.Json),
    _epoch('seen_at'),
    sa.UniqueConstraint('metric_key', name='uniq_watch_metric0metric_key'),
)

WATCH_DATA = _table(
    'watch_data',
    _large_id(),
    sa.Column('metric_id', sa.Integer, sa.ForeignKey('watch_metric.id'),
              nullable=False),
    _epoch('measured_at'),
    sa.Column('unit', sa.String(32)),
    *(sa.Column(name, sa.Double, nullable=False)
      for name in ('samples', 'total', 'least', 'greatest')),
    sa.Index('ix_watch_data_metric_id_measured_at', 'metric_id',
             'measured_at'),
)

WATCH_HISTORY = _table(
    'watch_history',
    _large_id(),
    sa.Column('rule_id', sa.String(36), sa.ForeignKey('watch_rule.id'),
              nullable=False, index=True),
    _epoch('happened_at'),
    sa.Column('kind', sa.String(32), nullable=False),
    sa.Column('summary', sa.Text),
    sa.Column('data', types.Json),
)
