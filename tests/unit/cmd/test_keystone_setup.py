"""What the commands make in Keystone, and what they leave alone."""
import io
import types

import pytest

from heat.cmd import keystone_setup
from heat.common import i18n


class Identity:
    """An identity service: what there is, by kind."""

    def __init__(self):
        self.things = {kind: [] for kind in (
            'role', 'domain', 'project', 'user', 'service', 'endpoint')}
        self.grants = set()
        self.writes = 0
        self.create_role(name='admin')
        self.writes = 0

    def __getattr__(self, name):
        verb, _, kind = name.partition('_')
        if verb == 'create':
            return lambda **values: self._create(kind, values)
        if verb == 'find':
            return lambda name, **where: next(iter(
                self._matching(kind, name=name, **where)), None)
        if kind == '' and verb.endswith('s'):
            return lambda **where: self._matching(verb[:-1], **where)
        raise AttributeError(name)

    def _create(self, kind, values):
        self.writes += 1
        thing = types.SimpleNamespace(
            id=f'{kind}-{len(self.things[kind])}', **values)
        self.things[kind].append(thing)
        return thing

    def _matching(self, kind, **where):
        return [each for each in self.things[kind] if all(
            getattr(each, key, None) == value
            for key, value in where.items())]

    def validate_user_has_project_role(self, target, user, role):
        return (target.id, user.id, role.id) in self.grants

    def assign_project_role_to_user(self, target, user, role):
        self.writes += 1
        self.grants.add((target.id, user.id, role.id))

    validate_user_has_domain_role = validate_user_has_project_role
    assign_domain_role_to_user = assign_project_role_to_user


@pytest.fixture(params=['services', 'domain'])
def command(request, monkeypatch):
    """Return a function that runs one of the two commands."""
    monkeypatch.setenv('HEAT_PASSWORD', 'geheim')
    monkeypatch.setenv('STACK_DOMAIN_ADMIN_PASSWORD', 'geheim')
    parser, work = {
        'services': (keystone_setup.setup_parser, keystone_setup.set_up),
        'domain': (keystone_setup.domain_parser,
                   keystone_setup.set_up_domain)}[request.param]

    def run(identity, dry_run=False):
        out = io.StringIO()
        work(parser().parse_args([]), keystone_setup.Setup(
            types.SimpleNamespace(identity=identity), dry_run, out))
        return out.getvalue()

    return run


def test_a_dry_run_makes_nothing_and_tells_all(command):
    identity = Identity()
    told = command(identity, dry_run=True)
    assert identity.writes == 0
    assert 'would be made' in told
    made = command(identity)
    assert len(made.splitlines()) == len(told.splitlines())


def test_what_is_there_stays(command):
    identity = Identity()
    assert 'geheim' not in command(identity)
    before = identity.writes
    assert before
    told = command(identity)
    assert identity.writes == before
    assert all(line.endswith('is there') for line in told.splitlines())


def test_what_an_interrupted_run_left_out_is_made(command):
    identity = Identity()
    command(identity)
    identity.grants.clear()
    told = command(identity)
    assert told.count(': made') == 1
    assert 'role assignment' in told


def test_a_user_is_not_made_without_a_password(command, monkeypatch):
    monkeypatch.delenv('HEAT_PASSWORD')
    monkeypatch.delenv('STACK_DOMAIN_ADMIN_PASSWORD')
    with pytest.raises(keystone_setup.Refused, match='password'):
        command(Identity())


def test_the_role_of_an_administrator_has_to_be_there(command):
    identity = Identity()
    identity.things['role'].clear()
    with pytest.raises(keystone_setup.Refused, match='admin'):
        command(identity)


@pytest.fixture
def domain_setup(monkeypatch):
    """Return a function that makes a domain with options of Heat's script."""
    for name in keystone_setup._DOMAIN_OPTIONS:
        monkeypatch.delenv(name.upper(), raising=False)

    def run(*arguments):
        identity = Identity()
        keystone_setup.set_up_domain(
            keystone_setup.domain_parser().parse_args(arguments),
            keystone_setup.Setup(types.SimpleNamespace(identity=identity),
                                 False, io.StringIO()))
        user = identity.things['user'][0]
        return (identity.things['domain'][0].name, user.name, user.password)

    return run


def test_options_of_the_domain_come_before_environment_and_files(
        domain_setup, monkeypatch, tmp_path):
    conf = tmp_path / 'heat.conf'
    conf.write_text('[DEFAULT]\nstack_user_domain_name = d1\n'
                    'stack_domain_admin = a1\n'
                    'stack_domain_admin_password = p1\n')
    given = ['--config-file', str(conf)]
    assert domain_setup(*given) == ('d1', 'a1', 'p1')
    monkeypatch.setenv('STACK_DOMAIN_ADMIN', 'a2')
    monkeypatch.setenv('STACK_DOMAIN_ADMIN_PASSWORD', 'p2')
    assert domain_setup(*given) == ('d1', 'a2', 'p2')
    assert domain_setup(*given, '--stack-domain-admin-password', 'p3',
                        '--stack-domain-admin', 'a3',
                        '--stack-user-domain-name', 'd3') == (
        'd3', 'a3', 'p3')


def test_directory_of_configuration_files(domain_setup, tmp_path):
    (tmp_path / 'a.conf').write_text(
        '[DEFAULT]\nstack_domain_admin_password = p1\n')
    assert domain_setup('--config-dir', str(tmp_path)) == (
        'heat', 'heat_domain_admin', 'p1')


@pytest.mark.parametrize(('arguments', 'kinds'), [
    ([], {'orchestration', 'cloudformation'}),
    (['--cloudwatch-url', 'http://here:8003/v1'],
     {'orchestration', 'cloudformation', 'cloudwatch'})])
def test_cloudwatch_has_endpoints_if_its_url_is_given(arguments, kinds,
                                                      monkeypatch):
    monkeypatch.setenv('HEAT_PASSWORD', 'geheim')
    identity = Identity()
    keystone_setup.set_up(
        keystone_setup.setup_parser().parse_args(arguments),
        keystone_setup.Setup(types.SimpleNamespace(identity=identity),
                             False, io.StringIO()))
    services = {each.id: each.type for each in identity.things['service']}
    assert set(services.values()) == kinds
    urls = [each.url for each in identity.things['endpoint']
            if services[each.service_id] == 'cloudwatch']
    assert urls == 3 * arguments[1:]


@pytest.mark.parametrize('parser', [keystone_setup.setup_parser,
                                    keystone_setup.domain_parser])
def test_version(parser, capsys):
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(['--version'])
    assert ended.value.code == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize(('language', 'made', 'there'), [
    ('de', 'Rolle heat_stack_user: erstellt',
     'Rolle heat_stack_user: ist vorhanden'),
    ('ja', 'ロール heat_stack_user: 作成しました',
     'ロール heat_stack_user: 存在します')])
def test_it_speaks_the_language_of_its_user(monkeypatch, language, made,
                                            there):
    monkeypatch.setenv('HEAT_PASSWORD', 'geheim')
    identity, out = Identity(), io.StringIO()
    with i18n.speaking(language):
        parser = keystone_setup.setup_parser()
        for _run in range(2):
            keystone_setup.set_up(parser.parse_args([]), keystone_setup.Setup(
                types.SimpleNamespace(identity=identity), False, out))
    assert made in out.getvalue()
    assert there in out.getvalue()
