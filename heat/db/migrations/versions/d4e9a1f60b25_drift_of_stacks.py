"""Store the detections of drift.

Revision ID: d4e9a1f60b25
Revises: c7d2f08e4b13
"""
from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from heat.db.migrations import tools

revision = 'd4e9a1f60b25'
down_revision = 'c7d2f08e4b13'
branch_labels = None
depends_on = None


def _document() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')


def upgrade() -> None:
    if tools.has_table('drift_detection'):
        return
    op.create_table(
        'drift_detection',
        sa.Column('id', sa.String(36), primary_key=True, nullable=False),
        sa.Column('created_at', sa.DateTime),
        sa.Column('updated_at', sa.DateTime),
        sa.Column('tenant', sa.String(64), nullable=False, index=True),
        sa.Column('stack_id', sa.String(36), nullable=False, index=True),
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
        sa.Column('counts', _document()),
        sa.Column('resources', _document()),
        sa.Column('finished_at', sa.DateTime),
        **tools.table_options('snapshot'))


def downgrade() -> None:
    if tools.has_table('drift_detection'):
        op.drop_table('drift_detection')
