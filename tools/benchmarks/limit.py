"""The limit: the stack of `tools/bench cloud`, made without a service.

A program that knows the graph makes the same things by calls of
openstacksdk: each one as soon as what it needs is there, and looks every
half second whether it is ready. Calls that wait for nothing go side by side,
as many as the cloud takes best.
"""
from concurrent import futures
import contextlib
import threading
import time

from openstack import exceptions

#: Seconds between two looks at something that is not ready.
LOOK = 0.5
#: Threads that follow one server: it, its volume and its address.
_THREADS = 3


class ByHand:
    """The things of one stack.

    :param connection: an openstack.connection.Connection
    :param names: the network, public network, image and flavor to use
    :param servers: how many servers to make
    :param at_once: how many calls may be under way
    """

    def __init__(self, connection, names, servers, at_once):
        self._cloud = connection
        self._names = names
        self._number = servers
        self._turn = threading.BoundedSemaphore(at_once)
        self._group = None
        self._servers = []

    def create(self):
        """Make all; return when everything is ready."""
        network, compute = self._cloud.network, self._cloud.compute
        self._group = self._call(network.create_security_group,
                                 name='by-hand')
        ids = {'network': self._call(network.find_network,
                                     self._names['network']).id,
               'public': self._call(network.find_network,
                                    self._names['public']).id,
               'image': self._call(self._cloud.image.find_image,
                                   self._names['image']).id,
               'flavor': self._call(compute.find_flavor,
                                    self._names['flavor']).id}
        with self._pool() as pool:
            self._servers = self._all(
                pool, lambda number: self._create_one(pool, ids, number),
                range(self._number))

    def update(self):
        """Change the metadata of each server."""
        with self._pool() as pool:
            self._all(pool, lambda one: self._call(
                self._cloud.compute.set_server_metadata, one['server'],
                generation='2'), self._servers)

    def delete(self):
        """Remove all; return when nothing is left."""
        with self._pool() as pool:
            self._all(pool, lambda one: self._delete_one(pool, one),
                      self._servers)
        self._call(self._cloud.network.delete_security_group, self._group)

    def _create_one(self, pool, ids, number):
        network, compute = self._cloud.network, self._cloud.compute
        volume = pool.submit(self._create_volume)
        port = self._call(network.create_port, network_id=ids['network'],
                          security_group_ids=[self._group.id])
        address = pool.submit(
            self._call, network.create_ip, port_id=port.id,
            floating_network_id=ids['public'])
        server = self._call(
            compute.create_server, name=f'by-hand-{number}',
            image_id=ids['image'], flavor_id=ids['flavor'],
            networks=[{'port': port.id}], metadata={'generation': '1'})
        self._until(compute.get_server, server.id, 'ACTIVE')
        made = {'server': server.id, 'port': port.id,
                'address': address.result().id, 'volume': volume.result()}
        self._call(compute.create_volume_attachment, server.id,
                   volume_id=made['volume'])
        self._until(self._cloud.block_storage.get_volume, made['volume'],
                    'in-use')
        return made

    def _create_volume(self):
        storage = self._cloud.block_storage
        volume = self._call(storage.create_volume, size=1)
        self._until(storage.get_volume, volume.id, 'available')
        return volume.id

    def _delete_one(self, pool, made):
        network, storage = self._cloud.network, self._cloud.block_storage
        address = pool.submit(self._call, network.delete_ip, made['address'])
        self._call(self._cloud.compute.delete_server, made['server'])
        self._until_gone(self._cloud.compute.get_server, made['server'])
        port = pool.submit(self._call, network.delete_port, made['port'])
        self._until(storage.get_volume, made['volume'], 'available')
        self._call(storage.delete_volume, made['volume'])
        self._until_gone(storage.get_volume, made['volume'])
        for one in address, port:
            one.result()

    def _call(self, function, *args, **kwargs):
        with self._turn:
            return function(*args, **kwargs)

    def _until(self, get, thing, status):
        while (now := self._call(get, thing).status) != status:
            if now.lower() == 'error':
                raise RuntimeError(f'{thing} is in error')
            time.sleep(LOOK)

    def _until_gone(self, get, thing):
        with contextlib.suppress(exceptions.NotFoundException):
            while True:
                self._call(get, thing)
                time.sleep(LOOK)

    def _pool(self):
        return futures.ThreadPoolExecutor(max(self._number, 1) * _THREADS)

    @staticmethod
    def _all(pool, function, things):
        return [one.result() for one in
                [pool.submit(function, thing) for thing in things]]
