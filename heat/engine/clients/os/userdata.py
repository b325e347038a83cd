"""User data: what a server is given to start with, for cloud-init."""
import base64
import email
import json
import shlex
from urllib import parse

from oslo_config import cfg

from heat.common import lazy

# They bring the grammar of headers, and are wanted for user data only.
multipart = lazy.module('email.mime.multipart')
text = lazy.module('email.mime.text')

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

#: Runs early at each start: what agents read is nobody else's, and the user
#: that the template names can log in and become root.
_BOOTHOOK = """#!/bin/sh
mkdir -p -m 0700 %(directory)s
%(user)sexit 0
"""

_BOOTHOOK_USER = """name=%(name)s
if ! id "$name" >/dev/null 2>&1; then
    useradd -m "$name"
    sudoers="/etc/sudoers.d/90-$name"
    echo "$name ALL=(ALL) NOPASSWD:ALL" >"$sudoers"
    chmod 0440 "$sudoers"
fi
"""

#: How boto, which heat-cfntools use, reaches the cfn API.
_BOTO = """[Boto]
debug = 0
is_secure = %(is_secure)s
https_validate_certificates = %(validate)s
cfn_region_name = heat
cfn_region_endpoint = %(host)s
"""

#: Runs what the author of the template gave, once, and keeps its output.
_RUN_USER_DATA = """#!/bin/sh
umask 077
script=%(directory)s/cfn-userdata
[ -s "$script" ] || exit 0
chmod 700 "$script"
exec "$script" >>/var/log/heat-provision.log 2>&1
""" % {'directory': _DIRECTORY}


def build(metadata, userdata=None, instance_user=None,
          user_data_format=HEAT_CFNTOOLS, metadata_url=None):
    """Return the user data of a server.

    :param metadata: what agents on the server are told at first.
    :param userdata: what the template says.
    :param instance_user: the name of the user of the image, if it is
        another one than usual.
    :param metadata_url: a function that returns the URL at which
        heat-cfntools ask for metadata.
    """
    if user_data_format == RAW:
        return userdata
    if user_data_format == SOFTWARE_CONFIG and is_ignition(userdata):
        return build_ignition(metadata, userdata)
    message = multipart.MIMEMultipart()
    _attach(message, _cloud_config(instance_user), 'cloud-config',
            'cloud-config')
    if user_data_format == SOFTWARE_CONFIG:
        _attach_given(message, userdata or '')
    else:
        _attach(message, _boothook(instance_user), 'cloud-boothook',
                'boothook.sh')
        _attach(message, _PART_HANDLER, 'part-handler', 'part-handler.py')
        _attach(message, userdata or '', 'x-cfninitdata', 'cfn-userdata')
        _attach(message, _RUN_USER_DATA, 'x-shellscript', 'run-userdata.sh')
        if metadata_url is not None:
            _attach_place(message, metadata_url())
    if metadata:
        _attach(message, json.dumps(metadata), 'x-cfninitdata',
                'cfn-init-data')
    return message.as_string()


def _boothook(instance_user):
    user = _BOOTHOOK_USER % {'name': shlex.quote(
        instance_user)} if instance_user else ''
    return _BOOTHOOK % {'directory': _DIRECTORY, 'user': user}


def _attach_place(message, url):
    """Attach where heat-cfntools ask, and how."""
    _attach(message, url, 'x-cfninitdata', 'cfn-metadata-server')
    _attach(message, _BOTO % {
        'is_secure': cfg.CONF.instance_connection_is_secure,
        'validate':
            cfg.CONF.instance_connection_https_validate_certificates,
        'host': parse.urlsplit(url).hostname}, 'x-cfninitdata',
        'cfn-boto-cfg')


def is_ignition(userdata):
    """Tell whether user data are for Ignition, not for cloud-init."""
    try:
        given = json.loads(userdata or '')
    except ValueError:
        return False
    return isinstance(given, dict) and isinstance(
        given.get('ignition'), dict) and 'version' in given['ignition']


def build_ignition(metadata, userdata):
    """Return data for Ignition that put the metadata into a file, too."""
    given = json.loads(userdata)
    if not metadata:
        return userdata
    content = base64.b64encode(json.dumps(metadata).encode()).decode()
    kept = {'path': _DIRECTORY + '/cfn-init-data', 'mode': 0o600,
            'contents': {'source': 'data:;base64,' + content}}
    if given['ignition']['version'].startswith('2.'):
        kept['filesystem'] = 'root'
    storage = given.get('storage') or {}
    given['storage'] = {
        **storage, 'files': [*(storage.get('files') or ()), kept]}
    return json.dumps(given)


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
