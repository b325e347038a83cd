"""Index the stacks of a project in the order in which lists show them.

So a page costs as much among ten thousand stacks as among ten. Where the
database can leave rows out of an index, nested and deleted stacks are.

Revision ID: e1b7d40c9a36
Revises: c85e2f6019ad
"""
from alembic import op
import sqlalchemy as sa

from heat.db.migrations import tools

revision = 'e1b7d40c9a36'
down_revision = 'c85e2f6019ad'
branch_labels = None
depends_on = None

_NAME = 'ix_stack_tenant_created_at'


def upgrade() -> None:
    if tools.has_index('stack', _NAME):
        return
    listed = sa.text('owner_id IS NULL AND deleted_at IS NULL')
    op.create_index(_NAME, 'stack', ['tenant', 'created_at', 'id'],
                    postgresql_where=listed, sqlite_where=listed)


def downgrade() -> None:
    tools.drop_index('stack', _NAME)
