"""Store who makes a change set, which engine plans it, and how far it is.

Revision ID: a83c5e17d6f0
Revises: a81c5e07d3f2
"""
from typing import Any

from alembic import op
import sqlalchemy as sa

from heat.db.migrations import tools

revision = 'a83c5e17d6f0'
down_revision = 'a81c5e07d3f2'
branch_labels = None
depends_on = None

_TYPES: dict[str, sa.types.TypeEngine[Any]] = {
    'creator_id': sa.String(64), 'engine_id': sa.String(36),
    'attempts': sa.Integer(), 'planned': sa.Integer(),
    'total': sa.Integer()}


def upgrade() -> None:
    for name, kind in _TYPES.items():
        tools.add_column('change_set', sa.Column(name, kind))


def downgrade() -> None:
    if not tools.has_table('change_set'):
        return
    # A change set that nobody plans any more never becomes available.
    change_set = sa.table('change_set', sa.column('status'))
    op.execute(change_set.delete().where(
        change_set.c.status == 'CREATE_IN_PROGRESS'))
    for name in _TYPES:
        tools.drop_column('change_set', name)
