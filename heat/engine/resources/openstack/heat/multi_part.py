"""OS::Heat::MultipartMime: several configs in one document."""
import email
from email.mime import multipart
from email.mime import text
import os

from oslo_utils import uuidutils

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.heat import software_config
from heat.engine.software import configs as software_configs

# They bring the grammar of headers, and are wanted for user data only.


class MultipartMime(software_config.SoftwareConfig):
    """A multi-part MIME document assembled from several software configs.

    The parts are texts or IDs of software configs. cloud-init accepts
    the document as the user data of a server.
    """

    support_status = support.SupportStatus(version='2014.1')

    PROPERTIES = (
        PARTS, CONFIG, FILENAME, TYPE, SUBTYPE, GROUP,
    ) = (
        'parts', 'config', 'filename', 'type', 'subtype', 'group',
    )

    TYPES = (
        TEXT, MULTIPART,
    ) = (
        'text', 'multipart',
    )

    properties_schema = {
        PARTS: properties.Schema(
            properties.Schema.LIST,
            _('Parts of the multi-part document.'),
            default=[],
            schema=properties.Schema(
                properties.Schema.MAP,
                schema={
                    CONFIG: properties.Schema(
                        properties.Schema.STRING,
                        _('Content of the part, or the ID of a software '
                          'config with the content.'),
                        required=True),
                    FILENAME: properties.Schema(
                        properties.Schema.STRING,
                        _('File name of the part.')),
                    TYPE: properties.Schema(
                        properties.Schema.STRING,
                        _('Type of the part: a text, or a multi-part document '
                          'whose parts are included.'),
                        default=TEXT,
                        constraints=[constraints.AllowedValues(TYPES)]),
                    SUBTYPE: properties.Schema(
                        properties.Schema.STRING,
                        _('Subtype of the content type of the part, after '
                          '"text/".')),
                })),
        GROUP: properties.Schema(
            properties.Schema.STRING,
            _('Tool that applies the config.'),
            default=software_configs.UNGROUPED,
            support_status=support.SupportStatus(version='14.0.0')),
    }

    def handle_create(self):
        """Store the document."""
        self._store(group=self.properties[self.GROUP],
                    config=self.get_message())

    def get_message(self):
        """Return the document."""
        parts = []
        for item in self.properties[self.PARTS] or ():
            content = self._content(item[self.CONFIG])
            if item[self.TYPE] == self.MULTIPART:
                parts += _parts_of(content)
            else:
                parts.append(_part(content, item.get(self.SUBTYPE) or '',
                                   item.get(self.FILENAME) or ''))
        return multipart.MIMEMultipart(_subparts=parts).as_string()

    def _content(self, config):
        """Return a text, or that of the config whose id it is."""
        if not uuidutils.is_uuid_like(config):
            return config
        try:
            row = software_configs.get(self.context, config)
        except exception.NotFound:
            return config
        return software_configs.part(row, self.CONFIG)


def _part(content, subtype, filename):
    if not subtype and filename:
        # Files have been named for what they are.
        subtype = os.path.splitext(filename)[0]
    charset = 'us-ascii' if content.isascii() else 'utf-8'
    part = text.MIMEText(content, subtype or 'plain', charset)
    if filename:
        part.add_header('Content-Disposition', 'attachment',
                        filename=filename)
    return part


def _parts_of(content):
    """Return the parts of a document that are not documents themselves."""
    parts = []
    for part in email.message_from_string(content).walk():
        if part.is_multipart():
            continue
        parts.append(_part(_text_of(part), part.get_content_subtype(),
                           part.get_filename() or ''))
    return parts


def _text_of(part):
    """Return the text of a part, which may not be encoded at all."""
    body = part.get_payload()
    if not body.isascii():
        return body
    return part.get_payload(decode=True).decode(
        part.get_content_charset() or 'utf-8')


def resource_mapping():
    """Return the type of this module."""
    return {'OS::Heat::MultipartMime': MultipartMime}
