"""Clusters as Magnum asks for them, by its driver for Fedora CoreOS.

The templates have its shape, the requests are those that it sends, by
default settings: an empty availability zone and an empty key pair among
them. The servers run nothing; what the agent in each does happens here.
"""
import base64
import contextlib
import json
import pathlib
import shutil
import threading
from urllib import parse

from heatclient.common import template_utils
from oslo_serialization import jsonutils
from oslo_utils import uuidutils
import pytest

from tests.acceptance import nodes
from tests.acceptance import stacks as stacks_module
from tests.acceptance import templates
from tests.acceptance import test_cluster as cluster
from tests.acceptance import test_signals as signals

TEMPLATES = pathlib.Path(__file__).resolve().parent / 'magnum'
#: How long the scripts of each kind are, in bytes. A request has 840 kB.
FRAGMENTS = {'first': 230000, 'second': 230000, 'master': 180000,
             'minion': 180000}

project = cluster.project
trusted = cluster.trusted
heat = cluster.heat


class Agents(nodes.Nodes):
    """Agents in the servers of a tenant that do what they find to do.

    :ivar done: the ids of the deployments that were signalled.
    """

    def __init__(self, tenant):
        super().__init__(tenant)
        self._found = {}
        self._lock = threading.Lock()
        self.done = set()

    def _watch(self):
        while not self._end.wait(nodes.PAUSE):
            with nodes.suppressed():
                self._look()

    def _look(self):
        for server in self._tenant.connection('member').compute.servers():
            # The user of a server that is about to go is gone already; an
            # agent that never gets through leaves its deployment waiting.
            if server.status == 'ACTIVE':
                with contextlib.suppress(AssertionError):
                    self._poll(server.id)

    def _poll(self, server_id):
        if server_id not in self._found:
            self._found[server_id] = _agent_config(self._tenant, server_id)
        metadata = signals.by_api(self._found[server_id], self._tenant, [])
        for one in metadata.get('deployments') or ():
            if one['id'] not in self.done and one['group'] == 'script':
                self._run(one)

    def _run(self, one):
        inputs = {each['name']: each.get('value')
                  for each in one['inputs']}
        if 'deploy_signal_transport' not in inputs and (
                'deploy_resource_name' not in inputs):
            return
        assert one['config'].startswith('#!/bin/bash')
        signals.signal_by_api(self._tenant, inputs, {
            'said': inputs.get('role'), 'deploy_stdout': 'fine',
            'deploy_stderr': '', 'deploy_status_code': 0})
        self.done.add(one['id'])


def _agent_config(tenant, server_id):
    """Return what Ignition has written for the agent in a server."""
    given = json.loads(nodes.user_data(tenant, server_id))
    [unit] = given['systemd']['units']
    assert unit['name'] == 'heat-container-agent.service'
    source = next(each['contents']['source']
                  for each in given['storage']['files']
                  if each['path'].endswith('/cfn-init-data'))
    _head, _comma, content = source.partition(',')
    text = (base64.b64decode(content).decode() if 'base64' in _head
            else parse.unquote(content))
    return json.loads(text)['os-collect-config']


@pytest.fixture
def agents(tenant, deployment):
    """Yield agents at work."""
    tenant.heat_url = tenant.url = deployment.url
    with Agents(tenant) as working:
        yield working


@pytest.fixture
def sources(tmp_path):
    """Return a directory with the templates and scripts of the driver."""
    where = shutil.copytree(TEMPLATES, tmp_path / 'driver')
    (where / 'fragments').mkdir()
    for name, size in FRAGMENTS.items():
        line = f'echo {name} does a part of its work and says so\n'
        (where / 'fragments' / f'{name}.sh').write_text(
            line * (size // len(line)))
    return where


def _fields(sources, tenant, **parameters):
    """Return a request as Magnum makes it."""
    files, template = template_utils.get_template_contents(
        str(sources / 'kubecluster.yaml'))
    environment_files = []
    more, _merged = template_utils.process_multiple_environments_and_files(
        env_paths=[str(sources / 'no_master_lb.yaml'),
                   str(sources / 'with_master_fip.yaml')],
        env_list_tracker=environment_files)
    return {
        'stack_name': f'{tenant.tag}-kube', 'template': template,
        'environment_files': environment_files, 'files': {**files, **more},
        'timeout_mins': 60, 'parameters': {
            'name': tenant.tag, 'cluster_uuid': uuidutils.generate_uuid(),
            'ssh_key_name': '', 'external_network': 'public',
            'fixed_network': '', 'server_image': templates.IMAGE,
            'master_flavor': 'm1.nano', 'minion_flavor': 'm1.nano',
            'number_of_masters': 1, 'number_of_minions': 1,
            'availability_zone': '', 'boot_volume_size': 0,
            'boot_volume_type': '', 'docker_volume_size': 1,
            'docker_volume_type': '', **parameters}}


def _projects(tenant):
    """Return the projects of users of the stacks of a tenant."""
    return [each for each in tenant.admin.identity.projects()
            if each.name.startswith(tenant.project_id + '-')]


def _servers(heat, stack_id):
    """Return {id: resource} of the servers, looked for as Magnum does."""
    # Server groups have a type that contains the one that is asked for.
    return {one.physical_resource_id: one for one in heat.resources.list(
        stack_id, nested_depth=2, type='OS::Nova::Server')
        if one.resource_type == 'OS::Nova::Server'}


def _resize(heat, stack_id, **parameters):
    heat.stacks.update(stack_id, parameters=parameters, existing=True,
                       disable_rollback=True)


@pytest.mark.timeout(1800)
def test_cluster_of_magnum(heat, tenant, agents, sources):
    fields = _fields(sources, tenant)
    assert 800_000 < len(jsonutils.dumps(fields)) < 1_000_000
    stack_id = heat.stacks.create(**fields)['stack']['id']
    seen = cluster._watch(heat, stack_id, 'CREATE_COMPLETE')
    assert len(agents.done) == 3
    # By its name the stack is found through a redirect.
    found = heat.stacks.get(fields['stack_name'])
    assert found.id == stack_id
    [master], [_minion] = seen['kube_masters_private'], seen[
        'kube_minions_private']
    assert seen['api_address'] == f'https://{master}:6443'
    assert seen['kube_minions'] == [None]
    [address] = seen['kube_masters']
    assert tenant.connection('member').network.find_ip(
        address, ignore_missing=False).fixed_ip_address == master
    first = set(seen['minion_ids'])
    assert len(_servers(heat, stack_id)) == 2 > len(first)
    assert first < set(_servers(heat, stack_id))
    _require_details(heat, tenant, stack_id)

    _resize(heat, stack_id, number_of_minions=2)
    seen = _watch_minions(heat, stack_id, 2)
    assert first < set(seen['minion_ids'])
    assert len(_projects(tenant)) == 1
    [gone] = first
    _resize(heat, stack_id, number_of_minions=1, minions_to_remove=[gone])
    seen = _watch_minions(heat, stack_id, 1)
    assert gone not in seen['minion_ids']
    assert len(_servers(heat, stack_id)) == 2
    cluster._delete(heat, stack_id)
    assert _projects(tenant) == []


def _require_details(heat, tenant, stack_id):
    """Check what is peculiar to what Magnum looks at."""
    # One project for the users of all the nodes.
    assert len(_projects(tenant)) == 1
    listed = heat.resources.list(stack_id, nested_depth=2)
    nothing = [one for one in listed
               if one.resource_name in ('api_lb', 'floating_ip')
               and not one.physical_resource_id.isdigit()]
    assert len(nothing) == 3
    for one in nothing:
        assert uuidutils.is_uuid_like(one.physical_resource_id)
    [net] = [one for one in listed
             if one.resource_name == 'private_network']
    nested = next(one for one in listed if one.resource_name == 'network')
    shown = heat.resources.get(nested.physical_resource_id,
                               net.resource_name)
    assert shown.attributes['name']
    assert 'if-match' not in shown.attributes
    assert 'if-match' not in (shown.attributes.get('show') or {})


def _watch_minions(heat, stack_id, number):
    seen = {}

    def reached():
        seen.update(cluster._watch(heat, stack_id, 'UPDATE_COMPLETE'))
        return len(seen['minion_ids']) == number

    stacks_module.Stacks.until(reached)
    return seen
