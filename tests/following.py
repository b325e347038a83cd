"""Read what the command line client prints while it follows something."""
import signal
import subprocess
import sys
import threading

#: Seconds after which what is waited for is missing.
_PATIENCE = 120


def lines(arguments, until, env=None):
    """Return what the client writes up to a line with a text.

    It is interrupted then, as from a keyboard, and has to end well.
    """
    # Whoever runs the tests in the background may have them ignore the
    # interrupt; and what the client writes would come when there is a lot.
    client = subprocess.Popen(
        ['env', '--default-signal=INT', 'PYTHONUNBUFFERED=1', sys.executable,
         '-W', 'ignore', '-m', 'openstackclient.shell', *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    limit = threading.Timer(_PATIENCE, client.kill)
    limit.start()
    try:
        seen = []
        for line in client.stdout:
            seen.append(line)
            if until in line:
                break
        client.send_signal(signal.SIGINT)
        _out, errors = client.communicate(timeout=_PATIENCE)
    finally:
        limit.cancel()
        client.kill()
    assert client.returncode == 0, (seen, errors)
    return seen
