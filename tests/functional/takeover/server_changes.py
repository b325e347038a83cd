"""Servers that Heat was stopped in the middle of changing.

Each stack has one resource: a server, or the attachment of a volume to a
server. The compute service refuses what Nova refuses: nothing can be asked of
a server to which something is being done.
"""
import dataclasses

from openstack import exceptions

from tests.fakes import cloud as fake_cloud
from tests.fakes import heat_rows
from tests.functional.takeover import cloud

NOVA, AWS = 'OS::Nova::Server', 'AWS::EC2::Instance'
_AT_REST = ('ACTIVE', 'SHUTOFF')
#: The states in which Nova takes what is asked of a server.
_FROM = {'resize': _AT_REST, 'rebuild': _AT_REST,
         'confirmResize': ('VERIFY_RESIZE',), 'suspend': ('ACTIVE',),
         'resume': ('SUSPENDED',), 'attach': _AT_REST, 'detach': _AT_REST,
         'image': (*_AT_REST, 'SUSPENDED')}


class Storage(cloud.Storage):
    """Volumes that pass through states."""

    def pass_through(self, volume_id, *states):
        """Let a volume be in a state, and later in others."""
        self._kept('volume', volume_id).update(
            status=states[0], _next=list(states[1:]))

    def _shown(self, entity, thing_id):
        kept = self._kept(entity, thing_id)
        if entity == 'volume' and kept['_next'][:1] == ['available']:
            kept['attachments'] = []
        return super()._shown(entity, thing_id)


class Compute(cloud.Compute):
    """Refuses what the state of a server does not allow."""

    def _act(self, server_id, action, argument=None):
        self._require(server_id, action)
        super()._act(server_id, action, argument)
        kept = self._kept('server', server_id)
        if len(kept['_states']) > 1:
            kept['status'], kept['task_state'] = kept['_states'].pop(0)

    def _require(self, server_id, action):
        kept = self._kept('server', server_id)
        if not kept['task_state'] and kept['status'] in _FROM[action]:
            return
        if kept['_states']:
            # Time passes meanwhile.
            kept['status'], kept['task_state'] = kept['_states'].pop(0)
        self.log.append(('refuse', action, server_id))
        raise fake_cloud.refusal(409, {'conflictingRequest': {'message':
            f'Cannot {action} instance {server_id} while it is in '
            f'{kept["status"]} {kept["task_state"]}'}})

    def resize_server(self, server_id, flavor_id):
        """Resize a server to another flavor."""
        kept = self._kept('server', server_id)
        if self._flavor(flavor_id)['name'] == kept['flavor'][
                'original_name']:
            raise exceptions.BadRequestException(
                'When resizing, instances must change flavor!')
        super().resize_server(server_id, flavor_id)

    def create_server_interface(self, server_id, **given):
        """Attach a port."""
        self._require(server_id, 'attach')
        return super().create_server_interface(server_id, **given)

    def delete_server_interface(self, port_id, server, ignore_missing):
        """Detach a port."""
        self._require(server, 'detach')
        super().delete_server_interface(port_id, server, ignore_missing)

    def create_server_image(self, server_id, name):
        """Make an image."""
        self._require(server_id, 'image')
        self.log.append(('act', 'image', server_id))
        self._kept('server', server_id).update(
            task_state='image_snapshot', _states=[('ACTIVE', None)])
        return super().create_server_image(server_id, name)

    def create_volume_attachment(self, server_id, volume_id, device=None):
        """Attach a volume that nothing is being done to."""
        volume = self.storage._kept('volume', volume_id)
        if volume['status'] != 'available':
            raise fake_cloud.refusal(400, {'badRequest': {
                'message': f'Invalid volume: {volume["status"]}'}})
        self.log.append(('attach', volume_id, server_id))
        return super().create_volume_attachment(server_id, volume_id, device)

    def delete_volume_attachment(self, server, volume_id,
                                 ignore_missing=True):
        """Detach a volume that is attached."""
        self.get_volume_attachment(server.id, volume_id)
        if self.storage._kept('volume', volume_id)['status'] != 'in-use':
            raise fake_cloud.refusal(400, {'badRequest': {
                'message': 'Invalid volume: it must be in-use'}})
        self.log.append(('detach', volume_id, server.id))
        super().delete_volume_attachment(server, volume_id, ignore_missing)

    def get_volume_attachment(self, server_id, volume_id):
        """Show an attachment until the volume is detached."""
        kept = self._kept('server', server_id)
        if volume_id in kept.get('volumes', ()) and not self.storage._kept(
                'volume', volume_id)['attachments']:
            kept['volumes'].remove(volume_id)
        return super().get_volume_attachment(server_id, volume_id)


class Cloud(cloud.Cloud):
    """The services, in which making an image takes a while."""

    def __init__(self):
        super().__init__()
        self.images.script['image'] = ['queued', 'saving', 'active']
        self.images.create_image(id='other-id', name='other',
                                 min_ram=64, min_disk=0)
        self.images.things['image', 'other-id'].update(
            status='active', _next=[])
        self.storage = Storage()
        self.compute = Compute(self.network, self.images, self.storage)
        self.forget()


@dataclasses.dataclass(frozen=True)
class Case:
    """What Heat was stopped in, and what has to be asked for after it.

    :ivar after: the properties that an update changes
    :ivar states: (status, task) that the server passes through
    :ivar live: what differs from the properties before the update: flavor,
        image, ports; or the volumes that are attached
    :ivar volumes: {volume: states} of volumes that are not at rest
    :ivar asked: {request: number} of the requests that must follow
    :ivar data: of the row; `id`: what is recorded
    """

    type: str
    action: str
    after: dict = dataclasses.field(default_factory=dict)
    states: tuple = (('ACTIVE', None),)
    live: dict = dataclasses.field(default_factory=dict)
    volumes: dict = dataclasses.field(default_factory=dict)
    asked: dict = dataclasses.field(default_factory=dict)
    data: dict = dataclasses.field(default_factory=dict)
    id: str | None = 'server'
    convergence: bool = True

    @property
    def is_attachment(self):
        """Whether the resource is the attachment of a volume."""
        return self.type.endswith('VolumeAttachment')


_RESIZING = ('RESIZE', 'resize_migrating')
_VERIFY = ('VERIFY_RESIZE', None)
_REBUILDING = (('REBUILD', 'rebuilding'), ('REBUILD', 'rebuild_spawning'),
               ('ACTIVE', None))


def _resizes(kind, flavor):
    after, large = {flavor: 'large'}, {'flavor': 'large'}
    return {
        'resize-unasked': Case(kind, 'UPDATE', after, asked={
            'resize': 1, 'confirmResize': 1}),
        'resize-going': Case(
            kind, 'UPDATE', after, (_RESIZING, _RESIZING, _VERIFY), large,
            asked={'confirmResize': 1}),
        'resize-verify': Case(kind, 'UPDATE', after, (_VERIFY,), large,
                              asked={'confirmResize': 1}),
        'resize-done': Case(kind, 'UPDATE', after, live=large)}


def _interfaces(kind, ports):
    after = {'networks' if kind == NOVA else 'NetworkInterfaces': ports}
    return {
        'interface-unasked': Case(kind, 'UPDATE', after,
                                  asked={'attach': 1, 'detach': 1}),
        'interface-detached': Case(kind, 'UPDATE', after,
                                   live={'ports': ('<p1>',)},
                                   asked={'attach': 1}),
        'interface-done': Case(kind, 'UPDATE', after,
                               live={'ports': ('<p1>', '<p3>')})}


def _pauses(kind):
    suspended = ('SUSPENDED', None)
    return {
        'suspend-unasked': Case(kind, 'SUSPEND', asked={'suspend': 1}),
        'suspend-going': Case(kind, 'SUSPEND', states=(
            ('ACTIVE', 'suspending'), ('ACTIVE', 'suspending'), suspended)),
        'suspend-done': Case(kind, 'SUSPEND', states=(suspended,)),
        'resume-unasked': Case(kind, 'RESUME', states=(suspended,),
                               asked={'resume': 1}),
        'resume-going': Case(kind, 'RESUME', states=(
            ('SUSPENDED', 'resuming'), ('SUSPENDED', 'resuming'),
            ('ACTIVE', None))),
        'resume-done': Case(kind, 'RESUME')}


def _rebuilds():
    after, other = {'image': 'other'}, {'image': 'other-id'}
    return {
        'rebuild-unasked': Case(NOVA, 'UPDATE', after, asked={'rebuild': 1}),
        'rebuild-going': Case(NOVA, 'UPDATE', after, _REBUILDING, other),
        'rebuild-done': Case(NOVA, 'UPDATE', after, live=other)}


def _snapshots():
    image = {'snapshot_image_id': '<image>'}
    going = (('ACTIVE', 'image_uploading'), ('ACTIVE', None))
    return {
        'snapshot-unasked': Case(NOVA, 'SNAPSHOT', asked={'image': 1}),
        'snapshot-going': Case(NOVA, 'SNAPSHOT', states=going, data=image)}


def _attachments(kind):
    volume = 'volume_id' if kind.startswith('OS') else 'VolumeId'
    after = {volume: '<v2>'}

    def case(action, attached='', asked=(), **more):
        return Case(kind, action, after if action == 'UPDATE' else {},
                    live={'volumes': attached.split()}, asked=dict.fromkeys(
                        asked, 1),
                    **{'id': '<v1>', **more})

    return {
        'attach-unasked': case('CREATE', asked=['attach'], id=None),
        'attach-going': case('CREATE', '<v1>', volumes={
            '<v1>': ('attaching', 'attaching', 'in-use')}),
        'attach-unknown': case('CREATE', '<v1>', id=None, volumes={
            '<v1>': ('attaching', 'in-use')}),
        'attach-done': case('CREATE', '<v1>'),
        'attach-busy': case('CREATE', asked=['attach'], id=None, states=(
            ('ACTIVE', 'image_uploading'), ('ACTIVE', None))),
        **(_moves(case) if volume == 'volume_id' else {}),
        'detach-unasked': case('DELETE', '<v1>', ['detach']),
        'detach-going': case('DELETE', '<v1>', volumes={
            '<v1>': ('detaching', 'detaching', 'available')}),
        'detach-done': case('DELETE')}


def _moves(case):
    return {
        'move-unasked': case('UPDATE', '<v1>', ['detach', 'attach']),
        'move-detaching': case('UPDATE', '<v1>', ['attach'], volumes={
            '<v1>': ('detaching', 'detaching', 'available')}),
        'move-detached': case('UPDATE', '', ['attach']),
        'move-attaching': case('UPDATE', '<v2>', id='<v2>', volumes={
            '<v2>': ('attaching', 'in-use')}),
        'move-unknown': case('UPDATE', '<v2>')}


def _named(prefix, cases):
    return {f'{prefix}-{name}': case for name, case in cases.items()}


CASES = {
    **_named('nova', {
        **_resizes(NOVA, 'flavor'), **_rebuilds(), **_snapshots(),
        **_interfaces(NOVA, [{'port': '<p1>'}, {'port': '<p3>'}]),
        **_pauses(NOVA)}),
    **_named('aws', {
        **_resizes(AWS, 'InstanceType'), **_pauses(AWS),
        **_interfaces(AWS, ['<p1>', '<p3>'])}),
    **_named('volume', _attachments('OS::Cinder::VolumeAttachment')),
    **_named('aws-volume', _attachments('AWS::EC2::VolumeAttachment')),
}
CASES.update({f'{name}-legacy': dataclasses.replace(
    CASES[name], convergence=False) for name in (
        'nova-resize-going', 'nova-resize-verify', 'nova-rebuild-going',
        'nova-interface-detached', 'nova-suspend-going', 'nova-resume-going',
        'nova-snapshot-going', 'aws-resize-going', 'aws-resize-verify',
        'aws-interface-detached', 'aws-suspend-going', 'aws-resume-going',
        'volume-attach-going', 'volume-move-detaching',
        'volume-move-attaching', 'volume-detach-going')})


class Stack:
    """The rows of a stack, and its cloud resources.

    :ivar first, second: its resources, before and after an update
    """

    def __init__(self, database, services, name, case):
        self.case, self.services, self.name = case, services, name
        self.server = self._make()
        self.first = self._resources({})
        self.second = self._resources(case.after)
        before, whole = None, database.template(
            self.second if case.after else self.first)
        if case.after:
            before = database.template(self.first)
        elif case.action == 'DELETE' and case.convergence:
            before, whole = whole, database.template(
                {'heat_template_version': heat_rows.VERSION})
        snapshot = (heat_rows.new_id() if case.action == 'SNAPSHOT'
                    else None)
        self.rows = database.stack(
            name, whole, before=before, action=case.action,
            status='IN_PROGRESS', convergence=case.convergence,
            traversal=snapshot)
        self.row = self.rows.resource(
            'it', action=case.action, status='IN_PROGRESS',
            claimed=case.convergence, template_id=before,
            physical=self.own(case.id), data=self.own(case.data),
            properties=self.first['it']['properties'])
        if snapshot:
            self.rows.snapshot(snapshot_id=snapshot, status='IN_PROGRESS')
        if not case.convergence:
            self.rows.lock()
            return
        edges = {'DELETE': [(self.row.clean, None)], 'UPDATE': [
            (self.row.update, None), (self.row.clean, self.row.update)]}
        self.rows.graph(*edges.get(case.action, [(self.row.update, None)]),
                        going=True)

    def own(self, value):
        """Return a value with the names of things replaced."""
        if isinstance(value, dict):
            return {key: self.own(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.own(each) for each in value]
        if value == 'server':
            return self.server
        if isinstance(value, str) and value.startswith('<'):
            return f'{self.name}-{value.strip("<>")}'
        return value

    def _resources(self, after):
        before = {
            NOVA: {'flavor': 'small', 'image': 'cirros',
                   'networks': [{'port': '<p1>'}, {'port': '<p2>'}]},
            AWS: {'InstanceType': 'small', 'ImageId': 'cirros',
                  'NetworkInterfaces': ['<p1>', '<p2>']},
            'OS::Cinder::VolumeAttachment': {
                'instance_uuid': 'server', 'volume_id': '<v1>'},
            'AWS::EC2::VolumeAttachment': {
                'InstanceId': 'server', 'VolumeId': '<v1>',
                'Device': '/dev/vdc'}}[self.case.type]
        return {'it': {'type': self.case.type, 'properties': self.own(
            {**before, **after})}}

    def _make(self):
        """Create the server, ports and volumes; return the server's id."""
        cloud, live = self.services, self.case.live
        for port in 'p1', 'p2', 'p3':
            cloud.network.create_port(id=f'{self.name}-{port}',
                                      network_id='net')
        for volume in 'v1', 'v2':
            cloud.storage.create_volume(
                id=f'{self.name}-{volume}', size=1, metadata={},
                attachments=[])
            cloud.storage.pass_through(f'{self.name}-{volume}', 'available')
        if 'snapshot_image_id' in self.case.data:
            cloud.images.create_image(id=f'{self.name}-image')
        made = cloud.compute.create_server(
            name=self.name, imageRef=live.get('image', 'cirros-id'),
            flavorRef=f'{live.get("flavor", "small")}-id', networks=[
                {'port': port} for port in self.own(
                    live.get('ports', ('<p1>', '<p2>')))]).id
        kept = cloud.compute.things['server', made]
        kept.update(_states=[], status='ACTIVE', task_state=None)
        for volume in self.own(live.get('volumes', ())):
            cloud.compute.create_volume_attachment(made, volume)
        for volume, states in self.case.volumes.items():
            cloud.storage.pass_through(self.own(volume), *states)
        (status, task), *later = self.case.states
        kept.update(status=status, task_state=task, _states=later)
        return made

    def requests(self):
        """Return what was asked of the server, in order."""
        return [what if verb == 'act' else verb
                for verb, what, server, *_more in self.services.compute.log
                if server == self.server and verb in (
                    'act', 'attach', 'detach')]

    def settle(self):
        """Let what is being done to the volumes come to its end."""
        for volume in self.own(('<v1>', '<v2>')):
            while self.services.storage.things['volume', volume]['_next']:
                self.services.storage.get_volume(volume)

    def live(self, server=None):
        """Return what the server, or one that replaced it, is like."""
        kept = self.services.compute.things['server', server or self.server]
        return {
            'flavor': kept['flavor']['original_name'],
            'image': kept['image'].id, 'status': kept['status'],
            'ports': {port for port, _tag in kept['attached']},
            'volumes': {
                volume for volume in kept.get('volumes', ()) if
                self.services.storage.things['volume', volume]['status'] ==
                'in-use'}}

    def wanted(self, after=None):
        """Return what the server has to be like."""
        after = self.case.after if after is None else after
        is_attached = self.case.is_attachment and (
            self.case.action != 'DELETE')
        flavor = after.get('flavor', after.get('InstanceType', 'small'))
        is_moved = {'networks', 'NetworkInterfaces'} & after.keys()
        volume = after.get('volume_id', after.get('VolumeId', '<v1>'))
        return {
            'flavor': flavor, 'image': 'other-id' if 'image' in after
            else 'cirros-id', 'ports': set(self.own(
                ['<p1>', '<p3>' if is_moved else '<p2>'])),
            'status': 'SUSPENDED' if self.case.action == 'SUSPEND'
            else 'ACTIVE',
            'volumes': {self.own(volume)} if is_attached else set()}
