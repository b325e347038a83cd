""".ci/run runs the tests, then the acceptance tests if there is a cloud."""
import os
import pathlib
import shutil
import subprocess

import pytest

CI = pathlib.Path(__file__).resolve().parents[2] / '.ci'
CLOUD = """#!/bin/bash
[ "$1" != status ] || echo "nova-api  pid $running"
[ "$1" != down ] || touch "$(dirname "$0")/went_down"
"""


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose tools print what they are called with."""
    there = tmp_path / 'checkout'
    shutil.copytree(CI, there / '.ci')
    for name in ('test', 'container', 'acceptance'):
        script(there / 'tools' / name, f"""#!/bin/bash
            echo {name} "$@" corpus="${{HEAT_TEST_CORPUS:-}}"
            [ {name} != acceptance ] || [ "$HEAT_ACCEPTANCE_UNTIL" -gt 0 ]
            exit ${{FAILS_{name}:-0}}""")
    return there


def run(checkout, *arguments, **environment):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith('HEAT_')}
    return subprocess.run(
        [checkout / '.ci' / 'run', *arguments], cwd='/', text=True,
        capture_output=True, check=False, env={**kept, **environment})


def test_without_a_cloud_the_tests_are_all(checkout):
    done = run(checkout)
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == [
        'container corpus=', 'test corpus=']
    assert 'will not run' in done.stdout


@pytest.mark.parametrize('way', ['argument', 'environment', 'settings'])
def test_a_cloud_is_named_or_in_the_settings(checkout, way):
    place = 'shared/cloud' if way == 'settings' else 'elsewhere'
    cloud = script(checkout.parent / place / 'cloud', CLOUD)
    done = run(checkout, *(['--cloud', cloud] if way == 'argument' else []),
               **({'HEAT_DEV_CLOUD': str(cloud)} if way == 'environment'
                  else {}))
    assert done.returncode == 0, done.stderr
    *before, last = done.stdout.splitlines()
    assert before == ['container corpus=', 'test corpus=']
    assert last.startswith('acceptance --cloud ')
    assert (checkout / last.split()[2]).resolve() == cloud


@pytest.mark.parametrize('part', ['test', 'container'])
@pytest.mark.parametrize('has_cloud', [True, False])
def test_failing_tests_end_it(checkout, part, has_cloud):
    cloud = script(checkout.parent / 'cloud', CLOUD)
    done = run(checkout, *(['--cloud', cloud] if has_cloud else []),
               **{f'FAILS_{part}': '3'})
    assert done.returncode == 3
    assert 'acceptance --cloud' not in done.stdout


@pytest.mark.parametrize('running', ['', '7'])
def test_a_cloud_is_left_as_it_was(checkout, running):
    cloud = script(checkout.parent / 'cloud', CLOUD if running else
                   CLOUD.replace('pid', 'not running'))
    done = run(checkout, '--cloud', cloud, running=running,
               FAILS_acceptance='5')
    assert done.returncode == 5
    assert (cloud.parent / 'went_down').exists() is not bool(running)


@pytest.mark.parametrize('given', ['', '/elsewhere'])
def test_the_settings_yield_to_the_environment(checkout, given):
    (checkout.parent / 'shared' / 'corpus').mkdir(parents=True)
    done = run(checkout, **({'HEAT_TEST_CORPUS': given} if given else {}))
    assert f'corpus={given or "../shared/corpus"}' in done.stdout
