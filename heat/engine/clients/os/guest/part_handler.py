#part-handler
"""Store the parts of user data that agents of orchestration read.

cloud-init imports this with the Python of the image, which may be 2.7.
"""
import os
import time

DIRECTORY = '/var/lib/heat-cfntools'
#: Where older releases of heat-cfntools look.
OLD_DIRECTORY = '/var/lib/cloud/data'
LOG = '/var/log/part-handler.log'


def list_types():
    """Return the content types of the parts."""
    return ['text/x-cfninitdata']


def handle_part(data, ctype, filename, payload):
    """Store one part; credentials are for root alone."""
    if ctype in ('__begin__', '__end__'):
        return
    name = os.path.basename(filename)
    with open(LOG, 'a') as log:
        log.write('%s file name: %s, content type: %s\n' % (
            time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()), name, ctype))
    if not isinstance(payload, bytes):
        payload = payload.encode('utf-8')
    for directory in (DIRECTORY, OLD_DIRECTORY):
        if not os.path.isdir(directory):
            os.makedirs(directory)
        if directory == DIRECTORY:
            os.chmod(directory, 0o700)
        store(os.path.join(directory, name), payload)


def store(path, payload):
    """Replace a file."""
    kept = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(kept, 'wb') as stream:
        os.chmod(path, 0o600)
        stream.write(payload)
