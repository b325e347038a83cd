"""Options of the engine: limits, stacks, templates, cloud conventions."""
import socket

from oslo_config import cfg

from heat.common import address_filter
from heat.common import request_budget
from heat.common.i18n import _

limit_opts = [
    cfg.IntOpt('max_resources_per_stack', default=1000,
               help=_('How many resources one stack and all the stacks '
                      'nested in it may have together. -1 stands for no '
                      'limit.')),
    cfg.IntOpt('max_stacks_per_tenant', default=512,
               help=_('How many stacks a project may have at a time, nested '
                      'ones not counted. -1 stands for no limit.')),
    cfg.IntOpt('max_software_configs_per_tenant', default=4096,
               help=_('How many software configs a project may have at a '
                      'time. -1 stands for no limit.')),
    cfg.IntOpt('max_software_deployments_per_tenant', default=4096,
               help=_('How many software deployments a project may have at '
                      'a time. -1 stands for no limit.')),
    cfg.IntOpt('max_snapshots_per_stack', default=32,
               help=_('How many snapshots of one stack may exist at a time. '
                      '-1 stands for no limit.')),
    cfg.IntOpt('change_set_retention', default=30 * 86400, min=60,
               help=_('Seconds after which a change set is deleted. It goes '
                      'when another one of its project is stored.')),
    cfg.IntOpt('max_template_size', default=524288,
               help=_('How long a template may be, in characters.')),
    cfg.IntOpt('max_nested_stack_depth', default=5,
               help=_('How deep stacks may be nested below a root stack.')),
    cfg.IntOpt('max_events_per_stack', default=1000,
               help=_('How many events of a stack are kept; older ones are '
                      'purged now and then. 0 keeps all of them.')),
    cfg.IntOpt('event_purge_batch_size', default=200, min=1,
               help=_('How many events are purged in one go when a stack '
                      'has more than max_events_per_stack.')),
    cfg.IntOpt('max_server_name_length', default=53, max=53,
               help=_('How long a server name may be. A server gets a host '
                      'name made of it, and Linux allows 64 characters '
                      'including the domain.')),
    cfg.IntOpt('max_interface_check_attempts', min=1, default=10,
               help=_('How often to look whether an interface has been '
                      'attached or detached.')),
    cfg.FloatOpt('template_fetch_timeout', default=60, min=0,
                 help=_('Seconds to wait for a template that is fetched '
                        'from a URL.')),
    cfg.ListOpt('allowed_fetch_networks', default=[],
                item_type=address_filter.NetworkType(),
                help=_('Networks, such as 10.0.0.0/8, outside the public '
                       'internet that the service may connect to for its '
                       'users: to fetch a template from a URL, and to '
                       'manage a stack in another cloud with credentials '
                       'of the user. Any other address that is private, '
                       'local, reserved or embeds one of IPv4 is refused, '
                       'at every redirect.')),
    cfg.FloatOpt('metadata_put_timeout', default=60, min=0,
                 help=_('Seconds to wait while metadata is put to a '
                        'temporary URL.')),
]

service_opts = [
    cfg.StrOpt('host', default=socket.gethostname(),
               sample_default='<Hostname>',
               help=_('Name of this node: a host name, an address, or any '
                      'text that no other node uses.')),
    cfg.IntOpt('periodic_interval', default=60,
               help=_('Seconds between two reports of an engine that it is '
                      'alive.')),
    cfg.IntOpt('num_engine_workers', min=0,
               help=_('How many engine processes to start. By default, and '
                      'with 0, there is one for each processor.')),
    cfg.ListOpt('plugin_dirs',
                default=['/usr/lib64/heat', '/usr/lib/heat',
                         '/usr/local/lib/heat', '/usr/local/lib64/heat'],
                help=_('Directories to look for plugins in.')),
    cfg.StrOpt('environment_dir', default='/etc/heat/environment.d',
               help=_('Directory with environment files that apply to all '
                      'stacks.')),
    cfg.StrOpt('template_dir', default='/etc/heat/templates',
               help=_('Directory with the templates of resource types that '
                      'are implemented by templates.')),
    cfg.IntOpt('engine_life_check_timeout', default=2,
               help=_('Seconds to wait for an engine to answer that it is '
                      'alive.')),
]

stack_opts = [
    cfg.IntOpt('stack_action_timeout', default=3600,
               help=_('Seconds after which an operation on a stack fails, '
                      'unless the request sets another timeout.')),
    cfg.IntOpt('error_wait_time', default=240,
               help=_('Seconds that resources being worked on get to finish '
                      'after another one has failed, or after the stack is '
                      'to be deleted.')),
    cfg.IntOpt('action_retry_limit', default=5,
               help=_('How often to retry bringing a resource to a state '
                      'after a passing error.')),
    cfg.IntOpt('client_retry_limit', default=2,
               help=_('How often to retry a call to a cloud service after a '
                      'connection error.')),
    cfg.FloatOpt('client_request_timeout', default=60, min=1,
                 help=_('Seconds to wait for the connection to a cloud '
                        'service, and then for each part of its answer.')),
    cfg.BoolOpt('convergence_engine', default=True,
                deprecated_for_removal=True,
                help=_('Whether new stacks are worked on by all engines '
                       'together, resource by resource. Otherwise one '
                       'engine takes a whole stack.')),
    cfg.BoolOpt('observe_on_update', default=False,
                help=_('Whether an update compares with what the cloud '
                       'reports, rather than with the stored properties.')),
    cfg.BoolOpt('enable_stack_adopt', default=False,
                help=_('Whether stacks may be adopted.')),
    cfg.BoolOpt('enable_stack_abandon', default=False,
                help=_('Whether stacks may be abandoned.')),
    cfg.BoolOpt('list_unavailable_types', default=False,
                help=_('Whether lists of resource types include those whose '
                       'service does not exist. Their descriptions name the '
                       'service that they need.')),
    cfg.ListOpt('hidden_stack_tags', default=[],
                help=_('Stacks with one of these tags are left out of '
                       'lists, unless hidden ones are asked for.')),
    cfg.BoolOpt('encrypt_parameters_and_properties', default=False,
                help=_('Whether hidden parameters, and all that may hold '
                       'hidden values, such as properties and metadata of '
                       'resources, templates, and software configs, are '
                       'encrypted in the database.')),
    cfg.BoolOpt('stack_scheduler_hints', default=False,
                help=_('Whether servers and volumes are created with '
                       'scheduler hints that name their stack.')),
    cfg.IntOpt('convergence_scan_interval', default=5, min=1,
               help=_('Seconds between two looks of an engine for work that '
                      'nobody does: messages got lost, engines died, '
                      'timeouts passed.')),
    cfg.IntOpt('convergence_max_inflight_per_stack', default=64, min=1,
               help=_('How many resources of one stack an engine works on '
                      'at the same time, so that a large stack leaves room '
                      'for the others.')),
]

server_opts = [
    cfg.StrOpt('default_software_config_transport',
               choices=['POLL_SERVER_CFN', 'POLL_SERVER_HEAT',
                        'POLL_TEMP_URL', 'ZAQAR_MESSAGE'],
               default='POLL_SERVER_CFN',
               help=_('How servers receive software configs, unless the '
                      'template says it: by asking the cfn API, by asking '
                      'the orchestration API, by reading a temporary URL, '
                      'or by a Zaqar queue.')),
    cfg.StrOpt('default_deployment_signal_transport',
               choices=['CFN_SIGNAL', 'TEMP_URL_SIGNAL', 'HEAT_SIGNAL',
                        'ZAQAR_SIGNAL'],
               default='CFN_SIGNAL',
               help=_('How servers report the outcome of a deployment, '
                      'unless the template says it: by a signed URL of the '
                      'cfn API, by a temporary URL, by the orchestration '
                      'API, or by a Zaqar queue.')),
    cfg.StrOpt('default_user_data_format',
               choices=['HEAT_CFNTOOLS', 'RAW', 'SOFTWARE_CONFIG'],
               default='HEAT_CFNTOOLS',
               help=_('How user data is handed to servers, unless the '
                      'template says it: with the cfn tools, as it is, or '
                      'with what software deployments need.')),
    cfg.URIOpt('heat_metadata_server_url',
               help=_('URL at which servers reach the cfn API for '
                      'metadata.')),
    cfg.URIOpt('heat_waitcondition_server_url',
               help=_('URL at which servers reach the cfn API for wait '
                      'conditions.')),
    cfg.StrOpt('instance_connection_is_secure', default='0',
               help=_('Whether instances connect to the cfn API by TLS '
                      '(0 or 1).')),
    cfg.StrOpt('instance_connection_https_validate_certificates',
               default='1',
               help=_('Whether instances check the certificate of the cfn '
                      'API when they use TLS (0 or 1).')),
    cfg.StrOpt('max_nova_api_microversion',
               help=_('Highest Nova microversion to use. By default the '
                      'highest that the service has.')),
    cfg.StrOpt('max_cinder_api_microversion',
               help=_('Highest Cinder microversion to use. By default the '
                      'highest that the service has.')),
    cfg.StrOpt('max_ironic_api_microversion',
               help=_('Highest Ironic microversion to use. By default the '
                      'highest that the service has.')),
]

volumes_opts = [
    cfg.BoolOpt('backups_enabled', default=True,
                help=_('Whether the cloud has the volume backup service.')),
]

_BUDGET = request_budget.Limits()
request_budget_opts = [
    cfg.FloatOpt('cpu_seconds', default=_BUDGET.cpu_seconds, min=0.01,
                 help=_('How many seconds of CPU time the functions, '
                        'patterns, queries and resource types of one request '
                        'may take together. Each later step of an engine '
                        'has as much.')),
    cfg.IntOpt('output_size', default=_BUDGET.output_size, min=1048576,
               help=_('How many bytes the functions and generated templates '
                      'of one request may make together.')),
    cfg.IntOpt('yaml_nodes', default=_BUDGET.yaml_nodes, min=1000,
               help=_('How many lists, maps, keys and values the YAML texts '
                      'of one request may have together. A list or map '
                      'counts as three, that of a JSON text as well.')),
    cfg.IntOpt('nested_definitions', default=_BUDGET.nested_definitions,
               min=1000,
               help=_('How many parameters, resources and outputs the '
                      'nested stacks of one request may have together. A '
                      'group counts as one of its members.')),
]

yaql_opts = [
    cfg.IntOpt('limit_iterators', default=200,
               help=_('How many elements a collection may have in a yaql '
                      'expression.')),
    cfg.IntOpt('memory_quota', default=10000,
               help=_('How many bytes a yaql expression may use.')),
]

engine_clients_opts = [
    cfg.StrOpt('cloud_backend',
               default='heat.engine.clients.OpenStackClients',
               help=_('Full name of the class that holds the clients of the '
                      'cloud services.')),
]

keystone_client_opts = [
    cfg.StrOpt('keystone_backend',
               default='heat.engine.clients.os.keystone.'
                       'heat_keystoneclient.KsClientWrapper',
               help=_('Full name of the class that talks to Keystone for '
                      'the engine.')),
]

notification_opts = [
    cfg.StrOpt('default_notification_level', default='INFO',
               help=_('Priority of the notifications about stacks.')),
    cfg.StrOpt('default_publisher_id',
               help=_('Who notifications are from. By default '
                      '"orchestration." and the host name.')),
]

resources_opts = [
    cfg.StrOpt('loadbalancer_template',
               help=_('Template file for the nested stack of a load '
                      'balancer, instead of the built-in one.')),
]

#: What takes effect when the configuration files are read anew (SIGHUP):
#: each of these is looked up at every use.
_MUTABLE = frozenset((
    'action_retry_limit', 'allowed_fetch_networks', 'change_set_retention',
    'convergence_engine',
    'convergence_max_inflight_per_stack', 'convergence_scan_interval',
    'enable_stack_abandon', 'enable_stack_adopt',
    'encrypt_parameters_and_properties', 'engine_life_check_timeout',
    'error_wait_time', 'event_purge_batch_size', 'hidden_stack_tags',
    'list_unavailable_types', 'max_events_per_stack', 'max_nested_stack_depth',
    'max_resources_per_stack', 'max_snapshots_per_stack',
    'max_software_configs_per_tenant',
    'max_software_deployments_per_tenant', 'max_stacks_per_tenant',
    'max_template_size', 'observe_on_update', 'stack_action_timeout',
    'stack_scheduler_hints', 'template_fetch_timeout',
))

for _option in limit_opts + service_opts + stack_opts:
    _option.mutable = _option.name in _MUTABLE
