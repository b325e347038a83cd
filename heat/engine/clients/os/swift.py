"""The client of the object store, as plugins of resources see it."""
import calendar
import datetime
import email.utils
import hashlib
import hmac
import time
from urllib import parse

from oslo_config import cfg

from heat.common import cloud_error
from heat.common import exception
from heat.common.i18n import _
from heat.engine.clients import sdk
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'swift'

#: What lies at a signal's URL before the first signal.
IN_PROGRESS = 'in progress'

#: The last second that every Swift can have a URL be valid until.
MAX_EPOCH = 2147483647

#: What signs temporary URLs, the best first.
_DIGESTS = ('sha256', 'sha512', 'sha1')

#: What Swift takes for the name of a container, at most.
_CONTAINER_NAME_BYTES = 256

#: How many objects one request deletes, and one by one at a time.
_BULK, _FEW = 1000, 20


class SwiftClientPlugin(sdk_plugin.SDKClientPlugin):
    """Makes temporary URLs, and reads and deletes many objects at once."""

    client_name = CLIENT_NAME
    proxy = 'object_store'
    service_types = [OBJECT_STORE] = ['object-store']

    def __init__(self, context):
        super().__init__(context)
        self._key = None
        self._info = None

    # -- requests that the client library has no words for ------------------

    def request(self, method, *path, headers=None, **options):
        """Send a request about an account, container or object.

        :param path: the container and the object, if it is about them.
        """
        url = '/' + '/'.join(parse.quote(part, safe='') for part in path)
        answer = self.sdk().request(url, method, headers=headers or {},
                                       **options)
        sdk.exceptions.raise_from_response(answer)
        return answer

    def url_of(self, *path):
        """Return the URL of the account, of a container or an object."""
        return '/'.join([self.sdk().get_endpoint().rstrip('/'),
                         *(parse.quote(part) for part in path)])

    def _capability(self, name):
        """Return what the service tells of an optional part, None if it
        does not have that or does not tell of any.
        """
        if self._info is None:
            try:
                self._info = self.sdk().get_info()
            except sdk.exceptions.HttpException:
                # Operators may keep to themselves what there is.
                self._info = {}
        return self._info.get(name)

    # -- temporary URLs -----------------------------------------------------

    def get_temp_url(self, container_name, obj_name, timeout=None,
                     method='PUT'):
        """Return a URL by which anybody may do one thing with an object.

        :param timeout: for how many seconds; for ever, if there is none.
        """
        expires = MAX_EPOCH
        if timeout is not None:
            expires = min(int(time.time() + timeout), MAX_EPOCH)
        parts = parse.urlsplit(self.sdk().get_endpoint())
        path = '%s/%s/%s' % (parse.unquote(parts.path).rstrip('/'),
                             container_name, obj_name)
        signature = hmac.new(
            self._temp_url_key().encode(),
            ('%s\n%d\n%s' % (method, expires, path)).encode(),
            self._digest()).hexdigest()
        return '%s://%s%s?temp_url_sig=%s&temp_url_expires=%d' % (
            parts.scheme, parts.netloc, parse.quote(path), signature,
            expires)

    def is_own_url(self, url):
        """Return whether a URL is one of the object store of the cloud."""
        ours, other = (parse.urlsplit(each) for each in (
            self.sdk().get_endpoint(), url))
        return (ours.scheme, ours.netloc) == (other.scheme, other.netloc)

    def _digest(self):
        offered = self._capability('tempurl')
        if offered is None:
            return _DIGESTS[0]
        # Before there was a choice there was only one.
        allowed = offered.get('allowed_digests', ['sha1'])
        return next((each for each in _DIGESTS if each in allowed),
                    _DIGESTS[0])

    def _temp_url_key(self):
        """Return what signs the URLs of the project, made if need be."""
        if self._key is None:
            self._key = self.sdk().get_account_metadata(
                ).meta_temp_url_key or self._make_key()
        return self._key

    def _make_key(self):
        # Whoever else makes one at this moment makes the same.
        key = hmac.new(cfg.CONF.auth_encryption_key.encode(),
                       b'temporary URLs of ' +
                       parse.urlsplit(self.url_of()).path.encode(),
                       hashlib.sha256).hexdigest()
        self.request('POST', headers={'X-Account-Meta-Temp-URL-Key': key})
        return key

    def get_signal_url(self, container_name, obj_name, timeout=None):
        """Return a temporary URL at which signals are put.

        Each signal is kept when the next one comes: as a version of the
        object, in the same container.
        """
        self.request('PUT', container_name,
                     headers={'X-Versions-Location':
                              parse.quote(container_name)})
        self.sdk().upload_object(container_name, obj_name,
                                    data=IN_PROGRESS)
        return self.get_temp_url(container_name, obj_name, timeout=timeout)

    def is_valid_temp_url_path(self, path):
        """Return whether a path names an object: /v1/AUTH_x/container/object.
        """
        parts = path.split('/', 4)
        return (len(parts) == 5 and not parts[0] and all(parts[1:]) and
                parts[1].startswith('v') and parts[2].startswith('AUTH_'))

    def parse_last_modified(self, lm):
        """Return the time in a header Last-Modified, in UTC, None if none.
        """
        parsed = lm and email.utils.parsedate_tz(lm)
        if not parsed:
            return None
        return datetime.datetime.fromtimestamp(
            calendar.timegm(parsed[:6]) - (parsed[9] or 0),
            datetime.UTC).replace(tzinfo=None)

    # -- many objects -------------------------------------------------------

    def read_versions(self, container, name):
        """Return an object and what it was before, the oldest first.

        :returns: (when it was written, what it is called, content) of each.
        """
        client, found = self.sdk(), []
        for each in list(client.objects(container)):
            # Versions are named for the object, after the length of that.
            if each.name != name and (
                    not each.name[3:].startswith(name + '/')):
                continue
            with self.ignore_not_found:
                read = client.get_object(each.name, container=container,
                                         remember_content=True)
                # Of what an object was, only the name tells the time.
                written = (read.timestamp if each.name == name else
                           each.name.rpartition('/')[2])
                found.append((written, each.name, read.data or ''))
        return sorted(found)

    def delete_object_with_versions(self, container, name):
        """Delete an object with all that it was, and its container if that
        is empty then; either may be gone.
        """
        with self.ignore_conflict_and_not_found:
            with self.ignore_not_found:
                # Deleting one version brings back the one before.
                while True:
                    self.sdk().delete_object(name, container=container,
                                                ignore_missing=False)
            self.sdk().delete_container(container)

    def delete_some_objects(self, container):
        """Delete objects of a container; return whether there were any."""
        bulk = self._capability('bulk_delete')
        names = [found['name'] for found in self.request(
            'GET', container, params={
                'format': 'json',
                'limit': _FEW if bulk is None else _BULK}).json()]
        if bulk is None:
            for name in names:
                self.sdk().delete_object(name, container=container)
        elif names:
            self._delete_at_once(container, names)
        return bool(names)

    def _delete_at_once(self, container, names):
        answer = self.request(
            'POST', params={'bulk-delete': ''}, data='\n'.join(
                parse.quote('%s/%s' % (container, name)) for name in names),
            headers={'Content-Type': 'text/plain',
                     'Accept': 'application/json'}).json()
        # The status of the answer itself is sent before the work begins.
        if answer.get('Errors'):
            raise exception.Error(_(
                'Objects of the container %(container)s could not be '
                'deleted: %(status)s') % {
                    'container': container,
                    'status': answer['Errors'][0][1]})

    def get_files_from_container(self, files_container, files_to_skip=None):
        """Return the contents of the objects of a container, by name.

        :raises DownloadLimitExceeded: they are more than a request may have.
        :raises NotFound: there is no such container.
        """
        skipped, limit = frozenset(files_to_skip or ()), (
            cfg.CONF.max_json_body_size)
        _require_container_name(files_container)
        client = self.sdk()
        container = parse.quote(files_container, safe='')
        try:
            wanted = [found for found in client.objects(container)
                      if found.name not in skipped]
            size = sum(found.content_length or 0 for found in wanted)
            if size > limit:
                raise exception.DownloadLimitExceeded(message=_(
                    'the files in the container %(container)s have '
                    '%(size)d bytes, %(limit)d are allowed') % {
                        'container': files_container, 'size': size,
                        'limit': limit})
            return {found.name: _text_of(client, container, found.name)
                    for found in wanted}
        except sdk.exceptions.NotFoundException as error:
            raise exception.NotFound(_(
                'The files in the container %s could not be read: the '
                'container or one of its files does not exist') %
                files_container) from error
        except sdk.exceptions.HttpException as error:
            if not 400 <= (cloud_error.status_of(error) or 0) < 500:
                raise
            raise exception.StackValidationFailed(
                path=['files_container'],
                message=_('Swift refuses to show the container '
                          '%(container)s: %(error)s') % {
                    'container': files_container,
                    'error': cloud_error.told_by(error)}) from error


def _require_container_name(name):
    """Raise StackValidationFailed for what Swift takes for no name."""
    if '/' in name or name in ('.', '..') or (
            len(name.encode()) > _CONTAINER_NAME_BYTES):
        raise exception.StackValidationFailed(
            path=['files_container'],
            message=_('The name of a container must have at most %d bytes '
                      'and no slash, and must not be "." or ".."')
            % _CONTAINER_NAME_BYTES)


def _text_of(client, container, name):
    try:
        return client.download_object(name, container=container).decode()
    except UnicodeDecodeError as error:
        raise exception.StackValidationFailed(
            path=['files_container', container, name],
            message=_('It is not UTF-8 text')) from error
