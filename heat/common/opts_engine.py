"""Options of the engine: limits, stacks, templates, cloud conventions."""
import socket

from oslo_config import cfg

from heat.common import address_filter
from heat.common import request_budget
from heat.common.i18n import _

limit_opts = [
    cfg.IntOpt('max_resources_per_stack', default=1000,
               help=_('Maximum number of resources in a stack together with '
                      'all of its nested stacks; -1 for no limit.')),
    cfg.IntOpt('max_stacks_per_tenant', default=512,
               help=_('Maximum number of stacks per project, without nested '
                      'stacks; -1 for no limit.')),
    cfg.IntOpt('max_software_configs_per_tenant', default=4096,
               help=_('Maximum number of software configs per project; -1 for '
                      'no limit.')),
    cfg.IntOpt('max_software_deployments_per_tenant', default=4096,
               help=_('Maximum number of software deployments per project; -1 '
                      'for no limit.')),
    cfg.IntOpt('max_snapshots_per_stack', default=32,
               help=_('Maximum number of snapshots per stack; -1 for no '
                      'limit.')),
    cfg.IntOpt('change_set_retention', default=30 * 86400, min=60,
               help=_('Retention of change sets in seconds. Expired change '
                      'sets are deleted when another change set of the same '
                      'project is stored.')),
    cfg.IntOpt('change_set_immediate_resources', default=200, min=0,
               help=_('Maximum number of resources of a tree whose change '
                      'set is planned within the request. Engines plan larger '
                      'ones in the background.')),
    cfg.IntOpt('max_template_size', default=524288,
               help=_('Maximum length of a template in characters.')),
    cfg.IntOpt('max_nested_stack_depth', default=5,
               help=_('Maximum nesting depth of stacks below a root stack.')),
    cfg.IntOpt('max_events_per_stack', default=1000,
               help=_('Number of events to retain per stack. Older events are '
                      'purged periodically. 0 disables purging.')),
    cfg.IntOpt('event_purge_batch_size', default=200, min=1,
               help=_('Number of events to purge in one batch when a stack '
                      'has more than max_events_per_stack.')),
    cfg.IntOpt('max_server_name_length', default=53, max=53,
               help=_('Maximum length of a server name. The host name of the '
                      'server derives from it, and Linux limits host names to '
                      '64 characters including the domain.')),
    cfg.IntOpt('max_interface_check_attempts', min=1, default=10,
               help=_('Number of checks whether an interface has been '
                      'attached or detached before the operation fails.')),
    cfg.FloatOpt('template_fetch_timeout', default=60, min=0,
                 help=_('Timeout of fetching a template from a URL in '
                        'seconds.')),
    cfg.ListOpt('allowed_fetch_networks', default=[],
                item_type=address_filter.NetworkType(),
                help=_('Non-public networks, for example 10.0.0.0/8, to which '
                       'the service may connect on behalf of users: to fetch '
                       'a template from a URL, and to manage a stack in '
                       'another cloud with the credentials of the user. All '
                       'other addresses that are private, local or reserved, '
                       'or that embed an IPv4 address, are rejected, also in '
                       'redirects.')),
    cfg.FloatOpt('metadata_put_timeout', default=60, min=0,
                 help=_('Timeout of uploading metadata to a temporary URL in '
                        'seconds.')),
]

service_opts = [
    cfg.StrOpt('host', default=socket.gethostname(),
               sample_default='<Hostname>',
               help=_('Name of this node: a host name, an address, or any '
                      'other text that is unique among the nodes.')),
    cfg.IntOpt('periodic_interval', default=60,
               help=_('Interval of the heartbeat of an engine in seconds.')),
    cfg.IntOpt('num_engine_workers', min=0,
               help=_('Number of engine processes to start. By default, or '
                      'with 0, one process is started per processor.')),
    cfg.ListOpt('plugin_dirs',
                default=['/usr/lib64/heat', '/usr/lib/heat',
                         '/usr/local/lib/heat', '/usr/local/lib64/heat'],
                help=_('Directories from which plugins are loaded.')),
    cfg.StrOpt('environment_dir', default='/etc/heat/environment.d',
               help=_('Directory with environment files that apply to all '
                      'stacks.')),
    cfg.StrOpt('template_dir', default='/etc/heat/templates',
               help=_('Directory with the templates of resource types that '
                      'are implemented by templates.')),
    cfg.IntOpt('engine_life_check_timeout', default=2,
               help=_('Timeout in seconds of the check whether an engine is '
                      'alive.')),
]

stack_opts = [
    cfg.IntOpt('stack_action_timeout', default=3600,
               help=_('Default timeout of stack operations in seconds. A '
                      'request can specify another timeout.')),
    cfg.IntOpt('error_wait_time', default=240,
               help=_('Grace period in seconds for resources in progress to '
                      'complete after another resource has failed or the '
                      'deletion of the stack is requested.')),
    cfg.IntOpt('action_retry_limit', default=5,
               help=_('Number of retries of a resource action after a '
                      'transient error.')),
    cfg.IntOpt('client_retry_limit', default=2,
               help=_('Number of retries of a call to a cloud service after a '
                      'connection error.')),
    cfg.FloatOpt('client_request_timeout', default=60, min=1,
                 help=_('Timeout in seconds of the connection to a cloud '
                        'service, and of each read of its response.')),
    cfg.BoolOpt('convergence_engine', default=True,
                deprecated_for_removal=True,
                help=_('Whether new stacks use the convergence engine, which '
                       'distributes the resources of a stack among all '
                       'engines. Otherwise one engine processes the whole '
                       'stack.')),
    cfg.BoolOpt('observe_on_update', default=False,
                help=_('Whether an update compares the new properties with '
                       'the live state in the cloud instead of the stored '
                       'properties.')),
    cfg.BoolOpt('enable_stack_adopt', default=False,
                help=_('Whether stacks may be adopted.')),
    cfg.BoolOpt('enable_stack_abandon', default=False,
                help=_('Whether stacks may be abandoned.')),
    cfg.BoolOpt('list_unavailable_types', default=False,
                help=_('Whether the list of resource types includes types '
                       'whose service is not available. Their descriptions '
                       'name the required service.')),
    cfg.ListOpt('hidden_stack_tags', default=[],
                help=_('Stacks with one of these tags are omitted from lists '
                       'unless hidden stacks are requested.')),
    cfg.BoolOpt('encrypt_parameters_and_properties', default=False,
                help=_('Whether the database stores hidden parameters '
                       'encrypted, together with all data that may contain '
                       'hidden values, such as the properties and metadata of '
                       'resources, templates and software configs.')),
    cfg.BoolOpt('stack_scheduler_hints', default=False,
                help=_('Whether servers and volumes are created with '
                       'scheduler hints that name their stack.')),
    cfg.IntOpt('convergence_scan_interval', default=5, min=1,
               help=_('Interval in seconds at which an engine scans for '
                      'orphaned work: lost messages, dead engines and elapsed '
                      'timeouts.')),
    cfg.IntOpt('convergence_max_inflight_per_stack', default=64, min=1,
               help=_('Maximum number of resources of one stack that an '
                      'engine processes concurrently. The limit reserves '
                      'capacity for other stacks.')),
]

server_opts = [
    cfg.StrOpt('default_software_config_transport',
               choices=['POLL_SERVER_CFN', 'POLL_SERVER_HEAT',
                        'POLL_TEMP_URL', 'ZAQAR_MESSAGE'],
               default='POLL_SERVER_CFN',
               help=_('Default transport by which servers receive software '
                      'configs: polling the CloudFormation API, polling the '
                      'Orchestration API, a temporary URL, or a Zaqar '
                      'queue.')),
    cfg.StrOpt('default_deployment_signal_transport',
               choices=['CFN_SIGNAL', 'TEMP_URL_SIGNAL', 'HEAT_SIGNAL',
                        'ZAQAR_SIGNAL'],
               default='CFN_SIGNAL',
               help=_('Default transport by which servers signal the result '
                      'of a deployment: a signed URL of the CloudFormation '
                      'API, a temporary URL, the Orchestration API, or a '
                      'Zaqar queue.')),
    cfg.StrOpt('default_user_data_format',
               choices=['HEAT_CFNTOOLS', 'RAW', 'SOFTWARE_CONFIG'],
               default='HEAT_CFNTOOLS',
               help=_('Default format of the user data of servers: with the '
                      'data for heat-cfntools, unchanged, or with the data '
                      'for software deployments.')),
    cfg.URIOpt('heat_metadata_server_url',
               help=_('URL of the CloudFormation API from which servers read '
                      'metadata.')),
    cfg.URIOpt('heat_waitcondition_server_url',
               help=_('URL of the CloudFormation API to which servers send '
                      'signals for wait conditions.')),
    cfg.StrOpt('instance_connection_is_secure', default='0',
               help=_('Whether instances use TLS to connect to the '
                      'CloudFormation API (0 or 1).')),
    cfg.StrOpt('instance_connection_https_validate_certificates',
               default='1',
               help=_('Whether instances verify the certificate of the '
                      'CloudFormation API (0 or 1). Applies to TLS '
                      'connections.')),
    cfg.StrOpt('max_nova_api_microversion',
               help=_('Maximum Nova API microversion to use. Defaults to the '
                      'maximum that the service supports.')),
    cfg.StrOpt('max_cinder_api_microversion',
               help=_('Maximum Cinder API microversion to use. Defaults to '
                      'the maximum that the service supports.')),
    cfg.StrOpt('max_ironic_api_microversion',
               help=_('Maximum Ironic API microversion to use. Defaults to '
                      'the maximum that the service supports.')),
]

volumes_opts = [
    cfg.BoolOpt('backups_enabled', default=True,
                help=_('Whether the volume backup service is available in the '
                       'cloud.')),
]

_BUDGET = request_budget.Limits()
drift_opts = [
    cfg.IntOpt('interval', default=0, min=0,
               help=_('Seconds after which engines compare a stack with what '
                      'really exists again. 0 means that they do so only '
                      'when a user asks for it.')),
    cfg.IntOpt('at_once', default=2, min=1,
               help=_('Maximum number of comparisons that an engine carries '
                      'out at the same time without having been asked by a '
                      'user.')),
    cfg.FloatOpt('reads_per_second', default=0, min=0,
                 help=_('Maximum number of times per second that the '
                        'comparisons of an engine read what exists in a '
                        'region: a resource, or a page of a list. '
                        '0 means no limit.')),
    cfg.IntOpt('retention', default=30 * 86400, min=60,
               help=_('Retention of detected drift in seconds. It is deleted '
                      'when another detection of the same project begins. Of '
                      'each stack only the latest detections are retained '
                      'in any case.')),
]

cloudwatch_opts = [
    cfg.BoolOpt('enabled', default=False,
                help=_('Whether engines keep metrics and evaluate alarms by '
                       'themselves. It enables the type OS::Heat::CWLiteAlarm '
                       'and what heat-api-cloudwatch serves.')),
    cfg.FloatOpt('evaluation_interval', default=5, min=0.1,
                 help=_('Seconds after which an engine looks again for alarms '
                        'to evaluate and for signals to send.')),
    cfg.IntOpt('retention', default=86400, min=60,
               help=_('Seconds for which data of metrics and the history of '
                      'alarms are kept. Data that an alarm needs are kept '
                      'longer.')),
    cfg.FloatOpt('purge_interval', default=300, min=1,
                 help=_('Seconds after which an engine deletes old data '
                        'again.')),
    cfg.IntOpt('max_metrics_per_project', default=1000, min=1,
               help=_('How many metrics a project may have at a time. One '
                      'name with other dimensions is another metric.')),
    cfg.IntOpt('max_data_points_per_project', default=200000, min=1000,
               help=_('How many data points of a project are kept at a time. '
                      'More are refused until old ones are deleted.')),
]

request_budget_opts = [
    cfg.FloatOpt('cpu_seconds', default=_BUDGET.cpu_seconds, min=0.01,
                 help=_('CPU time in seconds that the functions, patterns, '
                        'queries and resource types of one request may '
                        'consume in total. Each later step in an engine has '
                        'the same limit.')),
    cfg.IntOpt('output_size', default=_BUDGET.output_size, min=1048576,
               help=_('Maximum total size in bytes of the results of '
                      'functions and of the templates generated in one '
                      'request.')),
    cfg.IntOpt('yaml_nodes', default=_BUDGET.yaml_nodes, min=1000,
               help=_('Maximum total number of lists, maps, keys and values '
                      'in the YAML and JSON documents of one request. A list '
                      'or map counts as three.')),
    cfg.IntOpt('nested_definitions', default=_BUDGET.nested_definitions,
               min=1000,
               help=_('Maximum total number of parameters, resources and '
                      'outputs in the nested stacks of one request. A '
                      'resource counts as three, a group as one of its '
                      'members.')),
]

yaql_opts = [
    cfg.IntOpt('limit_iterators', default=200,
               help=_('Maximum number of elements of a collection in a yaql '
                      'expression.')),
    cfg.IntOpt('memory_quota', default=10000,
               help=_('Maximum amount of memory in bytes that a yaql '
                      'expression may use.')),
]

engine_clients_opts = [
    cfg.StrOpt('cloud_backend',
               default='heat.engine.clients.OpenStackClients',
               help=_('Fully qualified name of the class that provides the '
                      'clients of the cloud services.')),
]

keystone_client_opts = [
    cfg.StrOpt('keystone_backend',
               default='heat.engine.clients.os.keystone.'
                       'heat_keystoneclient.KsClientWrapper',
               help=_('Fully qualified name of the Keystone client class of '
                      'the engine.')),
]

notification_opts = [
    cfg.StrOpt('default_notification_level', default='INFO',
               help=_('Priority of the notifications about stacks.')),
    cfg.StrOpt('default_publisher_id',
               help=_('Publisher ID of notifications. Defaults to '
                      '"orchestration." followed by the host name.')),
]

resources_opts = [
    cfg.StrOpt('loadbalancer_template',
               help=_('Template file of the nested stack of a load balancer. '
                      'Overrides the built-in template.')),
]

#: What takes effect when the configuration files are read anew (SIGHUP):
#: each of these is looked up at every use.
_MUTABLE = frozenset((
    'action_retry_limit', 'allowed_fetch_networks',
    'change_set_immediate_resources', 'change_set_retention',
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
