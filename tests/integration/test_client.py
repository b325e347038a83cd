"""The ordinary command line client against a distributed set-up."""
import json
import pathlib
import subprocess
import sys

import pytest

from tests.integration import templates

CLIENT = pathlib.Path(sys.executable).parent / 'openstack'


@pytest.fixture
def openstack(cluster):
    """Run the client against the second API; return its decoded answer."""
    def run(*arguments, decode=True):
        command = [CLIENT, '--os-auth-type', 'none', '--os-endpoint',
                   cluster.apis[1].url, *arguments]
        if decode:
            command += ['-f', 'json']
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False, timeout=240)
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout) if decode else done.stdout
    return run


@pytest.mark.parametrize('processes', ['postgresql'], indirect=True)
@pytest.mark.parametrize('driver', ['convergence'], indirect=True)
@pytest.mark.usefixtures('no_surprises')
def test_client(openstack, driver, tmp_path):
    name = f'client-{driver}'
    template = templates.mesh(40, removed=20)
    template['outputs'] = {'first': {'value': {'get_attr': ['r0', 'output']}}}
    path = tmp_path / 'template.yaml'
    path.write_text(json.dumps(template))
    openstack('stack', 'create', '--wait', '-t', str(path), name,
              decode=False)
    shown = openstack('stack', 'show', name)
    assert shown['stack_status'] == 'CREATE_COMPLETE'
    assert name in {one['Stack Name'] for one in openstack('stack', 'list')}
    resources = openstack('stack', 'resource', 'list', name)
    assert {one['resource_name'] for one in resources} == (
        template['resources'].keys())
    events = openstack('stack', 'event', 'list', name)
    assert len(events) == 2 + 2 * len(template['resources'])
    outputs = openstack('stack', 'output', 'show', '--all', name)
    assert 'old 0' in json.dumps(outputs)

    changed = templates.mesh(40, changed=4)
    path.write_text(json.dumps(changed))
    openstack('stack', 'update', '--wait', '-t', str(path), name,
              decode=False)
    assert len(openstack('stack', 'resource', 'list', name)) == 40
    openstack('stack', 'delete', '--yes', '--wait', name, decode=False)
    assert name not in {one['Stack Name']
                        for one in openstack('stack', 'list')}
