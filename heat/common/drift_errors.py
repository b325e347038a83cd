"""Errors about the detection of drift."""
from heat.common import exception
from heat.common.i18n import _


class DriftDetectionNotFound(exception.EntityNotFound):
    msg_fmt = _('No drift detection (%(detection)s) exists.')
