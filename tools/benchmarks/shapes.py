"""Templates to measure with: a shape, and so many resources of it.

Each is a function of the size, and of whether the first tenth of the
resources differs; it returns (template, files).
"""
import json

LAYER, NEEDS, MEMBERS = 20, 3, 10


def leaf(value, needs=()):
    """Return a resource that is created in two steps and waits for others."""
    resource = {'type': 'OS::Heat::TestResource',
                'properties': {'value': value}}
    if needs:
        resource['depends_on'] = list(needs)
    return resource


def values(size, changed):
    """Return property values; the first tenth differs when changed."""
    return [f'new {i}' if changed and i < max(1, size // 10) else f'old {i}'
            for i in range(size)]


def template(resources):
    return {'heat_template_version': '2018-08-31', 'resources': resources}


def trivial(size, changed):
    """Resources that are done as soon as they are created."""
    return template({
        f'r{i}': {'type': 'OS::Heat::Value', 'properties': {'value': v}}
        for i, v in enumerate(values(size, changed))}), {}


def flat(size, changed):
    return template({f'r{i}': leaf(v)
                     for i, v in enumerate(values(size, changed))}), {}


def chain(size, changed):
    return template({
        f'r{i}': leaf(v, [f'r{i - 1}'] if i else ())
        for i, v in enumerate(values(size, changed))}), {}


def mesh(size, changed):
    resources = {}
    for i, value in enumerate(values(size, changed)):
        layer, place = divmod(i, LAYER)
        needs = [f'r{(layer - 1) * LAYER + (place + k) % LAYER}'
                 for k in range(NEEDS)] if layer else ()
        resources[f'r{i}'] = leaf(value, needs)
    return template(resources), {}


def group(size, changed):
    count = size + max(1, size // 10) if changed else size
    return template({'group': {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': count, 'resource_def': leaf('member')},
    }}), {}


def branches(count, members):
    """Return the shape of a tree of so many stacks of so many resources."""
    inner = template({f'r{i}': leaf({'get_param': 'value'})
                      for i in range(members)})
    inner['parameters'] = {'value': {'type': 'string'}}

    def shape(_size, changed):
        return template({
            f'branch{i}': {'type': 'inner.yaml', 'properties': {'value': v}}
            for i, v in enumerate(values(count, changed))
        }), {'inner.yaml': json.dumps(inner)}
    return shape


def tree(size, changed):
    return branches(max(1, size // MEMBERS), MEMBERS)(size, changed)


def pairs(size, changed):
    """A group whose members hold two nested stacks each."""
    member = template({name: {'type': 'inner.yaml', 'properties': {
        'value': {'get_param': 'value'}}} for name in ('a', 'b')})
    inner = template({'r': leaf({'get_param': 'value'})})
    for each in (member, inner):
        each['parameters'] = {'value': {'type': 'string'}}
    return template({'group': {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {
            'count': size + max(1, size // 10) if changed else size,
            'resource_def': {'type': 'member.yaml',
                             'properties': {'value': 'v%index%'}}},
    }}), {'member.yaml': json.dumps(member), 'inner.yaml': json.dumps(inner)}


def waiting(size, changed):
    """Nested stacks whose only resource takes 20 s to be made."""
    inner = template({'r': leaf({'get_param': 'value'})})
    inner['resources']['r']['properties']['action_wait_secs'] = {
        'create': 20}
    inner['parameters'] = {'value': {'type': 'string'}}
    return template({
        f'branch{i}': {'type': 'inner.yaml', 'properties': {'value': v}}
        for i, v in enumerate(values(size, changed))
    }), {'inner.yaml': json.dumps(inner)}


#: Those that are measured unless others are asked for.
USUAL = {each.__name__: each for each in (flat, chain, mesh, group, tree,
                                          pairs)}
#: Measured when asked for.
OTHER = {each.__name__: each for each in (trivial, waiting)}


def of(name):
    """Return the function of a shape."""
    return USUAL.get(name) or OTHER[name]


def resources(name, size):
    """Return how many resources stacks of a shape have, all told."""
    return {'group': size + 1, 'tree': size + size // MEMBERS,
            # A member, two stacks in it, and one resource in each of them.
            'pairs': 1 + 5 * size}.get(name, size)


def size_of(name, number):
    """Return the size at which a shape has about so many resources."""
    return max(1, number * number // resources(name, number))
