"""Instances of Trove."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.trove import contents
from heat.engine.resources.openstack.trove import trove_base

_DATABASE = {
    'character_set': properties.string(
        _('Character set of the database.'), default='utf8'),
    'collate': properties.string(
        _('Collation of the database.'),
        default='utf8_general_ci'),
    'name': properties.string(
        _('Name of the database.'),
        required=True,
        constraints=[
            constraints.Length(max=64),
            constraints.AllowedPattern(
                r'[a-zA-Z0-9_\-]+[a-zA-Z0-9_@?#\s\-]*[a-zA-Z0-9_\-]+')]),
}
_USER = {
    'name': properties.string(
        _('Name of the user.'),
        required=True, update_allowed=True,
        constraints=[
            constraints.Length(max=16),
            constraints.AllowedPattern(
                r'[a-zA-Z0-9_]+[a-zA-Z0-9_@?#\s]*[a-zA-Z0-9_]+')]),
    'password': properties.string(
        _('Password of the user.'),
        required=True, update_allowed=True,
        constraints=[constraints.AllowedPattern(
            r'[a-zA-Z0-9_]+[a-zA-Z0-9_@?#\s]*[a-zA-Z0-9_]+')]),
    'host': properties.string(
        _('Host from which the user may connect; "%" for any host.'),
        default='%', update_allowed=True),
    'databases': properties.list(
        _('Names of the databases to which the user has access.'),
        required=True, update_allowed=True,
        schema=properties.string(_('Name of the database.')),
        constraints=[constraints.Length(min=1)]),
}


class TroveInstance(trove_base.TroveResource):
    """A database instance of Trove.

    An instance is a server that runs databases.
    """

    type_name = 'OS::Trove::Instance'
    support_status = support.SupportStatus(version='2014.1')
    entity = 'instances'
    noun = 'instance'
    secret_properties = ('users',)
    #: Trove shows neither passwords nor grants.
    drift_ignored = ('users',)

    (NAME, FLAVOR, SIZE, DATABASES, USERS, NETWORKS, RESTORE_POINT,
     DATASTORE_TYPE, DATASTORE_VERSION, REPLICA_OF, REPLICA_COUNT) = (
        'name', 'flavor', 'size', 'databases', 'users', 'networks',
        'restore_point', 'datastore_type', 'datastore_version',
        'replica_of', 'replica_count')

    properties_schema = {
        NAME: properties.string(
            _('Name of the instance.'),
            update_allowed=True,
            constraints=[constraints.Length(max=255)]),
        FLAVOR: properties.string(
            _('Flavor of the instance, by name or ID.'),
            required=True, update_allowed=True,
            constraints=[constraints.ref('trove.flavor')]),
        SIZE: properties.integer(
            _('Size of the volume in gigabytes.'),
            required=True, update_allowed=True,
            constraints=[constraints.Range(min=1, max=150)]),
        NETWORKS: properties.list(
            _('Network interfaces of the instance.'),
            default=[],
            schema=trove_base.networks_schema()),
        DATABASES: properties.list(
            _('Databases to create on the instance.'),
            default=[], update_allowed=True,
            schema=properties.map(_('One database.'), schema=_DATABASE)),
        USERS: properties.list(
            _('Database users to create on the instance.'),
            default=[], update_allowed=True,
            schema=properties.map(_('One user.'), schema=_USER)),
        'availability_zone': properties.string(
            _('Availability zone of the instance.')),
        RESTORE_POINT: properties.string(
            _('ID of the backup from which the instance is restored.')),
        DATASTORE_TYPE: properties.string(
            _('Datastore type.'),
            constraints=[constraints.Length(max=255)]),
        DATASTORE_VERSION: properties.string(
            _('Datastore version.'),
            constraints=[constraints.Length(max=255)]),
        REPLICA_OF: properties.string(
            _('ID of the instance of which the instance is a replica.'),
            support_status=support.SupportStatus(version='5.0.0')),
        REPLICA_COUNT: properties.integer(
            _('Number of replicas to create.'),
            support_status=support.SupportStatus(version='5.0.0')),
    }

    attributes_schema = {
        'hostname': attributes.Schema(
            _('Host name of the instance.'),
            type=attributes.Schema.STRING),
        'href': attributes.Schema(
            _('URL of the instance in the API of Trove.'),
            type=attributes.Schema.STRING),
    }

    ready = sdk_resource.WaitFor(
        ready=frozenset(['ACTIVE', 'HEALTHY']), pending=trove_base.BUSY,
        failed=trove_base.FAILED)
    gone = sdk_resource.WaitFor(failed=trove_base.FAILED)

    # What an update still has to ask for, in order.
    _steps: list | None = None

    def validate(self):
        """Check the type of database, users and network cards."""
        problem = super().validate()
        given = self.properties
        self.client_plugin().validate_datastore(
            given[self.DATASTORE_TYPE], given[self.DATASTORE_VERSION],
            self.DATASTORE_TYPE, self.DATASTORE_VERSION)
        known = {each['name'] for each in given[self.DATABASES] or ()}
        for user in given[self.USERS] or ():
            missing = sorted(set(user['databases']) - known)
            if missing and known:
                raise self._refuse(_(
                    'The user %(user)s cannot have access to %(missing)s, '
                    'because the instance does not define the '
                    'database') % {'user': user['name'],
                                        'missing': ', '.join(missing)},
                    self.USERS)
            if not known:
                raise self._refuse(_(
                    'A user requires at least one of the "databases" of the '
                    'instance'),
                    self.USERS)
        self._validate_networks(given[self.NETWORKS], self.NETWORKS)
        if given[self.REPLICA_COUNT] and not given[self.REPLICA_OF]:
            raise exception.ResourcePropertyDependency(
                prop1=self.REPLICA_COUNT, prop2=self.REPLICA_OF)
        return problem

    # -- create -------------------------------------------------------------

    def prepare_create(self, body):
        """Describe flavor, volume and contents as Trove wants it."""
        wanted = {name: body[name] for name in (
            self.NAME, 'availability_zone', self.REPLICA_OF,
            self.REPLICA_COUNT) if name in body}
        wanted['flavorRef'] = body[self.FLAVOR]
        wanted['volume'] = {'size': body[self.SIZE]}
        wanted[self.DATABASES] = [
            dict(each) for each in body[self.DATABASES]]
        wanted[self.USERS] = [contents.user(each)
                              for each in body[self.USERS]]
        if body[self.NETWORKS]:
            wanted['nics'] = trove_base.nics(body[self.NETWORKS])
        if body.get(self.RESTORE_POINT):
            wanted['restorePoint'] = {'backupRef': body[self.RESTORE_POINT]}
        store = {name: body[key] for name, key in (
            ('type', self.DATASTORE_TYPE),
            ('version', self.DATASTORE_VERSION)) if body.get(key)}
        if store:
            wanted['datastore'] = store
        return wanted

    # -- update -------------------------------------------------------------

    def _update(self, prop_diff):
        """Note what to ask for: one step at a time, when Trove is at rest.
        """
        self._steps = []
        plugin = self.client_plugin()
        if self.NAME in prop_diff:
            self._steps.append((plugin.rename_instance,
                                prop_diff[self.NAME] or
                                self.physical_resource_name()))
        if self.FLAVOR in prop_diff:
            self._steps.append((plugin.resize_instance,
                                prop_diff[self.FLAVOR]))
        if self.SIZE in prop_diff:
            self._steps.append((plugin.resize_volume, prop_diff[self.SIZE]))
        if self.DATABASES in prop_diff or self.USERS in prop_diff:
            self._steps.append((contents.Change(
                plugin,
                {name: self.properties[name] or []
                 for name in (self.DATABASES, self.USERS)},
                {name: prop_diff[name] or [] for name in (
                    self.DATABASES, self.USERS) if name in prop_diff}).make,))

    def check_update_complete(self, unsent):
        """Return whether all changes are made."""
        if not self._is_ready():
            return False
        if not self._steps:
            return True
        request, *arguments = self._steps.pop(0)
        request(self.resource_id, *arguments)
        return False

    # -- what others see ----------------------------------------------------

    def _resolve_attribute(self, name):
        if name == 'href' and self.resource_id is not None:
            return next((link['href'] for link in
                         self._show_resource().get('links') or ()
                         if link['rel'] == 'self'), None)
        return super()._resolve_attribute(name)

    def parse_live(self, live):
        """Return what is shown by the names of properties."""
        plugin = self.client_plugin()
        store = live.get('datastore') or {}
        found = {**super().parse_live(live),
                 self.FLAVOR: (live.get('flavor') or {}).get('id'),
                 self.SIZE: (live.get('volume') or {}).get('size'),
                 self.DATASTORE_TYPE: store.get('type'),
                 self.DATASTORE_VERSION: store.get('version')}
        if live.get('status') in self.ready.ready:
            found.update(contents.shown(plugin, self.resource_id,
                                        self.properties))
        return found
