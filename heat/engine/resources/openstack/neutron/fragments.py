"""Properties and attributes that many types of the network service have."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import support

# -- properties ---------------------------------------------------------------


def name():
    """Return the name of a resource."""
    return properties.string(
        _('Name of the resource. It need not be unique.'),
        update_allowed=True)


def description():
    """Return the description of a resource."""
    return properties.string(_('Description of the resource.'),
                             update_allowed=True)


def admin_state_up():
    """Return the administrative state of a resource."""
    return properties.boolean(
        _('Whether the resource is administratively up.'), default=True,
        update_allowed=True)


def shared():
    """Return whether a resource can be used by all projects."""
    return properties.boolean(
        _('Whether the resource is shared with all projects. By default '
          'only administrators may set it.'),
        default=False, update_allowed=True)


def tags():
    """Return the tags of a resource."""
    return properties.list(
        _('Tags of the resource.'),
        schema=properties.string(_('Tag of the resource.')),
        update_allowed=True,
        support_status=support.SupportStatus(version='9.0.0'))


def value_specs(**options):
    """Return the parameters that have no property of their own.

    :param options: further arguments of the property
    """
    return properties.map(
        _('Additional parameters that are added to the request unchanged, '
          'for extensions of the network service.'),
        default={}, update_allowed=True, **options)


def owner(**options):
    """Return the project that a resource belongs to.

    :param options: further arguments of the property
    """
    return properties.string(
        _('ID of the project that owns the resource. Only administrators '
          'may name a project other than their own.'), **options)


# -- attributes ---------------------------------------------------------------


def text(about):
    """Return an attribute that is a string."""
    return attributes.Schema(about, type=attributes.Schema.STRING)


def name_attribute():
    """Return the attribute with the name."""
    return text(_('Name of the resource.'))


def description_attribute():
    """Return the attribute with the description."""
    return text(_('Description of the resource.'))


def admin_state_up_attribute():
    """Return the attribute with the administrative state."""
    return text(_('Whether the resource is administratively up.'))


def shared_attribute():
    """Return the attribute that shows who can use the resource."""
    return text(_('Whether the resource is shared with all projects.'))


def status_attribute():
    """Return the attribute with the status."""
    return text(_('Status of the resource.'))


def owner_attribute():
    """Return the attribute with the project of the resource."""
    return text(_('ID of the project that owns the resource.'))
