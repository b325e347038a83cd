"""The files in etc/heat: what installs them, and what they name."""
import configparser
from importlib import metadata
import pathlib
import re
import subprocess

import pytest
import yaml

from heat import version

ROOT = pathlib.Path(__file__).resolve().parents[2]
ETC = ROOT / 'etc/heat'
SAMPLES = sorted((ETC / 'samples').glob('*/*'))


def setup():
    parser = configparser.ConfigParser(delimiters=['='])
    parser.read(ROOT / 'setup.cfg')
    return parser


def test_every_file_is_installed_where_it_is():
    listed = {directory: set(files.split()) for directory, files
              in setup()['options.data_files'].items()}
    there = {}
    for path in ETC.rglob('*'):
        if path.is_file() and path.name != 'heat-config-generator.conf':
            there.setdefault(str(path.parent.relative_to(ROOT)),
                             set()).add(str(path.relative_to(ROOT)))
    assert listed == there


def test_every_compiled_catalogue_is_installed():
    patterns = {
        section: [pattern.strip() for pattern in
                  setup()[f'options.{section}']['heat'].split(',')]
        for section in ('package_data', 'exclude_package_data')}
    there = set((ROOT / 'heat/locale').rglob('heat.[mp]o'))
    compiled = {path for path in there if path.suffix == '.mo'}
    assert {path.parts[-3] for path in compiled} >= {'de', 'ja'}
    for section, expected in (('package_data', compiled),
                              ('exclude_package_data', there - compiled)):
        assert {path for pattern in patterns[section]
                for path in (ROOT / 'heat').glob(pattern)} == expected
    # Only what the source distribution has can be in a wheel.
    assert 'recursive-include heat/locale *.po *.mo' in (
        ROOT / 'MANIFEST.in').read_text()


@pytest.mark.parametrize('path', SAMPLES, ids=lambda path: path.name)
def test_samples_name_programs_that_there_are(path):
    programs = {entry.partition('=')[0].strip() for entry in
                setup()['options.entry_points']['console_scripts']
                .strip().splitlines()}
    programs |= {pathlib.Path(script).name for script in
                 setup()['options']['scripts'].split()}
    named = re.findall(r'/usr/local/bin/([\w-]+)', path.read_text())
    assert set(named) <= programs
    starts_nothing = path.parent.name in ('grafana', 'prometheus')
    assert named or starts_nothing or path.name == 'heat-proxy.conf'


@pytest.mark.parametrize('path', [path for path in SAMPLES
                                  if path.suffix in ('.ini', '.service')],
                         ids=lambda path: path.name)
def test_units_and_settings_are_read(path):
    # Units may give a setting several times.
    parser = configparser.RawConfigParser(strict=path.suffix == '.ini')
    parser.optionxform = str
    parser.read(path)
    if path.suffix == '.ini':
        assert parser['uwsgi']['enable-threads'] == 'true'
        assert parser['uwsgi']['die-on-term'] == 'true'
    else:
        assert parser['Service']['ExecStart'].split()[0].endswith(path.stem)
        assert parser['Install']['WantedBy']


@pytest.mark.parametrize('path', [path for path in SAMPLES
                                  if path.suffix == '.conf'],
                         ids=lambda path: path.name)
def test_sections_of_httpd_are_closed(path):
    opened = []
    for line in path.read_text().splitlines():
        found = re.match(r'\s*<(/?)(\w+)', line)
        if found and found[1]:
            assert opened.pop() == found[2]
        elif found:
            opened.append(found[2])
    assert opened == []


def test_the_install_page_names_each_sort_of_sample():
    page = (ROOT / 'doc/source/operator_guide/install.rst').read_text()
    for path in SAMPLES:
        assert f'samples/{path.parent.name}' in page
    assert 'environment.d' in page


def normalised(name):
    return re.sub(r'[-_.]+', '-', name).lower()


def required(file):
    """Return the names of the distributions that a file requires."""
    return {normalised(re.match(r'[\w.-]+', line)[0])
            for line in (ROOT / file).read_text().splitlines()
            if line and not line.startswith('#')}


def test_the_code_uses_each_requirement():
    code = '\n'.join(path.read_text()
                     for path in (ROOT / 'heat').rglob('*.py'))
    # Imported, or named for a library that imports it.
    named = set(re.findall(r'(?:^\s*(?:import|from)\s+|[\'"])(\w+)', code,
                           re.MULTILINE))
    used = {normalised(distribution) for module, distributions
            in metadata.packages_distributions().items()
            if module in named for distribution in distributions}
    assert required('requirements.txt') - used == set()


def test_the_lower_constraints_are_the_bounds():
    bounds = {normalised(found[1]): found[2] for found in re.finditer(
        r'(?m)^([\w.-]+)(?:\[\w+\])?>=(\S+)$',
        (ROOT / 'requirements.txt').read_text())}
    assert bounds.keys() == required('requirements.txt')
    pins = {normalised(name): number for name, number in re.findall(
        r'(?m)^([\w.-]+)==(\S+)$',
        (ROOT / 'lower-constraints.txt').read_text())}
    assert pins == bounds


def test_the_fast_part_names_tests_that_there_are():
    part = re.search(r'run_fast\(\) {(.*?)\n}', (
        ROOT / 'tools/test').read_text(), re.DOTALL)[1]
    named = re.findall(r'tests/unit/\S+', part)
    assert len(named) == 5
    subprocess.run(['bash', '-c', f'ls -d {" ".join(named)}'], cwd=ROOT,
                   check=True, capture_output=True)


def test_hooks_run_programs_of_the_test_environment():
    hooks = [hook for repository in yaml.safe_load(
        (ROOT / '.pre-commit-config.yaml').read_text())['repos']
        for hook in repository['hooks']]
    assert {hook['entry'].split()[0] for hook in hooks} == {'ruff', 'mypy'}
    assert {'ruff', 'mypy'} <= required('test-requirements.txt')


def test_the_distribution_has_its_licence():
    held = metadata.distribution('openstack-heat').metadata
    assert 'Apache-2.0' in (held['License'] or held['License-Expression'])
    assert setup()['metadata']['license_files'] == 'LICENSE'
    assert 'Version 2.0, January 2004' in (ROOT / 'LICENSE').read_text()


def test_a_tag_of_a_release_is_the_version():
    found = subprocess.run(['git', 'tag', '--points-at', 'HEAD'], cwd=ROOT,
                           capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip('not a checkout')
    releases = [tag for tag in found.stdout.split()
                if re.fullmatch(r'\d+\.\d+\.\d+', tag)]
    assert releases in ([], [version.__version__])
