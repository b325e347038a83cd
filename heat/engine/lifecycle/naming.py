"""Names of resources in the cloud and in other interfaces."""
from heat.common import short_id
from heat.common.i18n import _
from heat.engine.language import type_lookup
from heat.engine.stacks import interface


def physical_name(resource: interface.Resource) -> str | None:
    """Return a unique name for what is made, None before there is a row."""
    if resource.id is None or resource.action == resource.INIT:
        return None
    name = '%s-%s-%s' % (resource.stack.name.rstrip('*'), resource.name,
                         short_id.get_id(resource.uuid))
    limit = resource.physical_resource_name_limit
    return reduced(name, limit) if limit else name


def reduced(name: str, limit: int) -> str:
    """Return a name of at most limit characters that is still unique.

    Its end is what makes it unique; two characters of its start say where
    it comes from.
    """
    if len(name) <= limit:
        return name
    if limit < 4:
        raise ValueError(_('The limit of a name must be at least 4'))
    return '%s-%s' % (name[:2], name[-(limit - 3):])


def has_interface(resource: interface.Resource, resource_type: str) -> bool:
    """Return whether a resource is of a type, perhaps by another name."""
    written = resource.type()
    return resource_type == written or (
        resource_type in type_lookup.types_of(
            resource.stack.env, written, resource.name))
