"""Cinder, as far as volumes and their backups need it, over HTTP.

What takes a while in Cinder takes a few looks here; until then the thing is
in between, and what Cinder refuses meanwhile is refused.
"""
import json
import uuid

import webob

from tests.fakes import identity

#: How often something is seen in between.
_LOOKS = 2


class Refused(Exception):
    """A request that Cinder does not carry out."""

    def __init__(self, status, message):
        super().__init__(message)
        self.answer = webob.Response(status=status, json={'fault': {
            'code': status, 'message': message}})


class Cloud(identity.Cloud):
    """A cloud of one project with Keystone and Cinder.

    :ivar volumes, backups: {id: what is shown of it}
    :ivar contents: {id of a volume or backup: what is written in it}
    """

    def __init__(self, project):
        super().__init__('http://nowhere', {project: project})
        self.volumes, self.backups, self.contents = {}, {}, {}
        # {id: [looks to come, function to call then]}
        self._coming = {}
        self.broken = False

    def write(self, volume_id, text):
        """Do what a server does that has the volume attached."""
        self.contents[volume_id] = text

    # -- Keystone -----------------------------------------------------------

    def _token(self, body):
        project = body['auth']['scope']['project']
        project.setdefault('name', project.get('id'))
        return super()._token(body)

    def _catalog(self, project):
        url = f'{self.url}/volume/v3/{project}'
        return [*super()._catalog(project), {
            'type': 'volumev3', 'id': 'volumev3', 'name': 'cinder',
            'endpoints': [{'id': interface, 'interface': interface,
                           'region': 'here', 'region_id': 'here', 'url': url}
                          for interface in ('public', 'internal', 'admin')]}]

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        if not request.path_info.startswith('/volume/'):
            return super().__call__(environ, start_response)
        try:
            answer = self._storage(request)
        except Refused as error:
            answer = error.answer
        return answer(environ, start_response)

    # -- Cinder -------------------------------------------------------------

    def _storage(self, request):
        steps = request.path_info.strip('/').split('/')[2:]
        if len(steps) < 2:
            return webob.Response(json={'versions': [{
                'id': 'v3.0', 'status': 'CURRENT', 'version': '3.71',
                'min_version': '3.0', 'links': [{
                    'rel': 'self', 'href': f'{self.url}/volume/v3/'}]}]})
        kind, *rest = steps[1:]
        body = json.loads(request.body) if request.body else None
        things = {'volumes': self.volumes, 'backups': self.backups}.get(kind)
        if things is None:
            raise Refused(404, f'There is no {request.path_info}')
        if not rest and request.method == 'POST':
            return getattr(self, f'_create_{kind}')(body)
        if rest == ['detail']:
            return webob.Response(json={kind: list(things.values())})
        if rest[0] not in things:
            raise Refused(404, f'{rest[0]} could not be found.')
        return getattr(self, '_' + '_'.join(
            [request.method.lower(), *rest[1:]]))(
                kind[:-1], things, rest[0], body)

    def _later(self, its_id, finish, **states):
        """Let something be in between for a while."""
        things = self.volumes if its_id in self.volumes else self.backups
        things[its_id].update(states)
        self._coming[its_id] = [_LOOKS, finish]

    def _get(self, noun, things, its_id, _body):
        if its_id in self._coming:
            self._coming[its_id][0] -= 1
            if not self._coming[its_id][0]:
                self._coming.pop(its_id)[1]()
        if its_id not in things:
            raise Refused(404, f'{its_id} could not be found.')
        return webob.Response(json={noun: things[its_id]})

    def _put(self, noun, things, its_id, body):
        things[its_id].update(body[noun])
        return webob.Response(json={noun: things[its_id]})

    def _delete(self, noun, things, its_id, _body):
        if things[its_id]['status'] not in ('available', 'error'):
            raise Refused(400, f'{noun} status must be available or error.')

        def gone():
            del things[its_id]
            self.contents.pop(its_id, None)
        self._later(its_id, gone, status='deleting')
        return webob.Response(status=202)

    def _new(self, things, finish=None, **values):
        its_id = str(uuid.uuid4())
        things[its_id] = {'id': its_id, 'status': 'creating', **values}
        self._later(its_id, finish or (
            lambda: things[its_id].update(status='available')))
        return things[its_id]

    def _create_volumes(self, body):
        given = body['volume']
        made = self._new(self.volumes, metadata={}, attachments=[],
                         name=given['name'], size=given['size'],
                         description=given.get('description'))
        self.contents[made['id']] = ''
        return webob.Response(status=202, json={'volume': made})

    def _create_backups(self, body):
        given = body['backup']
        volume = self.volumes.get(given['volume_id'])
        if volume is None:
            raise Refused(404, f'{given["volume_id"]} could not be found.')
        if volume['status'] != 'available' and not given.get('force'):
            raise Refused(400, 'Invalid volume: Volume to be backed up must '
                          f'be available, but is {volume["status"]}.')
        before, text = volume['status'], self.contents[volume['id']]
        volume['status'] = 'backing-up'

        def finish():
            volume['status'] = before
            made['status'] = 'error' if self.broken else 'available'
            self.contents[made['id']] = text
        made = self._new(self.backups, finish, size=volume['size'],
                         name=given['name'], volume_id=volume['id'])
        return webob.Response(status=202, json={'backup': {
            key: made[key] for key in ('id', 'name')}})

    def _post_restore(self, _noun, things, its_id, body):
        backup, given = things[its_id], body['restore']
        if backup['status'] != 'available':
            raise Refused(400, 'Backup status must be available.')
        volume = self.volumes.get(given.get('volume_id'))
        if volume is None:
            volume = self._new(self.volumes, metadata={}, attachments=[],
                               name=given['name'], size=backup['size'])
        elif volume['status'] != 'available':
            raise Refused(400, 'Volume to be restored to must be available.')

        def finish():
            self.contents[volume['id']] = self.contents[its_id]
            volume['status'] = backup['status'] = 'available'
        backup['status'] = 'restoring'
        self._later(volume['id'], finish, status='restoring-backup')
        return webob.Response(status=202, json={'restore': {
            'backup_id': its_id, 'volume_id': volume['id'],
            'volume_name': volume['name']}})
