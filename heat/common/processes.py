"""Facts about other processes on this machine."""
import os


def is_alive(pid: int) -> bool:
    """Return whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
