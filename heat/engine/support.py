"""The support status of types, properties and attributes."""
from typing import Any

from heat.common.i18n import _

SUPPORT_STATUSES = (
    UNKNOWN, SUPPORTED, DEPRECATED, UNSUPPORTED, HIDDEN,
) = (
    'UNKNOWN', 'SUPPORTED', 'DEPRECATED', 'UNSUPPORTED', 'HIDDEN',
)


class SupportStatus:
    """The support status of something users write into templates.

    previous_status is the SupportStatus that came before, so a history is a
    chain. substitute_class is the resource class that may take over from a
    deprecated one without a replacement.
    """

    def __init__(self, status: str = SUPPORTED, message: str | None = None,
                 version: str | None = None,
                 previous_status: 'SupportStatus | None' = None,
                 substitute_class: type | None = None) -> None:
        self.status = status
        self.message = message
        self.version = version
        self.previous_status = previous_status
        self.substitute_class = substitute_class
        self.validate()

    def validate(self) -> None:
        """Turn a status that is not one of ours into UNKNOWN."""
        if (self.previous_status is not None and
                not isinstance(self.previous_status, SupportStatus)):
            raise ValueError(
                _('previous_status must be a SupportStatus, not %s') %
                type(self.previous_status).__name__)
        if self.status not in SUPPORT_STATUSES:
            self.message = _(
                'The support status "%(status)s" must be one of %(known)s') % {
                    'status': self.status,
                    'known': ', '.join(SUPPORT_STATUSES)}
            self.status = UNKNOWN
            self.version = None
            self.previous_status = None

    def to_dict(self) -> dict[str, Any]:
        """Return the form in which the API shows the status."""
        previous = self.previous_status
        return {
            'status': self.status,
            'message': self.message,
            'version': self.version,
            'previous_status': previous.to_dict() if previous else None,
        }

    def is_substituted(self, substitute_class: type) -> bool:
        """Return whether substitute_class may take over from this type."""
        return (self.substitute_class is not None and
                substitute_class is self.substitute_class)


def is_valid_status(status: str) -> bool:
    """Return whether status is one of the words for a support status."""
    return status in SUPPORT_STATUSES
