"""Templates that the tests of the console use."""

STEPS = """heat_template_version: 2021-04-16
description: Resources that wait for each other.
parameters:
  size: {type: number, default: 2}
resources:
  network:
    type: OS::Heat::TestResource
    properties: {value: 10.0.0.0/24, wait_secs: 1}
  secret:
    type: OS::Heat::RandomString
    properties: {length: 12}
  servers:
    type: OS::Heat::ResourceGroup
    depends_on: network
    properties:
      count: {get_param: size}
      resource_def:
        type: OS::Heat::TestResource
        properties: {value: '%index%'}
  balancer:
    type: OS::Heat::TestResource
    depends_on: servers
    properties: {value: {get_attr: [secret, value]}}
  monitor:
    type: OS::Heat::TestResource
    properties: {value: {get_attr: [network, output]}}
outputs:
  secret:
    description: What only the balancer knows.
    value: {get_attr: [secret, value]}
"""

NESTED_FAILURE = """heat_template_version: 2021-04-16
resources:
  network:
    type: OS::Heat::TestResource
    properties: {value: net}
  shop:
    type: OS::Heat::ResourceGroup
    depends_on: network
    properties:
      count: 2
      resource_def:
        type: OS::Heat::TestResource
        properties: {value: x, fail: true}
  front:
    type: OS::Heat::TestResource
    depends_on: shop
"""

MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>'

HOSTILE = f"""heat_template_version: 2021-04-16
description: '{MARKUP}'
resources:
  bad:
    type: OS::Heat::TestResource
    properties: {{value: '{MARKUP}'}}
  "<b>name<img src=x onerror=alert(3)>":
    type: OS::Heat::Value
    properties: {{value: '{MARKUP}'}}
outputs:
  "<i>out<img src=x onerror=alert(4)>":
    description: '{MARKUP}'
    value: {{get_attr: [bad, output]}}
"""


def many(number):
    """Return a template with many resources, some of which wait."""
    lines = ['heat_template_version: 2021-04-16', 'resources:']
    for i in range(number):
        lines.append(f'  item_{i}:\n    type: OS::Heat::None')
        if i >= 10:
            lines.append(f'    depends_on: item_{i % 10}')
    return '\n'.join(lines)
