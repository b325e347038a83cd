"""The objects of a project that a template can describe."""
import dataclasses
from typing import Any

(SECURITY_GROUP, NETWORK, SUBNET, ROUTER, INTERFACE, PORT, VOLUME, SERVER,
 ATTACHMENT, FLOATING_IP, LOAD_BALANCER, LISTENER, POOL, MEMBER, MONITOR) = (
    'security_group', 'network', 'subnet', 'router', 'router_interface',
    'port', 'volume', 'server', 'volume_attachment', 'floating_ip',
    'load_balancer', 'listener', 'pool', 'member', 'health_monitor')

#: The type of resource of each kind, in the order of a template.
TYPES = {
    SECURITY_GROUP: 'OS::Neutron::SecurityGroup',
    NETWORK: 'OS::Neutron::Net',
    SUBNET: 'OS::Neutron::Subnet',
    ROUTER: 'OS::Neutron::Router',
    INTERFACE: 'OS::Neutron::RouterInterface',
    PORT: 'OS::Neutron::Port',
    VOLUME: 'OS::Cinder::Volume',
    SERVER: 'OS::Nova::Server',
    ATTACHMENT: 'OS::Cinder::VolumeAttachment',
    FLOATING_IP: 'OS::Neutron::FloatingIP',
    LOAD_BALANCER: 'OS::Octavia::LoadBalancer',
    LISTENER: 'OS::Octavia::Listener',
    POOL: 'OS::Octavia::Pool',
    MEMBER: 'OS::Octavia::PoolMember',
    MONITOR: 'OS::Octavia::HealthMonitor',
}


@dataclasses.dataclass(frozen=True, slots=True)
class Thing:
    """An existing object that can become a resource.

    :ivar id: its physical ID as a resource
    :ivar facts: the object of openstacksdk that describes it
    :ivar parent: (kind, ID) of the object that it belongs to
    :ivar more: what else describes it, by names of ours
    """

    kind: str
    id: str
    name: str
    facts: Any
    parent: tuple[str, str] | None = None
    more: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """The unique key of the object."""
        return self.kind, self.id

    @property
    def type(self) -> str:
        """The resource type of the object."""
        return TYPES[self.kind]


@dataclasses.dataclass(frozen=True, slots=True)
class LeftOut:
    """An object that the template does not describe, with the reason.

    :ivar what: its kind, or the service that would know it
    """

    what: str
    id: str
    name: str
    reason: str


def kind_of(text: str) -> str | None:
    """Return the kind that a user means by its name or type, or None."""
    for kind, type_name in TYPES.items():
        if text.lower().replace('-', '_') == kind or (
                text.lower() == type_name.lower()):
            return kind
    return None
