"""Let sync points count the predecessors that are not done.

Rows of a traversal under way keep NULL in pending: their predecessors'
results are merged in input_data.

Revision ID: 3f7a1c9e52d8
Revises: 97b2a986f922
"""
import sqlalchemy as sa

from heat.db.migrations import tools

revision = '3f7a1c9e52d8'
down_revision = '97b2a986f922'
branch_labels = None
depends_on = None


def upgrade() -> None:
    tools.add_column('sync_point', sa.Column('pending', sa.Integer))
    tools.add_column('sync_point', sa.Column(
        'done', sa.Boolean, nullable=False, server_default=sa.false()))
    tools.add_index('sync_point', 'traversal_id')


def downgrade() -> None:
    tools.drop_index('sync_point', 'ix_sync_point_traversal_id')
    for column in ('done', 'pending'):
        tools.drop_column('sync_point', column)
