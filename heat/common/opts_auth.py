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
               deprecated_reason=_('Stored passwords are less secure than '
                                   'trusts.'),
               deprecated_since='9.0.0',
               help=_('Method by which the engine acts on behalf of a user '
                      'after the request: the stored password or a trust.')),
    cfg.StrOpt('reauthentication_auth_method', choices=['', 'trusts'],
               default='',
               help=_('Method of obtaining a new token when the token of the '
                      'request expires during an operation. Empty: none. '
                      'trusts: a trust, which extends the access beyond the '
                      'lifetime of the token of the user.')),
    cfg.BoolOpt('allow_trusts_redelegation', default=False,
                help=_('Whether the trustee may redelegate the trusts. '
                       'Required for services that create trusts themselves. '
                       'Redelegation increases the impact of a stolen '
                       'token.')),
    cfg.ListOpt('trusts_delegated_roles', default=[],
                help=_('Roles of the user that a trust delegates. Defaults to '
                       'all roles.')),
    cfg.StrOpt('heat_stack_user_role', default='heat_stack_user',
               help=_('Keystone role of the users that are defined in '
                      'templates.')),
    cfg.StrOpt('stack_user_domain_id',
               help=_('ID of the Keystone domain of the users that are '
                      'defined in templates. Takes precedence over '
                      'stack_user_domain_name.')),
    cfg.StrOpt('stack_user_domain_name',
               help=_('Name of the Keystone domain of the users that are '
                      'defined in templates.')),
    cfg.StrOpt('stack_domain_admin',
               help=_('Keystone user who manages users and projects in the '
                      'stack user domain.')),
    cfg.StrOpt('stack_domain_admin_password', secret=True,
               help=_('Password of stack_domain_admin.')),
    cfg.StrOpt('server_keystone_endpoint_type',
               choices=['', 'public', 'internal', 'admin'], default='',
               help=_('Type of the Keystone endpoint in the service catalog '
                      'that servers use. If empty, they use '
                      'www_authenticate_uri.')),
    cfg.StrOpt('region_name_for_services',
               help=_('Region in which service endpoints are looked up.')),
    cfg.StrOpt('region_name_for_shared_services',
               help=_('Region in which the endpoints of the services in '
                      'shared_services_types are looked up.')),
    cfg.ListOpt('shared_services_types', default=['image', 'volumev3'],
                help=_('Types of the services in '
                       'region_name_for_shared_services.')),
]

#: The default of the peer. It can be read by anybody: an engine refuses it.
PUBLISHED_KEY = 'notgood but just long enough i t'
#: Lengths of encryption keys that old installations may have instead of 32.
SHORT_KEYS = (16, 24)

crypt_opts = [
    cfg.StrOpt('auth_encryption_key', secret=True,
               default=PUBLISHED_KEY,
               help=_('Key that encrypts secrets in the database, 32 '
                      'characters. All engines and heat-manage must use the '
                      'same key. Without it encrypted data cannot be read. '
                      'Engines do not start with the default key, because it '
                      'is public.')),
]

auth_password_opts = [
    cfg.BoolOpt('multi_cloud', default=False,
                help=_('Whether requests may specify the Keystone endpoint '
                       'for authentication.')),
    cfg.ListOpt('allowed_auth_uris', default=[],
                help=_('Keystone endpoints that requests may specify if '
                       'multi_cloud is enabled. At least one is required.')),
]

noauth_opts = [
    cfg.StrOpt('token_response', default='',
               help=_('JSON document with the token data that the noauth '
                      'filter passes to the API.')),
    cfg.ListOpt('allowed_hosts', default=[],
                help=_('Additional host names that requests without '
                       'authentication may address. IP addresses, localhost, '
                       'bind_host and the name of the machine are always '
                       'allowed. The check protects against DNS rebinding by '
                       'web pages.')),
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
                    help=_('Whether requests may be signed by several '
                           'clouds.')),
        cfg.ListOpt('clouds', default=[],
                    help=_('Names of the clouds that may sign requests. Each '
                           'has an option group ec2authtoken.<name>. At least '
                           'one is required if multi_cloud is enabled.')),
    ]
    return (own + ks_loading.get_session_conf_options() +
            ks_loading.get_adapter_conf_options(
                include_deprecated=True) +
            ks_loading.get_auth_common_conf_options() +
            ks_loading.get_auth_plugin_conf_options(_PLUGINS[EC2_GROUP]))
