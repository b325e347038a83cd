"""What befalls a broker that engines and APIs use."""
import contextlib
import os
import signal
import subprocess

from tests.faults import catalogue


@catalogue.fault('broker killed', everywhere=True)
def _killed(site):
    site.broker.kill()
    try:
        yield
    finally:
        site.broker.start()


@catalogue.fault('broker stopped', seconds=20)
def _stopped(site):
    os.killpg(site.broker.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(site.broker.pid, signal.SIGCONT)


@catalogue.fault('broker blocked by memory')
def _memory(site):
    site.broker.control('set_vm_memory_high_watermark', 'absolute', '1')
    try:
        yield
    finally:
        site.broker.control('set_vm_memory_high_watermark', '0.4')


@catalogue.fault('broker blocked by disk')
def _disk(site):
    site.broker.control('set_disk_free_limit', '1000000000000000')
    try:
        yield
    finally:
        site.broker.control('set_disk_free_limit', '1000')


@catalogue.fault('broker connections closed')
def _closed(site):
    for _number in range(3):
        site.broker.control('close_all_connections', 'a fault')
        site.pause(1)
    yield


@catalogue.fault('broker queues deleted')
def _deleted(site):
    for service in site.services:
        for queue in ('engine_worker', 'engine'):
            # One that nobody has used yet is not there.
            with contextlib.suppress(subprocess.CalledProcessError):
                site.broker.control('-p', service.broker.name,
                                    'delete_queue', queue)
    yield


@catalogue.fault('broker slow')
def _slow(site):
    with site.broker.proxy.delaying(0.3):
        yield


@catalogue.fault('broker silent', seconds=20)
def _silent(site):
    with site.broker.proxy.swallowing():
        yield


@catalogue.fault('broker connections cut')
def _cut(site):
    for _number in range(8):
        site.broker.proxy.cut()
        site.pause(0.6)
    yield


@catalogue.fault('broker answers truncated')
def _truncated(site):
    with site.broker.proxy.truncating():
        yield


@catalogue.fault('engine cut off the broker', seconds=20, prepared=True)
def _cut_off(site):
    chosen = site.hosts()
    for service, host in chosen:
        service.renew(host, more='transport_url = rabbit://guest:guest@'
                      f'127.0.0.1:{site.broker.side.port}'
                      f'/{service.broker.name}\n')
    yield
    with site.broker.side.swallowing():
        yield
    yield
    for service, host in chosen:
        service.renew(host)
