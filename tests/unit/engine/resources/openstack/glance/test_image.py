"""Images that Glance downloads."""
import json

from keystoneauth1 import adapter
import pytest
import requests

from heat.engine.clients.os import glance
from heat.engine.resources.openstack.glance import image
from tests.fakes import cloud

IMAGE = """
resources:
  image:
    type: OS::Glance::WebImage
    properties:
      name: cirros
      location: http://images.example/cirros
      disk_format: %s
      container_format: bare
      %s
"""


class Images(cloud.FakeService):
    """An image service that downloads when it is looked at."""

    def __init__(self):
        super().__init__(image=['queued', 'importing', 'saving', 'active'])
        self.done = []

    def import_image(self, thing, method, uri):
        self.done.append((method, uri))

    def deactivate_image(self, _image_id):
        self.done.append('off')

    def reactivate_image(self, _image_id):
        self.done.append('on')

    def add_tag(self, _image_id, tag):
        self.done.append('+' + tag)

    def remove_tag(self, _image_id, tag):
        self.done.append('-' + tag)

    def add_member(self, _image_id, member):
        self.done.append('+' + member)

    def remove_member(self, member, _image_id, ignore_missing):
        self.done.append('-' + member)

    def patch(self, path, json, headers):
        assert headers['Content-Type'].endswith('json-patch')
        self.done.append((path.rpartition('/')[0], json))
        answer = requests.Response()
        answer.status_code = 200
        return answer


@pytest.fixture
def images():
    return Images()


@pytest.fixture
def engine(cloud_engine, images, monkeypatch):
    cloud_engine.use(images, glance.GlanceClientPlugin, image)
    monkeypatch.setattr(
        glance.GlanceClientPlugin, 'create_image',
        lambda self, values: images._create('image', **values).id)
    return cloud_engine


def test_image_is_downloaded(engine, images):
    stack = engine.create(IMAGE % (
        'qcow2', 'extra_properties: {hw: x}\n      active: false'))
    assert stack.state == ('CREATE', 'COMPLETE')
    body = images.body('create')
    assert (body['name'], body['hw'], body['visibility']) == (
        'cirros', 'x', 'private')
    assert images.done == [
        ('web-download', 'http://images.example/cirros'), 'off']
    engine.delete(stack)
    assert not images.things


def test_download_that_failed_fails_the_stack(engine, images):
    images.script['image'] = ['queued', 'queued']
    create = images._create
    images._create = lambda entity, **values: create(
        entity, properties={'os_glance_failed_import': 'file'}, **values)
    stack = engine.create(IMAGE % ('qcow2', ''))
    assert stack.state == ('CREATE', 'FAILED')
    assert 'could not download' in stack.status_reason


def test_update_changes_what_differs(engine, images):
    stack = engine.create(IMAGE % (
        'qcow2', 'tags: [a, b]\n      extra_properties: {hw: x, os: y}'))
    images.done.clear()
    stack = engine.update(stack, IMAGE % (
        'qcow2', 'tags: [b, c]\n      extra_properties: {hw: z}\n'
        '      os_distro: cirros\n      active: false'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert images.done == [
        ('/images', [{'op': 'add', 'path': '/hw', 'value': 'z'},
                     {'op': 'remove', 'path': '/os'},
                     {'op': 'add', 'path': '/os_distro',
                      'value': 'cirros'}]), '-a', '+c', 'off']


@pytest.mark.parametrize(('disk', 'rest', 'problem'), [
    ('ami', '', 'must match'),
    ('raw', 'members: [p]', 'shared')])
def test_image_that_cannot_be(engine, images, disk, rest, problem):
    with pytest.raises(Exception, match=problem):
        engine.create(IMAGE % (disk, rest))
    assert not images.log


# openstacksdk warns of what it does itself.
@pytest.mark.filterwarnings(
    'ignore:The _compute_attributes method is deprecated')
def test_name_is_never_one_of_a_file(tmp_path, cloud_engine, monkeypatch):
    secret = tmp_path / 'secret.qcow2'
    secret.write_text('secret')
    sent = []

    class Session(adapter.Adapter):
        def __init__(self):
            super().__init__(session=None)

        def post(self, url, json=None, **_options):
            sent.append((url, json))
            answer = requests.Response()
            answer.status_code = 201
            answer._content = b'{"id": "image-1"}'
            answer.headers['Content-Type'] = 'application/json'
            return answer

    plugin = glance.GlanceClientPlugin(cloud_engine.context)
    monkeypatch.setattr(plugin, 'sdk', Session)
    assert plugin.create_image({'name': str(secret), 'x': 'y'}) == 'image-1'
    assert sent == [('/images', {'name': str(secret), 'x': 'y'})]
    assert 'secret"' not in json.dumps(sent)
