import collections
import datetime
import json
import pickle

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects import postgresql

from heat.db import types


@pytest.mark.parametrize('value', [
    None, {}, [], 0, '', {'a': [1, None, 'ü😀']}, [[[1, True], None]]])
def test_json_comes_back(value):
    column = types.Json()
    stored = column.process_bind_param(value, None)
    assert stored.isascii()
    assert column.process_result_value(stored, None) == value


def test_json_of_none_is_a_json_null():
    assert types.Json().process_bind_param(None, None) == 'null'


@pytest.mark.parametrize('stored', [None, ''])
def test_json_of_an_empty_column_is_none(stored):
    assert types.Json().process_result_value(stored, None) is None


def test_json_takes_dates_and_sets():
    stored = types.Json().process_bind_param(
        {'day': datetime.date(2026, 1, 31), 'one': {1}}, None)
    assert json.loads(stored) == {'day': '2026-01-31', 'one': [1]}


def test_json_is_long_where_text_is_short():
    assert sa.Column(types.Json).type.compile(mysql.dialect()) == 'LONGTEXT'
    assert sa.Column(types.Json).type.compile(
        postgresql.dialect()) == 'TEXT'


def test_old_pickles_of_plain_values_are_read():
    value = {'name': 'x', 'list': [1, 2.5, None, True], 'bytes': b'\x00'}
    assert types.LegacyPickle().process_result_value(
        pickle.dumps(value, 2), None) == value


def test_old_pickles_of_ordered_mappings_are_read():
    value = collections.OrderedDict(a=1)
    assert types.LegacyPickle().process_result_value(
        pickle.dumps(value), None) == {'a': 1}


class Attack:
    def __reduce__(self):
        return print, ('run',)


@pytest.mark.parametrize('stored', [
    pickle.dumps(Attack()), b'garbage', b'', None])
def test_other_pickles_are_as_good_as_absent(stored, capsys):
    assert types.LegacyPickle().process_result_value(stored, None) is None
    assert capsys.readouterr().out == ''
