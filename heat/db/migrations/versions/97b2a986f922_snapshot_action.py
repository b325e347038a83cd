"""Tell what is being done to a snapshot, not only how far it is.

Revision ID: 97b2a986f922
Revises: 88be64598c0f
"""
from alembic import op
import sqlalchemy as sa

from heat.db.migrations import tools

revision = '97b2a986f922'
down_revision = '88be64598c0f'
branch_labels = None
depends_on = None


def upgrade() -> None:
    tools.add_column('snapshot', sa.Column('action', sa.String(255)))
    snapshot = sa.table('snapshot', sa.column('action'))
    # Until now a snapshot could only be made.
    op.execute(snapshot.update().where(snapshot.c.action.is_(None))
               .values(action='CREATE'))
