"""Templates of groups of like resources."""
from heat.engine import template

_VERSION = ('heat_template_version', '2015-04-30')


def _identity(resource_name, definition):
    return definition


def member_definitions(old_resources, new_definition, num_resources, num_new,
                       get_new_id, customise=_identity):
    """Yield (name, definition) for each member a group shall have.

    :param old_resources: (name, definition) of the present members, those
        to be dropped first in front.
    :param num_resources: how many members there shall be.
    :param num_new: how many may be created, or changed to new_definition;
        what has to be created comes first.
    :param get_new_id: function that returns the name of a new member.
    :param customise: function of name and new_definition that returns the
        definition of that member.
    """
    kept = list(old_resources)[-num_resources:] if num_resources else []
    changeable = num_new - (num_resources - len(kept))
    for name, old_definition in kept:
        definition = customise(name, new_definition)
        if definition != old_definition and changeable > 0:
            changeable -= 1
            yield name, definition
        else:
            yield name, old_definition
    for _index in range(num_resources - len(kept)):
        name = get_new_id()
        yield name, customise(name, new_definition)


def make_template(resource_definitions, version=_VERSION, child_env=None):
    """Return a template with these (name, definition) pairs."""
    key, value = version
    tmpl = template.Template({key: value}, env=child_env)
    tmpl.add_resources(resource_definitions)
    return tmpl
