"""Let more text of users hold every character on MySQL and MariaDB.

Tables of change sets, detections of drift and exports have the character set
of those that they refer to, which older releases made with three bytes a
character. Names of resource types come from environments.

Revision ID: f0a6d3c81b47
Revises: b7e40d92c15a
"""
from heat.db.migrations import tools

revision = 'f0a6d3c81b47'
down_revision = 'b7e40d92c15a'
branch_labels = None
depends_on = None

_COLUMNS = {
    'change_set': ['creator', 'description', 'name', 'status_reason'],
    'drift_detection': ['creator', 'status_reason'],
    'event': ['resource_type'],
    'stack_export': ['output_name'],
}


def upgrade() -> None:
    tools.widen_text(_COLUMNS)


def downgrade() -> None:
    """Leave the columns wide: narrow ones would lose characters."""
