"""What guests make of their user data.

cloud-init of Debian runs them in a machine of its own; where only one
script matters, it runs there alone.
"""
import email
import json
import textwrap

import pytest

from heat.engine.clients.os import guest
from heat.engine.clients.os import userdata
from tests.guest import machine as machines

TOOLS = '/var/lib/heat-cfntools/'
OLD = '/var/lib/cloud/data/'
FINISHED = TOOLS + 'provision-finished'
LOG = '/var/log/heat-provision.log'
METADATA = {'secret': 'hush', 'text': 'gr\xfc\xdfe'}


@pytest.fixture(scope='module')
def programs():
    return machines.prepare()


@pytest.fixture
def booted(programs, tmp_path):
    """Return a function that boots a machine with user data."""
    def boot(given, metadata=METADATA, instance_user=None, **options):
        text = userdata.build(
            metadata, given, instance_user,
            metadata_url=lambda: 'http://heat.example:8000/v1/', **options)
        made = machines.Machine(tmp_path / 'machine', programs,
                                text.encode())
        made.console = made.boot()
        return made
    return boot


def script(*lines):
    return '\n'.join(('#!/bin/sh', *lines, ''))


def test_heat_cfntools(booted):
    machine = booted(script('echo hello gr\xfc\xdfe', 'touch /var/public'),
                     instance_user='anna')
    assert machine.errors() == []
    for directory in (TOOLS, OLD):
        for name in ('cfn-init-data', 'cfn-metadata-server', 'cfn-boto-cfg',
                     'cfn-userdata'):
            assert machine.path(directory + name).exists()
            assert machine.mode(directory + name) & 0o077 == 0
        assert json.loads(machine.read(
            directory + 'cfn-init-data')) == METADATA
    assert machine.mode(TOOLS) == 0o700
    assert 'cfn_region_endpoint = heat.example' in machine.read(
        TOOLS + 'cfn-boto-cfg')
    stored = machine.read('/var/log/part-handler.log')
    assert stored.count('\n') == 4
    assert 'cfn-init-data' in stored
    assert 'hush' not in stored
    # The script has run, with the permissions that scripts expect.
    began, said, ended = machine.read(LOG).splitlines()
    assert said == 'hello gr\xfc\xdfe'
    assert began.endswith('Provision began')
    assert ended.endswith('Provision ended with status 0')
    assert machine.mode(LOG) == 0o600
    assert machine.mode('/var/public') == 0o644
    assert machine.path(FINISHED).exists()
    assert 'Provision ended' in machine.read(
        '/var/log/cloud-init-output.log')
    assert 'Provision ended' in machine.console
    # The user of the template is there, and cfn-init where AWS has it.
    assert '\nanna:' in machine.read('/etc/passwd')
    assert machine.read('/etc/sudoers.d/90-heat-instance-user') == (
        'anna ALL=(ALL) NOPASSWD:ALL\n')
    links = machine.path('/opt/aws/bin')
    assert (links / 'cfn-init').is_symlink()
    # The next start makes links again, and runs user data no more.
    (links / 'cfn-init').unlink()
    machine.boot()
    assert machine.errors() == []
    assert (links / 'cfn-init').is_symlink()
    assert len(machine.read(LOG).splitlines()) == 3


def test_user_data_that_fail(booted):
    machine = booted(script('echo broken >&2', 'exit 3'), metadata=None)
    assert 'scripts-user' in str(machine.errors())
    assert 'broken' in machine.read(LOG)
    assert not machine.path(FINISHED).exists()
    assert not machine.path(TOOLS + 'cfn-init-data').exists()


@pytest.mark.parametrize('given', [None, ''])
def test_heat_cfntools_without_user_data(booted, given):
    machine = booted(given)
    assert machine.errors() == []
    assert machine.path(FINISHED).exists()


def test_software_config(booted):
    machine = booted(script('echo gr\xfc\xdfe >/var/said'),
                     user_data_format='SOFTWARE_CONFIG')
    assert machine.errors() == []
    assert machine.read('/var/said') == 'gr\xfc\xdfe\n'
    for directory in (TOOLS, OLD):
        assert json.loads(machine.read(
            directory + 'cfn-init-data')) == METADATA
        assert machine.mode(directory + 'cfn-init-data') == 0o600
    assert machine.mode(TOOLS) == 0o700
    assert machine.path('/opt/aws/bin/cfn-init').is_symlink()
    # What belongs to heat-cfntools alone is not there.
    assert sorted(path.name for path in machine.path(TOOLS).iterdir()) == [
        'cfn-init-data']
    assert not machine.path(LOG).exists()
    assert machine.path('/var/log/cloud-init-output.log').exists()


MULTIPART = textwrap.dedent("""\
    Content-Type: multipart/mixed; boundary="=="
    MIME-Version: 1.0

    --==
    Content-Type: text/cloud-config; charset="utf-8"
    MIME-Version: 1.0
    Content-Disposition: attachment; filename="files"

    write_files:
    - path: /var/written
      content: {text}

    --==
    Content-Type: text/x-shellscript; charset="utf-8"
    MIME-Version: 1.0
    Content-Disposition: attachment; filename="second.sh"

    #!/bin/sh
    echo {text} >>/var/order

    --==
    Content-Type: text/x-shellscript; charset="utf-8"
    MIME-Version: 1.0
    Content-Disposition: attachment; filename="first.sh"

    #!/bin/sh
    echo one >>/var/order

    --==
    Content-Type: text/x-cfninitdata; charset="utf-8"
    MIME-Version: 1.0
    Content-Disposition: attachment; filename="own"

    {text}
    --==--
    """)


@pytest.mark.parametrize('text', ['two', 'gr\xfc\xdfe'])
def test_multipart(booted, text):
    machine = booted(MULTIPART.format(text=text),
                     user_data_format='SOFTWARE_CONFIG')
    assert machine.errors() == []
    assert machine.read('/var/written') == text
    # cloud-init runs scripts in the order of their names.
    assert machine.read('/var/order') == f'one\n{text}\n'
    assert machine.read(TOOLS + 'own').strip() == text
    assert json.loads(machine.read(TOOLS + 'cfn-init-data')) == METADATA
    # Our settings and those of the template are one document.
    assert machine.path('/var/log/cloud-init-output.log').exists()


def test_cloud_config_of_a_template(booted):
    machine = booted('#cloud-config\nwrite_files:\n'
                     '- {path: /var/written, content: one}\n',
                     instance_user='anna',
                     user_data_format='SOFTWARE_CONFIG')
    assert machine.errors() == []
    assert machine.read('/var/written') == 'one'
    assert '\nanna:' in machine.read('/etc/passwd')
    assert machine.path('/var/log/cloud-init-output.log').exists()


def test_raw(booted):
    machine = booted(script('echo one >/var/said'), user_data_format='RAW')
    assert machine.errors() == []
    assert machine.read('/var/said') == 'one\n'
    assert not machine.path(TOOLS).exists()


# -- scripts on their own ---------------------------------------------------


@pytest.fixture
def machine(programs, tmp_path):
    """Return a machine that has never booted."""
    made = machines.Machine(tmp_path / 'machine', programs, b'')
    made.path(TOOLS).mkdir()
    return made


@pytest.mark.parametrize(('given', 'status', 'text'), [
    (None, 0, 'empty'),
    ('', 0, 'empty'),
    ('echo there is no interpreter', 0, 'not executable'),
    ('#cloud-config\nfiles: []\n', 0, 'not executable'),
    ('#!/bin/sh\nexit 7\n', 7, 'status 7'),
    ('#!/bin/sh\nkill -9 $$\n', 137, 'status 137'),
    ('#!/no/such/interpreter\n', 71, 'cannot be run'),
    ('#!/bin/sh\nsleep 300 &\necho $! >/var/child\n', 0, 'status 0')])
def test_log_of_user_data(machine, given, status, text):
    if given is not None:
        machine.path(TOOLS + 'cfn-userdata').write_text(given)
    machine.path('/var/loguserdata.py').write_text(
        guest.script('loguserdata.py'))
    done = machine.run('/usr/bin/python3', '/var/loguserdata.py')
    if machine.path('/var/child').exists():
        machine.run('kill', machine.read('/var/child').strip())
    assert done.returncode == status, done.stderr
    assert done.stderr == ''
    assert text in machine.read(LOG)
    assert machine.mode(LOG) == 0o600
    assert machine.path(FINISHED).exists() == (status == 0)


def boothook(instance_user=None):
    message = email.message_from_string(userdata.build(
        {}, '', instance_user, 'SOFTWARE_CONFIG'))
    [found] = [part for part in message.get_payload()
               if part.get_filename() == 'boothook.sh']
    return found.get_payload(decode=True).decode()


@pytest.mark.parametrize('name', [
    'anna; touch /var/hostile', '-r', '$(touch /var/hostile)', "'; exit 1"])
def test_boothook_with_a_name_that_no_user_may_have(machine, name):
    machine.path('/var/boothook.sh').write_text(boothook(name))
    done = machine.run('/bin/sh', '/var/boothook.sh')
    assert done.returncode == 0, done.stderr
    assert not machine.path('/var/hostile').exists()
    assert list(machine.path('/etc/sudoers.d').glob('90-heat-*')) == []
    assert machine.path('/opt/aws/bin/cfn-init').is_symlink()


def test_boothook_succeeds_whatever_fails(machine):
    # A file is where the directory of the links would be.
    machine.path('/opt/aws').write_text('')
    machine.path('/var/boothook.sh').write_text(boothook('root'))
    done = machine.run('/bin/sh', '/var/boothook.sh')
    assert done.returncode == 0
    assert 'Not a directory' in done.stdout
