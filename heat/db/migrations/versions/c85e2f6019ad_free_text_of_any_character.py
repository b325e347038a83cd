"""Let text of users and clouds hold every character on MySQL and MariaDB.

Older releases made their tables with three bytes a character there, so that
an emoji in the message of a cloud kept a failure from being recorded. New
databases have four bytes; so do these columns of existing ones from now on.
Columns that are indexed or refer to others hold ids and stay as they are.

Revision ID: c85e2f6019ad
Revises: a64d0b3e7f15
"""
from heat.db.migrations import tools

revision = 'c85e2f6019ad'
down_revision = 'a64d0b3e7f15'
branch_labels = None
depends_on = None

_COLUMNS = {
    'event': ['physical_resource_id', 'resource_name',
              'resource_status_reason'],
    'resource': ['name', 'nova_instance', 'status_reason'],
    'resource_data': ['key', 'value'],
    'resource_snapshot': ['resource_name'],
    'snapshot': ['name', 'status_reason'],
    'software_config': ['group', 'name'],
    'software_deployment': ['status_reason'],
    'stack': ['parent_resource_name', 'status_reason', 'username'],
    'stack_tag': ['tag'],
    'user_creds': ['tenant', 'username'],
}


def upgrade() -> None:
    tools.widen_text(_COLUMNS)


def downgrade() -> None:
    """Leave the columns wide: narrow ones would lose characters."""
