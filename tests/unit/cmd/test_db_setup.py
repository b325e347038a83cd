"""heat-db-setup takes the options of Heat's own script."""
from oslo_config import cfg
import pytest

from heat.cmd import db_setup


@pytest.fixture
def given(monkeypatch):
    """Return a function that makes of options (connection, admin)."""
    def read(configured, *arguments):
        conf = cfg.ConfigOpts()
        conf.register_cli_opts(db_setup.cli_options())
        conf.register_opts([cfg.StrOpt('connection')], 'database')
        conf(list(arguments), project='heat', default_config_files=[],
             default_config_dirs=[])
        monkeypatch.setattr(db_setup, 'CONF', conf)
        connection = db_setup._connection(configured)
        return connection, db_setup._admin(connection)

    return read


LOCAL = 'mysql+pymysql://heat:new@localhost/heat'


@pytest.mark.parametrize(('configured', 'arguments', 'wanted'), [
    ('sqlite:///a', (), ('sqlite:///a', None)),
    ('sqlite:///a', ('rpm', '--rootpw', 'r', '--password', 'new', '--yes'),
     (LOCAL, 'mysql+pymysql://root:r@localhost/')),
    ('sqlite:///a', ('deb', '-r', 'r', '-p', 'new', '-y'),
     (LOCAL, 'mysql+pymysql://root:r@localhost/')),
    ('mysql+pymysql://h:old@db/x', ('-r', 'r/@'),
     ('mysql+pymysql://h:old@db/x', 'mysql+pymysql://root:r%2F%40@db/')),
    ('postgresql://h:old@db/x', ('-r', 'r', '-p', 'new'),
     ('postgresql://h:new@db/x', 'postgresql://postgres:r@db/postgres')),
])
def test_connections(configured, arguments, wanted, given, capsys):
    assert given(configured, *arguments) == wanted
    assert 'new' not in capsys.readouterr().out


def test_unknown_platform_is_refused(given):
    with pytest.raises(SystemExit):
        given('sqlite:///a', 'tar')
