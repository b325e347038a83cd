"""Nouns that openstacksdk has no class for."""
from openstack import exceptions
from openstack import proxy
import pytest

from heat.engine.clients import sdk
from heat.engine.clients import sdk_noun
from tests.fakes import rest_service

NOUNS = {
    'lamp': sdk_noun.Noun('/lamps', 'lamp', 'lamps'),
    'bare_lamp': sdk_noun.Noun('/lamps', 'lamp', 'lamps', bare=True),
    'box': sdk_noun.Noun('/boxes', None, 'boxes', identity='uuid',
                         patch=True, create_query=(('run', 'true'),),
                         delete_query=(('stop', 'true'),)),
}


class Things(rest_service.RestService):
    COLLECTIONS = {'/lamps': ('lamp', 'lamps', 'id'),
                   '/boxes': (None, 'boxes', 'uuid')}


@pytest.fixture
def things():
    return Things()


@pytest.fixture
def verbs(things):
    return sdk_noun.extended(proxy.Proxy(
        rest_service.Session(things), service_type='things'), NOUNS)


def test_thing_with_a_key_around_it(verbs, things):
    lamp = verbs.create_lamp(colour='red')
    assert things.bodies('POST', '/lamps') == [{'lamp': {'colour': 'red'}}]
    assert sdk.shown(verbs.get_lamp(lamp.id))['colour'] == 'red'
    verbs.update_lamp(lamp.id, colour=None, name='one')
    assert things.bodies('PUT', '/lamps/' + lamp.id) == [
        {'lamp': {'colour': None, 'name': 'one'}}]
    assert verbs.find_lamp('one', ignore_missing=False).id == lamp.id
    verbs.delete_lamp(lamp.id, ignore_missing=False)
    verbs.delete_lamp(lamp.id)
    for verb in (verbs.get_lamp, lambda its_id: verbs.delete_lamp(
            its_id, ignore_missing=False)):
        with pytest.raises(exceptions.NotFoundException):
            verb(lamp.id)


def test_request_with_nothing_around_it(verbs, things):
    assert verbs.create_bare_lamp(colour='red').id
    assert things.bodies('POST', '/lamps') == [{'colour': 'red'}]


def test_thing_that_is_patched(verbs, things):
    box = verbs.create_box(size=1, lid='old')
    assert things.queries[-1] == {'run': 'true'}
    assert box.id == things.only('/boxes')['uuid']
    verbs.update_box(box.id, size=2, lid=None)
    assert things.bodies('PATCH', '/boxes/' + box.id) == [[
        {'op': 'remove', 'path': '/lid'},
        {'op': 'replace', 'path': '/size', 'value': 2}]]
    things.trouble['PATCH', '/boxes/' + box.id] = [409]
    with pytest.raises(exceptions.ConflictException):
        verbs.update_box(box.id, size=3)
    verbs.delete_box(box.id, ignore_missing=False)
    assert things.queries[-1] == {'stop': 'true'}
    assert not things.things['/boxes']


def test_other_names_are_those_of_the_proxy(verbs):
    assert verbs.service_type == 'things'
    with pytest.raises(AttributeError):
        verbs.create_shoe(size=1)
