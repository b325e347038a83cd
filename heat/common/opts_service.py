"""Options of the API servers, the clients of cloud services and caches."""
import copy

from oslo_config import cfg

from heat.common.i18n import _

_ENDPOINT_TYPES = ['publicURL', 'internalURL', 'adminURL', 'public',
                   'internal', 'admin']

#: Services with an option group clients_<name> of their own.
CLIENTS = ('aodh', 'barbican', 'cinder', 'designate', 'glance', 'heat',
           'keystone', 'magnum', 'manila', 'mistral', 'neutron', 'nova',
           'octavia', 'swift', 'trove', 'zaqar')

paste_deploy_opts = [
    cfg.StrOpt('flavor',
               help=_('Which pipeline of the paste configuration to use: '
                      'the part after the hyphen, as standalone or noauth. '
                      'By default the plain one, with Keystone.')),
    cfg.StrOpt('api_paste_config', default='api-paste.ini',
               help=_('The paste configuration file.')),
]

revision_opts = [
    cfg.StrOpt('heat_revision', default='unknown',
               help=_('Revision that build_info reports, set by those who '
                      'deploy from source.')),
]

wsgi_opts = [
    cfg.IntOpt('max_json_body_size', default=1048576, mutable=True,
               help=_('How many bytes the JSON body of a request may have. '
                      'Should be larger than max_template_size.')),
    cfg.IntOpt('project_requests_at_once', default=32, min=1, mutable=True,
               help=_('How many requests of one project that change '
                      'something an API process sends to the engines at the '
                      'same time. Others of the project wait, so that those '
                      'of other projects are answered meanwhile.')),
]

clients_opts = [
    cfg.StrOpt('endpoint_type', choices=_ENDPOINT_TYPES, default='public',
               help=_('Which endpoint of the service catalog to talk to.')),
    cfg.StrOpt('ca_file',
               help=_('File with the CA certificates for TLS '
                      'connections.')),
    cfg.StrOpt('cert_file',
               help=_('File with the client certificate, PEM.')),
    cfg.StrOpt('key_file',
               help=_('File with the key of the client certificate.')),
    cfg.BoolOpt('insecure', default=False,
                help=_('Whether to go without checking the certificate of '
                       'the server.')),
]

client_http_log_debug_opts = [
    cfg.BoolOpt('http_log_debug', default=False,
                help=_('Whether the client logs the HTTP traffic; secrets '
                       'may show.')),
]

heat_client_opts = [
    cfg.URIOpt('url',
               help=_('URL of the orchestration API, in the form '
                      'http://0.0.0.0:8004/v1/%(tenant_id)s, for resources '
                      'that are stacks elsewhere.')),
]

keystone_client_opts = [
    cfg.URIOpt('auth_uri',
               help=_('Keystone URL without version.')),
]


def _server_opts(port):
    return [
        cfg.HostAddressOpt('bind_host', default='0.0.0.0',
                           help=_('Address to listen on.')),
        cfg.PortOpt('bind_port', default=port,
                    help=_('Port to listen on.')),
        cfg.IntOpt('backlog', default=4096, min=1,
                   help=_('How many connections may wait to be accepted.')),
        cfg.StrOpt('cert_file',
                   help=_('File with the certificate of the server, PEM. '
                          'Switches TLS on.')),
        cfg.StrOpt('key_file',
                   help=_('File with the key of the certificate.')),
        cfg.IntOpt('workers', default=0, min=0,
                   help=_('How many processes serve requests. 0 stands for '
                          'one for each processor.')),
        cfg.IntOpt('threads', default=100, min=1,
                   help=_('How many requests one process serves at the same '
                          'time. Clients that are slow to send or to receive '
                          'do not count.')),
        cfg.IntOpt('max_header_line', default=16384, min=256,
                   help=_('How many bytes a line of the header may have. '
                          'Tokens with large catalogs need more.')),
        cfg.IntOpt('tcp_keepidle', default=600, min=1,
                   help=_('Seconds without traffic after which a connection '
                          'is probed.')),
        cfg.IntOpt('client_socket_timeout', default=900, min=0,
                   help=_('Seconds without traffic after which a connection '
                          'is closed. 0 stands for never.')),
    ]


api_opts = _server_opts(8004)
metrics_opts = [
    cfg.ListOpt('allowed_source_ranges', default=['127.0.0.0/8', '::1/128'],
                help=_('Networks from which the APIs show their figures at '
                       '/metrics. To others, and through proxies, there is '
                       'no such path.')),
]
engine_monitor_opts = [
    cfg.HostAddressOpt('bind_host', default='127.0.0.1',
                       help=_('Address on which an engine serves /metrics '
                              'and /healthcheck.')),
    cfg.PortOpt('bind_port',
                help=_('Port of the same. Unset, there is no such '
                       'server.')),
]
api_cfn_opts = _server_opts(8000)


def client_groups():
    """Yield (group, options) of every client of a cloud service."""
    own = copy.deepcopy(clients_opts)
    for option in own:
        # Unset options fall back to those of the group [clients].
        option.default = None
    for client in CLIENTS:
        options = list(own)
        if client in ('nova', 'cinder'):
            options += client_http_log_debug_opts
        if client == 'heat':
            options += heat_client_opts
        if client == 'keystone':
            options += keystone_client_opts
        yield 'clients_' + client, options


def _cache_opts(subject, seconds):
    return [
        cfg.IntOpt('expiration_time', default=seconds,
                   help=_('Seconds for which %s is kept.') % subject),
        cfg.BoolOpt('caching', default=True,
                    help=_('Whether %s is kept at all; the option enabled '
                           'of the group [cache] must be on, too.')
                    % subject),
    ]


cache_groups = [
    ('constraint_validation_cache',
     _cache_opts(_('the outcome of checking a custom constraint'), 60)),
    ('service_extension_cache',
     _cache_opts(_('the list of extensions of a service'), 3600)),
    ('resource_finder_cache',
     _cache_opts(_('the id that was found for a name'), 3600)),
]
