"""An alarming service in memory."""
import json

from tests.fakes import rest_service

ALARMS = '/v2/alarms'


class Alarms(rest_service.RestService):
    """Aodh in memory: it lists alarms bare, and replaces them as a whole."""

    COLLECTIONS = {ALARMS: (None, 'alarms', 'alarm_id')}

    def act(self, method, path, body, query):
        if method == 'GET' and path == ALARMS:
            return self.ok([
                each for each in self.things[path].values()
                if each[query['q.field']] == query['q.value']])
        if method == 'PUT':
            kept = self.things[ALARMS][path.rpartition('/')[2]]
            assert body['name'] == kept['name']
            assert body['type'] == kept['type']
            kept.clear()
            kept.update(_next=[], **body)
        return None

    def new(self, collection, values):
        assert values['type'] + '_rule' in values
        assert 'null' not in json.dumps(values)
        return values
