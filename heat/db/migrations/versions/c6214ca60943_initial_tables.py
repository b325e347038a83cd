"""All tables as they were when alembic took over.

Revision ID: c6214ca60943
Revises:
"""
from typing import Any

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

revision = 'c6214ca60943'
down_revision = None
branch_labels = None
depends_on = None


def _long_text() -> Any:
    return sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')


def _id() -> sa.Column[Any]:
    return sa.Column('id', sa.Integer, primary_key=True, nullable=False)


def _text_id() -> sa.Column[Any]:
    return sa.Column('id', sa.String(36), primary_key=True, nullable=False)


def _times() -> list[sa.Column[Any]]:
    return [sa.Column('created_at', sa.DateTime),
            sa.Column('updated_at', sa.DateTime)]


def _text(name: str, length: int = 255, **kwargs: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length), **kwargs)


def _table(name: str, *columns: sa.schema.SchemaItem, **kwargs: Any) -> None:
    op.create_table(name, *columns, mysql_engine='InnoDB',
                    mysql_charset='utf8mb4', **kwargs)


def upgrade() -> None:
    _create_templates()
    _create_stacks()
    _create_resources()
    _create_events()
    _create_snapshots()
    _create_software()
    _create_engine_tables()


def _create_templates() -> None:
    _table('raw_template_files', _id(),
           sa.Column('files', _long_text()), *_times())
    _table('raw_template', _id(), *_times(),
           sa.Column('template', _long_text()),
           sa.Column('files', _long_text()),
           sa.Column('environment', _long_text()),
           sa.Column('files_id', sa.Integer,
                     sa.ForeignKey('raw_template_files.id',
                                   name='raw_tmpl_files_fkey_ref')))


def _create_stacks() -> None:
    _table('user_creds', _id(), *_times(),
           _text('username'), _text('password'), _text('region_name'),
           _text('decrypt_method', 64), _text('tenant', 1024),
           sa.Column('auth_url', sa.Text), _text('tenant_id', 256),
           _text('trust_id'), _text('trustor_user_id', 64))
    _table('stack', _text_id(), *_times(),
           sa.Column('deleted_at', sa.DateTime),
           _text('name', index=True),
           sa.Column('raw_template_id', sa.Integer,
                     sa.ForeignKey('raw_template.id'), nullable=False),
           sa.Column('prev_raw_template_id', sa.Integer,
                     sa.ForeignKey('raw_template.id')),
           sa.Column('user_creds_id', sa.Integer,
                     sa.ForeignKey('user_creds.id')),
           _text('username', 256), _text('owner_id', 36, index=True),
           _text('action'), _text('status'),
           sa.Column('status_reason', sa.Text),
           sa.Column('timeout', sa.Integer), _text('tenant', 256),
           sa.Column('disable_rollback', sa.Boolean, nullable=False),
           _text('stack_user_project_id', 64),
           sa.Column('backup', sa.Boolean),
           sa.Column('nested_depth', sa.Integer),
           sa.Column('convergence', sa.Boolean),
           _text('current_traversal', 36),
           sa.Column('current_deps', _long_text()),
           _text('parent_resource_name'))
    op.create_index('ix_stack_tenant', 'stack', ['tenant'],
                    mysql_length={'tenant': 255})
    _table('stack_lock',
           _text('stack_id', 36, primary_key=True, nullable=False),
           *_times(), _text('engine_id', 36),
           sa.ForeignKeyConstraint(['stack_id'], ['stack.id']))
    _table('stack_tag', _id(), *_times(),
           sa.Column('tag', sa.Unicode(80)), _stack_id())


def _stack_id() -> sa.Column[Any]:
    return sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
                     nullable=False)


def _create_resources() -> None:
    _table('resource_properties_data', _id(),
           sa.Column('data', _long_text()),
           sa.Column('encrypted', sa.Boolean), *_times())
    _table('resource', _id(), _text('uuid', 36, unique=True),
           _text('nova_instance'), _text('name'), *_times(),
           _text('action'), _text('status'),
           sa.Column('status_reason', sa.Text), _stack_id(),
           sa.Column('rsrc_metadata', _long_text()),
           sa.Column('properties_data', _long_text()),
           _text('engine_id', 36), sa.Column('atomic_key', sa.Integer),
           sa.Column('needed_by', _long_text()),
           sa.Column('requires', _long_text()),
           sa.Column('replaces', sa.Integer),
           sa.Column('replaced_by', sa.Integer),
           sa.Column('current_template_id', sa.Integer,
                     sa.ForeignKey('raw_template.id')),
           sa.Column('properties_data_encrypted', sa.Boolean),
           _text('root_stack_id', 36, index=True),
           sa.Column('rsrc_prop_data_id', sa.Integer,
                     sa.ForeignKey('resource_properties_data.id',
                                   name='rsrc_rsrc_prop_data_ref')),
           sa.Column('attr_data_id', sa.Integer,
                     sa.ForeignKey('resource_properties_data.id',
                                   name='rsrc_attr_data_ref')),
           # A row id names a node of a traversal: it must not come back.
           sqlite_autoincrement=True)
    _table('resource_data', _id(), *_times(),
           _text('key'), sa.Column('value', sa.Text),
           sa.Column('redact', sa.Boolean), _text('decrypt_method', 64),
           sa.Column('resource_id', sa.Integer,
                     sa.ForeignKey('resource.id', name='fk_resource_id',
                                   ondelete='CASCADE'), nullable=False))


def _create_events() -> None:
    _table('event', _id(), _text('uuid', 36, unique=True), _stack_id(),
           *_times(), _text('resource_action'), _text('resource_status'),
           _text('resource_name'), _text('physical_resource_id'),
           _text('resource_status_reason'), _text('resource_type'),
           sa.Column('resource_properties', sa.LargeBinary),
           sa.Column('rsrc_prop_data_id', sa.Integer,
                     sa.ForeignKey('resource_properties_data.id',
                                   name='ev_rsrc_prop_data_ref')))


def _create_snapshots() -> None:
    _table('snapshot', _text_id(), _stack_id(), _text('name'), *_times(),
           _text('status'), _text('status_reason'),
           sa.Column('data', _long_text()),
           _text('tenant', 64, nullable=False, index=True))


def _create_software() -> None:
    _table('software_config', _text_id(), *_times(),
           _text('name'), _text('group'),
           sa.Column('config', _long_text()),
           _text('tenant', 64, nullable=False, index=True))
    _table('software_deployment', _text_id(),
           sa.Column('created_at', sa.DateTime, index=True),
           sa.Column('updated_at', sa.DateTime),
           _text('server_id', 36, nullable=False, index=True),
           sa.Column('config_id', sa.String(36),
                     sa.ForeignKey('software_config.id'), nullable=False),
           sa.Column('input_values', _long_text()),
           sa.Column('output_values', _long_text()),
           _text('action'), _text('status'),
           sa.Column('status_reason', sa.Text),
           _text('tenant', 64, nullable=False, index=True),
           _text('stack_user_project_id', 64))


def _create_engine_tables() -> None:
    _table('service', _text_id(), _text('engine_id', 36, nullable=False),
           _text('host', nullable=False), _text('hostname', nullable=False),
           _text('binary', nullable=False), _text('topic', nullable=False),
           sa.Column('report_interval', sa.Integer, nullable=False),
           *_times(), sa.Column('deleted_at', sa.DateTime))
    _table('sync_point', _text('entity_id', 36, nullable=False),
           _text('traversal_id', 36, nullable=False),
           sa.Column('is_update', sa.Boolean, nullable=False),
           sa.Column('atomic_key', sa.Integer, nullable=False),
           _text('stack_id', 36, nullable=False),
           sa.Column('input_data', _long_text()), *_times(),
           sa.PrimaryKeyConstraint('entity_id', 'traversal_id', 'is_update'),
           sa.ForeignKeyConstraint(['stack_id'], ['stack.id']))
