"""Give sync points a place for what an operation says of its nodes.

Revision ID: d2db381e3324
Revises: c6214ca60943
"""
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from heat.db.migrations import tools

revision = 'd2db381e3324'
down_revision = 'c6214ca60943'
branch_labels = None
depends_on = None


def upgrade() -> None:
    tools.add_column('sync_point', sa.Column(
        'extra_data',
        sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')))
