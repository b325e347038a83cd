"""Object storage and queues in memory, by the names of openstacksdk."""
import datetime
import itertools
import types

from heat.engine import clients


class Swift:
    """Containers of objects; every write is later than those before."""

    def __init__(self):
        self.containers = {}
        self._ticks = itertools.count()

    def create_container(self, name):
        self.containers.setdefault(name, {})

    def delete_container(self, name):
        del self.containers[name]

    def objects(self, container):
        return [types.SimpleNamespace(
            name=name, last_modified_at=datetime.datetime.fromtimestamp(
                written).isoformat())
            for name, (written, _data) in self.containers.get(
                container, {}).items()]

    def upload_object(self, container, name, data):
        self.containers[container][name] = (next(self._ticks),
                                            data.encode())

    def download_object(self, name, container):
        return self.containers[container][name][1]

    def delete_object(self, name, container):
        del self.containers[container][name]


class SwiftPlugin:
    """The client plugin of a context; they all share the storage."""

    service_types: list[str] = []

    def __init__(self, storage):
        self.storage = storage

    def client(self, version=None):
        return self.storage

    def get_temp_url(self, container, name, timeout=None, method='PUT'):
        return f'http://swift/v1/AUTH_p/{container}/{name}?by={method}'

    def get_signal_url(self, container, name, timestamp=None):
        self.storage.create_container(container)
        self.storage.upload_object(container, name, '')
        return self.get_temp_url(container, name)

    @staticmethod
    def is_valid_temp_url_path(path):
        return path.startswith('/v1/AUTH_')

    @staticmethod
    def is_not_found(error):
        return isinstance(error, KeyError)

    @staticmethod
    def is_conflict(_error):
        return False


class Zaqar:
    """Queues of messages; a claim takes all there are."""

    def __init__(self):
        self.queues = {}
        self._ids = itertools.count()

    def create_queue(self, name):
        self.queues[name] = {}

    def delete_queue(self, name):
        del self.queues[name]

    def post_message(self, name, messages):
        for message in messages:
            self.queues[name][str(next(self._ids))] = message['body']

    def create_claim(self, name, ttl, grace):
        return types.SimpleNamespace(messages=[
            {'id': key, 'body': body}
            for key, body in self.queues[name].items()])

    def delete_message(self, name, message_id, claim=None):
        del self.queues[name][message_id]


class ZaqarPlugin:
    """The client plugin of a context; they all share the queues."""

    service_types: list[str] = []

    def __init__(self, storage):
        self.storage = storage

    def create_for_tenant(self, project_id, token):
        assert project_id
        assert token
        return self.storage

    @staticmethod
    def is_not_found(error):
        return isinstance(error, KeyError)


def use(monkeypatch):
    """Have contexts find both services; return them."""
    clients.initialise()
    swift, zaqar = Swift(), Zaqar()
    monkeypatch.setattr(clients, '_plugins', {
        **clients._plugins, 'swift': lambda _context: SwiftPlugin(swift),
        'zaqar': lambda _context: ZaqarPlugin(zaqar)})
    return swift, zaqar
