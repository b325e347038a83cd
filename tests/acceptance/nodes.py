"""Servers that run their user data, as cloud-init does in them.

The servers of the tests run nothing. What is to happen in them happens
here: a script that the service has given a server is run as it is.
"""
import base64
import contextlib
import subprocess
import threading

from keystoneauth1 import exceptions as ks_exceptions
from openstack import exceptions

#: Seconds between two looks for new servers.
PAUSE = 1


class Nodes:
    """The servers of a project; what is new among them starts.

    :ivar ran: {server id: what its script has written}
    :ivar failed: the same, of scripts that have failed
    """

    def __init__(self, tenant):
        self._tenant = tenant
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.ran = {}
        self.failed = {}

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_exc):
        self._end.set()
        self._thread.join()

    def _watch(self):
        while not self._end.wait(PAUSE):
            with suppressed():
                for server in self._new():
                    self._start(server.id)

    def _new(self):
        return [server for server in
                self._tenant.connection('member').compute.servers()
                if server.status == 'ACTIVE' and server.id not in self.ran]

    def _start(self, server_id):
        done = subprocess.run(
            ['/bin/sh'], input=user_data(self._tenant, server_id),
            capture_output=True, text=True, timeout=240, check=False)
        self.ran[server_id] = done.stdout
        if done.returncode or ' 200 ' not in done.stdout.partition('\n')[0]:
            self.failed[server_id] = done.stdout + done.stderr


def suppressed():
    """Ignore that servers go while one looks, and services that falter."""
    return contextlib.suppress(exceptions.SDKException,
                               ks_exceptions.ClientException)


def user_data(tenant, server_id):
    """Return the user data of a server as only administrators see them."""
    found = tenant.admin.compute.get_server(server_id).user_data
    return base64.b64decode(found).decode()
