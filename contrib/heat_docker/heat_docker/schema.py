"""The properties and attributes of DockerInc::Docker::Container."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties

#: The capabilities that a container has anyway.
DEFAULT_CAPABILITIES = (
    'AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL',
    'MKNOD', 'NET_BIND_SERVICE', 'NET_RAW', 'SETFCAP', 'SETGID', 'SETPCAP',
    'SETUID', 'SYS_CHROOT')
CAPABILITIES = (
    *DEFAULT_CAPABILITIES, 'ALL', 'AUDIT_CONTROL', 'AUDIT_READ',
    'BLOCK_SUSPEND', 'BPF', 'CHECKPOINT_RESTORE', 'DAC_READ_SEARCH',
    'IPC_LOCK', 'IPC_OWNER', 'LEASE', 'LINUX_IMMUTABLE', 'MAC_ADMIN',
    'MAC_OVERRIDE', 'NET_ADMIN', 'NET_BROADCAST', 'PERFMON', 'SYSLOG',
    'SYS_ADMIN', 'SYS_BOOT', 'SYS_MODULE', 'SYS_NICE', 'SYS_PACCT',
    'SYS_PTRACE', 'SYS_RAWIO', 'SYS_RESOURCE', 'SYS_TIME', 'SYS_TTY_CONFIG',
    'WAKE_ALARM')
_CAPABILITY = properties.string(
    _('One capability.'),
    constraints=[constraints.AllowedValues(CAPABILITIES)])
_PATH = constraints.Length(max=255)

RESTART_POLICY = {
    'Name': properties.string(
        _('When the container is started again after its command has ended.'),
        default='no',
        constraints=[constraints.AllowedValues(
            ['no', 'on-failure', 'always'])]),
    'MaximumRetryCount': properties.integer(
        _('How often "on-failure" starts it again. 0 is without limit.'),
        default=0),
}
DEVICE = {
    'path_on_host': properties.string(
        _('The device of the host.'), required=True, constraints=[_PATH]),
    'path_in_container': properties.string(
        _('The device in the container, by default the same path.'),
        constraints=[_PATH]),
    'permissions': properties.string(
        _('What the container may do with it: read, write, make nodes.'),
        default='rwm',
        constraints=[constraints.AllowedValues(
            ['r', 'w', 'm', 'rw', 'rm', 'wm', 'rwm'])]),
}

PROPERTIES = {
    'docker_endpoint': properties.string(
        _('The URL of the Docker daemon, by default that of the engine.')),
    'image': properties.string(
        _('The image, by name and tag or digest.'), required=True),
    'name': properties.string(
        _('The name of the container.')),
    'hostname': properties.string(
        _('The host name of the container.'), default=''),
    'user': properties.string(
        _('The user of the command, by name or number.'), default=''),
    'cmd': properties.list(
        _('The command and its arguments.'), default=[]),
    'env': properties.list(
        _('Environment variables, each as NAME=value.')),
    'dns': properties.list(
        _('The addresses of name servers.')),
    'memory': properties.integer(
        _('The memory in bytes.')),
    'cpu_shares': properties.integer(
        _('The weight of the container when CPUs are busy. 0 is the '
          'default of Docker.'), default=0),
    'cpu_set': properties.string(
        _('The CPUs that the container may use, such as 0-3 or 0,1.')),
    'port_specs': properties.list(
        _('Ports, each as [[address:]host port:]port[/protocol].')),
    'port_bindings': properties.map(
        _('The port of the host, or address:port, of each port/protocol.')),
    'links': properties.map(
        _('Containers of the project to link to, by name, each with its '
          'alias.')),
    'volumes': properties.map(
        _('Volumes: a path in the container with an empty value, or a path '
          'or volume of the host with the path in the container.'),
        default={}),
    'volumes_from': properties.string(
        _('A container of the project whose volumes are mounted.'),
        default=''),
    'privileged': properties.boolean(
        _('Whether the container has all rights on its host.'),
        default=False),
    'read_only': properties.boolean(
        _('Whether the root file system is read-only.'), default=False),
    'tty': properties.boolean(
        _('Whether the container has a terminal.'), default=False),
    'open_stdin': properties.boolean(
        _('Whether standard input stays open.'), default=False),
    'stdin_once': properties.boolean(
        _('Whether standard input closes when its first client leaves.'),
        default=False),
    'restart_policy': properties.map(
        _('When the container is started again.'), schema=RESTART_POLICY,
        default={}),
    'cap_add': properties.list(
        _('Capabilities that the container has in addition.'),
        schema=_CAPABILITY),
    'cap_drop': properties.list(
        _('Capabilities that the container does not have.'),
        schema=_CAPABILITY),
    'devices': properties.list(
        _('Devices of the host.'),
        schema=properties.map(_('One device.'), schema=DEVICE)),
}

_TEXTS = {
    'network_ip': _('The address of the container.'),
    'network_gateway': _('The gateway of the container.'),
    'network_tcp_ports': _('The TCP ports of the container, separated by '
                           'commas.'),
    'network_udp_ports': _('The UDP ports of the container, separated by '
                           'commas.'),
    'logs': _('What the command has written, up to 64 KiB.'),
    'logs_head': _('The first line that the command has written.'),
    'logs_tail': _('The last line that the command has written.'),
}
ATTRIBUTES = {
    'info': attributes.Schema(
        _('The container as Docker describes it.'),
        type=attributes.Schema.MAP, cache_mode=attributes.Schema.CACHE_NONE),
    'network_info': attributes.Schema(
        _('The network settings of the container.'),
        type=attributes.Schema.MAP, cache_mode=attributes.Schema.CACHE_NONE),
    **{name: attributes.Schema(
        text, type=attributes.Schema.STRING,
        cache_mode=attributes.Schema.CACHE_NONE)
       for name, text in _TEXTS.items()},
}
