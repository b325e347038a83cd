"""Services in memory below the proxies of openstacksdk.

They get requests as HTTP would carry them, so that paths, bodies and
microversions are those that real services get.
"""
import itertools
import json
import re
import types
from urllib import parse

import jsonpatch
from keystoneauth1 import discover
from keystoneauth1 import session
import requests

from tests.fakes import shared

_numbers = itertools.count(1)


class Session(session.Session):
    """What a proxy sends its requests with."""

    def __init__(self, service):
        super().__init__()
        self._service = service
        self._sdk_connection = types.SimpleNamespace(
            _global_request_id=None, cache_enabled=False, config=None,
            current_location=None, _api_cache_keys=set(),
            _get_current_location=lambda **_options: None)

    def request(self, url, method, json=None, params=None, headers=None,
                microversion=None, data=None, **_options):
        """Return the answer of the service."""
        path, _question, query = url.partition('?')
        asked = {**dict(parse.parse_qsl(query)), **(params or {})}
        return self._service.answer(method, '/' + path.strip('/'),
                                    json if data is None else data,
                                    asked, microversion)

    def get_endpoint_data(self, *_args, **_options):
        """Return which microversions the service has."""
        return discover.EndpointData(
            catalog_url='http://service', service_url='http://service',
            min_microversion=(1, 1), max_microversion=(9, 99))

    def get_endpoint(self, *_args, **_options):
        """Return the URL of the service."""
        return 'http://service'

    def get_project_id(self, *_args, **_options):
        """Return the project of the user."""
        return 'project'


class RestService:
    """Collections of things, which are created, shown, changed and deleted.

    :ivar things: {path: {id: description}} of the collections.
    :ivar log: (method, path, body) of the requests, in order.
    :ivar script: {path: states} that a new thing goes through, one each
        time it is shown; '<path> going' for what is being deleted.
    :ivar trouble: {(method, path): statuses} to refuse requests with.
    """

    #: {path: (key of one, key of several, key of its id)}.
    COLLECTIONS: dict = {}
    STATE = 'status'
    #: Whether a path may end with a name instead of an id.
    FOUND_BY_NAME = False
    #: The state of new things that no script tells of.
    READY = 'available'

    def __init__(self):
        self.things = {path: shared.SharedDict()
                       for path in self.COLLECTIONS}
        self.log = []
        self.script = {}
        self.trouble = {}
        self.microversions = set()
        self.queries = []

    # -- what tests ask -----------------------------------------------------

    def requests(self, *methods):
        """Return 'METHOD path' of the requests made, perhaps of some."""
        return [f'{method} {path}' for method, path, _body in self.log
                if not methods or method in methods]

    def bodies(self, method, path):
        """Return the bodies of requests to a path."""
        return [body for each, where, body in self.log
                if (each, where) == (method, path)]

    def only(self, path):
        """Return the only thing of a collection."""
        [thing] = self.things[path].values()
        return thing

    def has(self, path, **values):
        """Put a thing into a collection; return its id."""
        key = self.COLLECTIONS[path][2]
        thing_id = values.setdefault(
            key, '%s-%d' % (path.rpartition('/')[2], next(_numbers)))
        self.things[path][thing_id] = {self.STATE: self.READY, '_next': [],
                                       **values}
        return thing_id

    # -- answers ------------------------------------------------------------

    def answer(self, method, path, body, query, microversion):
        """Return the answer to a request."""
        self.log.append((method, path, body))
        self.microversions.add(microversion)
        self.queries.append(query)
        refusals = self.trouble.get((method, path))
        if refusals:
            return _response(refusals.pop(0), {'message': 'refused'})
        found = self.act(method, path, body, query)
        if found is not None:
            return found
        collection, _slash, thing_id = path.rpartition('/')
        if path in self.COLLECTIONS:
            return self._about_all(method, path, body, query)
        if collection in self.COLLECTIONS:
            return self._about_one(method, collection, thing_id, body)
        return _response(404)

    def act(self, method, path, body, query):
        """Answer a request that is not about a whole thing, or return None.
        """

    def match(self, pattern, text):
        """Return the match of a path, None if it is another."""
        return re.fullmatch(pattern, text)

    def new(self, collection, values):
        """Return what a new thing is like, given what was asked for."""
        return values

    def _about_all(self, method, path, body, query):
        one, several, its_id = self.COLLECTIONS[path]
        if method == 'GET':
            return _response(200, {several: [
                _visible(thing) for thing in self.things[path].values()
                if all(str(thing.get(name)) == value for name, value in
                       query.items() if name in thing)]})
        values = dict(body.get(one, body) if one else body)
        thing_id = '%s-%d' % (path.rpartition('/')[2], next(_numbers))
        self.things[path][thing_id] = {
            self.STATE: self.READY, **self.new(path, values),
            its_id: thing_id, '_next': list(self.script.get(path, ()))}
        return self._shown(path, thing_id, 202)

    def _about_one(self, method, path, thing_id, body):
        known = self.things[path]
        if self.FOUND_BY_NAME:
            thing_id = next((its_id for its_id, thing in known.items()
                             if thing.get('name') == thing_id), thing_id)
        if thing_id not in known:
            return _response(404)
        one = self.COLLECTIONS[path][0]
        if method == 'DELETE':
            going = self.script.get(path + ' going')
            if going:
                known[thing_id].update(_next=list(going), _going=True)
            else:
                del known[thing_id]
            return _response(204)
        if method == 'PATCH' and isinstance(body, list):
            known[thing_id] = jsonpatch.apply_patch(known[thing_id], body)
        elif method in ('PUT', 'PATCH'):
            known[thing_id].update(body[one] if one else body)
        if method in ('PUT', 'PATCH'):
            known[thing_id]['_next'] = list(self.script.get(
                path + ' changing', known[thing_id]['_next']))
        return self._shown(path, thing_id)

    def _shown(self, path, thing_id, status=200):
        thing = self.things[path][thing_id]
        if thing['_next']:
            thing[self.STATE] = thing['_next'].pop(0)
        elif thing.get('_going'):
            del self.things[path][thing_id]
            return _response(404)
        one = self.COLLECTIONS[path][0]
        shown = _visible(thing)
        return _response(status, {one: shown} if one else shown)

    def ok(self, body=None, status=200):
        """Return an answer."""
        return _response(status, body)


def _visible(thing):
    return {name: value for name, value in thing.items()
            if not name.startswith('_')}


def _response(status, body=None):
    answer = requests.Response()
    answer.status_code, answer.url = status, 'http://service'
    answer.request = requests.Request('GET', answer.url).prepare()
    if body is not None:
        answer.headers['Content-Type'] = 'application/json'
        answer._content = json.dumps(body).encode()
    else:
        answer._content = b''
    return answer
