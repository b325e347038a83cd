"""Templates of groups of like resources."""
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import template
from heat.engine.sandbox import result_size

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


def stored_if_same(stored, wanted):
    """Return the stored definition of a member unless another is wanted.

    They are the same if they differ by properties that one of them leaves
    out and the other gives as null.
    """
    return stored if _given(stored) == _given(wanted) else wanted


def _given(definition):
    """Return a definition without properties that are null."""
    raw = definition.render_hot()
    raw['properties'] = {name: value for name, value in
                         raw.get('properties', {}).items()
                         if value is not None}
    return raw


def measured(definitions):
    """Yield (name, definition) pairs until they are too large together.

    :raises TooLarge: a template with all of them is too large.
    """
    total = 0
    for name, definition in definitions:
        total += result_size.size_of(definition.render_hot())
        _check_size(total)
        request_budget.check()
        yield name, definition


def example(tmpl, number):
    """Return a template with one member, which stands for many.

    :raises TooLarge: a template with that number of members is too large.
    """
    _check_size(number * result_size.size_of(tmpl.section(tmpl.RESOURCES)))
    return tmpl


def _check_size(size):
    if size > result_size.MAX_TOTAL:
        raise result_size.TooLarge(
            _('The template for all members of the group exceeds %d bytes')
            % result_size.MAX_TOTAL)


def make_template(resource_definitions, version=_VERSION, child_env=None):
    """Return a template with these (name, definition) pairs."""
    key, value = version
    tmpl = template.make({key: value}, env=child_env)
    with request_budget.work():
        tmpl.add_resources(measured(resource_definitions))
    return tmpl
