"""The client of the alarming service, as plugins of resources see it."""
from heat.common import exception
from heat.engine.clients import sdk
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'aodh'

_VERSION, _ALARMS = 'v2', 'alarms'


class AodhClientPlugin(sdk_plugin.ListingPlugin):
    """Creates, shows, changes and deletes alarms of Aodh, which are dicts.

    openstacksdk has no classes for them.
    """

    client_name = CLIENT_NAME
    proxy = 'alarming'
    service_types = [ALARMING] = ['alarming']
    supported_versions = [V2] = ['2']
    default_version = V2

    def _path(self, *more):
        """Return the path of alarms below the endpoint.

        The endpoint in the catalogue has no version; openstacksdk adds it
        if the service lists its versions.
        """
        endpoint = self.sdk().get_endpoint() or ''
        version = [] if endpoint.rstrip('/').endswith('/' + _VERSION) else [
            _VERSION]
        return '/'.join((*version, _ALARMS, *more))

    def create_alarm(self, **values):
        """Create an alarm and return it."""
        return self.answer(self.sdk().post(self._path(), json=values))

    def get_alarm(self, alarm_id):
        """Return an alarm; raise EntityNotFound if there is none."""
        try:
            return self.answer(self.sdk().get(self._path(alarm_id)))
        except sdk.exceptions.NotFoundException as error:
            raise exception.EntityNotFound(entity='Alarm',
                                           name=alarm_id) from error

    def find_alarm(self, name):
        """Return the alarm of a name that only one alarm has, or None."""
        found = self.answer(self.sdk().get(self._path(), params={
            'q.field': 'name', 'q.op': 'eq', 'q.value': name}))
        return next(iter(found), None)

    def update_alarm(self, alarm_id, **changes):
        """Change values of an alarm, and return it.

        Aodh replaces an alarm as a whole: what is not among the changes is
        sent as it is. A rule keeps the entries that its change lacks. None
        stands for the default of the service.
        """
        known = self.get_alarm(alarm_id)
        for key, value in changes.items():
            if key.endswith('_rule') and isinstance(known.get(key), dict):
                value = _changed(known[key], value)
            changes[key] = value
        return self.answer(self.sdk().put(
            self._path(alarm_id), json=_changed(known, changes)))

    def delete_alarm(self, alarm_id, ignore_missing=True):
        """Delete an alarm.

        :raises NotFoundException: there is none, and that is not ignored.
        """
        try:
            self.answer(self.sdk().delete(self._path(alarm_id)))
        except sdk.exceptions.NotFoundException:
            if not ignore_missing:
                raise


def _changed(known, changes):
    """Return values with changes, without what is changed to None."""
    return {key: value for key, value in {**known, **changes}.items()
            if value is not None or key not in changes}
