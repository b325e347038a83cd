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
AWSTemplateFormatVersion: '2010-09-09'
Description: A server that balances load with HAProxy.
Parameters:
  KeyName:
    Type: String
    Description: The key pair that lets administrators in.
    Default: ''
  LbImageId:
    Type: String
    Description: The image, which has heat-cfntools and yum or apt.
    Default: Fedora-Cloud-Base
  LbFlavor:
    Type: String
    Description: How big the server is.
    Default: m1.small
  LbSubnetId:
    Type: String
    Description: The subnet of the server; by default the cloud chooses.
    Default: ''
  SecurityGroups:
    Type: CommaDelimitedList
    Description: Who may use the load balancer.
    Default: ''
Conditions:
  HasKey: {'Fn::Not': [{'Fn::Equals': [{Ref: KeyName}, '']}]}
  HasSubnet: {'Fn::Not': [{'Fn::Equals': [{Ref: LbSubnetId}, '']}]}
Resources:
  LB_user:
    Type: AWS::IAM::User
  LB_key:
    Type: AWS::IAM::AccessKey
    Properties:
      UserName: {Ref: LB_user}
  LB_instance:
    Type: AWS::EC2::Instance
    Metadata:
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
                Fn::Replace:
                  - {the_key: {Ref: LB_key},
                     the_secret: {'Fn::GetAtt': [LB_key, SecretAccessKey]}}
                  - |
                    AWSAccessKeyId=the_key
                    AWSSecretKey=the_secret
            /etc/cfn/cfn-hup.conf:
              mode: '000400'
              owner: root
              group: root
              content:
                Fn::Replace:
                  - {the_stack: {Ref: 'AWS::StackId'},
                     the_region: {Ref: 'AWS::Region'}}
                  - |
                    [main]
                    stack=the_stack
                    credential-file=/etc/cfn/cfn-credentials
                    region=the_region
                    interval=60
            /etc/cfn/hooks.conf:
              mode: '000400'
              owner: root
              group: root
              content:
                Fn::Replace:
                  - {the_stack: {Ref: 'AWS::StackId'},
                     the_region: {Ref: 'AWS::Region'}}
                  - |
                    [haproxy]
                    triggers=post.update
                    path=Resources.LB_instance.Metadata
                    action=/opt/aws/bin/cfn-init -s the_stack -r LB_instance --region the_region && systemctl reload-or-restart haproxy
                    runas=root
            /etc/haproxy/haproxy.cfg:
              mode: '000644'
              owner: root
              group: root
              content: ''
            /etc/cron.d/cfn-hup:
              mode: '000644'
              owner: root
              group: root
              content: |
                * * * * * root /opt/aws/bin/cfn-hup -f
    Properties:
      ImageId: {Ref: LbImageId}
      InstanceType: {Ref: LbFlavor}
      KeyName: {'Fn::If': [HasKey, {Ref: KeyName}, {Ref: 'AWS::NoValue'}]}
      SubnetId: {'Fn::If': [HasSubnet, {Ref: LbSubnetId},
                            {Ref: 'AWS::NoValue'}]}
      SecurityGroups: {Ref: SecurityGroups}
      UserData:
        Fn::Base64:
          Fn::Replace:
            - {the_stack: {Ref: 'AWS::StackId'},
               the_region: {Ref: 'AWS::Region'}}
            - |
              #!/bin/bash
              exec /opt/aws/bin/cfn-init -s the_stack -r LB_instance --region the_region
Outputs:
  PublicIp:
    Description: The address of the load balancer.
    Value: {'Fn::GetAtt': [LB_instance, PublicIp]}
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
            'The Target "%s" is neither HTTP:<port>/<path> nor TCP:<port>')
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
            'The template of a load balancer needs a resource %(name)s '
            'with %(path)s in its metadata') % {
                'name': SERVER,
                'path': 'AWS::CloudFormation::Init.config'}) from None
    files = config.setdefault('files', {})
    files[CONFIG_FILE] = {
        'mode': '000644', 'owner': 'root', 'group': 'root',
        **files.get(CONFIG_FILE, {}), 'content': text}
    return changed
