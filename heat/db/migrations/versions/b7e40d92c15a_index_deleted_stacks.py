"""Index the time at which stacks were deleted.

A purge finds the next batch without reading the stacks that are alive. Where
the database can leave rows out of an index, these are: SQLite would prefer it
to better ones for what asks for stacks that are not deleted.

Revision ID: b7e40d92c15a
Revises: b7e4d19f2c60
"""
from alembic import op
import sqlalchemy as sa

from heat.db.migrations import tools

revision = 'b7e40d92c15a'
down_revision = 'b7e4d19f2c60'
branch_labels = None
depends_on = None


_NAME = 'ix_stack_deleted_at'


def upgrade() -> None:
    if tools.has_index('stack', _NAME):
        return
    deleted = sa.text('deleted_at IS NOT NULL')
    op.create_index(_NAME, 'stack', ['deleted_at'],
                    postgresql_where=deleted, sqlite_where=deleted)


def downgrade() -> None:
    tools.drop_index('stack', _NAME)
