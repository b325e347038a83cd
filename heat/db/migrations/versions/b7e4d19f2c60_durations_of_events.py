"""Let events say how long an attempt acted, and how long it polled.

Events of earlier releases keep NULL, as do those that begin something.

Revision ID: b7e4d19f2c60
Revises: e2b6f19c48d7
"""
import sqlalchemy as sa

from heat.db.migrations import tools

revision = 'b7e4d19f2c60'
down_revision = 'e2b6f19c48d7'
branch_labels = None
depends_on = None

_COLUMNS = ('acting_ms', 'polling_ms')


def upgrade() -> None:
    for name in _COLUMNS:
        tools.add_column('event', sa.Column(name, sa.Integer))


def downgrade() -> None:
    for name in _COLUMNS:
        tools.drop_column('event', name)
