"""Store how often stacks are compared with what really exists.

Revision ID: e2b6f19c48d7
Revises: d4e9a1f60b25
"""
from alembic import op
import sqlalchemy as sa

from heat.db.migrations import tools

revision = 'e2b6f19c48d7'
down_revision = 'd4e9a1f60b25'
branch_labels = None
depends_on = None


def upgrade() -> None:
    if tools.has_table('drift_schedule'):
        return
    op.create_table(
        'drift_schedule',
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
                  primary_key=True, nullable=False),
        sa.Column('created_at', sa.DateTime),
        sa.Column('updated_at', sa.DateTime),
        sa.Column('pause', sa.Integer, nullable=False),
        **tools.table_options('stack'))


def downgrade() -> None:
    if tools.has_table('drift_schedule'):
        op.drop_table('drift_schedule')
