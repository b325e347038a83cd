"""What is probably meant by a name that does not exist."""
import time

import pytest

from heat.engine.language import suggest

WORDS = ['web', 'database', 'get_param', 'OS::Heat::Value', 'properties']


@pytest.mark.parametrize(('name', 'meant'), [
    ('wbe', 'web'), ('databse', 'database'), ('get_parm', 'get_param'),
    ('OS::Heat::Vlaue', 'OS::Heat::Value'), ('propertis', 'properties'),
    ('PROPERTIES', 'properties'), ('ewb', 'web'),
    ('ghost', None), ('x', None), ('', None), (7, None), ('x' * 300, None),
    ('Web', 'web')])
def test_nearest(name, meant):
    assert suggest.nearest(name, WORDS) == meant


def test_one_of_many():
    many = [f'server_{number}' for number in range(1500)] + WORDS
    assert suggest.nearest('databsae', many) == 'database'
    assert suggest.nearest('servr_77', many) == 'server_77'


def test_many_long_names_cost_little():
    many = ['x' * 60 + '_%d' % number for number in range(2000)]
    before = time.process_time()
    for _time in range(5):
        suggest.nearest('x' * 62, many)
    assert time.process_time() - before < 1


def test_hint():
    assert suggest.hint('wbe', WORDS) == ' Did you mean "web"?'
    assert suggest.hint('ghost', WORDS) == ''


def test_a_message_lists_the_names_that_exist():
    assert suggest.hint_with_names('serer', ['server', 'net']) == (
        ' Did you mean "server"? Its resources are: server, net.')
    assert suggest.hint_with_names('x', []) == ' It has no resources.'
    many = [f'name{number}' for number in range(12)]
    assert suggest.hint_with_names('x', many).endswith(
        'name9 and 2 more.')
