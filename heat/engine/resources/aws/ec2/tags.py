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
        _('Tags: names, and what they are set to.'),
        schema=properties.map(
            _('A tag.'), implemented=implemented, schema={
                TAG_KEY: properties.string(
                    _('The name of the tag.'), required=True),
                TAG_VALUE: properties.string(
                    _('What the tag is set to.'), required=True),
            }), **options)


def as_map(tags):
    """Return tags by their names, None if there are none."""
    return {tag[TAG_KEY]: tag[TAG_VALUE] for tag in tags or ()} or None
