"""The configuration is examined in a child process."""
import os
import time

import pytest

from heat.cmd import preflight
from heat.common import startup


def nothing_found():
    return [], []


def test_this_process_works_while_the_child_examines(tmp_path):
    done = tmp_path / 'done'

    def look():
        end = time.monotonic() + 5
        while not done.exists() and time.monotonic() < end:
            time.sleep(0.01)
        return ([] if done.exists() else ['nothing was done']), []

    preflight.examine(lambda: [look], meanwhile=done.touch)


def test_mistakes_are_told():
    with pytest.raises(startup.Refused, match='wrong'):
        preflight.examine(lambda: [lambda: (['wrong'], [])])


@pytest.mark.parametrize('fails', [False, True])
def test_no_child_is_left(monkeypatch, fails):
    children, fork = [], os.fork

    def noted():
        child = fork()
        children.append(child)
        return child

    def work():
        if fails:
            raise RuntimeError('of this process')

    monkeypatch.setattr(os, 'fork', noted)
    if fails:
        with pytest.raises(RuntimeError, match='of this process'):
            preflight.examine(lambda: [nothing_found], meanwhile=work)
    else:
        preflight.examine(lambda: [nothing_found], meanwhile=work)
    [child] = children
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)
