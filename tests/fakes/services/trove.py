"""A service of databases in memory."""
from tests.fakes import rest_service


class Databases(rest_service.RestService):
    """Trove in memory, with the contents of one instance."""

    COLLECTIONS = {
        '/instances': ('instance', 'instances', 'id'),
        '/clusters': ('cluster', 'clusters', 'id'),
        '/flavors': ('flavor', 'flavors', 'str_id')}
    READY = 'ACTIVE'

    def __init__(self):
        super().__init__()
        self.databases, self.users = {}, {}
        for name in ('small', 'big'):
            self.has('/flavors', str_id=name + '-id', name=name)

    def new(self, collection, values):
        if collection == '/clusters':
            return {**values, 'task': {'name': 'NONE'}, 'instances': [
                {'id': 'instance-%d' % index}
                for index, _each in enumerate(values['instances'])]}
        self.databases = {each['name']: each
                          for each in values.get('databases', ())}
        self.users = {each['name']: {'host': '%', **each}
                      for each in values.get('users', ())}
        return {'name': values['name'], 'flavor': {'id': values['flavorRef']},
                'volume': values['volume'], 'hostname': 'db.example.org',
                'links': [{'rel': 'self', 'href': 'http://trove/db'}]}

    def act(self, method, path, body, query):
        if path == '/datastores/mysql/versions':
            return self.ok({'versions': [{'name': '8.0'}]})
        found = self.match('/instances/[^/]+/(action|databases|users)(/.*)?',
                           path)
        if found is None:
            return None
        kind, rest = found.groups()
        if kind == 'action':
            return self._resize(body['resize'])
        known = getattr(self, kind)
        if method == 'GET':
            return self.ok({kind: list(known.values())})
        if method == 'POST':
            known.update((each['name'], each) for each in body[kind])
            return self.ok(status=202)
        return self._change(known, method, rest.split('/')[1:], body)

    def _resize(self, wanted):
        live = self.only('/instances')
        assert live['status'] == 'ACTIVE'
        live['_next'] = ['RESIZE', 'RESIZE', 'ACTIVE']
        if 'flavorRef' in wanted:
            live['flavor'] = {'id': wanted['flavorRef']}
        else:
            live['volume'] = wanted['volume']
        return self.ok(status=202)

    def _change(self, known, method, path, body):
        if len(path) == 1 and method == 'DELETE':
            del known[path[0]]
        elif len(path) == 1:
            known[path[0]].update(body['user'])
        elif method == 'PUT':
            known[path[0]]['databases'] += body['databases']
        else:
            known[path[0]]['databases'].remove({'name': path[2]})
        return self.ok(status=202)
