"""Services in memory that speak as proxies of openstacksdk do."""
import functools
import itertools
import json
import types

from openstack import exceptions
import requests

from tests.fakes import shared

_numbers = itertools.count(1)


def refusal(status, body):
    """Return the error that openstacksdk makes of an answer to a POST."""
    answer = requests.Response()
    answer.status_code, answer.url = status, 'http://cloud/things'
    answer.request = requests.Request('POST', answer.url).prepare()
    answer.headers['Content-Type'] = 'application/json'
    answer._content = json.dumps(body).encode()
    try:
        exceptions.raise_from_response(answer)
    except exceptions.HttpException as error:
        return error
    raise AssertionError(f'{status} is no error')


class Thing:
    """What a service tells of one thing, by the names of requests."""

    def __init__(self, values):
        self._values = values

    def __getattr__(self, name):
        try:
            return self.__dict__['_values'][name]
        except KeyError:
            raise AttributeError(name) from None

    def to_dict(self, **_options):
        return dict(self._values)

    @property
    def _body(self):
        """What the SDK keeps of an answer."""
        return types.SimpleNamespace(attributes=self._values)


class FakeService:
    """Creates, shows, changes and deletes things of any kind.

    :ivar log: (verb, entity, arguments) of the requests, in order.
    :ivar script: {entity: statuses} that a new thing goes through, one
        each time it is shown. What has states under '<entity> going' goes
        through these before it is gone.
    :ivar trouble: errors to raise by the next requests, by verb_entity.
    """

    #: Where things tell their state.
    STATE = 'status'

    #: The kinds that openstacksdk lists by the plural.
    LISTED = {noun + 's': noun for noun in (
        'flavor', 'image', 'network', 'router', 'security_group', 'subnet')}

    VERBS = ('create', 'get', 'update', 'delete', 'find', 'list')

    def __init__(self, **script):
        self.things = shared.SharedDict()
        self.log = []
        self.script = script
        self.trouble = {}

    def __getattr__(self, name):
        if name in self.LISTED:
            return functools.partial(self._listed, self.LISTED[name])
        verb, _underscore, entity = name.partition('_')
        if verb not in self.VERBS or not entity:
            raise AttributeError(name)

        def request(*args, **kwargs):
            if self.trouble.get(name):
                raise self.trouble[name].pop(0)
            return getattr(self, '_' + verb)(entity, *args, **kwargs)
        return request

    def requests(self, *verbs):
        """Return 'verb entity' of the requests made, perhaps of some verbs.
        """
        return ['%s %s' % (verb, entity) for verb, entity, _given in self.log
                if not verbs or verb in verbs]

    def body(self, verb):
        """Return what the last request of a verb carried."""
        return next(given for each, _entity, given in reversed(self.log)
                    if each == verb)

    def of(self, entity):
        """Return the things of a kind, in the order they were made."""
        return [thing for (kind, _id), thing in self.things.items()
                if kind == entity]

    def _kept(self, entity, thing_id):
        try:
            return self.things[entity, thing_id]
        except KeyError:
            raise exceptions.NotFoundException(
                'No %s found for %s' % (entity, thing_id)) from None

    def _create(self, entity, *parents, **values):
        self.log.append(('create', entity, dict(values)))
        thing_id = values.get('id') or '%s-%d' % (entity, next(_numbers))
        self.things[entity, thing_id] = shared.SharedDict({
            'id': thing_id, self.STATE: 'ACTIVE', **values,
            '_next': list(self.script.get(entity, ()))})
        return self._shown(entity, thing_id)

    def _shown(self, entity, thing_id):
        kept = self._kept(entity, thing_id)
        if kept['_next']:
            kept[self.STATE] = kept['_next'].pop(0)
        elif kept.get('_going'):
            del self.things[entity, thing_id]
            self._kept(entity, thing_id)
        return Thing({name: value for name, value in kept.items()
                      if not name.startswith('_')})

    def _get(self, entity, thing_id, *parents):
        self.log.append(('get', entity, thing_id))
        return self._shown(entity, thing_id)

    def _update(self, entity, thing_id, *parents, **values):
        self.log.append(('update', entity, dict(values)))
        self._kept(entity, thing_id).update(values)
        return self._shown(entity, thing_id)

    def _delete(self, entity, thing_id, *parents, ignore_missing=True):
        self.log.append(('delete', entity, thing_id))
        if ignore_missing and (entity, thing_id) not in self.things:
            return
        kept = self._kept(entity, thing_id)
        going = self.script.get(entity + ' going')
        if going:
            kept.update(_next=list(going), _going=True)
        else:
            del self.things[entity, thing_id]

    def _find(self, entity, name_or_id, ignore_missing=True, **filters):
        self.log.append(('find', entity, name_or_id))
        found = [thing for (kind, _id), thing in self.things.items()
                 if kind == entity and filters.items() <= thing.items() and
                 name_or_id in (thing['id'], thing.get('name'))]
        if len(found) > 1:
            raise exceptions.DuplicateResource('More than one %s' % entity)
        if found:
            return Thing(found[0])
        if ignore_missing:
            return None
        raise exceptions.NotFoundException('No %s' % entity)

    def _listed(self, entity, **filters):
        self.log.append(('list', entity, dict(filters)))
        yield from [Thing(thing) for (kind, _id), thing in self.things.items()
                    if kind == entity and filters.items() <= thing.items()]

    def extensions(self):
        """Return the optional parts of the service."""
        return [Thing({'alias': alias}) for alias in (
            'address-scope', 'qos', 'sfc', 'dns-integration')]

    def set_tags(self, thing, tags):
        """Make these the tags of a thing."""
        self.log.append(('tag', thing.id, list(tags)))
