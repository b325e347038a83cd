"""The Dockerfile and the compose file refer to things that exist."""
import configparser
import fnmatch
import functools
import http.server
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading

from oslo_config import cfg
import pytest
import yaml

from heat.common import config
from tests.unit.deployment import scripts

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / 'contrib/container'
#: The instructions of a Dockerfile, beside FROM and ARG.
INSTRUCTIONS = {'ADD', 'ARG', 'CMD', 'COPY', 'ENTRYPOINT', 'ENV', 'EXPOSE',
                'FROM', 'HEALTHCHECK', 'LABEL', 'RUN', 'SHELL', 'STOPSIGNAL',
                'USER', 'VOLUME', 'WORKDIR'}
#: What the accounts of [keystone_authtoken] and others consist of.
ACCOUNT = {'auth_type', 'auth_url', 'username', 'password', 'project_name',
           'user_domain_name', 'project_domain_name'}
#: What a compose file may ask of a service before another one starts.
CONDITIONS = {'service_healthy', 'service_completed_successfully'}


def instructions(text):
    """Return the instructions of a Dockerfile as (name, arguments)."""
    kept = '\n'.join(line for line in text.splitlines()
                     if not line.lstrip().startswith('#'))
    found = []
    for line in kept.replace('\\\n', ' ').splitlines():
        if line.strip():
            name, _blank, rest = line.strip().partition(' ')
            found.append((name, rest.strip()))
    return found


def stages():
    """Return {name of a stage: its instructions}."""
    found = {}
    for name, rest in instructions((HERE / 'Dockerfile').read_text()):
        if name == 'FROM':
            base, keyword, stage = rest.split()
            assert keyword == 'AS'
            found[stage] = [(name, base)]
        else:
            list(found.values())[-1].append((name, rest))
    return found


def final():
    return list(stages().values())[-1]


def only(name):
    values = [rest for each, rest in final() if each == name]
    assert len(values) == 1, name
    return values[0]


def copies(given):
    """Yield (sources, target) of what is copied from the context."""
    for name, rest in given:
        words = [word for word in shlex.split(rest)
                 if not word.startswith('--chmod=')]
        if name in ('COPY', 'ADD') and not words[0].startswith('--from='):
            yield words[:-1], words[-1]


def in_context(path):
    """Return whether .dockerignore lets a file of the checkout through."""
    let_through = False
    for line in (ROOT / '.dockerignore').read_text().splitlines():
        if line and not line.startswith('#'):
            pattern = line.removeprefix('!').removeprefix('**/')
            parts = path.split('/')
            prefixes = {'/'.join(parts[:end]) for end
                        in range(1, len(parts) + 1)}
            if '**/' in line:
                prefixes = set(parts)
            if any(fnmatch.fnmatch(each, pattern) for each in prefixes):
                let_through = line.startswith('!')
    return let_through


@functools.cache
def compose():
    return yaml.safe_load((HERE / 'compose.yaml').read_text())


def ours():
    return {name: service for name, service in compose()['services'].items()
            if service['image'].startswith('heat:')}


def test_the_instructions_are_those_of_dockerfiles():
    named = {name for given in stages().values() for name, _rest in given}
    assert named <= INSTRUCTIONS
    # Shells that read what RUN says find no fault with it.
    for given in stages().values():
        for name, rest in given:
            if name == 'RUN':
                subprocess.run(['sh', '-n', '-c', rest], check=True)
            elif rest.startswith('['):
                assert json.loads(rest)


def test_images_are_pinned():
    bases = [given[0][1] for given in stages().values()]
    images = [service['image'] for service in compose()['services'].values()]
    for image in bases + images:
        if image not in stages():
            assert re.fullmatch(r'[a-z]+:\d+\.\d+(\.\d+)?(-slim)?', image)
    assert bases[0].startswith('debian:')


def test_the_image_runs_without_root():
    account = only('USER')
    uid, gid = account.split(':')
    assert uid.isdecimal()
    assert int(uid) >= 1000
    made = ' '.join(rest for name, rest in final() if name == 'RUN')
    assert f'--uid {uid} ' in made
    assert f'--gid {gid} ' in made
    # Nothing is written as root afterwards.
    names = [name for name, _rest in final()]
    assert not {'RUN', 'COPY', 'ADD'} & set(names[names.index('USER'):])


def test_the_image_knows_its_health():
    check = only('HEALTHCHECK')
    command = json.loads(check.partition('CMD ')[2])
    targets = {pathlib.Path(target).name for _sources, target
               in copies(final())}
    assert command[0] in targets
    assert os.access(HERE / 'healthcheck', os.X_OK)


def test_what_is_copied_is_in_the_context():
    for given in stages().values():
        for sources, _target in copies(given):
            for source in sources:
                assert (ROOT / source).exists(), source
                assert in_context(source), source
    assert in_context('heat/cmd/api.py')
    assert in_context('etc/heat/api-paste.ini')
    for path in ('.git/config', 'tests/conftest.py', 'contrib/container/.env',
                 'heat/__pycache__/version.cpython-313.pyc'):
        assert not in_context(path)


def test_what_the_build_reads_is_copied():
    copied = {source for sources, _target in copies(stages()['build'])
              for source in sources}
    text = (ROOT / 'setup.cfg').read_text()
    read = set(re.findall(r'= file: (\S+)', text)) | {'LICENSE'}
    assert read <= copied
    assert {'heat', 'etc', 'bin', 'setup.py', 'setup.cfg'} <= copied
    assert set((ROOT / 'MANIFEST.in').read_text().split()) >= {'LICENSE'}


def test_the_containers_run_commands_of_ours():
    assert json.loads(only('CMD'))[0] in scripts.commands()
    for service in ours().values():
        assert service['command'][0] in scripts.commands()
    assert {service['command'][0] for service in ours().values()} == {
        'heat-manage', 'heat-engine', 'heat-api', 'heat-api-cfn',
        'heat-api-cloudwatch'}


def test_services_wait_for_services_that_there_are():
    services = compose()['services']
    for name, service in services.items():
        for other, given in service.get('depends_on', {}).items():
            assert other in services
            assert other != name
            assert given['condition'] in CONDITIONS
            if given['condition'] == 'service_healthy':
                assert services[other].get('healthcheck') or other in ours()
                assert not services[other].get(
                    'healthcheck', {}).get('disable')
            else:
                assert services[other]['restart'] == 'no'


def started_before(name):
    services = compose()['services']
    found = set()
    for other in services[name].get('depends_on', {}):
        found |= {other} | started_before(other)
    return found


def test_what_an_api_needs_is_started_before_it():
    needed = {'database', 'broker', 'db-sync', 'engine'}
    for name in ('api', 'api-cfn', 'api-cloudwatch'):
        assert started_before(name) == needed


def test_cloudwatch_is_off_unless_asked_for():
    profiles = {name: service['profiles'] for name, service
                in compose()['services'].items() if 'profiles' in service}
    assert profiles == {'api-cloudwatch': ['cloudwatch']}
    for service in ours().values():
        assert filled(service)['OS_CLOUDWATCH__ENABLED'] == 'false'
    published = {port for service in ours().values()
                 for port in service.get('ports', ())}
    assert {int(port.split(':')[1]) for port in published} == {
        int(port) for port in only('EXPOSE').split()}


def test_volumes_and_hosts_are_named():
    given = compose()
    for service in given['services'].values():
        for volume in service.get('volumes', ()):
            source = volume.split(':')[0]
            if source.startswith('.'):
                assert (HERE / source).is_file()
            else:
                assert source in given['volumes']
    hosts = re.findall(r'@([a-z]+)[:/]', (HERE / 'compose.yaml').read_text())
    assert set(hosts) == {'broker', 'database'}
    assert set(hosts) <= set(given['services'])


def test_containers_are_confined():
    for service in ours().values():
        assert service['read_only'] is True
        assert service['cap_drop'] == ['ALL']
        assert service['security_opt'] == ['no-new-privileges:true']
        mounted = {entry.split(':')[0] for entry in service['tmpfs']}
        assert mounted == {'/tmp', '/run/heat', '/var/lib/heat'}


def test_the_sample_names_each_variable():
    text = (HERE / 'compose.yaml').read_text()
    sample = (HERE / 'env.sample').read_text()
    assert set(re.findall(r'(?m)^(\w+)=', sample)) == set(
        re.findall(r'\$\{(\w+):\?\}', text))
    # What has a default is shown as a comment.
    assert dict(re.findall(r'(?m)^#(\w+)=(\w+)$', sample)) == {
        'HEAT_CLOUDWATCH': 'true', 'COMPOSE_PROFILES': 'cloudwatch'}
    assert set(re.findall(r'\$\{(\w+):-', text)) == {'HEAT_CLOUDWATCH'}
    # Nobody starts with a password that others can read.
    assert re.findall(r'(?m)^\w+=(.+)$', sample) == []


def filled(service):
    """Return the environment of a service, with values for variables."""
    def value_of(found):
        name, default = found.groups()
        return default or ('http://there' if name.endswith('URL')
                           else name.lower())

    return {name: re.sub(r'\$\{(\w+):(?:\?|-(\w+))\}', value_of, value)
            for name, value in service['environment'].items()}


def names(options):
    return {option.name.replace('-', '_') for option in options}


@functools.cache
def known():
    """Return {section: names of its options}."""
    facts = json.loads((ROOT / 'tests/facts/config_options.json').read_text())
    found = {group: set(options)
             for group, options in facts['groups'].items()}
    for group, options in config.all_opts():
        found.setdefault(group or 'DEFAULT', set()).update(names(options))
    for group in ('keystone_authtoken', 'trustee', 'ec2authtoken'):
        found[group] |= ACCOUNT
    return found


def settings():
    """Return the heat.conf of all containers, as (section, name): value."""
    parser = configparser.ConfigParser(default_section='none',
                                       interpolation=None)
    parser.read(HERE / 'heat.conf')
    return {(section, name): value for section in parser.sections()
            for name, value in parser[section].items()}


def from_environment(service):
    """Return the options in the environment, as (section, name): value."""
    found = {}
    for name, value in filled(service).items():
        if name.startswith('OS_'):
            group, _between, option = name[3:].partition('__')
            section = group if group == 'DEFAULT' else group.lower()
            found[section, option.lower()] = value
    return found


def test_each_option_exists():
    for service in ours().values():
        given = {**settings(), **from_environment(service)}
        assert len(given) == len(settings()) + 13
        for section, name in given:
            assert name in known()[section], (section, name)


def test_accounts_are_complete():
    given = {**settings(), **from_environment(ours()['engine'])}
    for section in ('keystone_authtoken', 'trustee', 'ec2authtoken'):
        assert {name for group, name in given if group == section} >= {
            'auth_type', 'auth_url', 'username', 'password',
            'user_domain_name'}
    # What users trust is a user, not a project.
    assert ('trustee', 'project_name') not in given


@pytest.fixture(params=sorted(ours()))
def configured(request, monkeypatch):
    """The service, and the configuration that its container reads."""
    service = ours()[request.param]
    for name, value in filled(service).items():
        monkeypatch.setenv(name, value)
    conf = cfg.ConfigOpts()
    for group, options in config.all_opts():
        conf.register_opts(options, group)
    conf(args=[], project='heat', default_config_files=[
        str(HERE / 'heat.conf')], default_config_dirs=[])
    return service, conf


def test_options_take_their_values(configured):
    service, conf = configured
    given = {**settings(), **from_environment(service)}
    for (section, name), value in given.items():
        values = conf if section == 'DEFAULT' else (
            conf[section] if section in conf else {})
        # Others are the libraries' own.
        if name in values:
            assert str(values[name]).lower() == value.lower()


def test_health_checks_ask_the_port_of_the_service(configured):
    service, conf = configured
    port = {'heat-api': conf.heat_api.bind_port,
            'heat-api-cfn': conf.heat_api_cfn.bind_port,
            'heat-api-cloudwatch': conf.heat_api_cloudwatch.bind_port,
            'heat-engine': conf.engine_monitor.bind_port,
            'heat-manage': None}[service['command'][0]]
    assert service['environment'].get('HEAT_HEALTH_PORT') == (
        port and str(port))
    for published in service.get('ports', ()):
        assert published.endswith(f':{port}')


def test_a_container_is_given_time_to_stop():
    wanted = int(settings()['DEFAULT', 'graceful_shutdown_timeout'])
    for service in ours().values():
        assert int(service['stop_grace_period'].removesuffix('s')) > wanted


@pytest.mark.parametrize(('status', 'code'), [
    (200, 0), (503, 1), (404, 1), (None, 1)])
def test_the_health_check_asks_the_service(status, code):
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(
                status if self.path == '/healthcheck' else 418)
            self.end_headers()

        def log_message(self, *_arguments):
            """Say nothing."""

    server = http.server.HTTPServer(('127.0.0.1', 0), Answer)
    port = server.server_port
    if status is None:
        server.server_close()
    else:
        threading.Thread(target=server.handle_request, daemon=True).start()
    done = subprocess.run(
        [sys.executable, '-S', '-E', HERE / 'healthcheck'],
        capture_output=True, text=True, check=False,
        env={'HEAT_HEALTH_PORT': str(port),
             'http_proxy': 'http://127.0.0.1:9'})
    server.server_close()
    assert done.returncode == code, done.stdout
    assert f'port {port}' in done.stdout


def test_the_page_names_user_and_places():
    page = (ROOT / 'doc/source/operator_guide/containers.rst').read_text()
    assert f'user and group {only("USER").split(":")[0]}' in page
    for service in ours().values():
        for entry in service['tmpfs']:
            assert f'``{entry.split(":")[0]}``' in page
