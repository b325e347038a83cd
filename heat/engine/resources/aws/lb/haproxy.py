"""The nested stack of a load balancer: a server with HAProxy.

The configuration is data of the template; it does not depend on a cloud.
"""
from collections.abc import Iterable, Mapping
import copy
from typing import Any

from heat.common import exception
from heat.common.i18n import _

#: The resource that is the server.
SERVER = 'LB_instance'
#: The file on it that says what is balanced.
CONFIG_FILE = '/etc/haproxy/haproxy.cfg'
#: The output with the address.
ADDRESS = 'PublicIp'

#: The template, unless operators have one of their own.
TEMPLATE = """\
heat_template_version: 2021-04-16
description: A server that balances load with HAProxy.
parameters:
  KeyName:
    type: string
    description: The key pair that lets administrators in.
    default: ''
  LbImageId:
    type: string
    description: The image, which has heat-cfntools, yum and systemd.
    default: Fedora-Cloud-Base
  LbFlavor:
    type: string
    description: How big the server is.
    default: m1.small
  LbSubnetId:
    type: string
    description: The subnet of the server; by default the cloud chooses.
    default: ''
  SecurityGroups:
    type: comma_delimited_list
    description: Who may use the load balancer.
    default: []
conditions:
  has_key: {not: {equals: [{get_param: KeyName}, '']}}
  has_subnet: {not: {equals: [{get_param: LbSubnetId}, '']}}
resources:
  LB_user:
    type: AWS::IAM::User
  LB_key:
    type: AWS::IAM::AccessKey
    properties:
      UserName: {get_resource: LB_user}
  LB_instance:
    type: AWS::EC2::Instance
    metadata:
      AWS::CloudFormation::Init:
        config:
          packages:
            yum: {haproxy: []}
          services:
            systemd:
              haproxy: {enabled: 'true', ensureRunning: 'true'}
              crond: {enabled: 'true', ensureRunning: 'true'}
          files:
            /etc/cfn/cfn-credentials:
              mode: '000400'
              owner: root
              group: root
              content:
                str_replace:
                  template: |
                    AWSAccessKeyId=the_key
                    AWSSecretKey=the_secret
                  params:
                    the_key: {get_resource: LB_key}
                    the_secret: {get_attr: [LB_key, SecretAccessKey]}
            /etc/cfn/cfn-hup.conf:
              mode: '000400'
              owner: root
              group: root
              content:
                str_replace:
                  template: |
                    [main]
                    stack=the_stack
                    credential-file=/etc/cfn/cfn-credentials
                  params:
                    the_stack: {get_param: 'OS::stack_name'}
            /etc/cfn/hooks.conf:
              mode: '000400'
              owner: root
              group: root
              content:
                str_replace:
                  template: |
                    [haproxy]
                    triggers=post.update
                    path=Resources.LB_instance.Metadata
                    action=/opt/aws/bin/cfn-init -s the_stack -r LB_instance && systemctl reload-or-restart haproxy
                    runas=root
                  params:
                    the_stack: {get_param: 'OS::stack_name'}
            /etc/cron.d/cfn-hup:
              mode: '000644'
              owner: root
              group: root
              content: |
                * * * * * root /opt/aws/bin/cfn-hup -f
    properties:
      ImageId: {get_param: LbImageId}
      InstanceType: {get_param: LbFlavor}
      KeyName: {if: [has_key, {get_param: KeyName}]}
      SubnetId: {if: [has_subnet, {get_param: LbSubnetId}]}
      SecurityGroups: {get_param: SecurityGroups}
      UserData:
        str_replace:
          template: |
            #!/bin/bash
            exec /opt/aws/bin/cfn-init -s the_stack -r LB_instance
          params:
            the_stack: {get_param: 'OS::stack_name'}
outputs:
  PublicIp:
    description: The address of the load balancer.
    value: {get_attr: [LB_instance, PublicIp]}
"""  # noqa: E501

_GLOBAL = """\
global
    daemon
    maxconn 4096
    stats socket /var/lib/haproxy/stats

defaults
    mode http
    timeout connect 5s
    timeout client 50s
    timeout server 50s
"""


def configuration(listeners: Iterable[Mapping[str, Any]],
                  check: Mapping[str, Any] | None,
                  addresses: Iterable[str]) -> str:
    """Return the contents of CONFIG_FILE.

    :param listeners: values of the property Listeners.
    :param check: that of HealthCheck, seconds and numbers of attempts.
    :param addresses: of the servers that do the work.
    """
    addresses = list(addresses)
    return '\n'.join([_GLOBAL, *(
        _listener(each, check, addresses) for each in listeners)])


def _listener(listener, check, addresses):
    port, mode = listener['LoadBalancerPort'], listener['Protocol'].lower()
    lines = [f'frontend front{port}', f'    bind *:{port}',
             f'    mode {mode}', f'    default_backend back{port}', '',
             f'backend back{port}', f'    mode {mode}',
             '    balance roundrobin']
    if mode == 'http':
        lines.append('    option forwardfor')
    probe = 'check'
    if check:
        probe = 'check inter {Interval}s fall {UnhealthyThreshold} ' \
                'rise {HealthyThreshold}'.format(**check)
        lines.append('    timeout check %ss' % check['Timeout'])
        kind, port_of_check, path = _target(check['Target'])
        if kind == 'HTTP':
            lines.append('    option httpchk GET %s' % path)
        if port_of_check:
            probe += ' port %s' % port_of_check
    lines += [f'    server server{number} {address}:'
              f'{listener["InstancePort"]} {probe}'
              for number, address in enumerate(addresses, 1)]
    return '\n'.join([*lines, ''])


def _target(text):
    """Return (kind, port, path) of what is looked at: HTTP:80/path."""
    kind, _colon, rest = text.partition(':')
    port, _slash, path = rest.partition('/')
    return kind.upper(), port, '/' + path


def require_target(text: str) -> None:
    """Raise StackValidationFailed unless a target can be looked at."""
    kind, port, path = _target(text)
    if kind not in ('HTTP', 'TCP') or not port.isdecimal() or any(
            letter.isspace() for letter in path):
        raise exception.StackValidationFailed(message=_(
            'The Target "%s" must have the form HTTP:<port>/<path> or '
            'TCP:<port>')
            % text)


def configured(template: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a template whose server has a configuration.

    :raises StackValidationFailed: it has no such server, or one without
        the metadata of cfn-init.
    """
    changed = copy.deepcopy(dict(template))
    resources = changed.get('Resources') or changed.get('resources') or {}
    server = resources.get(SERVER) or {}
    metadata = server.get('Metadata') or server.get('metadata') or {}
    try:
        config = metadata['AWS::CloudFormation::Init']['config']
    except (KeyError, TypeError):
        raise exception.StackValidationFailed(message=_(
            'The template of a load balancer must contain a resource %(name)s '
            'with %(path)s in its metadata') % {
                'name': SERVER,
                'path': 'AWS::CloudFormation::Init.config'}) from None
    files = config.setdefault('files', {})
    files[CONFIG_FILE] = {
        'mode': '000644', 'owner': 'root', 'group': 'root',
        **files.get(CONFIG_FILE, {}), 'content': text}
    return changed
