"""Buckets of S3 are containers of Swift."""
import pytest

from heat.engine.clients.os import swift as swift_plugin
from heat.engine.resources.aws.s3 import s3
from heat.engine.rpc import formats
from tests.fakes import swift as fake_swift

BUCKET = """
resources:
  it:
    type: AWS::S3::Bucket
    properties: {%s}
outputs:
  ref: {value: {get_resource: it}}
  host: {value: {get_attr: [it, DomainName]}}
  url: {value: {get_attr: [it, WebsiteURL]}}
"""


@pytest.fixture
def storage():
    return fake_swift.Swift()


@pytest.fixture
def engine(cloud_engine, storage):
    cloud_engine.use(storage, swift_plugin.SwiftClientPlugin, s3)
    return cloud_engine


def test_web_site(engine, storage):
    stack = engine.create(BUCKET % (
        'AccessControl: PublicRead, Tags: [{Key: a, Value: b}], '
        'WebsiteConfiguration: {IndexDocument: i.html, '
        'ErrorDocument: e.html}'))
    assert stack.state == ('CREATE', 'COMPLETE')
    [name] = storage.containers
    assert storage.headers[name] == {
        'X-Container-Read': '.r:*', 'X-Container-Meta-S3-Tag-a': 'b',
        'X-Container-Meta-Web-Index': 'i.html',
        'X-Container-Meta-Web-Error': 'e.html'}
    assert engine.values(stack) == {
        'ref': name, 'host': 'swift',
        'url': 'http://swift:8080/v1/AUTH_p/' + name}
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    engine.delete(stack)
    assert storage.containers == {}


def test_attributes_are_shown(engine, storage):
    """What Swift knows of the container does not take their place."""
    stack = engine.create(BUCKET % '')
    [name] = storage.containers
    assert formats.format_resource_attributes(stack['it']) == {
        'DomainName': 'swift',
        'WebsiteURL': 'http://swift:8080/v1/AUTH_p/' + name}


@pytest.mark.parametrize(('access', 'read', 'write'), [
    ('', '{p}:{u}', '{p}:{u}'), ('Private', '{p}:{u}', '{p}:{u}'),
    ('AuthenticatedRead', '{p}:*', None), ('PublicReadWrite', '.r:*', None)])
def test_who_may_use_it(engine, storage, access, read, write):
    stack = engine.create(BUCKET % (access and 'AccessControl: ' + access))
    [headers] = [headers for name, headers in storage.headers.items()
                 if name]
    who = {'p': stack.context.project_id, 'u': stack.context.user_id}
    assert headers.get('X-Container-Read') == read.format(**who)
    assert headers.get('X-Container-Write') == (
        write and write.format(**who))


def test_bucket_with_objects_stays(engine, storage):
    stack = engine.create(BUCKET % '')
    [name] = storage.containers
    storage.upload_object(name, 'o', 'x')
    assert engine.delete(stack).state == ('DELETE', 'FAILED')
    assert list(storage.containers[name]) == ['o']
