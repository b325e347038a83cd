"""User data of servers, for cloud-init or Ignition."""
import base64
import email
from email.mime import multipart
from email.mime import text
import json
import shlex
from typing import Any
from urllib import parse

from oslo_config import cfg

from heat.engine.clients.os import guest

# They bring the grammar of headers, and are wanted for user data only.

RAW, SOFTWARE_CONFIG, HEAT_CFNTOOLS = (
    'RAW', 'SOFTWARE_CONFIG', 'HEAT_CFNTOOLS')

#: Where agents read parts that the part handler stores; the second is that
#: of older releases.
_DIRECTORIES = ('/var/lib/heat-cfntools', '/var/lib/cloud/data')

_INIT_DATA = 'cfn-init-data'

_OUTPUT = "output: {all: '| tee -a /var/log/cloud-init-output.log'}"

#: Runs early at each start. A failure must not keep a server from starting.
_BOOTHOOK = """#!/bin/sh
%(user)stools=$(command -v cfn-create-aws-symlinks) &&
    "$tools" --source "$(dirname "$tools")"
exit 0
"""

#: Releases of cloud-init before 0.7 do not create the user themselves.
_BOOTHOOK_USER = """name=%(name)s
shell=/bin/sh
[ -x /bin/bash ] && shell=/bin/bash
if ! id -- "$name" >/dev/null 2>&1 &&
        useradd -m -s "$shell" -- "$name" && [ -d /etc/sudoers.d ]; then
    sudoers=/etc/sudoers.d/90-heat-instance-user
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


def build(metadata, userdata=None, instance_user=None,
          user_data_format=HEAT_CFNTOOLS, metadata_url=None):
    """Return the user data of a server.

    :param metadata: the first metadata of the agents of the server.
    :param userdata: the user data of the template.
    :param instance_user: the name of the administrative user, if it differs
        from that of the image.
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
    _attach(message, _boothook(instance_user), 'cloud-boothook',
            'boothook.sh')
    # cloud-init ignores parts of our own type without it.
    _attach(message, guest.script('part_handler.py'), 'part-handler',
            'part-handler.py')
    if user_data_format == SOFTWARE_CONFIG:
        _attach_given(message, userdata or '')
    else:
        _attach(message, userdata or '', 'x-cfninitdata', 'cfn-userdata')
        _attach(message, guest.script('loguserdata.py'), 'x-shellscript',
                'loguserdata.py')
    if metadata:
        _attach(message, json.dumps(metadata), 'x-cfninitdata', _INIT_DATA)
    if user_data_format == HEAT_CFNTOOLS and metadata_url is not None:
        _attach_place(message, metadata_url())
    return message.as_string()


def _boothook(instance_user):
    user = _BOOTHOOK_USER % {'name': shlex.quote(
        instance_user)} if instance_user else ''
    return _BOOTHOOK % {'user': user}


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
    """Return whether user data are for Ignition, not for cloud-init."""
    try:
        given = json.loads(userdata or '')
    except ValueError:
        return False
    return isinstance(given, dict) and isinstance(
        given.get('ignition'), dict) and 'version' in given['ignition']


def build_ignition(metadata, userdata):
    """Return data for Ignition that store the metadata in files as well.

    Ignition has no part handlers, and refuses a path that occurs twice: a
    file that the template describes itself is the template's.
    """
    if not metadata:
        return userdata
    given = json.loads(userdata)
    content = base64.b64encode(json.dumps(
        {'deployments': [], **metadata}).encode()).decode()
    storage = given.get('storage') or {}
    files = [*(storage.get('files') or ())]
    described = {file.get('path') for file in files}
    for directory in _DIRECTORIES:
        file = {'path': '%s/%s' % (directory, _INIT_DATA), 'mode': 0o640,
                'contents': {'source': 'data:;base64,' + content}}
        if str(given['ignition']['version']).startswith('2.'):
            file['filesystem'] = 'root'
        if file['path'] not in described:
            files.append(file)
    given['storage'] = {**storage, 'files': files}
    return json.dumps(given)


def _cloud_config(instance_user):
    lines = ['#cloud-config', _OUTPUT]
    if instance_user:
        lines += ['user: %s' % json.dumps(instance_user)]
    return '\n'.join([*lines, ''])


def _attach_given(message, userdata):
    """Attach what a template gives, or each part of it."""
    given = email.message_from_string(userdata)
    if given.is_multipart():
        parts: Any = given.get_payload()
        for part in given.walk():
            _encode(part)
        for part in parts:
            message.attach(part)
    elif userdata:
        # cloud-init looks at the first line for the type.
        _attach(message, userdata, 'plain')


def _encode(part):
    """Encode a part that contains text beyond ASCII as it is.

    cloud-init drops such a part.
    """
    if not part.is_multipart() and not part.get_payload().isascii():
        del part['Content-Transfer-Encoding']
        part.set_payload(part.get_payload(), 'utf-8')


def _attach(message, content, subtype, name=None):
    part = text.MIMEText(content, _subtype=subtype)
    if name is not None:
        part.add_header('Content-Disposition', 'attachment', filename=name)
    message.attach(part)
