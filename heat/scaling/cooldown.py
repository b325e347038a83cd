"""A pause after scaling in which a group does not scale again."""
import datetime

from oslo_log import log as logging
from oslo_utils import timeutils

from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine import resource

LOG = logging.getLogger(__name__)


class CooldownMixin:
    """For resources that scale; the state is in their metadata."""

    _IN_PROGRESS, _COOLDOWN = 'scaling_in_progress', 'cooldown'

    def _check_scaling_allowed(self, cooldown):
        """Note that scaling begins, or raise NoActionRequired."""
        metadata = dict(self.metadata_get(refresh=True) or {})
        if metadata.get(self._IN_PROGRESS):
            LOG.info('Can not perform scaling action: resource %s is already '
                     'in scaling.', self.name)
            raise resource.NoActionRequired(
                res_name=self.name, reason=_('due to scaling activity'))
        if not self._is_over(cooldown, metadata):
            LOG.info('Can not perform scaling action: resource %s is in its '
                     'cooldown.', self.name)
            raise resource.NoActionRequired(res_name=self.name,
                                            reason=_('due to cooldown'))
        metadata[self._IN_PROGRESS] = True
        self.metadata_set(metadata)

    @classmethod
    def _is_over(cls, cooldown, metadata):
        """Tell whether the pause after the last scaling is over.

        The time is found as the key of a mapping, or as the mapping's only
        entry of older stacks.
        """
        last = metadata.get(cls._COOLDOWN)
        if not last or not cooldown:
            return True
        began = timeutils.normalize_time(
            timeutils.parse_isotime(next(iter(last))))
        return heat_timeutils.utcnow() - began >= datetime.timedelta(
            seconds=cooldown)

    def _finished_scaling(self, cooldown, cooldown_reason,
                          size_changed=True):
        """Note that scaling has ended, and begin the pause."""
        metadata = dict(self.metadata_get() or {})
        if size_changed and cooldown:
            metadata[self._COOLDOWN] = {
                heat_timeutils.isotime(): cooldown_reason}
        metadata[self._IN_PROGRESS] = False
        try:
            self.metadata_set(metadata)
        except Exception:
            # The scaling itself is done; only the note about it is not.
            LOG.exception('The end of scaling of %s could not be stored',
                          self.name)
