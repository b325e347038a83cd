"""What stands between the service and a cloud: it counts, and it fails.

A region of its own leads to the services through proxies, so that nobody
else meets the faults.
"""
import collections
import contextlib
import http.client
import http.server
import json
import re
import threading
import time
from urllib import parse

#: What of an answer belongs to one connection only (RFC 9110, 7.6.1).
_HOP_BY_HOP = frozenset(['connection', 'keep-alive', 'transfer-encoding',
                         'content-length'])


#: Seconds that a service may take to answer: more than a deployment waits.
_PATIENCE = 300


class Fault:
    """What befalls requests.

    :ivar kind: a status to answer with; 'drop' to close the connection
        instead of asking the service; 'lose' to ask it, but close the
        connection instead of answering; 'hang' to ask it, but answer after
        some seconds only.
    :ivar times: how many requests it befalls.
    :ivar message: what an answer says of itself.
    :ivar met: (method, path) of those that it has befallen.
    """

    REQUEST_ID = 'req-of-the-fault'

    def __init__(self, method, path, kind, times=1, seconds=0,
                 message='a fault of the test'):
        self.method, self.path = method, re.compile(path)
        self.kind, self.times, self.seconds = kind, times, seconds
        self.message = message
        self.met = []

    def befalls(self, method, path):
        """Tell whether it befalls this request; count that it does."""
        if (method != self.method or len(self.met) >= self.times or
                not self.path.fullmatch(path)):
            return False
        self.met.append((method, path))
        return True


class Proxy(http.server.ThreadingHTTPServer):
    """Hands requests on to one service.

    :param target: URL of the service in the catalogue.
    :ivar counts: {(method, path with * for ids): requests}
    :ivar faults: what is to befall requests; the first that fits does.
    """

    daemon_threads = True

    def __init__(self, target):
        super().__init__(('127.0.0.1', 0), _Handler)
        parts = parse.urlsplit(target)
        self.target = parts.netloc
        self.own = '127.0.0.1:%d' % self.server_address[1]
        self.url = parse.urlunsplit(parts._replace(netloc=self.own))
        self.counts = collections.Counter()
        self.faults = []
        self._guard = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever,
                                        args=(0.05,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_exc):
        self.shutdown()
        self._thread.join()
        self.server_close()

    def note(self, method, path):
        """Count a request; return the fault that befalls it, or None."""
        path = path.partition('?')[0]
        with self._guard:
            self.counts[method, _pattern(path)] += 1
            return next((fault for fault in self.faults
                         if fault.befalls(method, path)), None)

    def handle_error(self, request, client_address):
        """Say nothing of clients that went away."""


def _pattern(path):
    return re.sub(r'/[0-9a-f]{8}-?[0-9a-f-]{23,27}(?=/|$)', '/*', path)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def _serve(self):
        length = int(self.headers.get('Content-Length') or 0)
        body = self.rfile.read(length) if length else None
        fault = self.server.note(self.command, self.path)
        if fault is None:
            self._answer(*self._ask(body))
        elif isinstance(fault.kind, int):
            self._answer(fault.kind, [
                ('Content-Type', 'application/json'),
                ('X-OpenStack-Request-Id', fault.REQUEST_ID)],
                json.dumps({'error': {'message': fault.message,
                                      'title': 'fault'}}).encode())
        elif fault.kind == 'drop':
            self.close_connection = True
        else:
            answer = self._ask(body)
            if fault.kind == 'lose':
                self.close_connection = True
            else:
                time.sleep(fault.seconds)
                self._answer(*answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _serve

    def _ask(self, body):
        connection = http.client.HTTPConnection(self.server.target,
                                                timeout=_PATIENCE)
        with contextlib.closing(connection):
            headers = dict(self.headers, Host=self.server.target,
                           Connection='close')
            headers.pop('Accept-Encoding', None)
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()

    def _answer(self, status, headers, body):
        there, here = (name.encode() for name in (
            self.server.target, self.server.own))
        # Links lead through the proxy, too.
        body = body.replace(there, here)
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value.replace(self.server.target,
                                                     self.server.own))
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def log_message(self, *args):
        """Leave the output to the tests."""


@contextlib.contextmanager
def region(tenant, service_types):
    """Yield ({service type: Proxy}, name) of a region of proxies.

    :param tenant: whose administrator makes the region.
    """
    identity = tenant.admin.identity
    name = f'{tenant.tag}-proxies'
    with contextlib.ExitStack() as ending:
        identity.create_region(id=name)
        ending.callback(identity.delete_region, name)
        services = {one.type: one for one in identity.services()}
        proxies = {}
        for kind in service_types:
            target = next(one.url for one in identity.endpoints(
                service_id=services[kind].id, interface='public',
                region_id=tenant.admin.config.region_name))
            proxies[kind] = ending.enter_context(Proxy(target))
            end = identity.create_endpoint(
                service_id=services[kind].id, interface='public',
                region_id=name, url=parse.unquote(proxies[kind].url))
            ending.callback(identity.delete_endpoint, end.id)
        yield proxies, name
