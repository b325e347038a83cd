"""Fill a database with stacks at the speed of the database.

The server copies rows out of a small table of numbers, so that a million
stacks take minutes. Their ids are spread as random ones are: an index is not
filled from one end.
"""
import dataclasses
import datetime
import json
import random

import sqlalchemy as sa

from heat.db import models

#: How many stacks a transaction adds.
CHUNK = 10_000
#: Of so many stacks one is deleted, one nested.
DELETED, NESTED = 20, 10
#: Half of the stacks are in one project, the others in so many.
LARGE, PROJECTS = 'large', 250
#: What makes the 36 characters of an id, beside 8 of chance and a number.
_MIDDLE, _FIRST_NUMBER = '-0000-4000-8000-', 100_000_000_000
_BEGINNING = datetime.datetime(2026, 1, 1)
_GONE = datetime.datetime(2026, 2, 1)
#: Seconds over which the creation of the stacks is spread.
_SPREAD = 20_000_000
_TEMPLATE = {'heat_template_version': '2018-08-31', 'resources': {
    'r0': {'type': 'OS::Heat::TestResource', 'properties': {'value': 'x'}}}}
_ENVIRONMENT = {'parameters': {}, 'resource_registry': {'resources': {}}}
_GRAPH = {'edges': [[[1, True], None]]}

_metadata = sa.MetaData()
_NUMBER = sa.Table(
    'bench_number', _metadata,
    sa.Column('n', sa.Integer, primary_key=True, autoincrement=False),
    sa.Column('spread', sa.String(8), nullable=False),
    sa.Column('moment', sa.DateTime, nullable=False))


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How many rows there are."""

    stacks: int
    #: Of each stack.
    resources: int
    events: int
    #: Stacks of each chunk that are in progress.
    busy: int = 1
    #: More events of one of the deleted stacks.
    largest: int = 0


class Filler:
    """Adds stacks with templates, resources, properties and events."""

    def __init__(self, engine, sizes, seed=1):
        self._engine = engine
        self._sizes = sizes
        self._random = random.Random(seed)

    def chunks(self):
        """Add everything; yield the number of stacks after each chunk."""
        _metadata.create_all(self._engine)
        try:
            with self._engine.begin() as connection:
                connection.execute(_NUMBER.insert(), [
                    {'n': number,
                     'spread': f'{self._random.getrandbits(32):08x}',
                     'moment': _BEGINNING + datetime.timedelta(
                         seconds=self._random.randrange(_SPREAD))}
                    for number in range(min(CHUNK, self._sizes.stacks))])
            for first in range(0, self._sizes.stacks, CHUNK):
                number = min(CHUNK, self._sizes.stacks - first)
                with self._engine.begin() as connection:
                    for statement in self._statements(first, number):
                        connection.execute(statement)
                yield first + number
            for first in range(0, self._sizes.largest, CHUNK):
                with self._engine.begin() as connection:
                    connection.execute(self._events_of_one(first))
        finally:
            _metadata.drop_all(self._engine)

    def _statements(self, first, number):
        """Yield what adds a number of stacks, the rows referred to first."""
        n, size = _NUMBER.c.n, self._sizes
        index = n + first
        stack_id = _stack_id(first)
        yield _insert(models.RAW_TEMPLATE, number, {
            'id': index + 1, 'created_at': _NUMBER.c.moment,
            'template': sa.literal(json.dumps(_TEMPLATE)),
            'environment': sa.literal(json.dumps(_ENVIRONMENT))})
        yield _insert(models.STACK, number, {
            'id': stack_id, 'created_at': _NUMBER.c.moment,
            'name': sa.literal('stack-') + sa.cast(index, sa.String(20)),
            'raw_template_id': index + 1, 'tenant': _project(n),
            'action': sa.literal('CREATE'), 'status': sa.case(
                (n < size.busy, 'IN_PROGRESS'), else_='COMPLETE'),
            'disable_rollback': sa.true(), 'backup': sa.false(),
            'convergence': sa.true(), 'nested_depth': sa.literal(0),
            'timeout': sa.literal(60),
            'current_traversal': sa.case((n < size.busy, stack_id)),
            'current_deps': sa.literal(json.dumps(_GRAPH)),
            'owner_id': sa.case((n % NESTED == NESTED - 1, _owner(first))),
            'deleted_at': sa.case(
                (n % DELETED == DELETED - 3, sa.literal(_GONE)))})
        for place in range(size.resources):
            row_id = index * size.resources + place + 1
            yield _insert(models.PROPERTIES_DATA, number, {
                'id': row_id, 'data': sa.literal('{"value": "x"}'),
                'encrypted': sa.false()})
            yield _insert(models.RESOURCE, number, {
                'id': row_id, 'uuid': _other_id(row_id),
                'created_at': _NUMBER.c.moment,
                'name': sa.literal(f'r{place}'),
                'physical_resource_id': _other_id(row_id),
                'action': sa.literal('CREATE'),
                'status': sa.literal('COMPLETE'), 'stack_id': stack_id,
                'root_stack_id': stack_id, 'rsrc_prop_data_id': row_id,
                'current_template_id': index + 1,
                'atomic_key': sa.literal(2),
                'engine_id': sa.case((n < size.busy, 'an-engine'))})
        for place in range(size.events):
            row_id = index * size.events + place + 1
            resource = place % size.resources if size.resources else 0
            yield _insert(models.EVENT, number, {
                'id': row_id, 'uuid': _other_id(row_id),
                'created_at': _NUMBER.c.moment, 'stack_id': stack_id,
                'resource_action': sa.literal('CREATE'),
                'resource_status': sa.literal('COMPLETE'),
                'resource_name': sa.literal(f'r{resource}'),
                'resource_type': sa.literal('OS::Heat::TestResource'),
                **({'rsrc_prop_data_id':
                    index * size.resources + resource + 1}
                   if size.resources else {})})

    def _events_of_one(self, first):
        """Return what adds events to the first deleted stack."""
        size = self._sizes
        with self._engine.connect() as connection:
            stack_id = connection.execute(
                sa.select(_stack_id(0)).where(
                    _NUMBER.c.n == DELETED - 3)).scalar_one()
        row_id = _NUMBER.c.n + (size.stacks * size.events + first + 1)
        return _insert(models.EVENT, size.largest - first, {
            'id': row_id, 'uuid': _other_id(row_id),
            'created_at': _NUMBER.c.moment, 'stack_id': sa.literal(stack_id),
            'resource_action': sa.literal('CHECK'),
            'resource_status': sa.literal('COMPLETE'),
            'resource_name': sa.literal('r0'),
            'resource_type': sa.literal('OS::Heat::TestResource')})


def _stack_id(first):
    return _NUMBER.c.spread + _MIDDLE + sa.cast(
        _NUMBER.c.n + (_FIRST_NUMBER + first), sa.String(12))


def _other_id(row_id):
    return _NUMBER.c.spread + _MIDDLE + sa.cast(
        row_id + _FIRST_NUMBER, sa.String(12))


def _owner(first):
    """Return an id that ten nested stacks have in common."""
    return sa.literal('owner-') + sa.cast(
        (_NUMBER.c.n + first) // (10 * NESTED), sa.String(30))


def _project(n):
    return sa.case((n % 2 == 0, LARGE), else_=sa.literal('project-') +
                   sa.cast(n % (2 * PROJECTS), sa.String(10)))


def _insert(table, number, values):
    columns = [table.c[name] for name in values]
    return table.insert().from_select(
        columns, sa.select(*values.values()).where(_NUMBER.c.n < number),
        include_defaults=False)
