"""heat-status upgrade check, on what an operator of OpenStack Heat has."""
import json
import subprocess
import sys

import pytest
import sqlalchemy as sa

from heat.db import migration
from heat.db import models
from heat.db import session
from tests.fakes import peer
from tests.integration import cluster

UNKNOWN = {
    'heat_template_version': '2018-08-31',
    'resources': {
        'one': {'type': 'Example::Own::Type'},
        'two': {'type': 'OS::Heat::Value',
                'properties': {'value': {'Fn::Example': [1, 2]}}},
        'three': {'type': 'lost.yaml'}}}


class Operator:
    """A configuration, and the recorded database."""

    def __init__(self, directory):
        self.directory = directory
        self.url = f'sqlite:///{directory}/heat.sqlite'
        self.key = peer.KEY
        self.lines = ['transport_url = fake:/']
        session.configure(self.url)
        migration.db_sync(peer.REVISION)
        peer.load_rows()
        self.paste = cluster.ROOT / 'etc/heat/api-paste.ini'

    def check(self, *arguments):
        """Return the exit code, and {check: (result, details)}."""
        session.configure()
        path = self.directory / 'heat.conf'
        path.write_text('\n'.join([
            '[DEFAULT]', f'auth_encryption_key = {self.key}', *self.lines,
            '[database]', f'connection = {self.url}',
            '[paste_deploy]', 'flavor = noauth',
            f'api_paste_config = {self.paste}', '']))
        done = subprocess.run(
            [sys.executable, cluster.ROOT / 'bin/heat-status',
             '--config-file', path, 'upgrade', 'check', *arguments],
            capture_output=True, text=True, timeout=cluster.STARTING,
            check=False)
        assert 'Traceback' not in done.stderr + done.stdout
        if not arguments:
            return done.returncode, done.stdout
        return done.returncode, {
            one['check']: (one['result'], one['details'] or '')
            for one in json.loads(done.stdout)['checks']}

    def set_template(self, name, template):
        """Replace the stored template of a stack."""
        session.configure(self.url)
        ids = sa.select(models.STACK.c.raw_template_id).where(
            models.STACK.c.name == name)
        with session.writer(None) as connection:
            connection.execute(models.RAW_TEMPLATE.update().where(
                models.RAW_TEMPLATE.c.id.in_(ids)).values(template=template))


@pytest.fixture
def operator(tmp_path):
    yield Operator(tmp_path)
    session.configure()


def test_what_openstack_heat_left_can_be_taken_over(operator):
    operator.lines.append(f'plugin_dirs = {operator.directory}')
    code, found = operator.check('--json')
    schema = found.pop('Database schema')
    assert schema[0] == 1
    assert 'db_sync' in schema[1]
    assert {result for result, _details in found.values()} == {0}, found
    assert code == 1
    assert set(found) == {
        'Options', 'Pipelines', 'Policies', 'Policy file format',
        'Environments', 'Encryption key', 'Stored stacks'}


def test_everything_that_stands_in_the_way_is_named(operator):
    operator.set_template('simple', UNKNOWN)
    operator.set_template('updated', {'heat_template_version': '2999-01-01'})
    rules = operator.directory / 'policy.yaml'
    rules.write_text('"stacks:index": "role:a or"\n')
    operator.paste = operator.directory / 'api-paste.ini'
    operator.paste.write_text(
        '[pipeline:heat-api-noauth]\npipeline = lost apiv1app\n')
    operator.lines += ['max_stack_per_tenant = 7',
                       f'environment_dir = {operator.directory}/lost',
                       '[oslo_policy]', f'policy_file = {rules}']
    code, found = operator.check('--json')
    assert code == 2
    for check, result, *words in (
            ('Options', 1, 'max_stack_per_tenant', 'max_stacks_per_tenant'),
            ('Pipelines', 2, str(operator.paste)),
            ('Policies', 2, 'policy.yaml', 'stacks:index'),
            ('Environments', 1, f'{operator.directory}/lost'),
            ('Stored stacks', 2, 'Stack simple (', 'Example::Own::Type',
             'Fn::Example', 'lost.yaml', 'Stack updated (', '2999-01-01')):
        assert found[check][0] == result, (check, found)
        for word in words:
            assert word in found[check][1], (check, found)
    assert 'Stack failed' not in found['Stored stacks'][1]


def test_another_key_is_named(operator):
    operator.key = 'k' * 32
    code, found = operator.check('--json')
    assert code == 2
    assert found['Encryption key'][0] == 2
    assert 'auth_encryption_key does not decrypt' in (
        found['Encryption key'][1])
    assert 'rows of user_creds' in found['Encryption key'][1]


def test_each_finding_has_lines_of_its_own(operator):
    operator.set_template('simple', UNKNOWN)
    _code, text = operator.check()
    told = [line for line in text.splitlines() if 'Stack simple (' in line]
    assert len(told) == 3
