"""heat-keystone-setup, heat-keystone-setup-domain: what Heat needs there.

Run by an administrator of the cloud, who is found as the openstack client
finds one: by OS_* variables or clouds.yaml. What is there already stays, so
that both can be run again; --dry-run only tells what is missing.
"""
import argparse
import os
import sys

from keystoneauth1 import exceptions as ks_exceptions
from oslo_config import cfg

from heat import version
from heat.common import command_help
from heat.common import i18n
from heat.common.i18n import _
from heat.engine.clients import sdk

_INTERFACES = ('public', 'internal', 'admin')


class Refused(Exception):
    """The command cannot be carried out as it was given."""


class Setup:
    """Makes what is missing, and says so."""

    def __init__(self, cloud, dry_run, out=sys.stdout):
        self._identity = cloud.identity
        self._dry_run = dry_run
        self._out = out

    def ensure(self, what, name, found, make):
        """Return what was found, or made; None in a dry run without it."""
        if found is not None:
            self._say(_('%s: is there'), what, name)
            return found
        if self._dry_run:
            self._say(_('%s: would be made'), what, name)
            return None
        made = make()
        self._say(_('%s: made'), what, name)
        return made

    def _say(self, text, what, name):
        print(text % f'{what} {name}', file=self._out)

    def role(self, name):
        """Have a role of a name."""
        return self.ensure(
            _('role'), name, self._identity.find_role(name),
            lambda: self._identity.create_role(name=name))

    def existing_role(self, name):
        """Return a role that has to be there."""
        role = self._identity.find_role(name)
        if role is None:
            raise Refused(_('There is no role %s.') % name)
        return role

    def domain(self, name, description):
        """Have a domain of a name."""
        return self.ensure(
            _('domain'), name, self._identity.find_domain(name),
            lambda: self._identity.create_domain(
                name=name, description=description))

    def project(self, name, domain_id):
        """Have a project of a name."""
        return self.ensure(
            _('project'), name,
            self._identity.find_project(name, domain_id=domain_id),
            lambda: self._identity.create_project(
                name=name, domain_id=domain_id))

    def user(self, name, domain_id, password, **more):
        """Have a user of a name in a domain that may be yet to be made."""
        found = domain_id and self._identity.find_user(name,
                                                       domain_id=domain_id)

        def make():
            if not password:
                raise Refused(_('The user %s needs a password; see --help '
                                'for where it is looked for.') % name)
            return self._identity.create_user(
                name=name, domain_id=domain_id, password=password, **more)

        return self.ensure(_('user'), name, found or None, make)

    def grant(self, user, role, where, target, names):
        """Have a user play a role on a project or a domain."""
        what = _('%(role)s of %(user)s') % {'user': names[0],
                                            'role': names[1]}
        if user is None or role is None or target is None:
            self.ensure(_('role assignment'), what, None, None)
            return
        has = getattr(self._identity, f'validate_user_has_{where}_role')
        assign = getattr(self._identity, f'assign_{where}_role_to_user')
        self.ensure(_('role assignment'), what,
                    has(target, user, role) or None,
                    lambda: assign(target, user, role) or True)

    def service(self, name, kind, description, url, region):
        """Have a service of a type, with its three endpoints."""
        known = [each for each in self._identity.services(type=kind)
                 if each.name == name]
        service = self.ensure(
            _('service'), f'{name} ({kind})', known[0] if known else None,
            lambda: self._identity.create_service(
                name=name, type=kind, description=description))
        there = {} if service is None else {
            each.interface for each in
            self._identity.endpoints(service_id=service.id)
            if each.region_id == region}
        for interface in _INTERFACES:
            self.ensure(
                _('endpoint'), _('%(interface)s of %(type)s') % {
                    'interface': interface, 'type': kind},
                True if interface in there else None,
                lambda interface=interface: self._identity.create_endpoint(
                    service_id=service.id, interface=interface, url=url,
                    region_id=region))


def _parser(prog, text):
    parser = argparse.ArgumentParser(
        prog=prog, description=text,
        epilog=_('The credentials of the administrator are taken from OS_* '
                 'environment variables or clouds.yaml, as by the openstack '
                 'client.'),
        formatter_class=command_help.Formatter)
    parser.add_argument('--os-cloud', metavar='NAME',
                        help=_('cloud in clouds.yaml'))
    parser.add_argument('--version', action='version',
                        version=version.__version__)
    parser.add_argument('--dry-run', action='store_true',
                        help=_('print what is missing and change nothing'))
    return parser


def setup_parser():
    """Return the parser of heat-keystone-setup."""
    parser = _parser(
        'heat-keystone-setup',
        _('Create the user, the roles, the services and the endpoints of '
          'Heat in Keystone. What exists stays as it is. The password of the '
          'user is taken from the environment variable HEAT_PASSWORD.'))
    parser.add_argument('--user', default='heat', metavar='NAME',
                        help=_('name of the service user'))
    parser.add_argument('--service-project', default='service',
                        metavar='NAME',
                        help=_('project of the service user'))
    parser.add_argument('--service-role', default='admin', metavar='NAME',
                        help=_('role of the service user in that project'))
    parser.add_argument('--user-role', default='heat_stack_user',
                        metavar='NAME',
                        help=_('role of the users that stacks create'))
    parser.add_argument('--owner-role', default='heat_stack_owner',
                        metavar='NAME',
                        help=_('role that owners of stacks delegate to Heat'))
    parser.add_argument('--service-name', default='heat', metavar='NAME',
                        help=_('name of the service; the service of the '
                               'CloudFormation API is called NAME-cfn'))
    parser.add_argument('--service-type', default='orchestration',
                        metavar='TYPE', help=_('type of the service'))
    parser.add_argument('--cfn-service-type', default='cloudformation',
                        metavar='TYPE',
                        help=_('type of the CloudFormation service'))
    parser.add_argument('--region', default='RegionOne', metavar='NAME',
                        help=_('region of the endpoints'))
    parser.add_argument('--api-url', metavar='URL',
                        default='http://127.0.0.1:8004/v1/%(tenant_id)s',
                        help=_('URL of the REST API'))
    parser.add_argument('--cfn-url', metavar='URL',
                        default='http://127.0.0.1:8000/v1',
                        help=_('URL of the CloudFormation API'))
    parser.add_argument('--cloudwatch-url', metavar='URL',
                        help=_('URL of the CloudWatch API; without it no '
                               'service and no endpoints are created for '
                               'that API'))
    return parser


def domain_parser():
    """Return the parser of heat-keystone-setup-domain."""
    parser = _parser(
        'heat-keystone-setup-domain',
        _('Create the domain for the users that stacks need, and its '
          'administrator. Print the options for heat.conf. What exists stays '
          'as it is. The default of an option is taken from the environment '
          '(STACK_USER_DOMAIN_NAME, STACK_DOMAIN_ADMIN, '
          'STACK_DOMAIN_ADMIN_PASSWORD), then from the given configuration '
          'files.'))
    texts = {
        'stack_user_domain_name': _('name of the domain'),
        'stack_domain_admin': _('name of the administrator of the domain'),
        'stack_domain_admin_password': _(
            'password of the administrator; other users of this machine may '
            'see it on the command line, but not in the environment')}
    for name in _DOMAIN_OPTIONS:
        parser.add_argument('--' + name.replace('_', '-'), help=texts[name],
                            metavar='NAME' if 'password' not in name
                            else 'PASSWORD')
    parser.add_argument('--config-file', action='append', default=[],
                        metavar='PATH',
                        help=_('configuration file of Heat'))
    parser.add_argument('--config-dir', action='append', default=[],
                        metavar='DIR',
                        help=_('directory of configuration files'))
    parser.add_argument('--admin-role', default='admin', metavar='NAME',
                        help=_('role of the administrator in the domain'))
    return parser


#: The defaults, by the names in heat.conf.
_DOMAIN_OPTIONS = {'stack_user_domain_name': 'heat',
                   'stack_domain_admin': 'heat_domain_admin',
                   'stack_domain_admin_password': None}


def domain_options(args):
    """Return what the options of the domain are, by name.

    The command line comes before the environment, and that before the
    configuration files.
    """
    conf = cfg.ConfigOpts()
    conf.register_opts([cfg.StrOpt(name) for name in _DOMAIN_OPTIONS])
    given = [f'--config-{kind}={path}' for kind in ('file', 'dir')
             for path in getattr(args, 'config_' + kind)]
    conf(given, project='heat',
         default_config_files=[], default_config_dirs=[])
    return {name: getattr(args, name) or os.environ.get(name.upper()) or
            conf[name] or default
            for name, default in _DOMAIN_OPTIONS.items()}


def set_up(args, setup):
    """Make what the services need."""
    domain_id = 'default'
    project = setup.project(args.service_project, domain_id)
    role = setup.existing_role(args.service_role)
    user = setup.user(args.user, domain_id, os.environ.get('HEAT_PASSWORD'))
    setup.grant(user, role, 'project', project,
                (args.user, args.service_role))
    setup.role(args.user_role)
    setup.role(args.owner_role)
    setup.service(args.service_name, args.service_type,
                  'Orchestration of stacks', args.api_url, args.region)
    setup.service(args.service_name + '-cfn', args.cfn_service_type,
                  'CloudFormation-compatible API', args.cfn_url, args.region)
    if args.cloudwatch_url:
        setup.service(args.service_name + '-cloudwatch', 'cloudwatch',
                      'CloudWatch-compatible API', args.cloudwatch_url,
                      args.region)


def set_up_domain(args, setup):
    """Make what users in stacks need."""
    options = domain_options(args)
    admin = options['stack_domain_admin']
    role = setup.existing_role(args.admin_role)
    domain = setup.domain(options['stack_user_domain_name'],
                          'Users and projects that stacks need')
    user = setup.user(admin, domain and domain.id,
                      options['stack_domain_admin_password'],
                      description='Manages users and projects of stacks')
    setup.grant(user, role, 'domain', domain,
                (admin, args.admin_role))
    if domain is not None:
        print('\n' + _('In heat.conf:') + '\n[DEFAULT]\n'
              f'stack_user_domain_id = {domain.id}\n'
              f'stack_domain_admin = {admin}\n'
              'stack_domain_admin_password = ' + _('(the password)'))


def _run(make_parser, work, argv):
    i18n.follow_locale()
    args = make_parser().parse_args(argv)
    try:
        cloud = sdk.connection.from_config(cloud=args.os_cloud)
        work(args, Setup(cloud, args.dry_run))
    except (Refused, cfg.Error, ks_exceptions.ClientException,
            sdk.exceptions.SDKException) as error:
        print(_('ERROR: %s') % error, file=sys.stderr)
        return 1
    return 0


def main(argv=None):
    """Run heat-keystone-setup; return its exit code."""
    return _run(setup_parser, set_up, argv)


def main_domain(argv=None):
    """Run heat-keystone-setup-domain; return its exit code."""
    return _run(domain_parser, set_up_domain, argv)
