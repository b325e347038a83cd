"""The help and the questions of heat-manage, in the language of the user."""
import io

from oslo_config import cfg
import pytest

from heat.cmd import manage_commands
from heat.cmd import settings
from heat.common import i18n
from heat.common import opts_auth
from heat.db import stack_reset

KEY = 32 * 'k'


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs a command without a database."""
    def call(language, *arguments):
        conf = cfg.ConfigOpts()
        conf.register_opts([cfg.StrOpt('connection', default='sqlite://')],
                           'database')
        conf.register_opt(cfg.StrOpt('auth_encryption_key', default=KEY))
        monkeypatch.setattr(manage_commands, 'CONF', conf)
        monkeypatch.setattr(
            settings, 'parse', lambda prog, argv, **_more: conf(
                argv, prog=prog, default_config_files=[],
                default_config_dirs=[]))
        monkeypatch.setattr(manage_commands.logging, 'setup',
                            lambda *_args: None)
        monkeypatch.setattr(manage_commands.probe, 'check', lambda: None)
        monkeypatch.setattr(manage_commands, '_check_tables', lambda: None)
        with i18n.speaking(language):
            return manage_commands.main(list(arguments))

    monkeypatch.setenv('COLUMNS', '80')
    return call


@pytest.mark.parametrize(('language', 'texts'), [
    (None, ['Commands:', 'List engines, or remove those that are down.']),
    ('de', ['Befehle:', 'Engines auflisten, oder ausgefallene entfernen.']),
    ('ja', ['コマンド:', 'エンジンを一覧表示するか'])])
def test_help(run, capsys, language, texts):
    with pytest.raises(SystemExit) as ended:
        run(language, '--help')
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    for text in texts:
        assert any(text in line for line in lines), text
    # All descriptions begin in the same column.
    commands = [line for line in lines if line.startswith('    ')
                and line[4:5].strip()]
    assert len(commands) == 10
    assert all(line[29] == ' ' != line[30] for line in commands), commands


@pytest.mark.parametrize('name', [
    'db_version', 'db_sync', 'db_downgrade', 'purge_deleted',
    'resource_data_list', 'service', 'reset_stack_status',
    'migrate_convergence_1', 'migrate_properties_data', 'update_params'])
def test_help_of_a_command(run, capsys, name):
    with pytest.raises(SystemExit) as ended:
        run('de', name, '--help')
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f'usage: heat-manage {name} ')


@pytest.mark.parametrize(('typed', 'asked'), [
    ('y', ['id']), ('Y\n', ['id']), ('j', []), ('', [])])
def test_the_answer_is_y_in_all_languages(run, capsys, monkeypatch, typed,
                                          asked):
    reset = []
    monkeypatch.setattr('sys.stdin', io.StringIO(typed))
    monkeypatch.setattr(stack_reset, 'reset_stack_status',
                        lambda _context, stack_id: reset.append(stack_id))
    assert run('de', 'reset_stack_status', 'id') == 0
    assert reset == asked
    assert 'Fortfahren? [y/N]' in capsys.readouterr().out


def test_errors_are_translated(run, capsys):
    assert run('de', 'purge_deleted', '-b', '0') == 1
    assert 'Die Stapelgröße muss eine ganze Zahl ab 1 sein.' in (
        capsys.readouterr().err)


def test_nothing_is_encrypted_with_the_published_key(run, capsys, monkeypatch):
    monkeypatch.setattr(
        settings, 'embedded_key', lambda conf: conf.set_default(
            'auth_encryption_key', opts_auth.PUBLISHED_KEY))
    assert run(None, 'update_params', 'encrypt') == 1
    assert ('ERROR: The option auth_encryption_key is not configured'
            in capsys.readouterr().err)


@pytest.mark.parametrize('text', [
    '[DEFAULT]\nsql_connection = mysql://h/heat\n', None,
    '[database]\nconnection = sqlite:////of/the/operator\n'])
def test_a_database_that_nobody_named_is_told(monkeypatch, caplog, tmp_path,
                                              text):
    """Otherwise db_sync seems to succeed with an obsolete option."""
    conf = cfg.ConfigOpts()
    conf.register_opts([cfg.StrOpt('connection')], 'database')
    conf.register_opts(settings.CLI_OPTIONS)
    path = tmp_path / 'heat.conf'
    path.write_text(text or '')
    conf(['--config-file', str(path)] if text else [],
         default_config_files=[], default_config_dirs=[])
    conf.set_override('state_path', str(tmp_path / 'state'))
    monkeypatch.setattr(manage_commands, 'CONF', conf)
    manage_commands._choose_database()
    told = [f'[database] connection is not in {path}: '
            f'sqlite:///{tmp_path}/state/heat.sqlite is used instead']
    assert [record.getMessage() for record in caplog.records] == (
        told if text and 'sql_connection' in text else [])
