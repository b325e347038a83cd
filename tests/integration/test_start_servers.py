"""Servers that refuse what an operator has configured end a start."""
import re

import pytest
import sqlalchemy as sa

from tests import starting
from tests.fakes import servers
from tests.functional import test_starting
from tests.integration import broker as broker_module

TABLES = ('[database] connection: the database has no tables')


@pytest.fixture(scope='module')
def starter(tmp_path_factory):
    one = starting.Starter(tmp_path_factory.mktemp('starter'), 'eventlet')
    yield one
    one.close()


@pytest.fixture
def start(tmp_path, starter):
    return test_starting.Start(tmp_path, starter)


@pytest.fixture(params=['mysql', 'postgresql'])
def database(request):
    server = servers.Server(request.param)
    url = server.create()
    yield sa.make_url(url)
    server.drop(url)


def text_of(url):
    return url.render_as_string(hide_password=False)


@pytest.mark.parametrize('entry', ['heat-engine', 'heat-manage',
                                   'heat-status'])
def test_a_database_that_does_not_exist(start, database, entry):
    start.configure({'database/connection': text_of(
        database.set(database='heat_none'))})
    ended = start.start(entry, *test_starting.ARGUMENTS.get(
        entry, ())).wait()
    assert ended.code != 0
    assert re.search(r'\[database\]\s+connection', ended.output)
    assert 'heat_none' in ended.output
    assert 'Traceback' not in ended.output


@pytest.mark.parametrize('entry', ['heat-engine', 'heat-all'])
def test_a_database_that_refuses_the_login(start, entry):
    start.configure({'database/connection':
                     'mysql+pymysql://nobody:secret@127.0.0.1/heat'})
    test_starting.require_one_line(
        start.start(entry).wait(),
        r'\[database\] connection .*\*\*\*@127.*Access denied')


def test_a_database_without_tables(start, database):
    start.configure({'database/connection': text_of(database)})
    test_starting.require_one_line(start.start('heat-engine').wait(),
                                   re.escape(TABLES))


def test_tables_of_an_earlier_version(start, database):
    start.configure({'database/connection': text_of(database)})
    assert start.start('heat-manage', 'db_sync',
                       '97b2a986f922').wait().code == 0
    test_starting.require_one_line(start.start('heat-engine').wait(),
                                   'the tables are at 97b2a986f922')


@pytest.mark.parametrize('entry', ['heat-api', 'heat-engine', 'wsgi-api'])
def test_a_broker_that_refuses(start, entry):
    host = broker_module.VirtualHost()
    try:
        url = sa.make_url(host.url)
        start.configure()
        start.make_tables()
        start.configure({'DEFAULT/transport_url': text_of(
            url.set(password='secret-one'))})
        test_starting.require_one_line(
            start.start(entry).wait(),
            r'\[DEFAULT\] transport_url .*refuses the login of "guest"')
        start.configure({'DEFAULT/transport_url': text_of(
            url.set(database='heat_none'))})
        test_starting.require_one_line(
            start.start(entry).wait(),
            r'\[DEFAULT\] transport_url .*virtual host "heat_none"')
        start.configure({'DEFAULT/transport_url': host.url,
                         'oslo_messaging_rabbit/ssl': 'true'})
        test_starting.require_one_line(
            start.start(entry).wait(),
            r'\[oslo_messaging_rabbit\] ssl \(.*(?i:wrong.version)')
    finally:
        host.remove()
