"""The properties of load balancers and their parts."""
from collections.abc import Callable
from typing import Any

from heat_plan_client.project import network
from heat_plan_client.project import references
from heat_plan_client.project import things

given, unless = network.given, network.unless

_USUAL_PROVIDERS = ('amphora', 'octavia')


def _named(facts: Any) -> dict[str, Any]:
    return given(name=facts.name,
                 description=getattr(facts, 'description', None),
                 admin_state_up=unless(True, facts.is_admin_state_up))


def load_balancer(thing: things.Thing, refs: references.References
                  ) -> dict[str, Any]:
    """Describe a load balancer."""
    facts = thing.facts
    provider = facts.provider
    return {**_named(facts), **given(
        vip_subnet=refs.to(things.SUBNET, facts.vip_subnet_id),
        vip_address=facts.vip_address,
        flavor=getattr(facts, 'flavor_id', None),
        availability_zone=getattr(facts, 'availability_zone', None),
        provider=None if provider in _USUAL_PROVIDERS else provider)}


def listener(thing: things.Thing, refs: references.References
             ) -> dict[str, Any]:
    """Describe a listener."""
    facts = thing.facts
    pool = facts.default_pool_id
    return {**_named(facts), **given(
        loadbalancer=refs.to(things.LOAD_BALANCER,
                             thing.more['load_balancer']),
        protocol=facts.protocol, protocol_port=facts.protocol_port,
        connection_limit=unless(-1, facts.connection_limit),
        default_pool=pool and refs.to(things.POOL, pool),
        allowed_cidrs=list(getattr(facts, 'allowed_cidrs', None) or ()),
        default_tls_container_ref=facts.default_tls_container_ref,
        sni_container_refs=list(facts.sni_container_refs or ()))}


def pool(thing: things.Thing, refs: references.References) -> dict[str, Any]:
    """Describe a pool."""
    facts = thing.facts
    session = facts.session_persistence or {}
    return {**_named(facts), **given(
        loadbalancer=refs.to(things.LOAD_BALANCER,
                             thing.more['load_balancer']),
        protocol=facts.protocol, lb_algorithm=facts.lb_algorithm,
        session_persistence=given(type=session.get('type'),
                                  cookie_name=session.get('cookie_name')),
        tls_enabled=unless(False, getattr(facts, 'tls_enabled', None)))}


def member(thing: things.Thing, refs: references.References
           ) -> dict[str, Any]:
    """Describe a member of a pool."""
    facts = thing.facts
    return given(
        pool=refs.to(things.POOL, thing.more['pool']),
        address=facts.address, protocol_port=facts.protocol_port,
        subnet=facts.subnet_id and refs.to(things.SUBNET, facts.subnet_id),
        weight=unless(1, facts.weight),
        monitor_address=getattr(facts, 'monitor_address', None),
        monitor_port=getattr(facts, 'monitor_port', None),
        admin_state_up=unless(True, facts.is_admin_state_up),
        tags=sorted(getattr(facts, 'tags', None) or ()))


def monitor(thing: things.Thing, refs: references.References
            ) -> dict[str, Any]:
    """Describe a health monitor."""
    facts = thing.facts
    return given(
        pool=refs.to(things.POOL, thing.more['pool']), type=facts.type,
        delay=facts.delay, timeout=facts.timeout,
        max_retries=facts.max_retries, http_method=facts.http_method,
        url_path=facts.url_path, expected_codes=facts.expected_codes,
        admin_state_up=unless(True, facts.is_admin_state_up))


#: What describes each kind of thing.
DESCRIBE: dict[str, Callable[..., dict[str, Any]]] = {
    things.LOAD_BALANCER: load_balancer, things.LISTENER: listener,
    things.POOL: pool, things.MEMBER: member, things.MONITOR: monitor}
