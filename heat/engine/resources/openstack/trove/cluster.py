"""Clusters of Trove."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.trove import trove_base


class TroveCluster(trove_base.TroveResource):
    """A database cluster of Trove.

    A cluster is a group of instances that serve the same databases.
    """

    type_name = 'OS::Trove::Cluster'
    support_status = support.SupportStatus(version='2015.1')
    entity = 'clusters'
    noun = 'cluster'

    DATASTORE_TYPE, DATASTORE_VERSION, INSTANCES = (
        'datastore_type', 'datastore_version', 'instances')

    properties_schema = {
        'name': properties.string(
            _('Name of the cluster.'),
            constraints=[constraints.Length(max=255)]),
        DATASTORE_TYPE: properties.string(
            _('Datastore type.'),
            required=True,
            constraints=[constraints.Length(max=255)]),
        DATASTORE_VERSION: properties.string(
            _('Datastore version.'),
            required=True,
            constraints=[constraints.Length(max=255)]),
        INSTANCES: properties.list(
            _('Instances of the cluster.'),
            required=True,
            schema=properties.map(
                _('One instance.'),
                schema={
                    'flavor': properties.string(
                        _('Flavor of the instance, by name or ID.'),
                        required=True,
                        constraints=[constraints.ref('trove.flavor')]),
                    'volume_size': properties.integer(
                        _('Size of the volume in gigabytes.'),
                        required=True,
                        constraints=[constraints.Range(min=1, max=150)]),
                    'networks': properties.list(
                        _('Network interfaces of the instance.'),
                        default=[],
                        schema=trove_base.networks_schema(),
                        support_status=support.SupportStatus(
                            version='10.0.0')),
                    'availability_zone': properties.string(
                        _('Availability zone of the instance.'),
                        support_status=support.SupportStatus(
                            version='14.0.0')),
                })),
    }

    attributes_schema = {
        INSTANCES: attributes.Schema(
            _('IDs of the instances.'),
            type=attributes.Schema.LIST),
        'ip': attributes.Schema(
            _('IP address of the cluster.'),
            type=attributes.Schema.LIST),
    }

    ready = sdk_resource.WaitFor(
        attribute='task.name', ready=frozenset(['NONE']),
        failed=frozenset(['ERROR', 'FAILED']))
    gone = sdk_resource.WaitFor(
        attribute='task.name', failed=frozenset(['ERROR', 'FAILED']))

    def validate(self):
        """Check the type of database and the network cards."""
        problem = super().validate()
        self.client_plugin().validate_datastore(
            self.properties[self.DATASTORE_TYPE],
            self.properties[self.DATASTORE_VERSION],
            self.DATASTORE_TYPE, self.DATASTORE_VERSION)
        for index, each in enumerate(self.properties[self.INSTANCES]):
            self._validate_networks(each['networks'], self.INSTANCES, index)
        return problem

    def prepare_create(self, body):
        """Describe the database and the instances as Trove wants it."""
        return {'name': body['name'],
                'datastore': {'type': body[self.DATASTORE_TYPE],
                              'version': body[self.DATASTORE_VERSION]},
                'instances': [_instance(each)
                              for each in body[self.INSTANCES]]}

    def handle_delete(self):
        """Ask for the cluster to go away, when Trove has finished with it.
        """
        if self.resource_id is None:
            return True
        with self.client_plugin().ignore_not_found:
            return self._delete_at_rest()
        return True

    def _delete_at_rest(self):
        if self.ready.state_of(self._show_resource()) in self.ready.ready:
            self._delete()
            self._delete_called = True
        return self._delete_called

    def check_delete_complete(self, check):
        """Return whether the cluster is gone.

        :param check: whether Trove has been asked for that.
        """
        if self.resource_id is None:
            return True
        with self.client_plugin().ignore_not_found:
            if not (check or self._delete_called):
                self._delete_at_rest()
                return False
            return self.gone.reached(self._show_resource(), self.name)
        return True

    def _resolve_attribute(self, name):
        found = super()._resolve_attribute(name)
        if name == self.INSTANCES and found is not None:
            return [each['id'] for each in found]
        return found


def _instance(given):
    wanted = {'flavorRef': given['flavor'],
              'volume': {'size': given['volume_size']}}
    if given['networks']:
        wanted['nics'] = trove_base.nics(given['networks'])
    if given['availability_zone']:
        wanted['availability_zone'] = given['availability_zone']
    return wanted
