"""tools/container builds and runs the image where an engine answers."""
import os
import pathlib
import subprocess

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[3] / 'tools' / 'container'
#: A container engine that logs its arguments; variables set its answers.
ENGINE = """#!/bin/bash
echo "$@" >> "$CALLS"
case "$*" in
    info) exit ${NO_DAEMON:-0} ;;
    'compose version') exit ${NO_COMPOSE:-0} ;;
    *' id -u') echo "${IMAGE_USER:-10001}" ;;
    *' heat-engine --version') exit ${BROKEN:-0} ;;
    *' up -d '*) while [ "$1" != --env-file ]; do shift; done
                 cp "$2" "$CALLS.env" ;;
    *' heat-healthcheck') exit ${UNHEALTHY:-0} ;;
esac
"""


@pytest.fixture
def run(tmp_path):
    program = tmp_path / 'engine'
    program.write_text(ENGINE)
    program.chmod(0o755)
    calls = tmp_path / 'calls'

    def call(**environment):
        done = subprocess.run(
            [TOOL], capture_output=True, text=True, check=False, env={
                **os.environ, 'HEAT_CONTAINER_ENGINE': str(program),
                'HEAT_CONTAINER_SECONDS': '0', 'CALLS': str(calls),
                **environment})
        return done, calls.read_text().splitlines()

    return call


def test_the_image_is_built_and_run(run, tmp_path):
    done, calls = run()
    assert done.returncode == 0, done.stderr
    assert calls[1] == (
        'build -f contrib/container/Dockerfile -t heat:check .')
    assert 'run --rm heat:check id -u' in calls
    up = next(index for index, call in enumerate(calls)
              if call.endswith(' up -d --build engine api api-cfn'))
    assert [call.split(' exec -T ')[1] for call in calls[up + 1:-1]] == [
        'api heat-healthcheck', 'api-cfn heat-healthcheck']
    assert calls[-1].endswith(' down --volumes')
    # Each variable without which compose.yaml is refused has a value.
    settings = dict(line.split('=', 1) for line in
                    (tmp_path / 'calls.env').read_text().splitlines())
    compose = (TOOL.parents[1] / 'contrib/container/compose.yaml').read_text()
    wanted = {part.split(':?}')[0] for part in compose.split('${')
              if ':?}' in part}
    assert settings.keys() == wanted
    assert all(settings.values())
    assert len(settings['HEAT_AUTH_ENCRYPTION_KEY']) == 32


def test_without_an_engine_nothing_is_done(run):
    done, calls = run(NO_DAEMON='1')
    assert (done.returncode, calls) == (0, ['info'])
    assert 'no container engine answers' in done.stdout


def test_an_engine_without_compose_builds_only(run):
    done, calls = run(NO_COMPOSE='1')
    assert done.returncode == 0
    assert calls[-1] == 'compose version'


@pytest.mark.parametrize(('fault', 'text'), [
    ({'IMAGE_USER': '0'}, 'runs as user 0'),
    ({'BROKEN': '1'}, 'cannot run heat-engine')])
def test_an_image_that_is_wrong_is_refused(run, fault, text):
    done, calls = run(**fault)
    assert done.returncode == 1
    assert text in done.stderr
    assert not any('up -d' in call for call in calls)


def test_containers_that_are_not_healthy_are_removed(run):
    done, calls = run(UNHEALTHY='1')
    assert done.returncode == 1
    assert 'api is not healthy' in done.stderr
    assert ' logs ' in calls[-2]
    assert calls[-1].endswith(' down --volumes')
