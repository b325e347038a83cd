"""Resource types as users may see them."""
import types

import pytest

from heat.common import exception
from heat.engine import attributes
from heat.engine import environment
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.rpc import types as service_types

NEW = support.SupportStatus(version='9.0.0')
OLD = support.SupportStatus(status=support.DEPRECATED, version='5.0.0')
GONE = support.SupportStatus(status=support.HIDDEN)


class Plain(resource.Resource):
    """A plain thing.

    More about it.
    """

    support_status = NEW
    properties_schema = {
        'a': properties.Schema(properties.Schema.STRING),
        'hidden': properties.Schema(properties.Schema.STRING,
                                    support_status=GONE),
        'idle': properties.Schema(properties.Schema.STRING,
                                  implemented=False)}
    attributes_schema = {
        'b': attributes.Schema('B.'),
        'hidden_b': attributes.Schema('H.', support_status=GONE)}


class Old(Plain):
    """An old thing."""

    support_status = OLD


class Hidden(Plain):
    """A hidden thing."""

    support_status = GONE


class Missing(Plain):
    """A thing of a service."""

    default_client_name = 'widgets'
    required_service_extension = 'colour'

    @classmethod
    def is_service_available(cls, context):
        return False, 'no endpoint'


class Broken(Plain):
    @classmethod
    def is_service_available(cls, context):
        raise OSError('db:3306')


class Policy:
    """Forbids types, by an answer or an error."""

    def __init__(self, *forbidden, raises=True):
        self.forbidden = forbidden
        self.raises = raises

    def enforce(self, context, name):
        if name not in self.forbidden:
            return True
        if self.raises:
            raise exception.Forbidden()
        return False


@pytest.fixture
def env():
    env = environment.Environment({}, user_env=False)
    for name, cls in (('T::Plain', Plain), ('T::Old', Old),
                      ('T::Hidden', Hidden), ('T::Missing', Missing),
                      ('T::Broken', Broken)):
        env.register_class(name, cls)
    return env


@pytest.mark.parametrize(('options', 'names'), [
    ({}, {'T::Plain', 'T::Old'}),
    ({'unusable': True}, {'T::Plain', 'T::Old', 'T::Missing', 'T::Broken'}),
    ({'support_status': 'DEPRECATED'}, {'T::Old'}),
    ({'version': '5.0.0'}, {'T::Old'}), ({'version': '1'}, set()),
    ({'type_name': 'T::P'}, {'T::Plain'}), ({'type_name': '::P'}, set()),
    ({'type_name': '.*d$'}, {'T::Old'}), ({'type_name': '('}, set()),
])
def test_types_that_are_listed(env, options, names):
    assert set(service_types.available(None, env, Policy(),
                                       **options)) == names


@pytest.mark.parametrize('raises', [True, False])
def test_forbidden_types_are_not_listed(env, raises):
    assert set(service_types.available(
        None, env, Policy('T::Old', raises=raises))) == {'T::Plain'}


def test_support_status_must_be_one(env):
    with pytest.raises(exception.Invalid, match='support status'):
        service_types.available(None, env, Policy(), support_status='NEW')


def find(env, name, **options):
    return service_types.find(None, env, name,
                              options.pop('policy', Policy()), **options)


def test_type_is_found(env):
    assert find(env, 'T::Plain') is Plain
    assert find(env, 'T::Missing', needs_service=False) is Missing


@pytest.mark.parametrize(('name', 'error'), [
    ('T::Hidden', exception.NotSupported),
    ('T::Missing', exception.ResourceTypeUnavailable),
    ('T::Broken', exception.ResourceTypeUnavailable),
    ('T::Nothing', exception.EntityNotFound)])
def test_types_that_cannot_be_used(env, name, error):
    with pytest.raises(error, match='T::'):
        find(env, name)


def test_forbidden_type_is_not_described(env):
    with pytest.raises(exception.Forbidden):
        find(env, 'T::Plain', policy=Policy('T::Plain'))


def test_faults_of_plugins_show_no_details(env):
    with pytest.raises(exception.ResourceTypeUnavailable) as caught:
        find(env, 'T::Broken')
    assert 'db:3306' not in str(caught.value)
    assert 'OSError' in str(caught.value)


def test_schema_shows_what_can_be_used():
    shown = service_types.schema('T::Plain', Plain)
    assert set(shown['properties']) == {'a'}
    assert set(shown['attributes']) == {'b', 'show'}
    assert shown['support_status']['version'] == '9.0.0'
    assert 'description' not in shown
    assert service_types.schema('T::Plain', Plain, True)[
        'description'].startswith('A plain thing.')


def test_descriptions_are_a_paragraph_on_one_line():
    def documented():
        """Do one thing
        and another.

        In more words.
        """

    assert service_types.summary(documented) == 'Do one thing and another.'
    assert service_types.summary(types.SimpleNamespace()) is not None
    assert service_types.description(None, Plain) == 'A plain thing.'
    assert service_types.description(None, Missing) == (
        'Needs the service widgets (colour). A thing of a service.')
    assert service_types.missing_service(None, Broken) == (
        'Not available here.')
