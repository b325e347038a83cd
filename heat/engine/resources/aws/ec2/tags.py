"""The property Tags, which most resources of EC2 have."""
from heat.common.i18n import _
from heat.engine import properties

TAGS = 'Tags'
KEYS = (TAG_KEY, TAG_VALUE) = ('Key', 'Value')


def schema(*, implemented=True, **options):
    """Return the schema of the property.

    :param implemented: whether the tags are kept anywhere.
    """
    return properties.list(
        _('Tags of the resource.'),
        schema=properties.map(
            _('One tag.'), implemented=implemented, schema={
                TAG_KEY: properties.string(
                    _('Name of the tag.'), required=True),
                TAG_VALUE: properties.string(
                    _('Value of the tag.'), required=True),
            }), **options)


def as_map(tags):
    """Return tags by their names, None if there are none."""
    return {tag[TAG_KEY]: tag[TAG_VALUE] for tag in tags or ()} or None
