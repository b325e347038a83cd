"""What befalls the processes of a service."""
import fcntl
import os
import pathlib
import signal
import threading

from tests.faults import catalogue
from tests.faults import databases

_CLOCK = next(iter(sorted(pathlib.Path('/usr/lib').glob(
    '*/faketime/libfaketimeMT.so.1'))), None)
#: Seconds after which another engine has taken over for one that is silent.
_LOST = 24


@catalogue.fault('engine killed', everywhere=True, ends_engines=True)
def _killed(site):
    chosen = site.hosts()
    for service, host in chosen:
        service.end_engine(host)
    yield
    for service, host in chosen:
        service.revive(host)


@catalogue.fault('engines killed', everywhere=True, ends_engines=True)
def _all_killed(site):
    chosen = site.hosts(one=False)
    for service, host in chosen:
        service.end_engine(host)
    yield
    for service, host in chosen:
        service.revive(host)


@catalogue.fault('engine stopped', ends_engines=True, seconds=_LOST)
def _stopped(site):
    chosen = site.hosts()
    for service, host in chosen:
        service.engines[host].signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for service, host in chosen:
            service.engines[host].signal(signal.SIGCONT)


@catalogue.fault('API killed', everywhere=True)
def _api_killed(site):
    for service in site.services:
        site.pause(site.dice.uniform(0, 0.3))
        service.api_process.kill()
    yield


@catalogue.fault('half a processor', ends_engines=True, seconds=12)
def _half(site):
    over = threading.Event()
    processes = [service.engines[host] for service, host in site.hosts()]

    def run():
        while not over.is_set():
            for number in (signal.SIGSTOP, signal.SIGCONT):
                for process in processes:
                    process.signal(number)
                over.wait(0.05)
        for process in processes:
            process.signal(signal.SIGCONT)

    with catalogue.beside(run, over):
        yield


@catalogue.fault('log blocked', ends_engines=True, seconds=_LOST,
                 prepared=True)
def _log_blocked(site):
    """Nobody reads what an engine writes, until the end."""
    chosen, pipes = site.hosts(), []
    for service, host in chosen:
        pipes.append(_Pipe())
        service.renew(host, output=pipes[-1].writes, more='debug = true\n')
    yield
    for pipe in pipes:
        pipe.is_read.clear()
    yield
    for pipe in pipes:
        pipe.is_read.set()
    yield
    for service, host in chosen:
        service.renew(host)
    for pipe in pipes:
        pipe.close()


class _Pipe:
    """A pipe of little room that is read now and then."""

    def __init__(self):
        self._reads, self.writes = os.pipe()
        fcntl.fcntl(self.writes, fcntl.F_SETPIPE_SZ, 4096)
        self.is_read = threading.Event()
        self.is_read.set()
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self):
        while self.is_read.wait() and os.read(self._reads, 65536):
            pass
        os.close(self._reads)

    def close(self):
        """End it, once nobody else writes to it."""
        os.close(self.writes)


@catalogue.fault(
    'disk of the log full', prepared=True, available=lambda site: None
    if databases.can_mount() else 'no file system may be mounted')
def _log_full(site):
    disk = databases.SmallDisk(site.directory / 'logs', 2**20)
    chosen = site.hosts()
    try:
        for service, host in chosen:
            service.renew(host, more='debug = true\nuse_stderr = false\n'
                          f'log_file = {disk.path}/{service.driver}\n')
        yield
        with disk.full():
            yield
        yield
        for service, host in chosen:
            service.renew(host)
    finally:
        disk.remove()


def _clock_fault(name, before, during, after):
    """Add a fault of the clock of one engine.

    :param before: seconds that it is ahead when the engine starts
    :param during: while stacks are at work
    :param after: at the end
    """
    def bring_about(site):
        chosen = site.hosts()
        for service, host in chosen:
            path = _set_clock(service, host, before)
            service.renew(host, environment={
                'PYTHONPATH': _python_path(),
                'LD_PRELOAD': str(_CLOCK), 'FAKETIME_TIMESTAMP_FILE': path,
                'FAKETIME_CACHE_DURATION': '1', 'FAKETIME_DONT_RESET': '1',
                'DONT_FAKE_MONOTONIC': '1', 'FAKETIME_DONT_FAKE_MONOTONIC':
                '1', 'NO_FAKE_STAT': '1', 'FAKETIME_DISABLE_SHM': '1'})
        yield
        for service, host in chosen:
            _set_clock(service, host, during)
        yield
        for service, host in chosen:
            _set_clock(service, host, after)
        yield
        for service, host in chosen:
            service.renew(host)

    catalogue.fault(
        name, seconds=12, prepared=True,
        available=lambda site: None if _CLOCK else
        'libfaketime is missing; the package faketime has it')(bring_about)


def _python_path():
    """Return PYTHONPATH with what such processes need first."""
    return os.pathsep.join(filter(None, [
        str(pathlib.Path(__file__).parent / 'clocks'),
        os.environ.get('PYTHONPATH')]))


def _set_clock(service, host, ahead):
    """Set how many seconds the clock of an engine is ahead."""
    path = service.directory / f'{host}.clock'
    draft = path.with_suffix('.new')
    draft.write_text(f'{ahead:+d}s\n')
    draft.replace(path)
    return str(path)


_clock_fault('clock 12 s ahead', 12, 12, 12)
_clock_fault('clock 60 s ahead', 60, 60, 60)
_clock_fault('clock jumps ahead', 0, 600, 600)
_clock_fault('clock jumps back', 0, -600, -600)
_clock_fault('clock comes back', -600, -600, 0)
