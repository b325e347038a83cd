"""Databases and users of an instance of Trove: what changes, and how."""
import dataclasses
from typing import Any


def user(given):
    """Return a user as requests have it."""
    return {**given, 'databases': [{'name': name}
                                   for name in given['databases']]}


def shown(plugin, instance_id, wanted):
    """Return what is there of the databases and users that are wanted.

    What the template does not name belongs to somebody else.
    """
    databases = plugin.databases_of(instance_id)
    users = plugin.users_of(instance_id)
    return {
        'databases': [dict(each) for each in wanted['databases'] or ()
                      if each['name'] in databases],
        'users': [{**each, 'host': users[each['name']]['host'],
                   'databases': sorted(users[each['name']]['databases'])}
                  for each in wanted['users'] or ()
                  if each['name'] in users]}


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """A change of the databases and users of an instance.

    :ivar before: {'databases': maps, 'users': maps} as they were.
    :ivar after: the same of what is changed, without what is not.
    """

    plugin: Any
    before: dict
    after: dict

    def make(self, instance_id):
        """Create databases, change users, and delete what is left over.

        Making it twice is harmless. Databases and users that the template
        has never named stay.
        """
        if 'databases' in self.after:
            present = self.plugin.databases_of(instance_id)
            for each in self.after['databases']:
                if each['name'] not in present:
                    self.plugin.create_database(instance_id, dict(each))
        if 'users' in self.after:
            self._change_users(instance_id)
        if 'databases' in self.after:
            for name in self._left_over('databases'):
                self.plugin.delete_database(instance_id, name)

    def _left_over(self, kind):
        return sorted({each['name'] for each in self.before[kind]} -
                      {each['name'] for each in self.after[kind]})

    def _change_users(self, instance_id):
        present = self.plugin.users_of(instance_id)
        before = {each['name']: each for each in self.before['users']}
        for name in self._left_over('users'):
            if name in present:
                self.plugin.delete_user(instance_id, name,
                                        present[name]['host'])
        for each in self.after['users']:
            live = present.get(each['name'])
            if live is None:
                self.plugin.create_user(instance_id, user(each))
            else:
                self._change_user(instance_id, before.get(each['name']),
                                  live, each)

    def _change_user(self, instance_id, before, live, wanted):
        name, host = wanted['name'], live['host']
        changes = {}
        if before is None or before['password'] != wanted['password']:
            changes['password'] = wanted['password']
        if host != wanted['host']:
            changes['host'] = wanted['host']
        if changes:
            self.plugin.update_user(instance_id, name, changes, host)
            host = wanted['host']
        more = sorted(set(wanted['databases']) - live['databases'])
        if more:
            self.plugin.grant(instance_id, name, more, host)
        for database in sorted(live['databases'] - set(wanted['databases'])):
            self.plugin.revoke(instance_id, name, database, host)
