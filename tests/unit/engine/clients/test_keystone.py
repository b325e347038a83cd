"""What the engine asks of Keystone, which is a fake of the SDK's proxy."""
import itertools
import json
import pathlib
import types

from openstack import exceptions as sdk_exceptions
from oslo_config import cfg
import pytest

from heat.common import exception
from heat.engine.clients.os import keystone
from heat.engine.clients.os.keystone import heat_keystoneclient
from heat.engine.clients.os.keystone import keystone_constraints
from heat.engine.clients.os.keystone import local_keystoneclient
from tests.fakes import stack as fake_stack

DOMAIN = 'domain-of-stacks'


class Identity:
    """Users, projects and credentials; what is not there is forbidden."""

    def __init__(self):
        self.users, self.projects, self.keys = {}, {}, {}
        self.roles_given = []
        self._ids = itertools.count(1)

    def _made(self, kind, values):
        its_id = f'id{next(self._ids)}'
        kind[its_id] = types.SimpleNamespace(
            id=its_id, **{'is_enabled': True, **values})
        return kind[its_id]

    @staticmethod
    def _one(kind, its_id):
        if its_id not in kind:
            raise sdk_exceptions.ForbiddenException('who knows')
        return kind[its_id]

    def find_role(self, name, ignore_missing=True, **_filters):
        return types.SimpleNamespace(id='role') if (
            name == 'heat_stack_user') else None

    def find_user(self, name, ignore_missing=True, **_filters):
        found = [user for user in self.users.values() if user.name == name]
        if len(found) > 1:
            raise sdk_exceptions.DuplicateResource('several')
        return found[0] if found else None

    def create_user(self, **values):
        return self._made(self.users, values)

    def get_user(self, user_id):
        return self._one(self.users, user_id)

    def update_user(self, user_id, **values):
        vars(self.users[user_id]).update(values)

    def delete_user(self, user_id, ignore_missing):
        del self.users[user_id]

    def find_project(self, name, ignore_missing=True, **_filters):
        found = [each for each in self.projects.values()
                 if each.name == name]
        return found[0] if found else None

    def create_project(self, **values):
        if self.find_project(values['name']):
            raise sdk_exceptions.ConflictException('there is one')
        return self._made(self.projects, values)

    def get_project(self, project_id):
        return self._one(self.projects, project_id)

    def delete_project(self, project_id, ignore_missing):
        del self.projects[project_id]

    def assign_project_role_to_user(self, project, user, role):
        self.roles_given.append((project, user, role))

    def create_credential(self, **values):
        return self._made(self.keys, values)

    def get_credential(self, credential_id):
        return self._one(self.keys, credential_id)

    def credentials(self, type, user_id):
        return [key for key in self.keys.values()
                if (key.type, key.user_id) == (type, user_id)]

    def delete_credential(self, credential_id, ignore_missing):
        self.keys.pop(credential_id, None)


@pytest.fixture
def identity():
    return Identity()


@pytest.fixture
def context():
    """Return a context, which the client does not keep alive."""
    return fake_stack.context(user_id='anna')


@pytest.fixture
def client(identity, context):
    for name, value in (('stack_user_domain_id', DOMAIN),
                        ('stack_domain_admin', 'chief'),
                        ('stack_domain_admin_password', 'secret')):
        cfg.CONF.set_override(name, value)
    made = heat_keystoneclient.KsClientWrapper(context, None)
    connection = types.SimpleNamespace(identity=identity, session=None)
    made._connections = {'user': connection, 'domain': connection}
    yield made
    for name in ('stack_user_domain_id', 'stack_domain_admin',
                 'stack_domain_admin_password'):
        cfg.CONF.clear_override(name)


def test_users_of_a_stack(client, identity):
    project = client.create_stack_domain_project('a' * 36)
    # Several resources may ask for it at the same time.
    assert client.create_stack_domain_project('a' * 36) == project
    made = identity.projects[project]
    assert (made.domain_id, len(made.name)) == (DOMAIN, 44)
    user = client.create_stack_domain_user('x' * 60 + '-unique', project)
    assert identity.users[user].name.endswith('-unique')
    assert len(identity.users[user].name) == 64
    assert identity.users[user].default_project_id == project
    assert len(identity.users[user].password) > 30
    assert identity.roles_given == [(project, user, 'role')]
    client.disable_stack_domain_user(user, project)
    assert not identity.users[user].is_enabled
    client.enable_stack_domain_user(user, project)
    assert identity.users[user].is_enabled
    for _time in range(2):
        client.delete_stack_domain_user(user, project)
        client.delete_stack_domain_project(project)
    assert (identity.users, identity.projects) == ({}, {})


@pytest.mark.parametrize('values', [
    {'domain_id': 'other', 'default_project_id': 'p'},
    {'domain_id': DOMAIN, 'default_project_id': 'other'}])
def test_users_of_others_are_left_alone(client, identity, values):
    user = identity.create_user(name='u', **values).id
    for method in (client.delete_stack_domain_user,
                   client.disable_stack_domain_user,
                   client.enable_stack_domain_user):
        with pytest.raises(ValueError):
            method(user, 'p')
    assert user in identity.users


def test_projects_of_others_are_left_alone(client, identity):
    project = identity.create_project(name='p', domain_id='other').id
    client.delete_stack_domain_project(project)
    assert project in identity.projects


def test_keys(client, identity):
    project = client.create_stack_domain_project('s')
    user = client.create_stack_domain_user('u', project)
    keys = client.create_stack_domain_user_keypair(user, project)
    assert json.loads(identity.keys[keys.id].blob) == {
        'access': keys.access, 'secret': keys.secret}
    assert keys.secret not in repr(keys)
    assert client.get_ec2_keypair(credential_id=keys.id) == keys
    assert client.get_ec2_keypair(access=keys.access, user_id=user) == keys
    for _time in range(2):
        client.delete_stack_domain_user_keypair(user, project, keys.id)
        client.delete_ec2_keypair(credential_id=keys.id)
    with pytest.raises(exception.EntityNotFound):
        client.get_ec2_keypair(credential_id=keys.id)
    with pytest.raises(ValueError):
        client.get_ec2_keypair()


def test_role_that_is_missing(client):
    cfg.CONF.set_override('heat_stack_user_role', 'nobody')
    try:
        with pytest.raises(exception.Error) as failed:
            client.create_stack_domain_user('u', 'p')
    finally:
        cfg.CONF.clear_override('heat_stack_user_role')
    assert 'nobody' in str(failed.value)


def test_domain_without_administrator(context):
    cfg.CONF.set_override('stack_user_domain_name', 'heat')
    try:
        made = heat_keystoneclient.KsClientWrapper(context, None)
        with pytest.raises(exception.Error) as failed:
            made.create_stack_domain_project('s')
    finally:
        cfg.CONF.clear_override('stack_user_domain_name')
    assert 'stack_domain_admin_password' in str(failed.value)


def test_without_a_domain_the_project_is_that_of_the_stack(context):
    made = heat_keystoneclient.KsClientWrapper(context, None)
    assert made.create_stack_domain_project('s') == 'project'
    made.delete_stack_domain_project('project')


def test_backend_is_configured(context):
    cfg.CONF.set_override(
        'keystone_backend', 'heat.engine.clients.os.keystone.'
        'local_keystoneclient.LocalKeystoneClient')
    try:
        made = heat_keystoneclient.KeystoneClient(context)
    finally:
        cfg.CONF.clear_override('keystone_backend')
    assert isinstance(made, local_keystoneclient.LocalKeystoneClient)
    with pytest.raises(exception.NotSupported):
        made.create_trust_context()


def test_local_and_remote_client_do_the_same():
    remote = {name for name in vars(heat_keystoneclient.KsClientWrapper)
              if not name.startswith('_')}
    local = {name for name in vars(local_keystoneclient.LocalKeystoneClient)
             if not name.startswith('_')}
    assert remote - local == {
        'session', 'domain_admin_client', 'auth_ref', 'has_stack_domain',
        'list_trusts', 'url_for', 'ssl_options'}
    assert local <= remote


def test_finders(client, identity, context):
    plugin = keystone.KeystoneClientPlugin(context)
    plugin._client_instances['sdk', None] = client
    made = identity.create_user(name='anna')
    assert plugin.get_user_id('anna') == made.id
    assert plugin.get_user_id(None) is None
    with pytest.raises(exception.EntityNotFound) as missing:
        plugin.get_user_id('ben')
    assert plugin.is_not_found(missing.value)
    for _twice in range(2):
        identity.create_user(name='carl')
    with pytest.raises(exception.PhysicalResourceNameAmbiguity):
        plugin.get_user_id('carl')
    identity.users.clear()
    assert plugin.get_user_id('anna') == made.id, 'found once'
    assert plugin.get_user_id(made.id) == made.id


@pytest.mark.parametrize(('given', 'parsed'), [
    ('anna', ('anna', None)), ('anna{home}', ('anna', 'home')),
    ('an{na', ('an{na', None))])
def test_entity_with_domain(given, parsed):
    assert keystone.KeystoneClientPlugin.parse_entity_with_domain(
        given, 'KeystoneUser') == parsed


def test_constraints_are_those_of_the_facts():
    facts = json.loads((pathlib.Path(__file__).parents[3] / 'facts' /
                        'constraints.json').read_text())
    wanted = {name: (each['class'], each['client_plugin_method'],
                     each['expected_exceptions'])
              for name, each in facts['custom_constraints'].items()
              if each.get('service') == 'keystone'}
    assert {name: (cls.__name__, cls.resource_getter_name,
                   [error.__name__ for error in cls.expected_exceptions])
            for name, cls in keystone_constraints.CONSTRAINTS.items()
            } == wanted


def test_constraint(client, identity, context):
    plugin = keystone.KeystoneClientPlugin(context)
    plugin._client_instances['sdk', None] = client
    context.clients._client_plugins['keystone'] = plugin
    identity.create_user(name='anna')
    rule = keystone_constraints.KeystoneUserConstraint()
    assert rule.validate('anna', context)
    assert not rule.validate('ben', context)
    assert 'ben' in rule.error('ben')
