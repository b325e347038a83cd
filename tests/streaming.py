"""A client of streams of events, for tests with processes."""
import http.client
import itertools
import json
import threading
import time


class Follower:
    """A client that connects again whenever it loses the connection.

    :param ports: those of the APIs, each of which is used in turn
    :param path: of the stream, with its query
    :param patience: returns for how many messages a connection is kept
    """

    def __init__(self, ports, path, patience=lambda: 1000000):
        self._ports = itertools.cycle(ports)
        self._path, self._patience = path, patience
        self.ids, self.last_id = [], None
        self.connections = 0
        self._is_over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._is_over:
            try:
                self._listen()
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)

    def _listen(self):
        connection = http.client.HTTPConnection(
            '127.0.0.1', next(self._ports), timeout=60)
        try:
            connection.request('GET', self._path, headers={
                'Last-Event-ID': self.last_id} if self.last_id else {})
            response = connection.getresponse()
            if response.status == 200:
                self.connections += 1
                self._read(response)
        finally:
            connection.close()

    def _read(self, response):
        last_id, left = None, self._patience()
        for line in response:
            name, _colon, value = line.decode().rstrip('\n').partition(': ')
            if name == 'id':
                last_id = value
            elif name == 'event':
                self._is_over = value == 'end'
            elif name == 'data':
                # A client has an event when all of it is there.
                self.last_id = last_id
                if not self._is_over:
                    self.ids.append(json.loads(value)['id'])
                left -= 1
                if self._is_over or not left:
                    return

    def join(self):
        """Return when the stream has told of its end."""
        self._thread.join(120)
        assert not self._thread.is_alive()
