"""A memcached of the test's own, as far as its clients need one."""
import socketserver

from tests import serving


class _Conversation(socketserver.StreamRequestHandler):
    """Answers the commands of one connection."""

    def handle(self):
        for line in self.rfile:
            words = line.decode().split()
            if not words or words[0] == 'quit':
                return
            command = getattr(self, 'do_' + words[0], None)
            answer = b'ERROR' if command is None else command(*words[1:])
            if answer is not None and words[-1] != 'noreply':
                self.wfile.write(answer + b'\r\n')

    def do_get(self, *keys):
        found = b''
        for key in keys:
            self.server.asked.append(key)
            if key in self.server.kept:
                flags, data = self.server.kept[key]
                found += b'VALUE %s %s %d\r\n%s\r\n' % (
                    key.encode(), flags.encode(), len(data), data)
        return found + b'END'

    def do_set(self, key, flags, _expiry, length, *_options):
        data = self.rfile.read(int(length) + 2)[:-2]
        self.server.kept[key] = flags, data
        return b'STORED'

    def do_delete(self, key, *_options):
        known = self.server.kept.pop(key, None) is not None
        return b'DELETED' if known else b'NOT_FOUND'

    @staticmethod
    def do_version():
        return b'VERSION 1.6.0'


class Memcached(socketserver.ThreadingTCPServer):
    """What is kept, and which keys were asked for."""

    daemon_threads = True

    def __init__(self):
        super().__init__(('127.0.0.1', 0), _Conversation)
        self.kept, self.asked = {}, []
        self.address = '127.0.0.1:%d' % self.server_address[1]

    def served(self):
        """Answer during a with block."""
        return serving.serving(self, 0.05)
