"""The properties of servers, volumes and their attachments."""
from collections.abc import Callable
from typing import Any

from heat_plan_client.project import network
from heat_plan_client.project import references
from heat_plan_client.project import things

given, unless = network.given, network.unless

#: The zone that clouds have when nobody has made others.
_USUAL_ZONE = 'nova'
#: Keys that the block storage puts into metadata itself.
_OWN_METADATA = frozenset(['readonly', 'attached_mode'])


def server(thing: things.Thing, refs: references.References
           ) -> dict[str, Any]:
    """Describe a server with its ports."""
    facts = thing.facts
    image = facts.image.id if facts.image else None
    return given(
        name=facts.name, flavor=_flavor(facts.flavor), image=image,
        key_name=facts.key_name,
        availability_zone=unless(_USUAL_ZONE, facts.availability_zone),
        config_drive=True if facts.has_config_drive in (
            True, 'True') else None,
        metadata=dict(facts.metadata or {}),
        tags=sorted(getattr(facts, 'tags', None) or ()),
        user_data_format='RAW',
        block_device_mapping_v2=_boot(thing, refs),
        networks=[{'port': refs.to(things.PORT, port.id)}
                  for port in refs.ports_of(thing.id)])


def _flavor(flavor: Any) -> str | None:
    """Return the name of a flavor, or its ID if the name is unknown."""
    for key in ('original_name', 'name', 'id'):
        value = getattr(flavor, key, None)
        if value:
            return str(value)
    return None


def _boot(thing: things.Thing, refs: references.References
          ) -> list[dict[str, Any]]:
    """Return the volume that a server boots from."""
    root = thing.more.get('root')
    if root is None:
        return []
    deleted = any(
        each.get('id') == root and each.get('delete_on_termination')
        for each in getattr(thing.facts, 'attached_volumes', None) or ())
    return [{'boot_index': 0, 'volume_id': refs.to(things.VOLUME, root),
             'delete_on_termination': deleted}]


def volume(thing: things.Thing, _refs: references.References
           ) -> dict[str, Any]:
    """Describe a volume."""
    facts = thing.facts
    metadata = dict(facts.metadata or {})
    origin = getattr(facts, 'volume_image_metadata', None) or {}
    return given(
        name=facts.name, size=facts.size, description=facts.description,
        volume_type=facts.volume_type,
        availability_zone=unless(_USUAL_ZONE, facts.availability_zone),
        image=origin.get('image_id'),
        read_only=True if str(metadata.get('readonly')).lower() == 'true'
        else None,
        metadata={key: value for key, value in metadata.items()
                  if key not in _OWN_METADATA})


def attachment(thing: things.Thing, refs: references.References
               ) -> dict[str, Any]:
    """Describe the attachment of a volume to a server."""
    return given(
        instance_uuid=refs.to(things.SERVER, thing.more['server']),
        volume_id=refs.to(things.VOLUME, thing.id),
        mountpoint=thing.more.get('device'))


#: What describes each kind of thing.
DESCRIBE: dict[str, Callable[..., dict[str, Any]]] = {
    things.SERVER: server, things.VOLUME: volume,
    things.ATTACHMENT: attachment}
