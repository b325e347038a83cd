"""Asking the services what they know of a thing.

For types that are more, or less, than a thing at a path there is a function
here; a case names it by "look". It is given the tenant and {name: physical
id} of the resources; it returns a dictionary, or None when there is nothing.
"""


def get(tenant, service, path, key=''):
    """Return what an administrator gets at a path; None if nothing."""
    connection = tenant.admin
    answer = connection.session.get(
        path, endpoint_filter={'service_type': service,
                               'region_name': connection.config.region_name},
        headers={'Accept': 'application/json'}, raise_exc=False)
    if answer.status_code == 404:
        return None
    assert answer.status_code == 200, f'{path}: {answer.text}'
    body = answer.json()
    if key:
        return dig(body, key)
    return next(iter(body.values())) if len(body) == 1 else body


def show(tenant, service, path, key, ids):
    """Return what is at a path with ids filled in."""
    return get(tenant, service, path.format(id=ids['it'], **ids), key)


def dig(value, path):
    """Return what is at a dotted path in a value, None if nothing."""
    for step in path.split('.'):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


def same(wanted, found):
    """Tell whether a service shows what was wanted.

    It may show more than was said, and lists in another order.
    """
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(same(value, found.get(key))
                   for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(
            any(same(value, other) for other in found) for value in wanted)
    if isinstance(wanted, bool) or isinstance(found, bool):
        return str(wanted).lower() == str(found).lower()
    return wanted == found or str(wanted) == str(found)
