"""The client of the service of clusters, as plugins of resources see it."""
from heat.common import exception
from heat.engine.clients import sdk_noun
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'magnum'
# The classes of openstacksdk do not know why a cluster is in its state, and
# with each change ask for one of the id, which Magnum refuses.
_NOUNS = {
    'cluster': sdk_noun.Noun('/clusters', None, 'clusters',
                             identity='uuid', patch=True),
    'cluster_template': sdk_noun.Noun(
        '/clustertemplates', None, 'clustertemplates', identity='uuid',
        patch=True)}


class MagnumClientPlugin(sdk_plugin.SDKClientPlugin):
    """Finds cluster templates of Magnum by name or id."""

    client_name = CLIENT_NAME
    proxy = 'container_infrastructure_management'
    service_types = [CONTAINER] = ['container-infra']

    def _connect(self, version=None):
        return sdk_noun.extended(self._adapter(), _NOUNS)

    def get_cluster_template(self, value):
        """Return the id of a cluster template, given that or its name."""
        return self.find('cluster_template', value)


class ClusterTemplateConstraint(sdk_plugin.SDKConstraint):
    """A template of clusters, by name or id."""

    expected = (exception.EntityNotFound,
                exception.PhysicalResourceNameAmbiguity)
    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_cluster_template'


#: By the names that templates and schemas use.
CONSTRAINTS = {'magnum.cluster_template': ClusterTemplateConstraint}
