"""Values of the members of a group: nested outputs, or read live.

The nested stack has an output for each attribute that somebody refers to;
what nobody referred to when it was made is read from the members.
"""
from heat.engine import grouputils
from heat.engine import output

#: How the attributes of single members begin.
MEMBER_PREFIX = 'resource.'


def output_name(key, *path):
    """Return the name of the nested output for an attribute."""
    return ', '.join(str(part) for part in (key, *path))


def split(attr):
    """Return the (name, path) of an attribute that is referred to."""
    return (attr, ()) if isinstance(attr, str) else (attr[0], attr[1:])


def outputs(attrs, value_of):
    """Yield the output definitions for attributes.

    :param value_of: function (name, path) that returns the value of the
        output, None for none.
    """
    for attr in sorted(attrs, key=str):
        key, path = split(attr)
        value = value_of(key, path)
        if value is not None:
            yield output.OutputDefinition(output_name(key, *path), value)


def of_one(key, path, names, get_attr_fn, get_res_fn):
    """Return what `resource.<name>[.<attribute>]` names, None for nothing.
    """
    name, *rest = key.split('.', 2)[1:]
    if name not in names:
        return None
    if not rest and not path:
        return get_res_fn(name)
    return get_attr_fn([name, *rest, *path])


def live(group, names, key, *path):
    """Return an attribute of a group, read from its members."""
    if key.startswith(MEMBER_PREFIX):
        return grouputils.get_nested_attrs(group, key, False, *path)
    if key == 'refs':
        return list(live_refs(group, names).values())
    if key == 'refs_map':
        return live_refs(group, names)
    if key == 'attributes':
        return live_attributes(group, names, *path)
    return list(live_attributes(group, names, key, *path).values())


def live_refs(group, names):
    """Return {name: reference id} of members, read from them."""
    return {name: grouputils.get_rsrc_id(group, name, False, name)
            for name in names}


def live_attributes(group, names, *path):
    """Return {name: attribute} of members, read from them."""
    return {name: grouputils.get_rsrc_attr(group, path[0], False, name,
                                           *path)
            for name in names}
