"""A Docker daemon in memory, behind the paths of its HTTP API."""
import http.server
import json
import re
import struct
import threading
from urllib import parse

_IMAGES = {'cirros:latest', 'example.org/app:2'}


class Daemon:
    """Images and containers; the tests look at them and change them."""

    def __init__(self):
        self.local = set()
        self.containers = {}
        self.created = []
        self.pulled = []
        self.deleted = []
        self.written = b'first\nmiddle\nlast\n'
        #: The state that a container has once it has been started.
        self.after_start = {'Status': 'running', 'Running': True,
                            'ExitCode': 0, 'Error': ''}
        self._server = http.server.ThreadingHTTPServer(
            ('127.0.0.1', 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f'tcp://127.0.0.1:{self._server.server_port}'
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self):
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def only(self):
        """Return the only container."""
        assert len(self.containers) == 1
        return next(iter(self.containers.values()))

    # -- what the API does --------------------------------------------------

    def version(self, **_given):
        return 200, {'ApiVersion': '1.45', 'MinAPIVersion': '1.24'}

    def pull(self, query, headers, **_given):
        name = f'{query["fromImage"]}:{query["tag"]}'
        self.pulled.append((name, headers.get('X-Registry-Auth')))
        if name not in _IMAGES:
            return 404, {'message': f'no such image at the registry: {name}'}
        self.local.add(name)
        return 200, {'status': 'Download complete'}

    def create(self, query, body, **_given):
        image = body['Image']
        if ':' not in image:
            image += ':latest'
        if image not in self.local:
            return 404, {'message': f'No such image: {image}'}
        container_id = f'{len(self.created):064x}'
        self.created.append(body)
        self.containers[container_id] = {
            'Id': container_id, 'Name': '/' + query.get('name', 'nameless'),
            'Config': body, 'HostConfig': body['HostConfig'],
            'State': {'Status': 'created', 'Running': False, 'ExitCode': 0,
                      'Error': ''},
            'NetworkSettings': {
                'IPAddress': '', 'Ports': {
                    '8080/tcp': None, '80/tcp': [{'HostPort': '32768'}],
                    '53/udp': None},
                'Networks': {'bridge': {'IPAddress': '172.17.0.2',
                                        'Gateway': '172.17.0.1'}}}}
        return 201, {'Id': container_id, 'Warnings': []}

    def list(self, query, **_given):
        wanted = json.loads(query['filters'])['label'][0].split('=')
        return 200, [{'Id': key} for key, each in self.containers.items()
                     if each['Config']['Labels'].get(wanted[0]) == wanted[1]]

    def inspect(self, container, **_given):
        return 200, container

    def start(self, container, **_given):
        container['State'] = dict(self.after_start)
        return 204, None

    def stop(self, container, **_given):
        container['State'] = {'Status': 'exited', 'Running': False,
                              'ExitCode': 137, 'Error': ''}
        return 204, None

    def remove(self, container, query, **_given):
        self.deleted.append(query)
        del self.containers[container['Id']]
        return 204, None

    def logs(self, container, query, **_given):
        lines = self.written.splitlines(keepends=True)
        if query['tail'] != 'all':
            lines = lines[-int(query['tail']):]
        text = b''.join(lines)
        if container['Config']['Tty']:
            return 200, text
        # One frame: stream 1, its length, its text.
        return 200, struct.pack('>BxxxL', 1, len(text)) + text

    def container(self, key):
        """Return a container by id or name, or None."""
        return self.containers.get(key) or next(
            (each for each in self.containers.values()
             if each['Name'] == '/' + key), None)


_ROUTES = [
    ('GET', r'/version', 'version'),
    ('POST', r'/images/create', 'pull'),
    ('POST', r'/containers/create', 'create'),
    ('GET', r'/containers/json', 'list'),
    ('GET', r'/containers/(?P<key>[^/]+)/json', 'inspect'),
    ('POST', r'/containers/(?P<key>[^/]+)/start', 'start'),
    ('POST', r'/containers/(?P<key>[^/]+)/stop', 'stop'),
    ('GET', r'/containers/(?P<key>[^/]+)/logs', 'logs'),
    ('DELETE', r'/containers/(?P<key>[^/]+)', 'remove'),
]


def _handler(daemon):
    class Handler(http.server.BaseHTTPRequestHandler):

        def _serve(self):
            path, _mark, query = self.path.partition('?')
            path = re.sub(r'^/v1\.\d+', '', path)
            length = int(self.headers.get('Content-Length') or 0)
            body = json.loads(self.rfile.read(length) or 'null')
            self._send(*self._answer(path, dict(parse.parse_qsl(query)),
                                     body))

        def _answer(self, path, query, body):
            for method, pattern, name in _ROUTES:
                found = re.fullmatch(pattern, path)
                if found is None or method != self.command:
                    continue
                given = {'query': query, 'body': body,
                         'headers': self.headers}
                if found.groupdict():
                    given['container'] = daemon.container(found['key'])
                    if given['container'] is None:
                        return 404, {'message': 'No such container: '
                                     + found['key']}
                return getattr(daemon, name)(**given)
            return 501, {'message': f'{self.command} {path}'}

        do_GET = do_POST = do_DELETE = _serve

        def _send(self, status, content):
            if not isinstance(content, bytes):
                content = b'' if content is None else (
                    json.dumps(content).encode())
            self.send_response(status)
            self.send_header('Content-Type', 'application/json')
            self.send_header('Content-Length', str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments):
            """Say nothing."""

    return Handler
