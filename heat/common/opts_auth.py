"""Options of authentication, trusts and secrets."""
import functools

from keystoneauth1 import loading as ks_loading
from oslo_config import cfg

from heat.common.i18n import _

TRUSTEE_GROUP = 'trustee'
EC2_GROUP = 'ec2authtoken'

auth_opts = [
    cfg.StrOpt('deferred_auth_method', choices=['password', 'trusts'],
               default='trusts', deprecated_for_removal=True,
               deprecated_reason=_('Stored passwords are less safe than '
                                   'trusts.'),
               deprecated_since='9.0.0',
               help=_('How the engine acts for a user later on: with the '
                      'stored password or by a trust.')),
    cfg.StrOpt('reauthentication_auth_method', choices=['', 'trusts'],
               default='',
               help=_('How to get a new token when the one of the request '
                      'expires while an operation runs. Empty: not at all; '
                      'trusts: by a trust, which outlives the token of the '
                      'user, so be sure that you want that.')),
    cfg.BoolOpt('allow_trusts_redelegation', default=False,
                help=_('Whether the trusts may be handed on by the trustee. '
                       'Needed for services that create trusts themselves; '
                       'it widens what a stolen token can do.')),
    cfg.ListOpt('trusts_delegated_roles', default=[],
                help=_('Roles of the user that a trust passes on. By '
                       'default all of them.')),
    cfg.StrOpt('heat_stack_user_role', default='heat_stack_user',
               help=_('Keystone role of the users that templates define.')),
    cfg.StrOpt('stack_user_domain_id',
               help=_('Id of the Keystone domain that holds the users which '
                      'templates define. Wins over '
                      'stack_user_domain_name.')),
    cfg.StrOpt('stack_user_domain_name',
               help=_('Name of the Keystone domain that holds the users '
                      'which templates define.')),
    cfg.StrOpt('stack_domain_admin',
               help=_('Keystone user who manages users and projects in the '
                      'stack user domain.')),
    cfg.StrOpt('stack_domain_admin_password', secret=True,
               help=_('Password of stack_domain_admin.')),
    cfg.StrOpt('server_keystone_endpoint_type',
               choices=['', 'public', 'internal', 'admin'], default='',
               help=_('Which Keystone endpoint of the catalog servers use. '
                      'Empty: the one that www_authenticate_uri names.')),
    cfg.StrOpt('region_name_for_services',
               help=_('Region that endpoints are looked up in.')),
    cfg.StrOpt('region_name_for_shared_services',
               help=_('Region that endpoints of the services in '
                      'shared_services_types are looked up in.')),
    cfg.ListOpt('shared_services_types', default=['image', 'volumev3'],
                help=_('Services that are in '
                       'region_name_for_shared_services.')),
]

#: The default of the peer. It can be read by anybody: an engine refuses it.
PUBLISHED_KEY = 'notgood but just long enough i t'

crypt_opts = [
    cfg.StrOpt('auth_encryption_key', secret=True,
               default=PUBLISHED_KEY,
               help=_('Key for encrypting secrets in the database, 32 '
                      'characters. All engines and heat-manage need the '
                      'same one, and a database is unreadable without it. '
                      'The default is published: no engine starts with it.')),
]

auth_password_opts = [
    cfg.BoolOpt('multi_cloud', default=False,
                help=_('Whether requests may name the Keystone to '
                       'authenticate with.')),
    cfg.ListOpt('allowed_auth_uris', default=[],
                help=_('Keystone endpoints that requests may name when '
                       'multi_cloud is on. At least one is needed.')),
]

noauth_opts = [
    cfg.StrOpt('token_response', default='',
               help=_('JSON text with the token data that the noauth filter '
                      'passes on.')),
    cfg.ListOpt('allowed_hosts', default=[],
                help=_('Names of hosts that requests without authentication '
                       'may be for, beside addresses, localhost, bind_host '
                       'and the name of the machine. A web page could make '
                       'other names stand for the address of the service.')),
]


#: The plugins whose options configuration samples show.
_PLUGINS = {TRUSTEE_GROUP: 'password', EC2_GROUP: 'v3password'}


def register(group, conf=cfg.CONF):
    """Register the options of an account.

    :param group: TRUSTEE_GROUP or EC2_GROUP.
    """
    conf.register_opts(_options_of_any_plugin(group), group=group)


def load(group, **options):
    """Return the keystoneauth plugin of an account, as configured, or None.

    :param options: what is not configured, but known now.
    :raises MissingRequiredOptions: of keystoneauth; the group is incomplete.
    """
    register(group)
    return ks_loading.load_auth_from_conf_options(cfg.CONF, group, **options)


@functools.cache
def _options_of_any_plugin(group):
    """Return the options of an account but for those the sample shows.

    The plugin that is configured registers its own, which may differ.
    """
    options = (trustee_opts if group == TRUSTEE_GROUP else ec2token_opts)()
    of_plugin = ks_loading.get_auth_plugin_conf_options(_PLUGINS[group])
    return [each for each in options if each not in of_plugin]


def trustee_opts():
    """Return the options of the account that trusts are made to."""
    return (ks_loading.get_auth_common_conf_options() +
            ks_loading.get_auth_plugin_conf_options(
                _PLUGINS[TRUSTEE_GROUP]))


def ec2token_opts():
    """Return the options of the filter that accepts EC2 signatures."""
    own = [
        cfg.BoolOpt('multi_cloud', default=False,
                    help=_('Whether several clouds may sign requests.')),
        cfg.ListOpt('clouds', default=[],
                    help=_('Names of the clouds that may sign requests. '
                           'Each has an option group ec2authtoken.<name>. '
                           'At least one is needed when multi_cloud is '
                           'on.')),
    ]
    return (own + ks_loading.get_session_conf_options() +
            ks_loading.get_adapter_conf_options(
                include_deprecated=True) +
            ks_loading.get_auth_common_conf_options() +
            ks_loading.get_auth_plugin_conf_options(_PLUGINS[EC2_GROUP]))
