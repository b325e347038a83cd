"""Types that are no more: hidden, and kept so that old stacks delete."""
import dataclasses

from heat.common.i18n import _
from heat.engine import support
from heat.engine.resources.openstack.heat import none_resource


@dataclasses.dataclass(frozen=True, slots=True)
class Removed:
    """One row: a type, since when it is what, and what to use instead."""

    name: str
    hidden: str
    deprecated: str | None = None
    supported: str | None = None
    successor: str | None = None
    before: support.SupportStatus | None = None

    def support_status(self):
        """Return the support status with its history."""
        status = self.before
        for word, version in ((support.SUPPORTED, self.supported),
                              (support.DEPRECATED, self.deprecated)):
            if version is not None:
                status = support.SupportStatus(
                    status=word, version=version, previous_status=status,
                    message=self._message(word))
        return support.SupportStatus(
            status=support.HIDDEN, version=self.hidden,
            previous_status=status, message=self._message(support.HIDDEN))

    def _message(self, word):
        if word == support.SUPPORTED:
            return None
        if self.successor is not None:
            return _('Use %s instead.') % self.successor
        return _('The service of this type is no longer available.')


_REMOVED = (
    Removed('OS::Aodh::CombinationAlarm', '9.0.0', '7.0.0', '2014.1',
            successor='OS::Aodh::CompositeAlarm'),
    Removed('OS::Designate::Domain', '10.0.0', '8.0.0', '5.0.0',
            successor='OS::Designate::Zone'),
    Removed('OS::Designate::Record', '10.0.0', '8.0.0', '5.0.0',
            successor='OS::Designate::RecordSet'),
    Removed('OS::Glance::Image', '22.0.0', '8.0.0', '2014.2'),
    Removed('OS::Heat::HARestarter', '10.0.0', '2015.1'),
    Removed('OS::Magnum::Bay', '11.0.0', '9.0.0', '6.0.0',
            successor='OS::Magnum::Cluster'),
    Removed('OS::Monasca::AlarmDefinition', '25.0.0', '22.0.0', '7.0.0',
            before=support.SupportStatus(
                status=support.UNSUPPORTED, version='5.0.0')),
    Removed('OS::Monasca::Notification', '25.0.0', '22.0.0', '7.0.0',
            before=support.SupportStatus(
                status=support.SUPPORTED, version='5.0.0')),
    Removed('OS::Neutron::HealthMonitor', '9.0.0', '7.0.0'),
    Removed('OS::Neutron::LBaaS::HealthMonitor', '21.0.0', supported='6.0.0'),
    Removed('OS::Neutron::LBaaS::L7Policy', '21.0.0', supported='7.0.0'),
    Removed('OS::Neutron::LBaaS::L7Rule', '21.0.0', supported='7.0.0'),
    Removed('OS::Neutron::LBaaS::Listener', '21.0.0', supported='6.0.0'),
    Removed('OS::Neutron::LBaaS::LoadBalancer', '21.0.0', supported='6.0.0'),
    Removed('OS::Neutron::LBaaS::Pool', '21.0.0', supported='6.0.0'),
    Removed('OS::Neutron::LBaaS::PoolMember', '21.0.0', supported='6.0.0'),
    Removed('OS::Neutron::LoadBalancer', '9.0.0', '7.0.0', '2014.1'),
    Removed('OS::Neutron::Pool', '9.0.0', '7.0.0'),
    Removed('OS::Neutron::PoolMember', '9.0.0', '7.0.0', '2014.1'),
    Removed('OS::Sahara::Cluster', '23.0.0', '22.0.0', '5.0.0'),
    Removed('OS::Sahara::ClusterTemplate', '23.0.0', '22.0.0', '2014.2'),
    Removed('OS::Sahara::DataSource', '23.0.0', '22.0.0', '5.0.0'),
    Removed('OS::Sahara::ImageRegistry', '23.0.0', '22.0.0', '5.0.0'),
    Removed('OS::Sahara::Job', '23.0.0', '22.0.0', '8.0.0'),
    Removed('OS::Sahara::JobBinary', '23.0.0', '22.0.0', '5.0.0'),
    Removed('OS::Sahara::NodeGroupTemplate', '23.0.0', '22.0.0', '2014.2'),
    Removed('OS::Senlin::Cluster', '23.0.0', '22.0.0', '6.0.0'),
    Removed('OS::Senlin::Node', '23.0.0', '22.0.0', '6.0.0'),
    Removed('OS::Senlin::Policy', '23.0.0', '22.0.0', '6.0.0'),
    Removed('OS::Senlin::Profile', '23.0.0', '22.0.0', '6.0.0'),
    Removed('OS::Senlin::Receiver', '23.0.0', '22.0.0', '6.0.0'),
    Removed('OS::Vitrage::Template', '27.0.0', '26.0.0', '16.0.0'),
)

#: What the types still are to the engine, where that is not nothing.
_FACTS = {
    'OS::Aodh::CombinationAlarm': {'default_client_name': 'aodh',
                                   'entity': 'alarm'},
}


class RemovedResource(none_resource.NoneResource):
    """A resource of a type that has been removed.

    It does nothing. It is there so that stacks which were made when the
    type existed can be shown and deleted; templates for new stacks are to
    use what its support status names.
    """

    drift_unsupported = _('The resource type has been removed.')


def _class_of(row):
    name = ''.join(row.name.split('::')[1:])
    return type(name, (RemovedResource,), {
        '__doc__': RemovedResource.__doc__,
        '__module__': __name__,
        'support_status': row.support_status(),
        **_FACTS.get(row.name, {}),
    })


_CLASSES = {row.name: _class_of(row) for row in _REMOVED}


def resource_mapping():
    """Return a class for each of the types."""
    return dict(_CLASSES)
