"""Add change sets: requests to change stacks, with their plans.

Revision ID: f4d8a6b1c925
Revises: f27c0a5b9d41
"""
from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from heat.db.migrations import tools

revision = 'f4d8a6b1c925'
down_revision = 'f27c0a5b9d41'
branch_labels = None
depends_on = None


def _document() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')


def upgrade() -> None:
    if tools.has_table('change_set'):
        return
    op.create_table(
        'change_set',
        sa.Column('id', sa.String(36), primary_key=True, nullable=False),
        sa.Column('created_at', sa.DateTime),
        sa.Column('updated_at', sa.DateTime),
        sa.Column('tenant', sa.String(64), nullable=False, index=True),
        sa.Column('stack_id', sa.String(36), index=True),
        sa.Column('stack_name', sa.String(255)),
        sa.Column('name', sa.String(255)),
        sa.Column('description', sa.Text),
        sa.Column('creator', sa.String(255)),
        sa.Column('action', sa.String(255), nullable=False),
        sa.Column('status', sa.String(255), nullable=False),
        sa.Column('status_reason', sa.Text),
        sa.Column('base', _document()),
        sa.Column('definition', _document()),
        sa.Column('changes', _document()),
        **tools.table_options('snapshot'))


def downgrade() -> None:
    if tools.has_table('change_set'):
        op.drop_table('change_set')
