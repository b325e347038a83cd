"""The cloud that the tests run on, and a corner of it for each session.

OS_* variables name an administrator of the cloud.
"""
import os
import time
import uuid

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import session as ks_session
from keystoneauth1.identity import v3
import openstack
import requests
from requests import adapters

#: Roles that a user of the cloud has, as far as the cloud knows them.
MEMBER_ROLES = ('member', 'heat_stack_owner', 'creator',
                'load-balancer_member')
ROLES = {'member': MEMBER_ROLES, 'reader': ('reader',),
         'admin': (*MEMBER_ROLES, 'admin')}
PREFIX = 'heat-acceptance'


def _transport():
    """Return what all sessions have in common.

    With each test pytest changes the environment, where requests would look
    for proxies while other threads are at work. And what is kept open for
    later is lost to others: Neutron serves 100 connections, idle or not.
    """
    transport = requests.Session()
    transport.trust_env = False
    for scheme in ('http://', 'https://'):
        transport.mount(scheme, adapters.HTTPAdapter(pool_maxsize=4))
    return transport


_TRANSPORT = _transport()


class _Session(ks_session.Session):
    """A session that asks again when Keystone refuses something.

    Served by several threads, Keystone now and then takes the token of a
    request for that of another one: its filter remembers the last. A
    service that may not ask Keystone what a token is worth answers 503.
    """

    def request(self, url, method, **kwargs):
        """Send a request; return the answer."""
        service = (kwargs.get('endpoint_filter') or {}).get('service_type')
        raises = kwargs.pop('raise_exc', True)
        for pause in (0.1, 0.5, 1, 0):
            answer = super().request(url, method, raise_exc=False, **kwargs)
            refusals = (400, 403, 503) if service == 'identity' else (503,)
            if not pause or answer.status_code not in refusals:
                break
            time.sleep(pause)
        if raises and answer.status_code >= 400:
            raise ks_exceptions.from_response(answer, method, url)
        return answer


def session_with(auth):
    """Return a session, which several threads may use."""
    return _Session(auth=auth, session=_TRANSPORT,
                    verify=os.environ.get('OS_CACERT') or True)


def connect_admin():
    """Return a connection of the administrator."""
    env = os.environ.get
    return openstack.connection.Connection(
        session=session_with(v3.Password(
            auth_url=auth_url() + '/v3', username=os.environ['OS_USERNAME'],
            password=os.environ['OS_PASSWORD'],
            project_name=env('OS_PROJECT_NAME') or 'admin',
            user_domain_name=env('OS_USER_DOMAIN_NAME') or 'Default',
            project_domain_name=(env('OS_PROJECT_DOMAIN_NAME') or
                                 'Default'))),
        region_name=region())


def auth_url():
    """Return the URL of Keystone without a version."""
    return os.environ['OS_AUTH_URL'].rstrip('/').removesuffix('/v3')


def region():
    """Return the region that the tests run in."""
    return os.environ.get('OS_REGION_NAME') or 'RegionOne'


class Tenant:
    """A project with a member, a reader and an administrator in it.

    What is made by its users, or has its tag in its name, counts as its
    own: the leak check looks for nothing else, so that others may use the
    cloud at the same time.

    :ivar tag: what all names begin with.
    :ivar admin: a connection of the cloud's administrator.
    :ivar things: what shared.py has made in it.
    """

    def __init__(self):
        self.tag = f'{PREFIX}-{uuid.uuid4().hex[:8]}'
        self.password = uuid.uuid4().hex
        self.admin = connect_admin()
        self.users = {}
        self.things = {}
        self._connections = {}
        self._remove = []
        identity = self.admin.identity
        access = self.admin.session.auth.get_access(self.admin.session)
        self.domain_id = access.project_domain_id
        project = identity.create_project(name=self.tag,
                                          domain_id=self.domain_id)
        self.project_id = project.id
        self._roles = {role.name: role.id for role in identity.roles()}
        for name, roles in ROLES.items():
            self.users[name] = self.add_user(name, roles)
        # Neutron makes it when it is first looked for.
        list(self.connection('member').network.security_groups(
            project_id=self.project_id))

    def add_user(self, name, roles=MEMBER_ROLES):
        """Make one more user in the project; return the id."""
        identity = self.admin.identity
        user = identity.create_user(
            name=f'{self.tag}-{name}', domain_id=self.domain_id,
            password=self.password, default_project_id=self.project_id)
        self._remove.append(user)
        for role in roles:
            if role in self._roles:
                identity.assign_project_role_to_user(
                    self.project_id, user.id, self._roles[role])
        self.users[name] = user.id
        return user.id

    def session(self, user='member'):
        """Return a new keystoneauth session of a user."""
        return self.session_of(self.users[user], self.password)

    def session_of(self, user_id, password, **scope):
        """Return a session of a user, by default for the project."""
        return session_with(v3.Password(
            auth_url=auth_url() + '/v3', user_id=user_id,
            password=password,
            **(scope or {'project_id': self.project_id})))

    def connection(self, user='member'):
        """Return the connection of a user to all services."""
        if user not in self._connections:
            self._connections[user] = openstack.connection.Connection(
                session=self.session(user), region_name=region())
        return self._connections[user]

    @property
    def owner_ids(self):
        """Return what shows in things that the tenant owns."""
        return [self.tag, self.project_id, *self.users.values()]

    def remove(self):
        """Remove the users, the project and what came with it."""
        network = self.admin.network
        for group in network.security_groups(project_id=self.project_id):
            network.delete_security_group(group)
        for user in self._remove:
            self.admin.identity.delete_user(user)
        self.admin.identity.delete_project(self.project_id)
        for connection in [*self._connections.values(), self.admin]:
            connection.close()
