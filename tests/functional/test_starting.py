"""Mistakes in the configuration end every entry point with one clear line."""
import pathlib
import re
import shutil
import socket
import subprocess

import pytest
import requests
import yaml

from tests import ports
from tests import starting

KEY = '0123456789abcdef0123456789abcdef'
BASE = {
    'DEFAULT': {'auth_encryption_key': KEY, 'transport_url': 'fake://',
                'state_path': '{tmp}/state'},
    'paste_deploy': {'flavor': 'noauth'},
    'database': {'connection': 'sqlite:///{tmp}/heat.sqlite'},
    'heat_api': {'bind_host': '127.0.0.1', 'bind_port': '{port}',
                 'workers': '1'},
    'heat_api_cfn': {'bind_host': '127.0.0.1', 'bind_port': '{cfn_port}',
                     'workers': '1'},
    'heat_api_cloudwatch': {'bind_host': '127.0.0.1',
                            'bind_port': '{cfn_port}', 'workers': '1'},
}


class Start:
    """Files of one start, and the starts that they are for."""

    def __init__(self, directory, starter):
        self.directory = directory
        self.starter = starter
        self.port, self.cfn_port = ports.free_port(), ports.free_port()
        self.home = directory / 'home'
        (self.home / '.heat').mkdir(parents=True)

    def fill(self, text):
        """Return a text with the names of this start in it."""
        return text.replace('{tmp}', str(self.directory)).replace(
            '{port}', str(self.port)).replace('{cfn_port}',
                                              str(self.cfn_port))

    def prepare(self, files):
        """Make files in the directory of this start."""
        for name, text in files.items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.fill(text), encoding='latin-1')

    def configure(self, options=None, extra=''):
        """Write heat.conf; return its path."""
        sections = {name: dict(values) for name, values in BASE.items()}
        for option, value in (options or {}).items():
            section, name = option.split('/')
            sections.setdefault(section, {})[name] = value
        lines = []
        for section, values in sections.items():
            lines.append(f'[{section}]')
            lines += [f'{name} = {value}' for name, value in values.items()
                      if value is not None]
        path = self.home / '.heat' / 'heat.conf'
        path.write_text(self.fill('\n'.join([*lines, extra, ''])))
        return path

    def start(self, entry, *argv):
        """Start an entry point with the files that were written."""
        if not entry.startswith('wsgi'):
            argv = ('--config-file', self.home / '.heat' / 'heat.conf', *argv)
        return self.starter.start(entry, *argv, HOME=self.home)

    def make_tables(self):
        """Make the tables of the database."""
        made = self.start('heat-manage', 'db_sync').wait()
        assert made.code == 0, made.output


def _starter(backend, directory):
    one = starting.Starter(directory, backend)
    yield one
    one.close()


@pytest.fixture(scope='module')
def starter(tmp_path_factory):
    yield from _starter('threading', tmp_path_factory.mktemp('starter'))


@pytest.fixture(scope='module', params=['threading', 'eventlet'])
def each_starter(request, tmp_path_factory):
    yield from _starter(request.param, tmp_path_factory.mktemp('starter'))


@pytest.fixture
def start(tmp_path, starter):
    return Start(tmp_path, starter)


@pytest.fixture
def on_each(tmp_path, each_starter):
    """A start on both kinds of concurrency."""
    return Start(tmp_path, each_starter)


@pytest.fixture(scope='module')
def tables(starter, tmp_path_factory):
    """Return a function that gives a start a database with its tables."""
    directory = tmp_path_factory.mktemp('tables')
    first = Start(directory, starter)
    first.configure()
    first.make_tables()
    certificate(directory)

    def give(start):
        for path in directory.glob('*'):
            if path.is_file():
                shutil.copy(path, start.directory)
    return give


def certificate(directory):
    """Make a certificate and two keys, one of them of another."""
    for name in ('', 'other-'):
        subprocess.run(
            ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes',
             '-subj', '/CN=localhost', '-keyout', directory / f'{name}key.pem',
             '-out', directory / f'{name}cert.pem'],
            check=True, capture_output=True)
    subprocess.run(
        ['openssl', 'rsa', '-aes256', '-passout', 'pass:secret', '-in',
         directory / 'key.pem', '-out', directory / 'locked.pem'],
        check=True, capture_output=True)


MISTAKES = yaml.safe_load(
    (pathlib.Path(__file__).parent / 'start_mistakes.yaml').read_text())
ARGUMENTS = {'heat-manage': ['db_version'], 'heat-status': [
    'upgrade', 'check']}


def require_one_line(ended, pattern):
    """The process has given up in time, with one line that says why."""
    assert ended.code not in (0, None), ended
    assert len(ended.errors) == 1, ended.output
    assert re.search(pattern, ended.errors[0]), ended.errors
    assert 'Traceback' not in ended.output, ended.output
    assert 'secret' not in ended.output, ended.output
    assert ended.seconds < starting.LIMIT, ended


def name_of(mistake):
    return f'{mistake["entry"]}: {mistake["says"]}'


def started(start, mistake):
    entry = mistake['entry']
    return start.start(entry, *ARGUMENTS.get(entry, ()))


@pytest.mark.parametrize('mistake', MISTAKES['values'], ids=name_of)
def test_a_wrong_value(start, mistake):
    start.configure(mistake.get('options'))
    require_one_line(started(start, mistake).wait(), mistake['says'])


@pytest.mark.parametrize('mistake', MISTAKES['files'], ids=name_of)
def test_a_broken_file(start, tables, mistake):
    start.prepare(mistake.get('files', {}))
    tables(start)
    start.configure(mistake['options'])
    require_one_line(started(start, mistake).wait(), mistake['says'])


@pytest.mark.parametrize('mistake', MISTAKES['syntax'], ids=name_of)
def test_a_syntax_error(start, mistake):
    start.configure(extra=mistake['extra'])
    require_one_line(started(start, mistake).wait(), mistake['says'])


@pytest.mark.parametrize('entry', ['heat-api', 'heat-engine', 'heat-all',
                                   'heat-manage', 'heat-status'])
def test_a_file_that_is_missing(start, entry):
    arguments = ARGUMENTS.get(entry, ())
    ended = start.starter.start(entry, '--config-file', '/nowhere/heat.conf',
                                *arguments).wait()
    require_one_line(ended, '/nowhere/heat.conf')


@pytest.mark.parametrize('entry', ['heat-api', 'heat-api-cfn', 'heat-all'])
@pytest.mark.parametrize('workers', ['1', '2'])
def test_a_port_in_use(start, entry, workers):
    section = 'heat_api_cfn' if entry == 'heat-api-cfn' else 'heat_api'
    start.configure({f'{section}/workers': workers})
    port = start.cfn_port if entry == 'heat-api-cfn' else start.port
    with socket.create_server(('127.0.0.1', port)):
        require_one_line(start.start(entry).wait(),
                         rf'\[{section}\] .*bind_port = {port}: Address '
                         'already in use')


SIGNS = {'heat-api': 'heat-api listens', 'heat-api-cfn': 'cfn listens',
         'heat-api-cloudwatch': 'cloudwatch listens',
         'heat-engine': 'Starting engine', 'heat-all': 'heat-api listens'}


@pytest.mark.parametrize('entry', SIGNS)
def test_it_serves_and_ends(on_each, tables, entry):
    tables(on_each)
    on_each.configure({'DEFAULT/num_engine_workers': '1'})
    process = on_each.start(entry)
    process.wait_for(SIGNS[entry])
    ended = process.terminate()
    assert not ended.errors, ended.output
    assert ended.seconds < starting.LIMIT, ended


@pytest.mark.parametrize('mapping', ['resource_mapping',
                                     'constraint_mapping'])
def test_workers_that_fail_together_leave_one_line(on_each, tables, mapping):
    on_each.prepare({'plugins/broken.py': f'{mapping} = lambda: 1 / 0\n'})
    tables(on_each)
    on_each.configure({'DEFAULT/plugin_dirs': '{tmp}/plugins',
                       'DEFAULT/num_engine_workers': '4'})
    require_one_line(on_each.start('heat-engine').wait(),
                     rf'{mapping}\(\) .*broken\.py')


@pytest.fixture
def silent_port():
    """The port of a server that accepts connections and never answers."""
    with socket.create_server(('127.0.0.1', 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize('entry', ['heat-manage', 'heat-status'])
def test_a_command_does_not_wait_for_a_silent_database(start, silent_port,
                                                       entry):
    start.configure({'database/connection':
                     f'mysql+pymysql://heat:secret@127.0.0.1:{silent_port}/x'})
    ended = start.start(entry, *ARGUMENTS[entry]).wait()
    assert ended.code != 0
    assert re.search(r'\[database\] connection', ended.output)
    assert 'secret' not in ended.output
    assert 'Traceback' not in ended.output


@pytest.mark.parametrize(('option', 'url'), [
    ('database/connection', 'mysql+pymysql://heat:secret@127.0.0.1:{}/heat'),
    ('DEFAULT/transport_url', 'rabbit://heat:secret@127.0.0.1:{}/'),
])
def test_what_is_silent_is_named(start, tables, silent_port, option, url):
    tables(start)
    start.configure({option: url.format(silent_port)})
    process = start.start('heat-engine')
    section, name = option.split('/')
    process.wait_for(rf'Waiting for the \w+: \[{section}\] {name} .*out')
    assert process.terminate().seconds < starting.LIMIT


def test_rules_that_are_lists_or_refer_to_values_are_understood(start,
                                                                tables):
    tables(start)
    start.prepare({'policy.yaml':
                   '"a": [["role:admin", "rule:context_is_admin"], ["!"]]\n'
                   '"b": "(role:%(a.b)s and \'x\':%(c)s)"\n'})
    start.configure({'oslo_policy/policy_file': '{tmp}/policy.yaml',
                     'oslo_policy/policy_dirs': '{tmp}/nowhere'})
    process = start.start('heat-api')
    process.wait_for('heat-api listens')
    output = process.terminate().output
    assert re.search(r'\[oslo_policy\] policy_dirs: .*nowhere', output)
    assert 'ERROR' not in output


@pytest.mark.parametrize(('entry', 'option', 'url', 'sign'), [
    ('heat-engine', 'database/connection',
     'mysql+pymysql://heat:secret@127.0.0.1:1/heat',
     r'Waiting for the database: \[database\] connection .*(?i:refused)'),
    ('heat-all', 'database/connection',
     'postgresql://heat:secret@127.0.0.1:1/heat',
     r'Waiting for the database: \[database\] connection .*(?i:refused)'),
    ('heat-engine', 'database/connection',
     'postgresql://127.0.0.1:1/heat?user=heat&password=secret',
     r'Waiting for the database: \[database\] connection .*(?i:refused)'),
    ('heat-engine', 'database/connection',
     'mysql+pymysql://heat:secret@nowhere.invalid/heat',
     r'Waiting for the database: \[database\] connection .*nowhere'),
    ('heat-engine', 'DEFAULT/transport_url',
     'rabbit://heat:secret@127.0.0.1:1/',
     r'Waiting for the broker: \[DEFAULT\] transport_url .*(?i:refused)'),
])
def test_what_is_away_is_waited_for(on_each, tables, entry, option, url,
                                    sign):
    tables(on_each)
    on_each.configure({option: url})
    process = on_each.start(entry)
    process.wait_for(sign)
    ended = process.terminate()
    assert ended.seconds < starting.LIMIT, ended
    assert len(re.findall('Waiting for', ended.output)) == 1, ended.output
    assert 'Traceback' not in ended.output
    assert 'secret' not in ended.output


def test_an_api_serves_without_a_broker(on_each):
    on_each.configure({
        'DEFAULT/transport_url': 'rabbit://heat:secret@127.0.0.1:1/'})
    process = on_each.start('heat-api')
    process.wait_for('heat-api listens')
    # Nor has it ever had a broker before its first request.
    answer = requests.get(
        f'http://127.0.0.1:{on_each.port}/v1/project/stacks',
        timeout=starting.PATIENCE)
    assert answer.status_code == 503, answer.text
    assert int(answer.headers['Retry-After']) > 0
    ended = process.terminate()
    assert ended.seconds < starting.LIMIT, ended
    assert len(re.findall(r'The broker is away, .*: \[DEFAULT\] transport_url'
                          r' .*(?i:refused)', ended.output)) == 1, ended.output
    assert 'secret' not in ended.output


def test_what_is_ignored_is_named_once(start, tables):
    """By two workers, too."""
    tables(start)
    start.prepare({'env.d/broken.yaml': 'resource_registry: [',
                   'env.d/list.yaml': '- 1\n',
                   'policy.yaml': '"stacks:indx": "role:x"\n'})
    start.configure({
        'oslo_policy/policy_file': '{tmp}/policy.yaml',
        'DEFAULT/num_engine_workers': '2',
        'DEFAULT/num_engine_wokers': '3',
        'DEFAULT/environment_dir': '{tmp}/env.d',
        'DEFAULT/plugin_dirs': '{tmp}/nowhere',
        'databse/connection': 'sqlite://',
        'heat_api/bindport': '1',
        'oslo_messaging_notifications/driver': 'mesagingv2'})
    process = start.start('heat-engine')
    process.wait_for('(?s)Starting engine.*Starting engine')
    output = process.terminate().output
    for text in (
            r'the option num_engine_wokers in \[DEFAULT\] is unknown and '
            'ignored; is it num_engine_workers',
            r'the section \[databse\] is unknown; is it \[database\]',
            r'the option bindport in \[heat_api\] is unknown .*bind_port',
            r'driver = mesagingv2: there is no such driver.*messagingv2',
            r'Failed to read .*env\.d/broken\.yaml',
            r'Failed to read .*env\.d/list\.yaml',
            r'policy\.yaml, line 1: the rule "stacks:indx" is unknown and '
            'ignored; is it "stacks:index"',
            r'plugin_dirs: there is no directory .*nowhere'):
        assert len(re.findall(text, output)) == 1, (text, output)
    assert 'Traceback' not in output


#: Options of libraries and accounts as an operator has them.
USUAL = {
    'DEFAULT/region_name_for_services': 'RegionOne',
    'DEFAULT/log_dir': '{tmp}', 'DEFAULT/rpc_response_timeout': '60',
    'DEFAULT/control_exchange': 'heat',
    'DEFAULT/graceful_shutdown_timeout': '60',
    'keystone_authtoken/www_authenticate_uri': 'http://127.0.0.1:1',
    'keystone_authtoken/auth_url': 'http://127.0.0.1:1',
    'keystone_authtoken/auth_type': 'password',
    'keystone_authtoken/username': 'heat',
    'keystone_authtoken/password': 'secret',
    'keystone_authtoken/project_name': 'service',
    'keystone_authtoken/project_domain_name': 'Default',
    'keystone_authtoken/user_domain_name': 'Default',
    'trustee/auth_type': 'password',
    'trustee/auth_url': 'http://127.0.0.1:1',
    'trustee/username': 'heat', 'trustee/password': 'secret',
    'trustee/user_domain_id': 'default',
    'ec2authtoken/auth_url': 'http://127.0.0.1:1/v3',
    'clients_keystone/auth_uri': 'http://127.0.0.1:1',
    'database/max_retries': '-1', 'database/connection_recycle_time': '600',
    'oslo_messaging_rabbit/heartbeat_timeout_threshold': '60',
    'oslo_messaging_rabbit/rabbit_quorum_queue': 'true',
    'oslo_messaging_notifications/driver': 'messagingv2',
    'oslo_concurrency/lock_path': '{tmp}',
    'oslo_middleware/enable_proxy_headers_parsing': 'true',
    'cors/allowed_origin': 'http://horizon',
    'cache/backend': 'dogpile.cache.memcached',
    'cache/memcache_servers': '127.0.0.1:11211',
    'yaql/limit_iterators': '200', 'my_plugin/anything': '1',
}


@pytest.mark.parametrize('entry', ['heat-api', 'heat-engine'])
def test_usual_options_are_known(start, tables, entry):
    tables(start)
    start.configure({**USUAL, 'DEFAULT/log_dir': None})
    process = start.start(entry)
    process.wait_for(SIGNS[entry])
    # The names are checked beside the start.
    process.wait_for('my_plugin')
    output = process.terminate().output
    unknown = [line for line in output.splitlines() if 'unknown' in line]
    assert len(unknown) == 1, unknown
    assert '[my_plugin]' in unknown[0]
