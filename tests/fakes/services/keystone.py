"""An identity service in memory: users, groups, and who may what where."""
import types

from openstack import exceptions

from tests.fakes import cloud


class Identity(cloud.FakeService):
    """An identity service that knows who is where and may what."""

    def __init__(self):
        super().__init__()
        self.patches = []
        self.members = set()
        self.given = set()

    def add_user_to_group(self, user_id, group_id):
        self.members.add((user_id, group_id))

    def remove_user_from_group(self, user_id, group_id):
        self.members.remove((user_id, group_id))

    def user_groups(self, user_id):
        return [cloud.Thing({'id': group_id}) for member, group_id
                in self.members if member == user_id]

    def __getattr__(self, name):
        verb, _underscore, rest = name.partition('_')
        if verb not in ('assign', 'unassign'):
            return super().__getattr__(name)

        def change(where, who, role_id):
            place = (rest.partition('_')[0], where, who, role_id)
            if verb == 'assign':
                self.given.add(place)
            elif place not in self.given:
                raise exceptions.NotFoundException('not given')
            else:
                self.given.remove(place)
        return change

    def patch(self, path, json):
        self.patches.append((path, json))
        return types.SimpleNamespace(status_code=200)

    def role_assignments(self, user_id=None, group_id=None):
        return [types.SimpleNamespace(
            role={'id': role_id}, scope={kind: {'id': where}})
            for kind, where, who, role_id in self.given
            if who in (user_id, group_id)]
