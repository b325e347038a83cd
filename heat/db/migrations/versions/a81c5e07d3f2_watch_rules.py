"""Add watch rules of alarms, the metrics they watch, and their history.

Revision ID: a81c5e07d3f2
Revises: f4d8a6b1c925
"""
from typing import Any

from alembic import op
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from heat.db.migrations import tools

revision = 'a81c5e07d3f2'
down_revision = 'f4d8a6b1c925'
branch_labels = None
depends_on = None

_TABLES = ('watch_rule', 'watch_metric', 'watch_data', 'watch_history')


def _document() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')


def _double() -> sa.types.TypeEngine[float]:
    return sa.Double()


def _large_id() -> sa.Column[Any]:
    return sa.Column('id', sa.BigInteger().with_variant(
        sa.Integer(), 'sqlite'), primary_key=True, nullable=False)


def _times() -> list[sa.Column[Any]]:
    return [sa.Column('created_at', sa.DateTime),
            sa.Column('updated_at', sa.DateTime)]


def upgrade() -> None:
    columns = {'watch_rule': _rule(), 'watch_metric': _metric(),
               'watch_data': _data(), 'watch_history': _history()}
    for table in _TABLES:
        if not tools.has_table(table):
            op.create_table(table, *columns[table], **tools.table_options())
    for table, names in (('watch_rule', ('tenant', 'name')),
                         ('watch_rule', ('pending', 'due_at')),
                         ('watch_data', ('metric_id', 'measured_at'))):
        name = f'ix_{table}_{"_".join(names)}'
        if not tools.has_index(table, name):
            op.create_index(name, table, list(names))
    for table, name in (('watch_rule', 'due_at'), ('watch_rule', 'claim'),
                        ('watch_rule', 'stack_id'),
                        ('watch_metric', 'tenant'),
                        ('watch_metric', 'seen_at'),
                        ('watch_data', 'measured_at'),
                        ('watch_history', 'rule_id'),
                        ('watch_history', 'happened_at')):
        tools.add_index(table, name)


def _rule() -> list[sa.Column[Any]]:
    return [
        sa.Column('id', sa.String(36), primary_key=True, nullable=False),
        *_times(),
        sa.Column('tenant', sa.String(64), nullable=False),
        sa.Column('stack_id', sa.String(36), nullable=False),
        sa.Column('name', sa.String(255), nullable=False),
        sa.Column('definition', _document()),
        sa.Column('metric_key', sa.String(64), nullable=False),
        sa.Column('unit', sa.String(32)),
        sa.Column('period', sa.Integer, nullable=False),
        sa.Column('evaluation_periods', sa.Integer, nullable=False),
        sa.Column('state', sa.String(32), nullable=False),
        sa.Column('state_reason', sa.Text),
        sa.Column('state_at', sa.BigInteger, nullable=False),
        sa.Column('pending', sa.String(255), nullable=False),
        sa.Column('due_at', sa.BigInteger),
        sa.Column('claim', sa.String(36)),
    ]


def _metric() -> list[Any]:
    return [
        sa.Column('id', sa.Integer, primary_key=True, nullable=False),
        *_times(),
        sa.Column('tenant', sa.String(64), nullable=False),
        sa.Column('metric_key', sa.String(64), nullable=False),
        sa.Column('namespace', sa.String(255), nullable=False),
        sa.Column('name', sa.String(255), nullable=False),
        sa.Column('dimensions', _document()),
        sa.Column('seen_at', sa.BigInteger, nullable=False),
        sa.UniqueConstraint('metric_key', name='uniq_watch_metric0metric_key'),
    ]


def _data() -> list[sa.Column[Any]]:
    return [
        _large_id(),
        sa.Column('metric_id', sa.Integer, sa.ForeignKey('watch_metric.id'),
                  nullable=False),
        sa.Column('measured_at', sa.BigInteger, nullable=False),
        sa.Column('unit', sa.String(32)),
        *(sa.Column(name, _double(), nullable=False)
          for name in ('samples', 'total', 'least', 'greatest')),
    ]


def _history() -> list[sa.Column[Any]]:
    return [
        _large_id(),
        sa.Column('rule_id', sa.String(36), sa.ForeignKey('watch_rule.id'),
                  nullable=False),
        sa.Column('happened_at', sa.BigInteger, nullable=False),
        sa.Column('kind', sa.String(32), nullable=False),
        sa.Column('summary', sa.Text),
        sa.Column('data', _document()),
    ]


def downgrade() -> None:
    for table in reversed(_TABLES):
        if tools.has_table(table):
            op.drop_table(table)
