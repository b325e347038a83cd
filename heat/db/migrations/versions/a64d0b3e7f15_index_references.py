"""Index every reference between tables, and the status of stacks.

MySQL and MariaDB index foreign keys by themselves, the others do not: there
a deleted row made the database read the whole table that may refer to it.

Revision ID: a64d0b3e7f15
Revises: 3f7a1c9e52d8
"""
from heat.db.migrations import tools

revision = 'a64d0b3e7f15'
down_revision = '3f7a1c9e52d8'
branch_labels = None
depends_on = None

_COLUMNS = [
    ('event', 'rsrc_prop_data_id'),
    ('event', 'stack_id'),
    ('raw_template', 'files_id'),
    ('resource', 'attr_data_id'),
    ('resource', 'current_template_id'),
    ('resource', 'rsrc_prop_data_id'),
    ('resource', 'stack_id'),
    ('resource_data', 'resource_id'),
    ('snapshot', 'stack_id'),
    ('software_deployment', 'config_id'),
    ('stack', 'prev_raw_template_id'),
    ('stack', 'raw_template_id'),
    ('stack', 'status'),
    ('stack', 'user_creds_id'),
    ('stack_tag', 'stack_id'),
    ('sync_point', 'stack_id'),
]


def upgrade() -> None:
    for table, column in _COLUMNS:
        tools.add_index(table, column)


def downgrade() -> None:
    for table, column in _COLUMNS:
        tools.drop_index(table, f'ix_{table}_{column}')
