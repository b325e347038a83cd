"""The systemd units confine the service, and start what there is."""
import collections
import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNITS = sorted((ROOT / 'etc/heat/samples/systemd').glob('*.service'))
OPTIONS = ROOT / 'tests/facts/config_options.json'
PAGE = ROOT / 'doc/source/operator_guide/units.rst'

#: What a service that talks to the network and keeps no files can go without.
CONFINED = {
    'CapabilityBoundingSet': '', 'AmbientCapabilities': '',
    'ProtectSystem': 'strict', 'ProtectProc': 'invisible',
    'SystemCallArchitectures': 'native',
    **dict.fromkeys((
        'LockPersonality', 'NoNewPrivileges', 'PrivateDevices', 'PrivateTmp',
        'PrivateUsers', 'ProtectClock', 'ProtectControlGroups',
        'ProtectHome', 'ProtectHostname', 'ProtectKernelLogs',
        'ProtectKernelModules', 'ProtectKernelTunables', 'RemoveIPC',
        'RestrictNamespaces', 'RestrictRealtime', 'RestrictSUIDSGID'),
        'true')}

each_unit = pytest.mark.parametrize('path', UNITS,
                                    ids=lambda path: path.name)


def read(path):
    """Return the settings of a unit: section -> name -> list of values."""
    found, section = {}, None
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith(('#', ';')):
            continue
        header = re.fullmatch(r'\[(\w+)\]', line)
        if header:
            section = found[header[1]] = collections.defaultdict(list)
        else:
            name, separator, value = line.partition('=')
            assert separator, line
            section[name].append(value)
    return found


def one(path, name):
    values = read(path)['Service'][name]
    assert len(values) == 1, name
    return values[0]


def test_there_is_a_unit_for_each_service():
    assert {path.stem for path in UNITS} == {
        'heat-api', 'heat-api-cfn', 'heat-api-cloudwatch', 'heat-engine'}


@each_unit
def test_the_service_is_confined(path):
    assert {name: one(path, name) for name in CONFINED} == CONFINED
    assert one(path, 'User') == one(path, 'Group') == 'heat'
    assert int(one(path, 'UMask'), 8) & 0o007 == 0o007


@each_unit
def test_system_calls_are_a_list_of_what_is_allowed(path):
    allowed, taken_back = read(path)['Service']['SystemCallFilter']
    assert allowed == '@system-service'
    assert taken_back.startswith('~')
    assert '@privileged' in taken_back
    # A library that tries in vain goes another way; it is not killed.
    assert one(path, 'SystemCallErrorNumber') == 'EPERM'


@each_unit
def test_the_network_can_be_reached(path):
    families = one(path, 'RestrictAddressFamilies').split()
    assert {'AF_INET', 'AF_INET6', 'AF_UNIX'} <= set(families)
    assert 'PrivateNetwork' not in read(path)['Service']


@each_unit
def test_processes_share_metrics_in_a_directory_of_the_unit(path):
    assert one(path, 'RuntimeDirectory') == path.stem


@each_unit
def test_systemd_waits_for_an_end_in_order(path):
    options = json.loads(OPTIONS.read_text())['groups']['DEFAULT']
    assert int(one(path, 'TimeoutStopSec')) > (
        options['graceful_shutdown_timeout']['default'])
    assert one(path, 'KillSignal') == 'SIGTERM'
    assert one(path, 'KillMode') == 'mixed'
    assert one(path, 'Restart') == 'on-failure'


def test_the_page_names_the_directories():
    page = PAGE.read_text()
    for path in UNITS:
        assert f'/var/lib/{one(path, "StateDirectory")}``' in page
        assert path.stem in page


@pytest.mark.skipif(not shutil.which('systemd-analyze'),
                    reason='no systemd-analyze')
@each_unit
def test_systemd_takes_the_unit(path, tmp_path):
    # The commands are not installed where the tests run.
    text = re.sub(r'(?m)^ExecStart=\S+', 'ExecStart=/bin/true',
                  path.read_text())
    copy = tmp_path / path.name
    copy.write_text(text)
    done = subprocess.run(
        ['systemd-analyze', 'verify', '--man=no', str(copy)],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert path.name not in done.stderr
