"""Let the database refuse a second live stack of a name in a project.

Rows of before have no key. They are found by the look at the names that
comes before each creation; only stacks that are created at the same time
need the key. So duplicates that exist already are in nobody's way.

Revision ID: b93f5d2c7e10
Revises: e1b7d40c9a36
"""
from alembic import op
import sqlalchemy as sa

from heat.db.migrations import tools

revision = 'b93f5d2c7e10'
down_revision = 'e1b7d40c9a36'
branch_labels = None
depends_on = None

_COLUMN = 'live_name_key'
_INDEX = 'uniq_stack_live_name_key'


def upgrade() -> None:
    tools.add_column('stack', sa.Column(_COLUMN, sa.String(64)))
    if not tools.has_index('stack', _INDEX):
        op.create_index(_INDEX, 'stack', [_COLUMN], unique=True)


def downgrade() -> None:
    tools.drop_index('stack', _INDEX)
    tools.drop_column('stack', _COLUMN)
