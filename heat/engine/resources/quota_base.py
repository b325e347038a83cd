"""Quotas of projects, which are alike in all services."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine.resources import sdk_resource


class Quota(sdk_resource.SDKResource):
    """The quota that a service has for a project.

    It is there always; deleting it brings back what is usual.
    """

    entity = 'quotas'
    noun = 'quota_set'
    PROJECT = 'project'
    name_property = None
    omit = (PROJECT,)
    #: Whether quotas below what is used are refused here.
    checks_usage = True

    def validate(self):
        """Check that there is a quota at all."""
        problem = super().validate()
        if not self._body(self._given()):
            raise exception.PropertyUnspecifiedError(*sorted(
                set(self.properties_schema) - {self.PROJECT}))
        return problem

    def _create(self):
        self._set(self._body(self._given()))
        self.resource_id_set(self.physical_resource_name())

    def _update(self, prop_diff):
        # What is not said any more stays as it is: nobody knows what it was.
        self._set({name: value for name, value
                   in self._body(prop_diff).items() if value is not None})

    def _set(self, quotas):
        if quotas:
            if self.checks_usage:
                self._refuse_too_little(quotas)
            self._verb('update')(self.properties[self.PROJECT], **quotas)

    def _refuse_too_little(self, quotas):
        """Refuse quotas that are below what the project has already."""
        usage = self._service().get_quota_set(
            self.properties[self.PROJECT], usage=True).usage or {}
        below = ['%s (%s < %s)' % (name, limit, usage[name])
                 for name, limit in sorted(quotas.items())
                 if limit != -1 and (usage.get(name) or 0) > limit]
        if below:
            raise exception.Error(_(
                'The project already uses more than the quota allows: %s')
                % ', '.join(below))

    def _delete(self):
        self._service().revert_quota_set(self.properties[self.PROJECT])

    def _res_get_args(self):
        return [self.properties[self.PROJECT]]
