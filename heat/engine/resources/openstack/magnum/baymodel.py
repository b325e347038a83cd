"""Cluster templates of Magnum under their old name."""
from heat.common.i18n import _
from heat.engine import support
from heat.engine.resources.openstack.magnum import cluster_template

_MESSAGE = _('Use %s instead.') % 'OS::Magnum::ClusterTemplate'


class BayModel(cluster_template.ClusterTemplate):
    """A cluster template of Magnum, under its former name.

    It describes the servers, networks and drivers of clusters.
    """

    type_name = 'OS::Magnum::BayModel'
    support_status = support.SupportStatus(
        status=support.HIDDEN, version='11.0.0', message=_MESSAGE,
        previous_status=support.SupportStatus(
            status=support.DEPRECATED, version='9.0.0', message=_MESSAGE,
            previous_status=support.SupportStatus(version='5.0.0')))
