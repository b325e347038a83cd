"""Stacks of an orchestration API that is not ours."""
from heat.engine.clients import sdk


class StackClient:
    """Does with one stack elsewhere what can be done with stacks.

    Its full path is used throughout, so that nothing is redirected.

    :param proxy: the orchestration proxy of a connection
    :param name: the name of the stack; None to find it out from the id
    :param stack_id: its id, None as long as it is not made
    """

    def __init__(self, proxy, name, stack_id=None):
        self._proxy = proxy
        self._name = name
        self._id = stack_id

    def _path(self, *parts):
        if self._name is None:
            self._name = self._request('get', '/stacks/' + self._id).json()[
                'stack']['stack_name']
        return '/'.join(('/stacks', self._name, self._id, *parts))

    def _request(self, method, path, **kwargs):
        response = getattr(self._proxy, method)(path, **kwargs)
        sdk.exceptions.raise_from_response(response)
        return response

    def validate(self, body):
        """Raise an error of the SDK unless the other side takes this."""
        self._request('post', '/validate', json=body)

    def create(self, body):
        """Begin to create the stack; return its id.

        One of the name is ours: the name is unique, and an answer that did
        not reach us is why we ask again.
        """
        try:
            answer = self._request('post', '/stacks', json={
                **body, 'stack_name': self._name})
        except sdk.exceptions.ConflictException:
            return self.find()
        self._id = answer.json()['stack']['id']
        return self._id

    def find(self):
        """Return the id of the stack of our name; None when there is none.
        """
        try:
            answer = self._request('get', '/stacks/' + self._name)
        except sdk.exceptions.NotFoundException:
            return None
        self._id = answer.json()['stack']['id']
        return self._id

    def show(self, resolve_outputs=False):
        """Return what there is to say of the stack; None when it is gone.
        """
        try:
            return self._request('get', self._path(), params={
                'resolve_outputs': resolve_outputs}).json()['stack']
        except sdk.exceptions.NotFoundException:
            return None

    def update(self, body):
        """Begin to update the stack."""
        self._request('put', self._path(), json=body)

    def act(self, action):
        """Begin an action, like suspend."""
        self._request('post', self._path('actions'), json={action: None})

    def delete(self):
        """Begin to delete the stack; it may be gone."""
        try:
            self._request('delete', self._path())
        except sdk.exceptions.NotFoundException:
            return

    def take_snapshot(self, name):
        """Begin to take a snapshot; return its id."""
        return self._request('post', self._path('snapshots'), json={
            'name': name}).json()['id']

    def snapshot(self, snapshot_id):
        """Return a snapshot, or None when there is none."""
        try:
            return self._request('get', self._path(
                'snapshots', snapshot_id)).json()['snapshot']
        except sdk.exceptions.NotFoundException:
            return None

    def delete_snapshot(self, snapshot_id):
        """Delete a snapshot; it may be gone."""
        try:
            self._request('delete', self._path('snapshots', snapshot_id))
        except sdk.exceptions.NotFoundException:
            return
