"""Templates that integration tests make stacks of."""

LAYER, NEEDS = 20, 3
VERSION = '2018-08-31'


def leaf(needs=(), **properties):
    """Return a resource that does as its properties tell."""
    resource = {'type': 'OS::Heat::TestResource', 'properties': properties}
    if needs:
        resource['depends_on'] = list(needs)
    return resource


def needs_of(number):
    """Return the names of what a resource of the mesh needs."""
    layer, place = divmod(number, LAYER)
    if not layer:
        return []
    return [f'r{(layer - 1) * LAYER + (place + step) % LAYER}'
            for step in range(NEEDS)]


def mesh(size=200, changed=0, removed=0, added=0, **properties):
    """Return a mesh: layers, of which each needs the layer before.

    :param changed: how many resources, from the first, have a new value
    :param removed: how many are missing at the end
    :param added: how many of another name each need one of the mesh
    """
    resources = {
        f'r{number}': leaf(
            needs_of(number),
            value=f'{"new" if number < changed else "old"} {number}',
            **properties)
        for number in range(size - removed)}
    for number in range(added):
        resources[f'added{number}'] = leaf(
            [f'r{number}'], value=f'added {number}', **properties)
    return {'heat_template_version': VERSION, 'resources': resources}


def failing(template, name):
    """Let one resource of a template fail; return the template."""
    template['resources'][name]['properties']['fail'] = True
    return template


def scaled(member):
    """Return a group of one member, and a policy that adds another."""
    return {'heat_template_version': VERSION, 'resources': {
        'g': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 1, 'max_size': 5, 'resource': member}},
        'p': {'type': 'OS::Heat::ScalingPolicy', 'properties': {
            'auto_scaling_group_id': {'get_resource': 'g'},
            'adjustment_type': 'change_in_capacity',
            'scaling_adjustment': 1}}}}
