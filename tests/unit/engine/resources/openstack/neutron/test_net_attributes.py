"""Attributes whose names differ from those of properties."""
from heat.engine.resources.openstack.neutron import net


def test_id_of_the_policy_is_shown(engine, network):
    engine.register(net.Net)
    policy = network.create_qos_policy(name='gold')
    stack = engine.create("""
resources:
  net: {type: OS::Neutron::Net, properties: {qos_policy: gold}}
outputs:
  policy: {value: {get_attr: [net, qos_policy_id]}}
""")
    assert engine.values(stack)['policy'] == policy.id
