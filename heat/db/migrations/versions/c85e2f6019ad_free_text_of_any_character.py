"""Let text of users and clouds hold every character on MySQL and MariaDB.

Older releases made their tables with three bytes a character there, so that
an emoji in the message of a cloud kept a failure from being recorded. New
databases have four bytes; so do these columns of existing ones from now on.
Columns that are indexed or refer to others hold ids and stay as they are.

Revision ID: c85e2f6019ad
Revises: a64d0b3e7f15
"""
from alembic import op
import sqlalchemy as sa

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
    if op.get_bind().dialect.name not in ('mysql', 'mariadb'):
        return
    for table, columns in _COLUMNS.items():
        changes = _changes(table, columns)
        if changes:
            op.execute(f'ALTER TABLE `{table}` {", ".join(changes)}')


def downgrade() -> None:
    """Leave the columns wide: narrow ones would lose characters."""


def _changes(table: str, columns: list[str]) -> list[str]:
    """Return what to alter about those columns that are narrow."""
    narrow = op.get_bind().execute(
        sa.text(
            'SELECT column_name, column_type, is_nullable '
            'FROM information_schema.columns '
            'WHERE table_schema = DATABASE() AND table_name = :table '
            "AND character_set_name <> 'utf8mb4'"),
        {'table': table})
    return [
        f'MODIFY `{name}` {kind} CHARACTER SET utf8mb4 '
        + ('NULL' if nullable == 'YES' else 'NOT NULL')
        for name, kind, nullable in narrow if name in columns]
