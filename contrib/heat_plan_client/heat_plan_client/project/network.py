"""The properties of the objects of the network service."""
from collections.abc import Callable
import ipaddress
from typing import Any

from heat_plan_client.project import references
from heat_plan_client.project import things

_ANYWHERE = {'IPv4': ('0.0.0.0/0',), 'IPv6': ('::/0',)}


def given(**values: Any) -> dict[str, Any]:
    """Return the values that are not empty."""
    return {name: value for name, value in values.items()
            if value not in (None, '', [], {})}


def unless(default: Any, value: Any) -> Any:
    """Return a value, or None if it is the default."""
    return None if value is None or value == default else value


def security_group(thing: things.Thing, refs: references.References
                   ) -> dict[str, Any]:
    """Describe a security group with its rules."""
    facts = thing.facts
    rules = sorted(facts.security_group_rules or (), key=_rule_order)
    if any(rule['direction'] == 'egress' for rule in rules) and all(
            _is_open(rule) for rule in rules
            if rule['direction'] == 'egress'):
        # A group whose rules say nothing of what leaves has these two.
        rules = [rule for rule in rules if rule['direction'] != 'egress']
    elif not any(rule['direction'] == 'egress' for rule in rules):
        refs.note(thing, 'nothing may leave it, which "rules" cannot say')
    return given(
        name=facts.name, description=facts.description,
        stateful=unless(True, getattr(facts, 'stateful', None)),
        rules=[_rule(thing, rule, refs) for rule in rules])


def _rule_order(rule: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(rule.get(key) or '') for key in (
        'direction', 'ethertype', 'protocol', 'port_range_min',
        'port_range_max', 'remote_ip_prefix', 'remote_group_id', 'id'))


def _is_open(rule: dict[str, Any]) -> bool:
    """Return whether a rule allows all traffic."""
    return not any(rule.get(key) for key in (
        'protocol', 'port_range_min', 'port_range_max', 'remote_group_id')
    ) and rule.get('remote_ip_prefix') in (
        None, *_ANYWHERE.get(rule.get('ethertype') or '', ()))


def _rule(thing: things.Thing, rule: dict[str, Any],
          refs: references.References) -> dict[str, Any]:
    group = rule.get('remote_group_id')
    return given(
        direction=unless('ingress', rule['direction']),
        ethertype=unless('IPv4', rule.get('ethertype')),
        protocol=rule.get('protocol'),
        port_range_min=rule.get('port_range_min'),
        port_range_max=rule.get('port_range_max'),
        remote_ip_prefix=rule.get('remote_ip_prefix'),
        remote_mode='remote_group_id' if group else None,
        # Without one it is the group itself.
        remote_group_id=None if group in (None, thing.id) else refs.to(
            things.SECURITY_GROUP, group, of=thing))


def network(thing: things.Thing, _refs: references.References
            ) -> dict[str, Any]:
    """Describe a network."""
    facts = thing.facts
    return given(
        name=facts.name, admin_state_up=unless(True, facts.is_admin_state_up),
        shared=unless(False, facts.is_shared),
        port_security_enabled=unless(True, facts.is_port_security_enabled),
        dns_domain=getattr(facts, 'dns_domain', None),
        qos_policy=getattr(facts, 'qos_policy_id', None),
        tags=sorted(facts.tags or ()))


def subnet(thing: things.Thing, refs: references.References
           ) -> dict[str, Any]:
    """Describe a subnet."""
    facts = thing.facts
    space = ipaddress.ip_network(facts.cidr)
    usual = str(space[1]) if space.num_addresses > 1 else str(space[0])
    found = given(
        name=facts.name, network=refs.to(things.NETWORK, facts.network_id),
        cidr=facts.cidr, ip_version=unless(4, facts.ip_version),
        gateway_ip=unless(usual, facts.gateway_ip),
        enable_dhcp=unless(True, facts.is_dhcp_enabled),
        dns_nameservers=list(facts.dns_nameservers or ()),
        host_routes=[{'destination': each['destination'],
                      'nexthop': each['nexthop']}
                     for each in facts.host_routes or ()],
        allocation_pools=_pools(facts, space),
        ipv6_address_mode=facts.ipv6_address_mode,
        ipv6_ra_mode=facts.ipv6_ra_mode, tags=sorted(facts.tags or ()))
    if facts.gateway_ip is None:
        # An empty text says that there is none.
        found['gateway_ip'] = ''
    return found


def _pools(facts: Any, space: Any) -> list[dict[str, str]]:
    """Return the allocation pools, or none if they are the default."""
    pools = [{'start': each['start'], 'end': each['end']}
             for each in facts.allocation_pools or ()]
    first, last = int(space[0]), int(space[-1])
    if space.num_addresses > 2:
        first, last = first + 1, last - (space.version == 4)
    ranges = [(first, last)]
    if facts.gateway_ip is not None:
        gateway = int(ipaddress.ip_address(facts.gateway_ip))
        ranges = [(first, min(last, gateway - 1)),
                  (max(first, gateway + 1), last)]
    usual = sorted(each for each in ranges if each[0] <= each[1])
    there = sorted((int(ipaddress.ip_address(each['start'])),
                    int(ipaddress.ip_address(each['end'])))
                   for each in pools)
    return [] if there == usual else pools


def router(thing: things.Thing, refs: references.References
           ) -> dict[str, Any]:
    """Describe a router with its gateway."""
    facts, gateway = thing.facts, None
    info = facts.external_gateway_info
    if info:
        gateway = given(
            network=refs.to_network(info['network_id']),
            enable_snat=unless(True, info.get('enable_snat')))
    return given(
        name=facts.name, admin_state_up=unless(True, facts.is_admin_state_up),
        external_gateway_info=gateway, tags=sorted(facts.tags or ()))


def interface(thing: things.Thing, refs: references.References
              ) -> dict[str, Any]:
    """Describe the interface of a router on a subnet or port."""
    port, subnet_id = thing.more.get('port'), thing.more.get('subnet')
    return given(
        router=refs.to(things.ROUTER, thing.facts.device_id),
        subnet=subnet_id and refs.to(things.SUBNET, subnet_id),
        port=port and refs.to(things.PORT, port))


def port(thing: things.Thing, refs: references.References) -> dict[str, Any]:
    """Describe a port without the objects that use it."""
    facts = thing.facts
    secured = facts.is_port_security_enabled is not False
    groups = list(facts.security_group_ids or ())
    found = given(
        name=facts.name, network=refs.to_network(facts.network_id),
        fixed_ips=[given(subnet=refs.to(things.SUBNET, each['subnet_id']),
                         ip_address=each['ip_address'])
                   for each in facts.fixed_ips or ()],
        no_fixed_ips=None if facts.fixed_ips else True,
        admin_state_up=unless(True, facts.is_admin_state_up),
        allowed_address_pairs=[
            given(ip_address=each.get('ip_address'), mac_address=unless(
                facts.mac_address, each.get('mac_address')))
            for each in facts.allowed_address_pairs or ()],
        port_security_enabled=unless(True, facts.is_port_security_enabled),
        dns_name=getattr(facts, 'dns_name', None),
        qos_policy=getattr(facts, 'qos_policy_id', None),
        tags=sorted(facts.tags or ()))
    vnic = unless('normal', getattr(facts, 'binding_vnic_type', None))
    if vnic:
        found['binding:vnic_type'] = vnic
    if secured and set(groups) != refs.default_groups & set(groups) or (
            secured and not groups):
        found['security_groups'] = [
            refs.to(things.SECURITY_GROUP, each) for each in groups]
    return found


def floating_ip(thing: things.Thing, refs: references.References
                ) -> dict[str, Any]:
    """Describe a floating IP with its port."""
    facts = thing.facts
    return given(
        floating_network=refs.to_network(facts.floating_network_id),
        port_id=facts.port_id and refs.to_port(facts.port_id),
        fixed_ip_address=facts.fixed_ip_address if refs.has_addresses(
            facts.port_id) else None,
        dns_name=getattr(facts, 'dns_name', None),
        dns_domain=getattr(facts, 'dns_domain', None))


#: What describes each kind of thing.
DESCRIBE: dict[str, Callable[..., dict[str, Any]]] = {
    things.SECURITY_GROUP: security_group, things.NETWORK: network,
    things.SUBNET: subnet, things.ROUTER: router,
    things.INTERFACE: interface, things.PORT: port,
    things.FLOATING_IP: floating_ip}
