#!/usr/bin/env python3
"""Run the user data of the template once, and log their output."""
import errno
import os
import subprocess
import sys
import time

SCRIPT = '/var/lib/heat-cfntools/cfn-userdata'
FINISHED = '/var/lib/heat-cfntools/provision-finished'
LOG = '/var/log/heat-provision.log'


def main():
    """Return the exit status of the user data."""
    opened = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    # The script writes to the file itself: what it leaves running in the
    # background would keep a pipe open.
    with os.fdopen(opened, 'ab', 0) as log:
        os.chmod(LOG, 0o600)
        say(log, 'Provision began')
        status = run(log)
        say(log, 'Provision ended with status %d' % status)
    if status == 0:
        open(FINISHED, 'a').close()
    return status


def run(log):
    """Run the user data, if they are a script; return a status."""
    if not os.path.exists(SCRIPT) or not os.path.getsize(SCRIPT):
        say(log, 'User data are empty')
        return 0
    os.chmod(SCRIPT, 0o700)
    try:
        status = subprocess.call([SCRIPT], stdout=log, stderr=log)
    except OSError as error:
        if error.errno == errno.ENOEXEC:
            say(log, 'User data are not executable')
            return 0
        say(log, 'User data cannot be run: %s' % error)
        return os.EX_OSERR
    # A shell reports a signal in the same way.
    return status if status >= 0 else 128 - status


def say(log, message):
    """Write a line with the time to the log and to the console."""
    line = '%s %s\n' % (
        time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()), message)
    log.write(line.encode('utf-8'))
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == '__main__':
    sys.exit(main())
