"""Object storage and queues in memory, as proxies of openstacksdk have them.

The client plugins in front of them are the real ones.
"""
import itertools
import json
import types
from urllib import parse

from openstack import exceptions
import requests

from heat.engine import clients
from heat.engine.clients.os import swift as swift_plugin
from heat.engine.clients.os import zaqar as zaqar_plugin


def answer(status=200, body=b'', headers=None):
    """Return an answer as from HTTP."""
    found = requests.Response()
    found.status_code = status
    found.url = 'http://storage'
    found._content = body if isinstance(body, bytes) else (
        json.dumps(body).encode())
    found.headers.update(headers or {})
    return found


class Swift:
    """Containers of objects, with versions; every write is later.

    :ivar containers: {container: {object: (when, content)}}
    :ivar headers: {container: headers}, the account's under ''
    :ivar info: what optional parts there are
    """

    def __init__(self):
        self.containers = {}
        self.headers = {'': {}}
        self.info = {'tempurl': {'allowed_digests': ['sha1', 'sha256']},
                     'bulk_delete': {'max_deletes_per_request': 10}}
        self._ticks = itertools.count(1000000)

    # -- what the proxy has verbs for ---------------------------------------

    def get_endpoint(self):
        return 'http://swift:8080/v1/AUTH_p'

    def get_info(self):
        return self.info

    def get_account_metadata(self):
        return types.SimpleNamespace(meta_temp_url_key=self.headers[''].get(
            'X-Account-Meta-Temp-URL-Key'))

    def create_container(self, name):
        self.containers.setdefault(name, {})
        self.headers.setdefault(name, {})

    def delete_container(self, name):
        exceptions.raise_from_response(self._about_container('DELETE', name))

    def objects(self, container):
        return [types.SimpleNamespace(name=name, content_length=len(content))
                for name, (_when, content) in sorted(
                    self._kept(container).items())]

    def upload_object(self, container, name, data):
        objects = self._kept(container)
        kept_in = self.headers[container].get('X-Versions-Location')
        if kept_in and name in objects:
            when, content = objects[name]
            self.containers[kept_in][
                '%03x%s/%s' % (len(name), name, when)] = (
                    when, content)
        objects[name] = ('%07d.0' % next(self._ticks),
                         data.encode() if isinstance(data, str) else data)

    def get_object(self, name, container, remember_content=False):
        assert remember_content
        when, content = self._object(container, name)
        return types.SimpleNamespace(timestamp=when, data=content.decode())

    def download_object(self, name, container):
        return self._object(container, name)[1]

    def delete_object(self, name, container, ignore_missing=True):
        objects = self._kept(container)
        if name not in objects and ignore_missing:
            return
        self._object(container, name)
        del objects[name]
        kept_in = self.containers.get(
            self.headers[container].get('X-Versions-Location'), {})
        before = sorted(key for key in kept_in if key.startswith(
            '%03x%s/' % (len(name), name)))
        if before:
            objects[name] = kept_in.pop(before[-1])

    def _kept(self, container):
        if container not in self.containers:
            raise exceptions.NotFoundException('No container')
        return self.containers[container]

    def _object(self, container, name):
        if name not in self._kept(container):
            raise exceptions.NotFoundException('No object')
        return self.containers[container][name]

    # -- and plain requests -------------------------------------------------

    def request(self, url, method, headers=None, params=None, data=None):
        container = parse.unquote(url.strip('/'))
        if not container:
            return self._about_account(method, headers, params, data)
        if method == 'PUT':
            self.create_container(container)
            self.headers[container].update(headers)
            return answer(201)
        return self._about_container(method, container, params)

    def _about_account(self, method, headers, params, data):
        if params and 'bulk-delete' in params:
            for line in data.splitlines():
                container, _slash, name = parse.unquote(line).partition('/')
                del self.containers[container][name]
            return answer(body={'Errors': []})
        if method == 'POST':
            self.headers[''].update(headers)
        return answer(204, headers=self.headers[''])

    def _about_container(self, method, name, params=None):
        if name not in self.containers:
            return answer(404)
        if method == 'DELETE':
            if self.containers[name]:
                return answer(409)
            del self.containers[name], self.headers[name]
            return answer(204)
        objects = self.containers[name]
        if method == 'GET':
            return answer(body=[{'name': each} for each in
                                sorted(objects)[:params['limit']]])
        return answer(204, headers={
            **self.headers[name],
            'X-Container-Object-Count': str(len(objects)),
            'X-Container-Bytes-Used': str(sum(
                len(content) for _when, content in objects.values()))})


class Zaqar:
    """Queues of messages; a claim takes all there are.

    :ivar queues: {name: {id: body}}
    :ivar metadata: {name: what is kept with the queue}
    :ivar subscriptions: {id: what is sent to whom}
    """

    def __init__(self):
        self.queues = {}
        self.metadata = {}
        self.subscriptions = {}
        self.shared = []
        self.ttls = []
        self._ids = itertools.count(1)

    def get_endpoint(self):
        return 'http://zaqar:8888/v2/'

    def request(self, url, method, headers=None, **options):
        assert headers['Client-ID']
        _queues, name, *rest = url.strip('/').split('/')
        if len(name) > 64:
            return answer(400)
        about = getattr(self, '_' + (rest[0] if rest else 'queue'))
        return about(method, name, *rest[1:], **options)

    def _queue(self, method, name, json=None):
        if method == 'PUT':
            self.queues.setdefault(name, {})
            self.metadata[name] = json
            return answer(201)
        if method == 'DELETE':
            self.queues.pop(name, None)
            return answer(204)
        if method == 'PATCH':
            for change in json:
                key = change['path'].removeprefix('/metadata/')
                assert (key in self.metadata[name]) == (
                    change['op'] != 'add')
                if change['op'] == 'remove':
                    del self.metadata[name][key]
                else:
                    self.metadata[name][key] = change['value']
        return answer(body={'_default_message_ttl': 3600,
                            **self.metadata.get(name, {})})

    def _messages(self, method, name, message=None, json=None, params=None):
        if method == 'POST':
            for each in json['messages']:
                self.ttls.append(each.get('ttl'))
                self.queues[name][str(next(self._ids))] = each['body']
            return answer(201)
        assert params['claim_id']
        del self.queues[name][message]
        return answer(204)

    def _claims(self, method, name, json=None):
        if not self.queues[name]:
            return answer(204)
        return answer(201, {'messages': [
            {'id': key, 'body': body}
            for key, body in self.queues[name].items()]},
            {'Location': f'/v2/queues/{name}/claims/{next(self._ids)}'})

    def _subscriptions(self, method, name, key=None, json=None):
        if method == 'POST':
            key = str(next(self._ids))
            self.subscriptions[key] = {'source': name, **json}
            return answer(201, {'subscription_id': key})
        if key not in self.subscriptions:
            return answer(404)
        if method == 'DELETE':
            del self.subscriptions[key]
        elif method == 'PATCH':
            self.subscriptions[key].update(json)
        return answer(body=self.subscriptions.get(key, {}))

    def _share(self, method, name, json=None):
        self.shared.append(json)
        return answer(body={
            'paths': ['/v2/queues/%s/%s' % (name, path)
                      for path in json.get('paths', ['messages'])],
            'methods': json.get('methods', ['GET']), 'project': 'p',
            'expires': json.get('expires', '2030-01-01T00:00:00'),
            'signature': 'signed'})

    # -- what tests do from outside -----------------------------------------

    def post_message(self, name, messages):
        self._messages('POST', name, json={'messages': messages})


def use(monkeypatch):
    """Have contexts find both services; return them."""
    clients.plugins()
    swift, zaqar = Swift(), Zaqar()

    class SwiftPlugin(swift_plugin.SwiftClientPlugin):
        needs_cloud = False

        def _connect(self, version=None):
            return swift

        def does_endpoint_exist(self, service_type, service_name):
            return True

    class ZaqarPlugin(zaqar_plugin.ZaqarClientPlugin):
        needs_cloud = False

        def _connect(self, version=None):
            return zaqar_plugin.Queues(zaqar)

        def create_for_tenant(self, tenant_id, token):
            assert tenant_id
            assert token
            return self.sdk()

        def does_endpoint_exist(self, service_type, service_name):
            return True

    known = {**clients.plugins(), 'swift': SwiftPlugin, 'zaqar': ZaqarPlugin}
    monkeypatch.setattr(clients, 'plugins', lambda: known)
    return swift, zaqar
