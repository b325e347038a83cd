"""pip sees in this service the openstack-heat that plugins require."""
from importlib import metadata
import subprocess
import sys
import zipfile

from heat import version

PIP = (sys.executable, '-m', 'pip', 'install', '--dry-run', '--no-index',
       '--disable-pip-version-check')


def installed(*arguments):
    """Return what pip says that it would install."""
    done = subprocess.run([*PIP, *arguments], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines()
            if line.startswith('Would install')]


def test_version_of_the_distribution():
    assert metadata.version('openstack-heat') == version.DISTRIBUTION_VERSION
    assert version.version_info.version_string() == version.__version__


def test_no_other_distribution_has_our_files():
    assert set(metadata.packages_distributions()['heat']) == {
        'openstack-heat'}


def test_what_plugins_require_is_there():
    assert installed('--upgrade', 'openstack-heat', 'openstack-heat>=27.0.0',
                     'openstack-heat!=7.0.1') == []


def test_a_plugin_installs_nothing_beside_itself(tmp_path):
    wheel = tmp_path / 'plugin_of_others-3-py3-none-any.whl'
    with zipfile.ZipFile(wheel, 'w') as packed:
        for name, text in (
                ('METADATA', 'Metadata-Version: 2.1\n'
                 'Name: plugin-of-others\nVersion: 3\n'
                 'Requires-Dist: openstack-heat (>=14.0.0)\n'),
                ('WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\n'
                 'Tag: py3-none-any\n'), ('RECORD', '')):
            packed.writestr(f'plugin_of_others-3.dist-info/{name}', text)
    assert installed(str(wheel)) == ['Would install plugin-of-others-3']
