"""Store the exports of stacks, and which stacks import them.

Revision ID: f27c0a5b9d41
Revises: b93f5d2c7e10
"""
from typing import Any

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from heat.db.migrations import tools

revision = 'f27c0a5b9d41'
down_revision = 'b93f5d2c7e10'
branch_labels = None
depends_on = None


def upgrade() -> None:
    if not tools.has_table('stack_export'):
        op.create_table(
            'stack_export', *_columns(),
            sa.Column('output_name', sa.String(255), nullable=False),
            sa.Column('value', sa.Text().with_variant(
                mysql.LONGTEXT(), 'mysql', 'mariadb')),
            sa.UniqueConstraint('name_key',
                                name='uniq_stack_export0name_key'),
            **tools.table_options('stack'))
    if not tools.has_table('stack_import'):
        op.create_table(
            'stack_import', *_columns(),
            sa.UniqueConstraint('name_key', 'stack_id',
                                name='uniq_stack_import0name_key0stack_id'),
            **tools.table_options('stack'))
    for table in ('stack_export', 'stack_import'):
        tools.add_index(table, 'stack_id')


def _columns() -> list[sa.Column[Any]]:
    return [
        sa.Column('id', sa.Integer, primary_key=True, nullable=False),
        sa.Column('created_at', sa.DateTime),
        sa.Column('updated_at', sa.DateTime),
        sa.Column('name_key', sa.String(64), nullable=False),
        sa.Column('name', sa.String(255), nullable=False),
        sa.Column('tenant', sa.String(256)),
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
                  nullable=False)]


def downgrade() -> None:
    for table in ('stack_import', 'stack_export'):
        if tools.has_table(table):
            op.drop_table(table)
