"""A load balancing service in memory."""
from openstack import exceptions

from tests.fakes import cloud


class LoadBalancing(cloud.FakeService):
    """Octavia in memory: things know below which other they are.

    :ivar quotas: what was set, by project.
    """

    STATE = 'provisioning_status'

    def __init__(self):
        super().__init__()
        self.quotas = {}

    def _create(self, entity, *parents, **values):
        if parents:
            values['parent'] = parents[0]
        if entity == 'availability_zone':
            values['id'] = values['name']
        return super()._create(entity, *parents, **values)

    def _update(self, entity, thing_id, *parents, **values):
        kept = self._kept(entity, thing_id)
        assert parents == tuple(
            kept[name] for name in ('parent',) if name in kept)
        kept['_next'] = list(self.script.get(entity + ' changing', ()))
        return super()._update(entity, thing_id, *parents, **values)

    def _monitor_of(self, pool):
        return next((thing_id for (entity, thing_id), thing in
                     self.things.items() if entity == 'health_monitor' and
                     thing['pool_id'] == pool), None)

    def create_health_monitor(self, **values):
        if self._monitor_of(values['pool_id']):
            raise exceptions.ConflictException('has one')
        return self._create('health_monitor', **values)

    def get_pool(self, pool):
        found = self._get('pool', pool).to_dict()
        return cloud.Thing({**found,
                            'health_monitor_id': self._monitor_of(pool)})

    def update_quota(self, project, **limits):
        self.quotas.setdefault(project, {}).update(limits)

    def get_quota(self, project):
        return cloud.Thing(self.quotas[project])

    def delete_quota(self, project, ignore_missing=True):
        del self.quotas[project]
