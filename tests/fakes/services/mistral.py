"""A workflow service in memory."""
import json

import yaml

from tests.fakes import rest_service

RUNS, FLOWS = '/executions', '/workflows'


class Workflows(rest_service.RestService):
    """Mistral in memory.

    :ivar outputs: of executions, by the name of the workflow.
    """

    COLLECTIONS = {FLOWS: (None, 'workflows', 'id'),
                   RUNS: (None, 'executions', 'id'),
                   '/cron_triggers': (None, 'cron_triggers', 'id')}
    STATE = 'state'
    READY = 'SUCCESS'
    FOUND_BY_NAME = True

    def __init__(self):
        super().__init__()
        self.outputs = {}

    def act(self, method, path, body, query):
        if path != FLOWS or method == 'GET':
            return None
        [(name, defined)] = [item for item in yaml.safe_load(body).items()
                             if item[0] != 'version']
        known = [each for each in self.things[FLOWS].values()
                 if each['name'] == name]
        if bool(known) == (method == 'POST'):
            return self.ok({'faultstring': 'no'}, 409 if known else 404)
        shown = {'name': name, 'definition': body.decode(),
                 'input': ', '.join(defined.get('input', []))}
        if known:
            known[0].update(shown)
            return self.ok({'workflows': known})
        its_id = self.has(FLOWS, **shown)
        return self.ok({'workflows': [{'id': its_id, 'name': name}]}, 201)

    def new(self, collection, values):
        if collection == RUNS:
            name = self.things[FLOWS][values['workflow_id']]['name']
            return {**values, 'workflow_name': name,
                    'output': json.dumps(self.outputs.get(name, {}))}
        assert values['workflow_id'] in self.things[FLOWS]
        return {**values, 'next_execution_time': 'tomorrow'}

    def defined(self):
        """Return the definition of the only workflow."""
        found = yaml.safe_load(self.only(FLOWS)['definition'])
        assert found.pop('version') == '2.0'
        return found

    def runs(self):
        """Return (workflow, input, params) of the executions asked for."""
        return [(self.things[FLOWS][body['workflow_id']]['name'],
                 json.loads(body['input']), json.loads(body['params']))
                for body in self.bodies('POST', RUNS)]
