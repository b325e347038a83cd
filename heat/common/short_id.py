"""Short random identifiers for physical names."""
import base64
import uuid

from heat.common.i18n import _


def get_id(source_uuid):
    """Return the 12 lower case characters that stand for a random UUID."""
    if isinstance(source_uuid, str):
        source_uuid = uuid.UUID(source_uuid)
    if source_uuid.version != 4:
        raise ValueError(
            _('%s is not a random (version 4) UUID') % source_uuid)
    # The 60 random bits of the time fields; the version lies in between.
    raw = (source_uuid.time << 4).to_bytes(8, 'big')
    return base64.b32encode(raw)[:12].decode('ascii').lower()


def generate_id():
    """Return a random short identifier."""
    return get_id(uuid.uuid4())
