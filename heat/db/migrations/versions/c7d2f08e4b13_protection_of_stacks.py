"""Store the protection of stacks.

Revision ID: c7d2f08e4b13
Revises: a83c5e17d6f0
"""
from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from heat.db.migrations import tools

revision = 'c7d2f08e4b13'
down_revision = 'a83c5e17d6f0'
branch_labels = None
depends_on = None


def _document() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')


def upgrade() -> None:
    if tools.has_table('stack_protection'):
        return
    op.create_table(
        'stack_protection',
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'),
                  primary_key=True, nullable=False),
        sa.Column('created_at', sa.DateTime),
        sa.Column('updated_at', sa.DateTime),
        sa.Column('termination', sa.Boolean, nullable=False,
                  server_default=sa.false()),
        sa.Column('policy', _document()),
        sa.Column('retained', _document()),
        **tools.table_options('stack'))


def downgrade() -> None:
    if tools.has_table('stack_protection'):
        op.drop_table('stack_protection')
