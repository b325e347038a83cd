"""A pause after scaling in which a group does not scale again."""
import datetime
from typing import Any

from oslo_log import log as logging
from oslo_utils import timeutils

from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine import background_work
from heat.engine import resource

LOG = logging.getLogger(__name__)

#: Seconds after which scaling that has not shown any effect counts as given
#: up, even if the engine that had begun it is there.
_BEGINNING = 60


class CooldownMixin:
    """For resources that scale; the state is in their metadata.

    The end of the pause is kept as {'cooldown_end': {time: reason}}. Stacks
    of earlier releases have its beginning there: as {'cooldown': {time:
    reason}}, or as {time: reason} without more.
    """

    # What the resource has.
    context: Any
    name: Any
    metadata_change: Any
    metadata_get: Any
    metadata_set: Any

    _IN_PROGRESS, _BEGAN, _ENGINE, _SCALING, _END, _COOLDOWN = (
        'scaling_in_progress', background_work.NOTE, 'scaling_engine',
        'scaling', 'cooldown_end', 'cooldown')

    def is_scaling(self):
        """Return whether what was begun by scaling still goes on."""
        return False

    def _check_scaling_allowed(self, cooldown, scaling=None):
        """Note that scaling begins, or raise NoActionRequired.

        :param scaling: what is to be known of it, should nobody see its end
        Return what was noted of earlier scaling whose end nobody has seen.
        """
        lost: list[dict | None] = []

        def begin(metadata):
            if self._is_in_progress(metadata):
                raise self._refusal(_('due to scaling activity'))
            if not self._is_over(cooldown or 0, metadata):
                raise self._refusal(_('due to cooldown'))
            lost[:] = [metadata.get(self._SCALING)]
            return self._with_beginning(metadata, scaling)

        if not self.metadata_change(begin):
            raise self._refusal(_('due to scaling activity'))
        return lost[0]

    def _take_over_scaling(self, scaling):
        """Note that we resume scaling that another engine has begun.

        Return False, having noted nothing, if that engine is there, if
        somebody else was faster, or if there is nothing to resume.
        """
        def take(metadata):
            if (metadata.get(self._SCALING) != scaling or
                    self._is_in_progress(metadata)):
                raise resource.NoActionRequired(res_name=self.name)
            return self._with_beginning(metadata, scaling)

        try:
            return self.metadata_change(take)
        except resource.NoActionRequired:
            return False

    def _with_beginning(self, metadata, scaling):
        return {**metadata, self._IN_PROGRESS: True,
                self._BEGAN: heat_timeutils.isotime(),
                self._ENGINE: background_work.engine_id(),
                self._SCALING: scaling}

    def _refusal(self, reason):
        LOG.info('%s does not scale %s', self.name, reason)
        return resource.NoActionRequired(res_name=self.name, reason=reason)

    def _is_in_progress(self, metadata):
        if self.is_scaling():
            return True
        if not metadata.get(self._IN_PROGRESS):
            return False
        began = metadata.get(self._BEGAN)
        return (began is not None and _age(began) < _BEGINNING and
                self._is_attended(metadata.get(self._ENGINE)))

    def _is_attended(self, engine_id):
        """Return whether the engine is there that has begun to scale."""
        return background_work.is_attended(self.context, engine_id)

    @classmethod
    def _is_over(cls, cooldown, metadata):
        """Return whether the pause after the last scaling is over."""
        if cls._END in metadata:
            end = next(iter(metadata[cls._END]), None)
            return end is None or _age(end) >= 0
        last = metadata.get(cls._COOLDOWN)
        if last is None:
            last = {key: value for key, value in metadata.items()
                    if key not in (cls._IN_PROGRESS, cls._BEGAN,
                                   cls._ENGINE, cls._SCALING)}
        began = next(iter(last), None)
        if began is None or not cooldown:
            return True
        try:
            return _age(began) >= cooldown
        except ValueError:
            # Metadata of the template, not ours.
            return True

    def _finished_scaling(self, cooldown, cooldown_reason,
                          size_changed=True, scaling=None,
                          began_here=False):
        """Note that scaling has ended, and begin the pause.

        :param scaling: what was noted when it began
        :param began_here: whether it is this call's to tell of the end when
            the resource is gone, and the note with it
        Return False, having noted nothing, if another one has ended that.
        """
        is_ours = True

        def note(_wanted, stored):
            nonlocal is_ours
            metadata = dict(stored)
            # Whoever ends scaling leaves a note; without any the row is gone.
            is_ours = (scaling in (None, metadata.get(self._SCALING))
                       or began_here and not stored)
            if not is_ours:
                return metadata
            if size_changed:
                end = heat_timeutils.isotime(
                    heat_timeutils.utcnow() + datetime.timedelta(
                        seconds=max(cooldown or 0, 0)))
                # A longer pause that another policy wanted is kept.
                end = max([end, *metadata.get(self._END, ())])
                metadata[self._END] = {end: cooldown_reason}
            metadata[self._IN_PROGRESS] = False
            for key in (self._BEGAN, self._ENGINE, self._SCALING):
                metadata.pop(key, None)
            return metadata

        try:
            self.metadata_set({}, note)
        except Exception:
            # The scaling itself is done; only the note about it is not.
            LOG.exception('The end of scaling of %s could not be stored',
                          self.name)
        return is_ours

    def handle_metadata_reset(self):
        """Forget that scaling goes on: the resource was marked as well."""
        metadata = dict(self.metadata_get() or {})
        if metadata.get(self._IN_PROGRESS):
            metadata[self._IN_PROGRESS] = False
            self.metadata_set(metadata)


def _age(text):
    """Return the seconds since a moment; negative if it is to come."""
    moment = timeutils.normalize_time(timeutils.parse_isotime(text))
    return (heat_timeutils.utcnow() - moment).total_seconds()
