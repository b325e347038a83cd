"""User data: what a server is given to start with, for cloud-init."""
import email
from email.mime import multipart
from email.mime import text
import json

RAW, SOFTWARE_CONFIG, HEAT_CFNTOOLS = (
    'RAW', 'SOFTWARE_CONFIG', 'HEAT_CFNTOOLS')

#: Where heat-cfntools look for what they are to do.
_DIRECTORY = '/var/lib/heat-cfntools'

#: cloud-init gives the parts of our own type to this, which keeps them.
_PART_HANDLER = """#part-handler
import os

DIRECTORY = '%s'


def list_types():
    return ['text/x-cfninitdata']


def handle_part(data, ctype, filename, payload):
    if ctype in ('__begin__', '__end__'):
        return
    os.makedirs(DIRECTORY, mode=0o700, exist_ok=True)
    path = os.path.join(DIRECTORY, os.path.basename(filename))
    mode = 'wb' if isinstance(payload, bytes) else 'w'
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(path, flags, 0o700), mode) as kept:
        kept.write(payload)
""" % _DIRECTORY

#: Runs what the author of the template gave, once, and keeps its output.
_RUN_USER_DATA = """#!/bin/sh
umask 077
script=%(directory)s/cfn-userdata
[ -s "$script" ] || exit 0
chmod 700 "$script"
exec "$script" >>/var/log/heat-provision.log 2>&1
""" % {'directory': _DIRECTORY}


def build(metadata, userdata=None, instance_user=None,
          user_data_format=HEAT_CFNTOOLS):
    """Return the user data of a server.

    :param metadata: what agents on the server are told at first.
    :param userdata: what the template says.
    :param instance_user: the name of the user of the image, if it is
        another one than usual.
    """
    if user_data_format == RAW:
        return userdata
    message = multipart.MIMEMultipart()
    _attach(message, _cloud_config(instance_user), 'cloud-config',
            'cloud-config')
    if user_data_format == SOFTWARE_CONFIG:
        _attach_given(message, userdata or '')
    else:
        _attach(message, _PART_HANDLER, 'part-handler', 'part-handler.py')
        _attach(message, userdata or '', 'x-cfninitdata', 'cfn-userdata')
        _attach(message, _RUN_USER_DATA, 'x-shellscript', 'run-userdata.sh')
    if metadata:
        _attach(message, json.dumps(metadata), 'x-cfninitdata',
                'cfn-init-data')
    return message.as_string()


def _cloud_config(instance_user):
    lines = ['#cloud-config']
    if instance_user:
        lines += ['user: %s' % json.dumps(instance_user)]
    return '\n'.join([*lines, ''])


def _attach_given(message, userdata):
    """Attach what a template gives, or each part of it."""
    given = email.message_from_string(userdata)
    if given.is_multipart():
        for part in given.get_payload():
            message.attach(part)
    elif userdata:
        # cloud-init tells by the first line what it is.
        _attach(message, userdata, 'plain', 'userdata')


def _attach(message, content, subtype, name):
    part = text.MIMEText(content, _subtype=subtype)
    part.add_header('Content-Disposition', 'attachment', filename=name)
    message.attach(part)
