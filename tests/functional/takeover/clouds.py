"""The services that the things of many types are in, all in memory."""
import types

from openstack import exceptions
from openstack import proxy
from openstack.container_infrastructure_management.v1 import (
    _proxy as magnum_proxy,
)
from openstack.database.v1 import _proxy as trove_proxy
from openstack.shared_file_system.v2 import _proxy as manila_proxy
from openstack.workflow.v2 import _proxy as mistral_proxy

from heat.engine.clients.os import aodh
from heat.engine.clients.os import glance
from heat.engine.clients.os import keystone
from heat.engine.clients.os import magnum
from heat.engine.clients.os import manila
from heat.engine.clients.os import mistral
from heat.engine.clients.os import neutron
from heat.engine.clients.os import octavia
from heat.engine.clients.os import trove
from heat.engine.clients.os import zaqar
from heat.engine.clients.os.keystone import local_keystoneclient
from tests.fakes import cloud
from tests.fakes import network
from tests.fakes import rest_service
from tests.fakes import shared
from tests.fakes import swift as fake_storage
from tests.fakes.services import aodh as aodh_service
from tests.fakes.services import keystone as identity_service
from tests.fakes.services import magnum as magnum_service
from tests.fakes.services import manila as manila_service
from tests.fakes.services import mistral as mistral_service
from tests.fakes.services import octavia as octavia_service
from tests.fakes.services import trove as trove_service


class Identity(identity_service.Identity):
    """Takes a user's memberships and roles away with the user."""

    def _delete(self, entity, thing_id, *parents, **options):
        super()._delete(entity, thing_id, *parents, **options)
        self.members = {each for each in self.members
                        if thing_id not in each}
        self.given = {each for each in self.given if each[2] != thing_id}


class Balancing(octavia_service.LoadBalancing):
    """Refuses changes of a thing while another change is in progress."""

    def _update(self, entity, thing_id, *parents, **values):
        self._require_rest(entity, thing_id)
        return super()._update(entity, thing_id, *parents, **values)

    def _delete(self, entity, thing_id, *parents, **options):
        self._require_rest(entity, thing_id)
        super()._delete(entity, thing_id, *parents, **options)

    def _require_rest(self, entity, thing_id):
        kept = self._kept(entity, thing_id)
        if kept[self.STATE].startswith('PENDING'):
            # Time passes meanwhile.
            self._shown(entity, thing_id)
            raise exceptions.ConflictException('is immutable')


class Clouds:
    """The services, by the names that the table of types has for them."""

    def __init__(self):
        self.identity = Identity()
        self.balancing = Balancing()
        self.network = network.FakeNetwork()
        self.images = cloud.FakeService()
        self.queues = fake_storage.Zaqar()
        self.flows = mistral_service.Workflows()
        self.shares = manila_service.Shares()
        self.databases = trove_service.Databases()
        self.clusters = magnum_service.Clusters()
        self.alarms = aodh_service.Alarms()
        self._furnish()

    def _furnish(self):
        """Create the things that the resources of the cases refer to."""
        for entity, name in (('domain', 'default'), ('project', 'demo'),
                             ('role', 'member'), ('role', 'reader'),
                             ('group', 'staff'), ('group', 'guests'),
                             ('region', 'here'), ('service', 'some')):
            self.identity._create(entity, id=name + '-id', name=name)
        for entity in ('network', 'subnet'):
            self.network._create(entity, id=entity + '-id', name=entity)
        self.images.create_image(id='image-id', name='image')
        for entity in ('load_balancer', 'listener', 'pool', 'l7_policy'):
            self.balancing._create(entity, id=entity + '-id', name=entity)
        self.flows.has('/workflows', id='flow-id', name='flow')
        self.clusters.has('/clustertemplates', uuid='kube-id', name='kube')
        zaqar.Queues(self.queues).create_queue('news')

    def use(self, patch):
        """Have the plugins speak to the services."""
        queues = zaqar.Queues(self.queues)
        for service, plugin in (
                (self.balancing, octavia.OctaviaClientPlugin),
                (self.network, neutron.NeutronClientPlugin),
                (self.images, glance.GlanceClientPlugin),
                (queues, zaqar.ZaqarClientPlugin)):
            patch.setattr(plugin, '_connect',
                          lambda self, service=service, **_kw: service)
            self._is_there(patch, plugin)
        for service, plugin, its_proxy in (
                (self.flows, mistral.MistralClientPlugin, mistral_proxy),
                (self.shares, manila.ManilaClientPlugin, manila_proxy),
                (self.databases, trove.TroveClientPlugin, trove_proxy),
                (self.clusters, magnum.MagnumClientPlugin, magnum_proxy),
                (self.alarms, aodh.AodhClientPlugin,
                 types.SimpleNamespace(Proxy=proxy.Proxy))):
            patch.setattr(
                plugin, '_adapter', lambda self, service=service, its_proxy=
                its_proxy: its_proxy.Proxy(
                    rest_service.Session(service),
                    service_type=self.service_types[0]))
            self._is_there(patch, plugin)
        patch.setattr(keystone.KeystoneClientPlugin, 'does_endpoint_exist',
                      lambda *_a, **_kw: True)
        patch.setattr(local_keystoneclient.LocalKeystoneClient, 'client',
                      self.identity, raising=False)

    @staticmethod
    def _is_there(patch, plugin):
        patch.setattr(plugin, 'needs_cloud', False)
        patch.setattr(plugin, 'does_endpoint_exist',
                      lambda *_a, **_kw: True)

    def changes(self):
        """Return the requests that changed something."""
        proxies = (self.identity, self.balancing, self.network, self.images)
        rests = (self.flows, self.shares, self.databases, self.clusters,
                 self.alarms)
        return [*(entry for service in proxies for entry in service.log
                  if entry[0] not in ('get', 'find', 'list')),
                *(entry for service in rests for entry in service.log
                  if entry[0] != 'GET')]


# -- where things of a type are ----------------------------------------------

class Shelf:
    """The things of one kind in a service in memory.

    :param service: its name in Clouds
    :param kind: the noun that follows the verbs, or the path
    """

    def __init__(self, service, kind):
        self.service, self.kind = service, kind

    def __repr__(self):
        return f'{self.service}/{self.kind}'

    def put(self, clouds, its_id, values, states):
        """Have a thing be there that goes through states."""
        service = getattr(clouds, self.service)
        kept = shared.SharedDict({
            'id': its_id, **self._state(service, states), **values})
        self._keep(service, its_id, kept)

    def _state(self, service, states):
        return {service.STATE: states[0], '_next': list(states[1:])}

    def change(self, clouds, its_id, values, states):
        """Have a change of a thing have been asked for."""
        service = getattr(clouds, self.service)
        self.all(clouds)[its_id].update(
            values, **self._state(service, states))

    def remove(self, clouds, its_id, states):
        """Have a thing be on its way out."""
        self.change(clouds, its_id, {'_going': True}, states)

    def _keep(self, service, its_id, kept):
        service.things[self.kind, its_id] = kept

    def all(self, clouds):
        """Return {id: stored record}."""
        return {its_id: thing for (kind, its_id), thing in
                getattr(clouds, self.service).things.items()
                if kind == self.kind}

    def values(self, clouds, its_id):
        """Return what is to be compared with what was asked for."""
        return self.all(clouds)[its_id]


class Collection(Shelf):
    """The things at a path of a service that is asked over HTTP."""

    def _keep(self, service, its_id, kept):
        del kept['id']
        kept[service.COLLECTIONS[self.kind][2]] = its_id
        service.things[self.kind][its_id] = kept

    def all(self, clouds):
        """Return {id: stored record}."""
        return getattr(clouds, self.service).things[self.kind]


class Users(Shelf):
    """Users, who are in groups and have roles."""

    def put(self, clouds, its_id, values, states):
        """Have a user be there, in a group and with a role."""
        super().put(clouds, its_id, {}, states)
        self.change(clouds, its_id, values, states)

    def change(self, clouds, its_id, values, states):
        """Have a user be in another group, and have other roles."""
        values = dict(values)
        identity = clouds.identity
        identity.members = {each for each in identity.members
                            if each[0] != its_id} | {
            (its_id, group) for group in values.pop('groups', ())}
        identity.given = {each for each in identity.given
                          if each[2] != its_id} | {
            ('project', 'demo-id', its_id, role)
            for role in values.pop('roles', ())}
        super().change(clouds, its_id, values, states)

    def values(self, clouds, its_id):
        """Return the user with groups and roles."""
        return {**super().values(clouds, its_id),
                'groups': [group for user, group in clouds.identity.members
                           if user == its_id],
                'roles': [role for *_where, user, role in
                          clouds.identity.given if user == its_id]}


class Assignments(Shelf):
    """The roles that somebody has, who is there anyhow."""

    def put(self, clouds, its_id, values, states):
        """Have roles be given."""
        clouds.identity.given |= {
            ('project', 'demo-id', its_id, role) for role in values['roles']}

    def change(self, clouds, its_id, values, states):
        """Have other roles be given."""
        self.remove(clouds, its_id, states)
        self.put(clouds, its_id, values, states)

    def remove(self, clouds, its_id, states):
        """Have roles be taken."""
        clouds.identity.given = {each for each in clouds.identity.given
                                 if each[2] != its_id}

    def all(self, clouds):
        """Return {who has roles: the roles}."""
        found = {}
        for *_where, who, role in clouds.identity.given:
            if 'own' in who:
                found.setdefault(who, {'roles': []})['roles'].append(role)
        return found

    def values(self, clouds, its_id):
        """Return the roles of somebody."""
        return self.all(clouds)[its_id]


class Queues(Shelf):
    """Queues of Zaqar."""

    def put(self, clouds, its_id, values, states):
        """Have a queue be there."""
        clouds.queues.queues.setdefault(its_id, {})
        clouds.queues.metadata[its_id] = dict(values)
        clouds.queues.metadata[its_id].pop('name', None)

    change = put

    def remove(self, clouds, its_id, states):
        """Have the queue be gone."""
        del clouds.queues.queues[its_id]

    def all(self, clouds):
        """Return {name: metadata}."""
        return {name: clouds.queues.metadata[name]
                for name in list(clouds.queues.queues)}

    def values(self, clouds, its_id):
        """Return the metadata of a queue."""
        return clouds.queues.metadata[its_id]


class Subscriptions(Shelf):
    """Subscriptions of Zaqar."""

    def put(self, clouds, its_id, values, states):
        """Have a subscription be there."""
        clouds.queues.subscriptions.setdefault(
            its_id, {'source': 'news', 'ttl': 220367260800,
                     'options': {}}).update(values)

    change = put

    def remove(self, clouds, its_id, states):
        """Have the subscription be gone."""
        del clouds.queues.subscriptions[its_id]

    def all(self, clouds):
        """Return {id: subscription}."""
        return clouds.queues.subscriptions

    def values(self, clouds, its_id):
        """Return a subscription."""
        return clouds.queues.subscriptions[its_id]
