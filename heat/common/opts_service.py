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
               help=_('Pipeline of the paste configuration to use: the part '
                      'of its name after the hyphen, for example standalone '
                      'or noauth. By default the pipeline without a suffix, '
                      'which authenticates with Keystone.')),
    cfg.StrOpt('api_paste_config', default='api-paste.ini',
               help=_('Name of the paste configuration file.')),
]

revision_opts = [
    cfg.StrOpt('heat_revision', default='unknown',
               help=_('Revision that build_info reports. Set it when you '
                      'deploy from source.')),
]

wsgi_opts = [
    cfg.IntOpt('max_json_body_size', default=1048576, mutable=True,
               help=_('Maximum size in bytes of the JSON body of a request. '
                      'It should be larger than max_template_size.')),
    cfg.IntOpt('project_requests_at_once', default=8, min=1, mutable=True,
               help=_('Maximum number of modifying requests of one project '
                      'that an API process sends to the engines concurrently. '
                      'Further requests of the project wait, so that '
                      'requests of other projects are not delayed.')),
    cfg.BoolOpt('api_reads_database', default=False,
                help=_('Whether API processes answer requests that only read '
                       'the database themselves, instead of asking an engine '
                       'over RPC. They then need the plugins of the engines '
                       'and the same values of [database], '
                       'auth_encryption_key and plugin_dirs.')),
]

clients_opts = [
    cfg.StrOpt('endpoint_type', choices=_ENDPOINT_TYPES, default='public',
               help=_('Type of the endpoint in the service catalog to use.')),
    cfg.StrOpt('ca_file',
               help=_('File with the CA certificates for TLS '
                      'connections.')),
    cfg.StrOpt('cert_file',
               help=_('File with the client certificate in PEM format.')),
    cfg.StrOpt('key_file',
               help=_('File with the private key of the client certificate.')),
    cfg.BoolOpt('insecure', default=False,
                help=_('Whether the verification of the server certificate is '
                       'disabled.')),
]

client_http_log_debug_opts = [
    cfg.BoolOpt('http_log_debug', default=False,
                help=_('Whether the client logs HTTP requests and responses. '
                       'The log may contain secrets.')),
]

heat_client_opts = [
    cfg.URIOpt('url',
               help=_('URL of the Orchestration API, in the form '
                      'http://0.0.0.0:8004/v1/%(tenant_id)s. It is used by '
                      'resources that are stacks in other clouds.')),
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
                   help=_('Maximum number of connections that wait to be '
                          'accepted.')),
        cfg.StrOpt('cert_file',
                   help=_('File with the server certificate in PEM format. '
                          'Enables TLS.')),
        cfg.StrOpt('key_file',
                   help=_('File with the private key of the certificate.')),
        cfg.IntOpt('workers', default=0, min=0,
                   help=_('Number of processes that serve requests. With 0, '
                          'one process is started per processor.')),
        cfg.IntOpt('threads', default=100, min=1,
                   help=_('Maximum number of requests that one process serves '
                          'concurrently. Connections of slow clients are not '
                          'counted while data is transferred.')),
        cfg.IntOpt('max_header_line', default=16384, min=256,
                   help=_('Maximum size in bytes of a line in the request '
                          'header. Tokens with large service catalogs require '
                          'a larger value.')),
        cfg.IntOpt('tcp_keepidle', default=600, min=1,
                   help=_('Idle time in seconds after which TCP keepalive '
                          'probes a connection.')),
        cfg.IntOpt('client_socket_timeout', default=900, min=0,
                   help=_('Idle time in seconds after which a connection is '
                          'closed; 0 for never.')),
    ]


api_opts = _server_opts(8004) + [
    cfg.IntOpt('max_event_listeners', default=1000, min=1, mutable=True,
               help=_('Maximum number of clients that follow events at one '
                      'process. Half of them may belong to one project. '
                      'Further clients are asked to try again later.')),
]
metrics_opts = [
    cfg.ListOpt('allowed_source_ranges', default=['127.0.0.0/8', '::1/128'],
                help=_('Networks whose clients may read the metrics of the '
                       'APIs at /metrics. For other clients, and through '
                       'proxies, the path does not exist.')),
]
console_opts = [
    cfg.BoolOpt('enabled', default=False,
                help=_('Whether heat-api serves the console, pages for web '
                       'browsers, at /console. heat-all always does.')),
    cfg.IntOpt('session_idle_time', default=1800, min=60,
               help=_('Time in seconds without a request after which users '
                      'of the console have to log in again.')),
]
engine_monitor_opts = [
    cfg.HostAddressOpt('bind_host', default='127.0.0.1',
                       help=_('Address on which an engine serves /metrics '
                              'and /healthcheck.')),
    cfg.PortOpt('bind_port',
                help=_('Port on which an engine serves /metrics and '
                       '/healthcheck. By default the server is disabled.')),
]
api_cfn_opts = _server_opts(8000)
api_cloudwatch_opts = _server_opts(8003)


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
                   help=_('Time in seconds for which %s is '
                          'cached.') % subject),
        cfg.BoolOpt('caching', default=True,
                    help=_('Whether %s is cached. Requires the option enabled '
                           'in the group [cache].')
                    % subject),
    ]


cache_groups = [
    ('constraint_validation_cache',
     _cache_opts(_('the result of a custom constraint'), 60)),
    ('service_extension_cache',
     _cache_opts(_('the list of extensions of a service'), 3600)),
    ('resource_finder_cache',
     _cache_opts(_('the ID that was found for a name'), 3600)),
]
