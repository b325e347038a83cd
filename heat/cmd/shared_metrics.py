"""A directory in which the processes of one service add up their figures.

Called before prometheus_client is imported, which looks for it then.
"""
import atexit
import os
import pathlib
import re
import shutil
import tempfile

from heat.common import processes

VARIABLE = 'PROMETHEUS_MULTIPROC_DIR'
_PREFIX = 'heat-metrics-'


def prepare():
    """Make the directory, unless the operator has named one.

    It goes with the process that made it. Those of processes that were
    killed are removed by the next that starts.
    """
    if os.environ.get(VARIABLE):
        return
    base = pathlib.Path(os.environ.get('RUNTIME_DIRECTORY', '').split(':')[0]
                        or tempfile.gettempdir())
    _sweep(base)
    owner = os.getpid()
    directory = tempfile.mkdtemp(prefix=f'{_PREFIX}{owner}-', dir=base)
    os.environ[VARIABLE] = directory
    atexit.register(_remove, owner, directory)


def _remove(owner, directory):
    # A worker process inherits this; only the first one may do it.
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


def _sweep(base):
    for path in base.glob(_PREFIX + '*'):
        found = re.match(r'\d+', path.name[len(_PREFIX):])
        if found and _is_ours(path) and not processes.is_alive(
                int(found.group())):
            shutil.rmtree(path, ignore_errors=True)


def _is_ours(path):
    try:
        return path.lstat().st_uid == os.getuid()
    except FileNotFoundError:
        return False
