"""Keep what a snapshot knows of a resource in a row of its own.

Revision ID: 88be64598c0f
Revises: d2db381e3324
"""
from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from heat.db.migrations import tools

revision = '88be64598c0f'
down_revision = 'd2db381e3324'
branch_labels = None
depends_on = None


def upgrade() -> None:
    if tools.has_table('resource_snapshot'):
        return
    op.create_table(
        'resource_snapshot',
        sa.Column('id', sa.String(36), primary_key=True, nullable=False),
        sa.Column('snapshot_id', sa.String(36),
                  sa.ForeignKey('snapshot.id'), nullable=False, index=True),
        sa.Column('resource_name', sa.String(255), nullable=False),
        sa.Column('created_at', sa.DateTime),
        sa.Column('updated_at', sa.DateTime),
        sa.Column('data', sa.Text().with_variant(
            mysql.LONGTEXT(), 'mysql', 'mariadb')),
        **tools.table_options('snapshot'))
